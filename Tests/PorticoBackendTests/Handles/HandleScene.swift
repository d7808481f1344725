import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// A database with people who have signed in by handle, a host that counts what it is asked, and a
/// stopped clock.
final class HandleScene: Sendable {
    static let did = "did:plc:abcdefghijklmnopqrstuvwx"

    /// The same in each process.
    static let ring: KeyRing = {
        let id = KeyRing.KeyID(1)
        guard let ring = try? KeyRing(keys: [(id, Array(repeating: 7, count: 32))], active: id)
        else { preconditionFailure("A ring of one key is one.") }
        return ring
    }()

    let database: TestDatabase
    let clock: StoppedClock
    let host: CountingHost
    let vault = HandleTokenVault(ring: HandleScene.ring)
    let tokens: HandleTokens

    init(_ database: TestDatabase? = nil) throws {
        let database = try database ?? TestDatabase.inMemory()
        let (clock, host) = (StoppedClock(), CountingHost())
        self.database = database
        self.clock = clock
        self.host = host
        tokens = Self.tokens(database, clock, host)
    }

    static func tokens(_ database: TestDatabase, _ clock: StoppedClock, _ host: CountingHost)
        -> HandleTokens
    {
        HandleTokens(
            handles: database.handles,
            vault: HandleTokenVault(ring: ring),
            servers: host,
            clock: Clock { clock.now },
            // Real, but short: others have to come to their turn.
            pause: { _ in try? await Task.sleep(for: .milliseconds(2)) }
        )
    }

    var handles: HandleSessionStore { database.handles }
    var moment: Moment { Clock { [clock] in clock.now }.moment() }

    /// A session whose access token lives for some seconds more.
    func signedIn(
        accessLives seconds: Int64? = 900,
        refresh: String? = "R1",
        did: String = did,
        host: String = "https://pds.example.com",
        clientKeyID: String? = "key-1",
        granted: String = "atproto transition:generic",
        form: PersonSession.Form? = nil,
        foreignSealsUntil: Int64? = nil
    ) async throws -> HandleSession {
        let (id, now) = (moment.id().text, clock.seconds)
        let key = try DPoPKey(random: .system)
        let held = HandleTokenVault.Tokens(
            access: SecretText("A1"),
            refresh: refresh.map { SecretText($0) },
            key: key
        )
        var event = SignInEvent(
            realmID: "home",
            spending: [],
            identity: Identity(
                key: IdentityKey(issuer: "atproto", subject: did),
                provider: "atproto",
                email: nil,
                linkedAt: now,
                lastUsedAt: now,
                sealedToken: nil
            ),
            name: "Ann",
            picture: nil,
            language: "en",
            emailRule: .never,
            isSignUpOpen: true,
            newPersonID: moment.id().text,
            session: NewSession(
                id: id,
                form: form
                    ?? .browser(
                        cookieHash: Hash256(of: RandomSource.system.bytes(16))
                    ),
                providerSessionID: nil,
                device: "Firefox on Linux",
                address: nil,
                idleSeconds: SidCookie.lifetime,
                expiresAt: now + HandleSessionCheck.longest
            ),
            userAgent: nil,
            notice: nil
        )
        event.handleSession = NewHandleSession(
            did: did,
            handle: "ann.example.com",
            host: host,
            issuer: "https://as.example.com",
            clientID: "https://app.example/oauth-client-metadata.json",
            clientKeyID: clientKeyID,
            askedScope: "atproto transition:generic",
            scope: granted,
            sealed: vault.seal(held, for: id, random: .system),
            accessExpiresAt: seconds.map { now + $0 },
            foreignSealsUntil: foreignSealsUntil
        )
        try await database.makeHome()
        _ = try await database.accounts.signIn(event, at: now)
        return try #require(try await session(id))
    }

    func session(_ id: String) async throws -> HandleSession? {
        try await handles.live(id, at: clock.seconds)?.handle
    }

    func signOut(_ id: String) async throws {
        let live = try #require(try await handles.live(id, at: clock.seconds))
        _ = try await database.sessions.signOut(id, of: live.live.person.id, at: clock.seconds)
    }

    /// The stored tokens: access, refresh.
    func stored(_ id: String) async throws -> [String?] {
        let session = try #require(try await session(id))
        let tokens = try #require(vault.open(session))
        return [tokens.access?.reveal(), tokens.refresh?.reveal()]
    }
}

/// Stands in for all servers of all hosts: takes `R1` once for `A2` and `R2`, and so on.
final class CountingHost: HandleTokenServers, HandleTokenServer {
    enum Fault: Sendable {
        case none, away, movedAway, lostAnswer, lostRequest, invalidGrant, invalidClient
        case serverError, otherSubject, unusable, unusableWithSuccessor
    }

    private struct State {
        var generation = 1
        var sent: [String] = []
        var revoked: [String] = []
        var fault = Fault.none
        var looked = 0
    }

    private let state = Locked(State())
    /// Happens before a refresh is answered.
    private let meanwhile = Locked<(@Sendable () async throws -> Void)?>(nil)
    /// Happens while a server is looked for.
    private let looking = Locked<(@Sendable () async -> Void)?>(nil)

    /// Every refresh token that came.
    var sent: [String] { state.withLock(\.sent) }
    var revoked: [String] { state.withLock(\.revoked) }
    /// How often a server was looked for.
    var looked: Int { state.withLock(\.looked) }

