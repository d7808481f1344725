import PorticoBytes
public import PorticoProtocol
import PorticoSystem

/// A backend-for-frontend in memory, with its people, for the tests of an app that uses
/// ``Portico/BackendClient``.
///
/// As with a ``FakeProvider``, only the network, the browser and the clock are replaced. A sign-in by
/// internet handle gives a cookie, which the backend replaces when it is a quarter of an hour old; DID
/// and handle are the claims `did` and `handle` of the person, or made up.
public final class FakeBackend: Sendable {
    /// A step that can fail, and is counted.
    public enum Step: Hashable, Sendable {
        /// The backend's page is opened in the browser.
        case authorization
        /// The hand-off code is redeemed.
        case code
        /// The session is renewed.
        case refresh
        /// The session is checked.
        case session
        /// The session is ended.
        case signOut
        /// The app's own API is called.
        case api
    }

    /// The address that
    /// ``Portico/BackendClient/testing(_:app:redirect:options:storage:)`` uses.
    public let address: String
    /// The clock of the backend and of its clients.
    public let clock: TestClock
    let shown = Locked(Shown())
    let state: Locked<State>

    struct State: FakeState, Sendable {
        var people: [FakePerson]
        var script = Script<Step>()
        var services = FakeServices()
        var tokenLife = Duration.minutes(15)
        var rotation = RefreshRotation.idempotent
        var serial = 1
        /// Who has signed in before. Others are new.
        var known: Set<String> = []
        var codes: [String: HandedOff] = [:]
        var families: [TokenFamily] = []
    }

    /// What a hand-off code was issued for.
    struct HandedOff: Sendable {
        let app: String
        let redirectURI: String
        let challenge: CodeChallenge?
        let person: FakePerson
        let isByHandle: Bool
    }

    /// A backend with these people. The first of them sits at the browser.
    ///
    /// - Parameters:
    ///   - people: At least one for a sign-in to succeed. Each registers at the first sign-in.
    ///   - address: An https URL without a trailing slash.
    ///   - clock: Of the backend and of its clients.
    public init(
        people: [FakePerson] = [.ann()],
        address: String = "https://api.example.com",
        clock: TestClock = TestClock()
    ) {
        self.address = address
        self.clock = clock
        state = Locked(State(people: people))
    }

    // MARK: What happens next

    /// The next time, this step fails. Several failures happen one after the other.
    public func next(_ step: Step, fails failure: FakeFailure) {
        state.withLock { $0.script.add(failure, to: step) }
    }

    /// What the person does at the next sign-in, instead of signing in.
    public func next(_ act: PersonAct) {
        state.withLock { $0.script.add(act) }
    }

    /// Whether every request fails for lack of a network.
    public var isOffline: Bool {
        get { state.withLock { $0.script.isOffline } }
        set { state.withLock { $0.script.isOffline = newValue } }
    }

    /// Ends every session at the backend.
    public func endSessions() {
        state.withLock { $0.endFamilies() }
    }

    /// Changes a person's details. A new subject is a new person.
    public func change(_ person: FakePerson) {
        state.withLock { $0.change(person) }
    }

    /// How long session tokens live; 15 minutes by default.
    public var tokenLife: Duration {
        get { state.withLock { $0.tokenLife } }
        set { state.withLock { $0.tokenLife = newValue } }
    }

    /// What becomes of used refresh tokens.
    public var refreshRotation: RefreshRotation {
        get { state.withLock { $0.rotation } }
        set { state.withLock { $0.rotation = newValue } }
    }

    /// Answers the app's requests to its API: at the backend, beside the routes of sign-in, or at
    /// another origin. A request without a live session token gets a 401 and does not come here.
    ///
    /// - Parameters:
    ///   - origin: The backend's if not given. The client must allow another one too
    ///     (`Options.apiOrigins`).
    ///   - answer: Called for each request.
    public func serve(
        _ origin: String? = nil,
        _ answer: @escaping @Sendable (FakeCall) async -> HTTPReply
    ) {
        state.withLock { $0.services.serve(origin ?? address, answer) }
    }

    // MARK: What happened

    /// How often a step was tried, with or without success.
    public func count(_ step: Step) -> Int {
        state.withLock { $0.script.count(step) }
    }

    /// How many sessions of apps are live at the backend.
    public var liveSessions: Int {
        state.withLock { $0.families.count { !$0.isOver } }
    }

    /// The person's browser.
    public var browser: FakeBrowser { FakeBrowser(server: self) }
}
