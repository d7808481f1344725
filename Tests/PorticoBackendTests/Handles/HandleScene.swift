import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

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
        form: NewAccountSession.Form? = nil,
        foreignSealsUntil: Int64? = nil
    ) async throws -> HandleSession {
        let (id, now) = (moment.id(), clock.seconds)
        let key = try DPoPKey(random: .system)
        let held = HandleTokenVault.Tokens(
            access: SecretText("A1"),
            refresh: refresh.map { SecretText($0) },
            key: key
        )
        var event = SignInEvent(
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
            newAccountID: moment.id(),
            session: NewAccountSession(
                id: id,
                form: form
                    ?? .browser(
                        cookieHash: Hash256(of: RandomSource.system.bytes(16)),
                        replacing: nil
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
        _ = try await database.accounts.signIn(event, at: now)
        return try #require(try await session(id))
    }

    func session(_ id: UniqueID) async throws -> HandleSession? {
        try await handles.live(id, at: clock.seconds)?.handle
    }

    func signOut(_ id: UniqueID) async throws {
        let live = try #require(try await handles.live(id, at: clock.seconds))
        _ = try await database.accounts.signOut(
            id,
            of: live.live.account.id,
            at: clock.seconds
        )
    }

    /// The stored tokens: access, refresh.
    func stored(_ id: UniqueID) async throws -> [String?] {
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