    func set(_ fault: Fault) { state.withLock { $0.fault = fault } }
    func before(_ body: (@Sendable () async throws -> Void)?) { meanwhile.withLock { $0 = body } }
    func whileLooking(_ body: (@Sendable () async -> Void)?) { looking.withLock { $0 = body } }

    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        let fault = state.withLock { state in
            state.looked += 1
            return state.fault
        }
        await looking.withLock { $0 }?()
        switch fault {
        case .away: throw .unreachable
        case .movedAway: throw .movedAway
        default: return self
        }
    }

    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens
    {
        // Long enough for others to come.
        try? await Task.sleep(for: .milliseconds(5))
        let body = meanwhile.withLock { $0 }
        do {
            try await body?()
        } catch {
            throw .failed(isUnspent: false)
        }
        let answer = state.withLock { state -> Result<RefreshedTokens, HandleRefreshFailure> in
            state.sent.append(token.reveal())
            switch state.fault {
            case .invalidGrant: return .failure(.invalidGrant)
            case .invalidClient: return .failure(.failed(isUnspent: true))
            case .serverError, .lostRequest: return .failure(.failed(isUnspent: false))
            case .otherSubject: return .failure(.otherSubject(refresh: SecretText("foreign")))
            case .unusable: return .failure(.unusable(successor: nil))
            default: break
            }
            // It is single use.
            guard token.reveal() == "R\(state.generation)" else { return .failure(.invalidGrant) }
            state.generation += 1
            switch state.fault {
            case .lostAnswer: return .failure(.failed(isUnspent: false))
            case .unusableWithSuccessor:
                return .failure(.unusable(successor: SecretText("R\(state.generation)")))
            default:
                return .success(
                    RefreshedTokens(
                        access: SecretText("A\(state.generation)"),
                        refresh: SecretText("R\(state.generation)"),
                        expiresIn: 900,
                        scope: "atproto"
                    )
                )
            }
        }
        return try answer.get()
    }

    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool {
        state.withLock { state in
            state.revoked.append(token.reveal())
            return state.fault != .serverError
        }
    }
}

/// People who sign in by handle, each step in one line.
extension TestVisitor {
    /// Asks `/login` from a page of ours; the answer leads to the person's host where all is well.
    func begin(_ handle: String, _ query: [(name: String, value: String)] = []) async throws
        -> Reply
    {
        try await request(
            FormEncoding.appending([("handle", handle)] + query, to: "/login"),
            from: "https://\(BackendUnderTest.host)/"
        )
    }

    /// Begins, and says yes at the host.
    ///
    /// - Returns: The address with the answer, which was not opened.
    func approved(
        _ typed: String,
        _ query: [(name: String, value: String)] = [],
        as person: TestHosts.Person = .ann
    ) async throws -> String {
        try server.hosts.approve(try await begin(typed, query).location, as: person)
    }

    /// Begins, says yes at the host, and comes back.
    func returned(
        _ typed: String,
        _ query: [(name: String, value: String)] = [],
        as person: TestHosts.Person = .ann
    ) async throws -> Reply {
        try await request(try await approved(typed, query, as: person))
    }

    func byHandle(_ query: [(name: String, value: String)] = []) async throws -> Reply {
        try await byHandle(.ann, query)
    }

    func byHandle(_ person: TestHosts.Person, _ query: [(name: String, value: String)] = [])
        async throws -> Reply
    {
        try await returned(person.handle, query, as: person)
    }
}

extension Reply {
    /// Where the link leads that begins at the host.
    func loginLink() throws -> String {
        let link = try #require(text.firstMatch(of: /href="(\/login\?handle=[^"]*)"/))
        return String(link.1).replacing("&amp;", with: "&")
    }
}

extension HandleTokens {
    /// Why there are no tokens for a session.
    func failure(for session: HandleSession, refused: SecretText? = nil) async -> Failure? {
        do {
            _ = try await tokens(for: session, refused: refused)
            return nil
        } catch {
            return error
        }
    }
}

extension BackendUnderTest {
    static func withHandles(
        _ settings: JSONObject = [:],
        apps: [Client] = [.moved, .notes],
        sessionsLast life: Int64 = HandleDirectory.sessionLife
    ) async throws -> BackendUnderTest {
        try await BackendUnderTest(apps: apps, handles: settings, sessionsLast: life)
    }

    /// The session that a reply's `sid` names, as it is stored.
    func handleSession(_ reply: Reply) async throws -> LiveHandleSession? {
        let seal = reply.headers[values: .setCookie].compactMap { field in
            field.dropping("sid=").map { String($0.prefix { $0 != ";" }) }
        }.first
        guard let seal else { return nil }
        return try await handleSession(ofSeal: seal)
    }

    func handleSession(ofSeal seal: String) async throws -> LiveHandleSession? {
        let passwords = try IronPasswords(session: SecretText(Self.sealPassword))
        let opened = try IronSession(passwords).open(seal, at: clock.seconds * 1000)
        guard let id = opened.object.string("session") else {
            return nil
        }
        return try await database.handles.live(id, at: clock.seconds)
    }

    /// Every session that there is, alive or not.
    func accountSessions() throws -> Int64 {
        try database.database.read { reader in
            try reader.first("SELECT count(*) FROM sessions", []) { try $0.int64(0) } ?? -1
        }
    }

    /// Waits for what no one else waits for.
    func revoked(_ count: Int) async throws -> [String] {
        try await waitUntil("\(count) revoked") { hosts.revoked.count >= count }
        return hosts.revoked
    }
}

extension Client {
    static let notes = BackendUnderTest.notes

    /// An app that came from another library: it takes its session in the address, and opens
    /// `/mobile-auth` bare.
    static let moved = Client.app(
        "moved",
        "com.example.moved:/auth-callback",
        form: .sessionToken,
        isDefault: true
    )
}
