package import PorticoATProtocol
package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoWeb
package import PorticoSignIn

/// Imports another system's sessions, with their tokens, so that its seals open them for a while
/// (docs/decisions/0066).
///
/// They must be a public client's: a client with a key has its own, and we have another.
package struct HandleSessionImport: Sendable {
    private let accounts: AccountStore
    private let realmID: String
    private let ring: KeyRing
    private let provider: HandleProvider
    private let client: OwnClientDocument
    private let questions: HandleDirectory.HostQuestions
    private let rules: IdentityRules
    private let app: String?
    private let life: Int64
    private let isDryRun: Bool
    /// Hosts that did not name their server: none is asked twice.
    private let unknown = Locked<Set<ServerOrigin>>([])

    /// How long another system's seals open its imported sessions, in seconds.
    package static let foreignSeals = SidCookie.lifetime
    /// How long an imported DID is remembered, in seconds: two years, longer than any session lives.
    private static let remembered: Int64 = 2 * 365 * 86_400

    /// - Parameters:
    ///   - realmID: Of the people whose sessions they are.
    ///   - client: The public client that the sessions began as.
    ///   - network: Asks hosts, the directory and the DNS.
    ///   - app: The app that the sessions belong to; `nil`: they count as browsers'.
    ///   - life: How long a session lasts unused, in seconds.
    ///   - isDryRun: Whether to write nothing.
    package init(
        accounts: AccountStore,
        realmID: String,
        ring: KeyRing,
        provider: HandleProvider,
        client: OwnClientDocument,
        network: HandleDirectory.Network,
        rules: IdentityRules,
        clock: Clock,
        app: String?,
        sessionsLast life: Int64 = HandleDirectory.sessionLife,
        isDryRun: Bool
    ) {
        self.accounts = accounts
        self.realmID = realmID
        self.ring = ring
        self.provider = provider
        self.client = client
        questions = HandleDirectory.HostQuestions(
            network,
            directory: provider.directory,
            rules: rules,
            clock: clock
        )
        self.rules = rules
        self.app = app
        self.life = life
        self.isDryRun = isDryRun
    }

    package enum Outcome: Hashable, Sendable {
        case taken
        /// A session of that DID was imported before, with these tokens or others. Nothing happened.
        case known
        case refused(Refusal)
    }

    /// The client that the sessions belong to, as hosts know us.
    package var clientID: String { client.clientID }

    /// The longest line that is read, in bytes.
    package static let longestLine = ImportedHandleSession.longest

    /// - Parameter line: One session.
    /// - Throws: errors of the store.
    package func callAsFunction(_ line: [UInt8], at moment: Moment) async throws -> Outcome {
        let session: ImportedHandleSession
        do {
            session = try ImportedHandleSession(parsing: line, rules)
        } catch {
            return .refused(error)
        }
        if let id = session.clientID, !sameBytes(id, client.clientID) { return .refused(.client) }
        let now = moment.seconds
        let end = min(session.createdAt ?? now, now) + HandleSessionCheck.longest
        guard end > now else { return .refused(.over) }
        guard try await !accounts.wasSpent(session.mark) else { return .known }
        let home: Home
        do {
            home = try await self.home(of: session)
        } catch {
            return .refused(error)
        }
        guard !isDryRun else { return .taken }
        let event = event(of: session, home, until: end, at: moment)
        switch try await accounts.signIn(event, at: now) {
        case .signedIn: return .taken
        case .spent: return .known
        // Only the first of these is possible: everyone is admitted, and no address is compared.
        case .blocked, .signUpClosed, .matches: return .refused(.blocked)
        }
    }

    /// The account's host, and the server that issued its tokens.
    private struct Home {
        let host: ServerOrigin
        let issuer: ServerOrigin
        /// The handle that the account confirms now. `nil` if none is found; the next refresh looks
        /// again.
        let handle: String?
    }

    /// A file can say anything. As at a sign-in, the account's own document names its host.
    private func home(of session: ImportedHandleSession) async throws(Refusal) -> Home {
        let identity: ATIdentity
        do {
            identity = try await questions.identities.identity(of: session.did)
        } catch {
            throw error == .directoryUnreachable || error == .busy ? .directory : .elsewhere
        }
        let issuer: ServerOrigin
        if let named = session.issuer {
            issuer = named
        } else {
            issuer = try await self.issuer(at: session.host)
        }
        let own = try await self.issuer(at: identity.host)
        guard own == issuer else { throw .elsewhere }
        return Home(host: identity.host, issuer: issuer, handle: identity.handle?.text)
    }

    /// The client whose tokens a host accepts.
    private func issuer(at host: ServerOrigin) async throws(Refusal) -> ServerOrigin {
        guard !unknown.withLock({ $0.contains(host) }) else { throw .server }
        do {
            return try await questions.discovery.server(of: host, wasNamed: false).issuer
        } catch {
            guard error != .busy else { throw .directory }
            unknown.withLock { if $0.count < 1_000 { $0.insert(host) } }
            throw .server
        }
    }

    private func event(
        of session: ImportedHandleSession,
        _ home: Home,
        until end: Int64,
        at moment: Moment
    ) -> SignInEvent {
        let (id, now) = (moment.id().text, moment.seconds)
        var event = SignInEvent(
            realmID: realmID,
            spending: [SpentOnce(hash: session.mark, expiresAt: now + Self.remembered)],
            identity: Identity(
                key: IdentityKey(issuer: HandleProvider.kind, subject: session.did.text),
                provider: HandleProvider.kind,
                email: nil,
                linkedAt: now,
                lastUsedAt: now,
                sealedToken: nil
            ),
            name: home.handle,
            picture: nil,
            language: "en",
            emailRule: .never,
            isSignUpOpen: true,
            newPersonID: moment.id().text,
            session: NewSession(
                id: id,
                form: form(at: moment),
                providerSessionID: nil,
                device: DeviceName.of(nil, app: app),
                address: nil,
                idleSeconds: life,
                expiresAt: end
            ),
            userAgent: nil,
            notice: nil
        )
        event.handleSession = NewHandleSession(
            did: session.did.text,
            handle: home.handle ?? Handle.invalid,
            host: home.host.text,
            issuer: home.issuer.text,
            clientID: client.clientID,
            clientKeyID: nil,
            askedScope: provider.scope.text,
            scope: (session.scope ?? provider.scope).text,
            sealed: HandleTokenVault(ring: ring).seal(
                session.tokens,
                for: id,
                random: moment.random
            ),
            accessExpiresAt: session.accessExpiresAt,
            foreignSealsUntil: now + Self.foreignSeals
        )
        return event
    }

    /// A browser's session without its cookie: only a seal opens it.
    private func form(at moment: Moment) -> PersonSession.Form {
        guard let app else {
            return .browser(cookieHash: Hash256(of: moment.random.bytes(32)))
        }
        return .app(name: app, refresh: AppSessionAnswer.firstState(at: moment, ring: ring))
    }
}

