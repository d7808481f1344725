public import HTTPTypes
import Portico
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

/// The page of the backend, as the browser gets it.
extension FakeBackend: FakeServer {
    func answer(toBrowser address: String) throws(SignInError) -> String? {
        let parts = address.split(separator: "?", maxSplits: 1)
        let path = parts.first.map(String.init) ?? ""
        // `try?`: the library sends no such address, so the test or the app made it.
        guard
            ["/login", "/mobile-auth"].contains(where: { path == self.address + $0 })
                || path.hasPrefix(self.address + "/v1/auth/"),
            let form = try? FormParameters(decoding: (parts.last ?? "").utf8),
            let redirectURI = form["redirect_uri"]
        else { throw .test("PorticoTesting: the address that was opened is not the fake's own.") }
        let isByHandle =
            ["/mobile-auth", "/v1/auth/atproto"].contains { path == self.address + $0 }
            || form["handle"] != nil
        let outcome = state.withLock { $0.outcome(of: form, redirectURI, isByHandle) }
        let parameters = try outcome.get()
        return FormEncoding.appending(parameters, to: redirectURI)
    }
}

extension HTTPReply {
    /// No one is signed in, as the real backend says it.
    fileprivate static let noSession: HTTPReply = {
        var reply = HTTPReply.json(
            [
                "authenticated": false, "error": "unauthorized", "reason": "SESSION_EXPIRED",
                "message": "The session has ended.",
            ],
            status: 401
        )
        reply.response.headerFields[.wwwAuthenticate] = "Bearer"
        return reply
    }()
}

extension FakeBackend.State {
    /// Of a cookie, in seconds.
    fileprivate static let cookieLife: TimeInterval = 14 * 86_400

    fileprivate mutating func issueCookie(_ index: Int, at now: Date) -> String {
        serial += 1
        let cookie = "cookie-\(serial)"
        families[index].issue(cookie, until: now.addingTimeInterval(Self.cookieLife))
        return cookie
    }

    fileprivate mutating func outcome(
        of form: FormParameters,
        _ redirectURI: String,
        _ isByHandle: Bool
    )
        -> Result<[(name: String, value: String)], SignInError>
    {
        let state = form["state"] ?? ""
        switch script.failure(of: .authorization) {
        case nil: break
        case .refused(let code, _): return .success([("error", code), ("state", state)])
        case .forged: return .success([("code", "forged"), ("state", "of another sign-in")])
        // The browser shows a page of its own, which the person closes.
        default: return .failure(SignInError(.cancelled(.user)))
        }
        var person = people.first
        if let handle = form["handle"] {
            person = people.first { sameBytes($0.handle, handle) }
            // The page says that there is no such handle, and the person closes it.
            if person == nil { return .failure(SignInError(.cancelled(.user))) }
        }
        switch script.act() {
        case .denies: return .success([("error", "access_denied"), ("state", state)])
        case .closesBrowser: return .failure(SignInError(.cancelled(.user)))
        case .takesTooLong: return .failure(SignInError(.cancelled(.timedOut)))
        // An unknown person registers.
        case .signsIn(let one): person = one
        case nil: break
        }
        guard let person else {
            return .failure(
                .test("PorticoTesting: no one is there to sign in: FakeBackend(people: [.ann()]).")
            )
        }
        serial += 1
        codes["hand-off-\(serial)"] = FakeBackend.HandedOff(
            app: form["app"] ?? "",
            redirectURI: redirectURI,
            challenge: form["code_challenge"].flatMap(CodeChallenge.init),
            person: person,
            isByHandle: isByHandle
        )
        return .success([("code", "hand-off-\(serial)"), ("state", state)])
    }
}

