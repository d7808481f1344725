import HTTPTypes
import PorticoBytes
public import PorticoProtocol
import PorticoSystem

/// An OpenID provider in memory, with its people, for the tests of an app.
///
/// Everything that a client does with it runs the library's own code: discovery, PKCE, every check
/// of an ID Token, refresh, storage. Only the network, the browser and the clock are replaced.
/// Changes take effect at the next request.
public final class FakeProvider: Sendable {
    /// A step that can fail, and is counted.
    public enum Step: Hashable, Sendable {
        /// The metadata is fetched.
        case metadata
        /// The key set is fetched.
        case keys
        /// The provider's page is opened in the browser.
        case authorization
        /// The code is redeemed.
        case code
        /// The tokens are refreshed.
        case refresh
        /// Claims are fetched from UserInfo.
        case userInfo
        /// A token is revoked.
        case revocation
        /// An API that the test serves is called.
        case api
    }

    /// The issuer that ``Portico/SignInClient/testing(_:clientID:redirect:scopes:options:storage:)``
    /// uses.
    public let issuer: String
    /// The clock of the provider and of its clients.
    public let clock: TestClock
    /// Without the slash that an issuer may end in.
    let base: String
    let shown = Locked(Shown())
    let state: Locked<State>

    struct State: FakeState, Sendable {
        var people: [FakePerson]
        var script = Script<Step>()
        var services = FakeServices()
        var accessTokenLife = Duration.minutes(5)
        var rotation: RefreshRotation? = .idempotent
        var bindsTokens = true
        /// `nil` if this system can make no key: then no answer has an ID Token.
        var key = FakeProvider.newKey(1)
        var serial = 1
        var codes: [String: FakeGrant] = [:]
        var grants: [Int: FakeGrant] = [:]
        var families: [TokenFamily] = []
        /// Who is signed in in the browser, and since when.
        var browserSession: (subject: String, since: Date)?
    }

    /// A provider with these people. The first of them sits at the browser, unless the app expects
    /// another one (`login_hint`).
    ///
    /// - Parameters:
    ///   - people: At least one for a sign-in to succeed.
    ///   - issuer: An https URL.
    ///   - clock: Of the provider and of its clients.
    public init(
        people: [FakePerson] = [.ann()],
        issuer: String = "https://id.example.com",
        clock: TestClock = TestClock()
    ) {
        self.issuer = issuer
        base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
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

    /// Signs with a new key from now on; the old one is no longer published.
    public func rotateKeys() {
        state.withLock { state in
            state.serial += 1
            state.key = Self.newKey(state.serial)
        }
    }

    /// Ends every session at the provider, in the browser too: refresh tokens are refused, and a
    /// sign-in with `prompt=none` is asked for.
    public func endSessions() {
        state.withLock { state in
            state.browserSession = nil
            state.endFamilies()
        }
    }

    /// Changes a person's details and roles, which the next token has. A new subject is a new
    /// person.
    public func change(_ person: FakePerson) {
        state.withLock { $0.change(person) }
    }

    /// How long access tokens live; five minutes by default.
    public var accessTokenLife: Duration {
        get { state.withLock { $0.accessTokenLife } }
        set { state.withLock { $0.accessTokenLife = newValue } }
    }

    /// What becomes of used refresh tokens; `nil` for a provider that issues none.
    public var refreshRotation: RefreshRotation? {
        get { state.withLock { $0.rotation } }
        set { state.withLock { $0.rotation = newValue } }
    }

    /// Whether tokens are bound to the key of a proof of possession, if a request has one (DPoP, RFC
    /// 9449; `Options.dpop`); otherwise proofs are ignored. Every proof needs a nonce, and a nonce is
    /// good for two minutes.
    public var bindsTokens: Bool {
        get { state.withLock { $0.bindsTokens } }
        set { state.withLock { $0.bindsTokens = newValue } }
    }

    /// Answers the app's requests to an API of its own. A request without a live access token gets
    /// a 401 and does not come here.
    ///
    /// - Parameters:
    ///   - origin: Such as `https://api.example.com`. The client must allow it too
    ///     (`Options.apiOrigins`).
    ///   - answer: Called for each request.
    public func serve(
        _ origin: String,
        _ answer: @escaping @Sendable (FakeCall) async -> HTTPReply
    ) {
        state.withLock { $0.services.serve(origin, answer) }
    }

    // MARK: What happened

    /// How often a step was tried, with or without success.
    public func count(_ step: Step) -> Int {
        state.withLock { $0.script.count(step) }
    }

    /// How many sessions of apps are live at the provider.
    public var liveSessions: Int {
        state.withLock { $0.families.count { !$0.isOver } }
    }

    /// Who is signed in at the provider in the browser.
    public var personInBrowser: FakePerson? {
        state.withLock { state in state.browserSession.flatMap { state.person($0.subject) } }
    }

    /// The person's browser.
    public var browser: FakeBrowser { FakeBrowser(server: self) }
}

/// What a code was issued for.
struct FakeGrant: Sendable {
    let clientID: String
    let redirectURI: String
    let challenge: CodeChallenge?
    let nonce: String?
    let scope: String
    let acr: String?
    let subject: String
    let since: Date
    /// `dpop_jkt`: the key that must redeem it.
    var keyThumbprint: String?
}

/// Proofs of possession (RFC 9449).
extension FakeProvider {
    /// The key that a request proves; `nil` if it has no proof.
    func provenKey(of request: HTTPRequest) throws(DPoPRefusal) -> JWKThumbprint? {
        guard bindsTokens else { return nil }
        let judge = DPoPJudge(nonce: { nonce, now in
            [now, now - 60, now - 120].contains { sameBytes(nonce, Self.nonce(at: $0)) }
        })
        return try judge(
            request.headerFields[values: .dpop],
            for: DPoPJudge.Request(
                method: request.method,
                address: request.address?.text ?? "",
                token: request.token(after: "DPoP ")
            ),
            at: NumericDate.seconds(clock.now)
        )?.thumbprint
    }

    func withNonce(_ reply: HTTPReply) -> HTTPReply {
        guard bindsTokens else { return reply }
        var reply = reply
        reply.response.headerFields[.dpopNonce] = Self.nonce(at: NumericDate.seconds(clock.now))
        return reply
    }

    /// One for each minute.
    private static func nonce(at now: Int64) -> String { "nonce-\(now / 60)" }

    /// Whose access token a request carries, if it is live and bound to the proven key, or to none
    /// (RFC 9449 §7.1, §7.2).
    func person(of request: HTTPRequest, _ key: JWKThumbprint?) -> FakePerson? {
        let now = clock.now
        return state.withLock { state in
            let scheme = key == nil ? "Bearer " : "DPoP "
            guard let token = request.token(after: scheme) else { return nil }
            return state.families.first { $0.isLive(token, at: now) && $0.key == key }
                .flatMap { state.person($0.subject) }
        }
    }
}

extension HTTPReply {
    /// An error answer (RFC 9449 §5), or a challenge (§7.1).
    static func refusedProof(_ refusal: DPoPRefusal, isResource: Bool) -> HTTPReply {
        let code = refusal.error.code.rawValue
        guard isResource else { return .error(code, refusal.error.description) }
        var reply = HTTPReply.status(401)
        reply.response.headerFields[.wwwAuthenticate] = "DPoP error=\"\(code)\", algs=\"ES256\""
        return reply
    }
}