extension HandleSessionImport {
    /// Why a line is refused. Its texts are literals.
    package enum Refusal: String, Error, CaseIterable, CustomStringConvertible, Sendable {
        case tooLong = "longer than 64 KiB"
        case notJSON = "no JSON object"
        case did = "did is missing, or no DID"
        case host = "host or pdsUrl is missing, or not an https origin of a public name"
        case issuer = "issuer is not an https origin of a public name"
        case client = "client_id is not ours"
        case clientKey = "its client proves itself by a key, which is not here"
        case scope = "scope is malformed, or without atproto"
        case accessToken = "the access token is malformed"
        case refreshToken = "the refresh token is missing, or malformed"
        case key = "the key for proofs is missing, or no private key for ES256"
        case time = "a time is malformed"
        case over = "it began 90 days ago, or earlier"
        case server = "its host does not say now which server the tokens are from"
        case directory = "what says where the account is cannot be read now: run it again later"
        case elsewhere = "the account's own document is not there, or names another host"
        case blocked = "the account is blocked here"

        package var description: String { rawValue }
    }
}

/// A session by handle as another system kept it: one line of JSON (docs/decisions/0066).
///
/// | Here | In the library that apps move here from | |
/// |---|---|---|
/// | `did` | `did` | |
/// | `host` | `pdsUrl` | an origin |
/// | `issuer` | – | an origin; missing: the host is asked |
/// | `client_id` | – | missing: our own |
/// | `scope` | – | missing: what we ask for |
/// | `access_token` | `accessToken` | may be missing |
/// | `refresh_token` | `refreshToken` | |
/// | `dpop_key` | `dpopPrivateKeyJWK` | a JWK, ES256 |
/// | `expires_at` | `tokenExpiresAt` | of the access token: in seconds, there in milliseconds |
/// | `created_at` | – | in seconds |
struct ImportedHandleSession: Sendable {
    let did: DID
    let host: ServerOrigin
    let issuer: ServerOrigin?
    let clientID: String?
    let scope: Scope?
    let tokens: HandleTokenVault.Tokens
    let accessExpiresAt: Int64?
    let createdAt: Int64?
    /// The same for the same DID: its seals name no session, so those of an ended session would open
    /// another one.
    let mark: Hash256