/// The routes of the backend, and the APIs of the app.
extension FakeBackend: HTTPTransport {
    public func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        // `try?`: a body that is no form has no parameters.
        let form = (try? FormParameters(decoding: body)) ?? FormParameters()
        guard let address = request.address else { throw .malformed }
        guard let step = step(address) else { return .unserved(address.text) }
        let failure = state.withLock { $0.script.failure(of: step) }
        let usual = { await self.usualReply(step, request, form, body, failure == .forged) }
        guard let failure else { return await usual() }
        return try await failure.reply(isBearer: step == .api, usual: usual)
    }

    private func step(_ address: HTTPAddress) -> Step? {
        switch address.text.prefix(while: { $0 != "?" }) {
        case self.address + "/v1/auth/token": .code
        case self.address + "/v1/auth/refresh": .refresh
        case self.address + "/v1/auth/session", self.address + "/api/auth/session": .session
        case self.address + "/v1/auth/logout", self.address + "/api/auth/logout": .signOut
        default: state.withLock { $0.services[address] } == nil ? nil : .api
        }
    }

    private func usualReply(
        _ step: Step,
        _ request: HTTPRequest,
        _ form: FormParameters,
        _ body: [UInt8],
        _ isForged: Bool
    ) async -> HTTPReply {
        switch step {
        case .code: return redeem(form, isForged)
        case .refresh: return refresh(request, form, isForged)
        case .authorization: return .status(404)
        case .session, .signOut, .api: break
        }
        guard let person = person(of: request) else { return .noSession }
        var reply: HTTPReply
        switch step {
        case .session:
            reply = .json([
                "authenticated": true, "user": .object(user(person, isForged)),
                "did": .string(isForged ? "did:example:another" : person.did),
                "handle": .string(person.handle), "userHandle": .string(person.handle),
            ])
        case .signOut:
            signOut(request, person)
            return .json(["success": true])
        default:
            let answer = request.address.flatMap { address in
                state.withLock { $0.services[address] }
            }
            reply =
                await answer?(FakeCall(request: request, body: body, person: person))
                ?? .status(404)
        }
        if let cookie = newCookie(after: request) {
            reply.response.headerFields[.setCookie] = cookie
        }
        return reply
    }

    /// A cookie in place of one that is a quarter of an hour old.
    private func newCookie(after request: HTTPRequest) -> String? {
        let now = clock.now
        return state.withLock { state in
            guard let token = request.sessionToken,
                let index = state.families.firstIndex(where: { $0.isLive(token, at: now) }),
                state.families[index].isCookie,
                let expiry = state.families[index].expiry(of: token),
                expiry.timeIntervalSince(now) <= State.cookieLife - 900
            else { return nil }
            let cookie = state.issueCookie(index, at: now)
            return "sid=\(cookie); Path=/; Max-Age=\(Int64(State.cookieLife))"
        }
    }

    private func person(of request: HTTPRequest) -> FakePerson? {
        let now = clock.now
        return state.withLock { $0.person(of: request, at: now) }
    }

    private func signOut(_ request: HTTPRequest, _ person: FakePerson) {
        let token = request.sessionToken ?? ""
        let isEverywhere = request.path?.hasSuffix("?everywhere=true") == true
        state.withLock { state in
            state.endFamilies {
                $0.has(token) || isEverywhere && sameBytes($0.subject, person.subject)
            }
        }
    }

    private func redeem(_ form: FormParameters, _ isForged: Bool) -> HTTPReply {
        let handedOff = state.withLock { state in
            form["code"].flatMap { state.codes.removeValue(forKey: $0) }
        }
        guard let handedOff, form["app"] == handedOff.app,
            form["redirect_uri"] == handedOff.redirectURI,
            let verifier = form["code_verifier"].flatMap(CodeVerifier.init),
            handedOff.challenge?.isMet(by: verifier) == true
        else { return .error("invalid_grant") }
        return signedIn(handedOff.person, isForged, isByHandle: handedOff.isByHandle)
    }

    func signedIn(
        _ person: FakePerson,
        _ isForged: Bool = false,
        isByHandle: Bool = false
    ) -> HTTPReply {
        let (index, isNew) = state.withLock { state in
            state.serial += 1
            if state.person(person.subject) == nil { state.people.append(person) }
            let isNew = state.known.insert(person.subject).inserted
            state.families.append(
                TokenFamily(number: state.serial, subject: person.subject, isCookie: isByHandle)
            )
            return (state.families.count - 1, isNew)
        }
        return issue(index, isNew: isNew, isForged)
    }

    private func refresh(_ request: HTTPRequest, _ form: FormParameters, _ isForged: Bool)
        -> HTTPReply
    {
        let index = state.withLock { $0.refresh(request, form, $0.rotation) }
        guard let index else { return .error("invalid_grant") }
        return issue(index, isNew: false, isForged)
    }

    private func issue(_ index: Int, isNew: Bool, _ isForged: Bool) -> HTTPReply {
        let now = clock.now
        return state.withLock { state in
            guard let person = state.person(state.families[index].subject) else {
                return .error("invalid_grant")
            }
            if state.families[index].isCookie {
                return .json([
                    "session_token": .string(state.issueCookie(index, at: now)),
                    "token_type": "Cookie", "cookie_name": "sid",
                    "did": .string(isForged ? "" : person.did), "handle": .string(person.handle),
                    "expires_in": .integer(Int64(State.cookieLife)),
                    "user": .object(user(person, isForged)), "is_new_user": .bool(isNew),
                ])
            }
            state.serial += 1
            let token = "session-\(state.serial)"
            let life = state.tokenLife.components.seconds
            state.families[index].issue(token, until: now.addingTimeInterval(TimeInterval(life)))
            return .json([
                "session_token": .string(token), "token_type": "Bearer",
                "expires_in": .integer(life),
                "refresh_token": .string(state.families[index].refreshToken),
                "user": .object(user(person, isForged)), "is_new_user": .bool(isNew),
            ])
        }
    }

    private func user(_ person: FakePerson, _ isForged: Bool) -> JSONObject {
        var user = person.backendUser
        if isForged { user["id"] = "another-person" }
        return user
    }
}