    /// In bytes.
    static let longest = 64 * 1024
    private static let longestToken = JWS.standardLimit

    init(parsing line: [UInt8], _ rules: IdentityRules) throws(HandleSessionImport.Refusal) {
        guard line.count <= Self.longest else { throw .tooLong }
        let json: JSONObject
        do {
            json = try JSONObject(parsing: line, limits: .foreign(size: Self.longest, depth: 16))
        } catch {
            throw .notJSON
        }
        let names = json["pdsUrl"] == nil ? Names.ours : Names.theirs
        do {
            did = try DID(json.string("did") ?? "", rules)
        } catch {
            throw .did
        }
        host = try Self.origin(json.string(names.host) ?? "", rules, .host)
        issuer = try json[names.issuer].map { value throws(HandleSessionImport.Refusal) in
            try Self.origin(value.string ?? "", rules, .issuer)
        }
        guard json[names.clientKey] == nil else { throw .clientKey }
        clientID = try json[names.clientID].map { value throws(HandleSessionImport.Refusal) in
            guard let text = value.string else { throw .client }
            return text
        }
        scope = try json[names.scope].map { value throws(HandleSessionImport.Refusal) in
            // `try?`: one that is malformed is refused.
            guard let scope = try? Scope(value.string ?? ""), scope.contains("atproto") else {
                throw .scope
            }
            return scope
        }
        guard let refresh = try Self.token(json[names.refresh], .refreshToken) else {
            throw .refreshToken
        }
        tokens = HandleTokenVault.Tokens(
            access: try Self.token(json[names.access], .accessToken),
            refresh: refresh,
            key: try Self.key(json.object(names.key))
        )
        accessExpiresAt = try Self.time(json[names.expiresAt]).map { $0 / names.unitsOfExpiry }
        createdAt = try Self.time(json[names.createdAt])
        mark = Hash256(of: "imported session \(did.text)")
    }

    private struct Names {
        var (host, issuer, clientID, clientKey) = ("host", "issuer", "client_id", "client_key")
        var (scope, createdAt, expiresAt) = ("scope", "created_at", "expires_at")
        var (access, refresh, key) = ("access_token", "refresh_token", "dpop_key")
        /// In a second.
        var unitsOfExpiry: Int64 = 1

        static let ours = Names()
        static let theirs = {
            var names = Names()
            names.host = "pdsUrl"
            (names.access, names.refresh) = ("accessToken", "refreshToken")
            (names.key, names.expiresAt) = ("dpopPrivateKeyJWK", "tokenExpiresAt")
            names.unitsOfExpiry = 1000
            return names
        }()
    }

    /// A slash at the end is nothing more.
    private static func origin(
        _ text: String,
        _ rules: IdentityRules,
        _ refusal: HandleSessionImport.Refusal
    ) throws(HandleSessionImport.Refusal) -> ServerOrigin {
        let isSlash = text.utf8.last == UInt8(ascii: "/")
        do {
            return try ServerOrigin(isSlash ? String(text.dropLast()) : text, rules)
        } catch {
            throw refusal
        }
    }

    /// Visible ASCII. An empty text, or `null`, is none.
    private static func token(_ value: JSONValue?, _ refusal: HandleSessionImport.Refusal)
        throws(HandleSessionImport.Refusal) -> SecretText?
    {
        guard let value, value != .null else { return nil }
        guard let text = value.string, text.utf8.count <= longestToken,
            text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { throw refusal }
        return text.isEmpty ? nil : SecretText(text)
    }

    /// The private key. If its public half is present, it must match.
    private static func key(_ jwk: JSONObject?) throws(HandleSessionImport.Refusal) -> DPoPKey {
        guard let jwk, sameBytes(jwk.string("kty") ?? "", "EC"),
            sameBytes(jwk.string("crv") ?? "", "P-256"),
            let scalar = Base64URL.decode(jwk.string("d") ?? ""), scalar.count == 32
        else { throw .key }
        let key: DPoPKey
        do {
            key = try DPoPKey(stored: scalar)
        } catch {
            throw .key
        }
        let own = key.jwk.object
        for name in ["x", "y"] where jwk[name] != nil {
            guard jwk[name] == own[name] else { throw .key }
        }
        return key
    }

    private static func time(_ value: JSONValue?) throws(HandleSessionImport.Refusal) -> Int64? {
        guard let value, value != .null else { return nil }
        guard let time = value.int64, 0...(1 << 50) ~= time else { throw .time }
        return time
    }
}
