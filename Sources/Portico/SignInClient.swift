package import PorticoBytes
public import PorticoProtocol
public import PorticoSystem

/// Signs people in to an app at one OpenID provider (OpenID Connect Core §3.1, RFC 8252).
///
/// An app is a public client: it has no secret, because a distributed app cannot keep one (RFC 8252
/// §8.5). Nothing is fetched before it is needed.
public final class SignInClient: Sendable {
    /// The provider's issuer, exactly as in `iss`.
    public let issuer: String
    /// The app's identifier at the provider. Not a secret.
    public let clientID: String
    /// How the provider's answer comes back.
    public let redirect: Redirect
    /// Always includes `openid`.
    public let scopes: [ScopeToken]
    /// The options that differ from the defaults.
    public let options: Options
    let context: ClientContext
    private let provided: Result<RemoteProvider, SignInError>

    /// The choices left to the app. Each relaxation has its own name.
    public struct Options: Sendable {
        /// Allows an `http` issuer on this machine: on the literals 127.0.0.1 and [::1], and on
        /// `localhost` and names below it if they resolve to this machine.
        public var allowInsecureLoopback = false
        /// Accepts a provider that does not announce PKCE with S256. A challenge is sent to it
        /// anyway.
        public var pkceUnannounced = false
        /// The provider's metadata, with the members of RFC 8414 §2; nothing is fetched then. It is
        /// checked like a fetched document.
        public var metadata: JSONObject?
        /// For a provider with many tenants, each of which is its own issuer: what its metadata has
        /// as `issuer`, such as `https://login.microsoftonline.com/{tenantid}/v2.0`. An ID Token of
        /// any tenant is then accepted, if its `iss` is that of its `tid`.
        public var tenantIssuers: String?
        /// Parameters that the provider needs in each authorization request beyond the standards,
        /// such as `audience`. Those of the library are refused (misconfigured(.parameterReserved)).
        public var parameters: [String: String] = [:]
        /// Audiences that an ID Token may have in addition to this client.
        public var trustedAudiences: Set<String> = []
        /// Where to find roles among the claims.
        public var roleMapping = RoleMapping.keycloak
        /// The origins that ``AuthorizedHTTP`` may send the access token to, such as
        /// `https://api.example.com`.
        public var apiOrigins: [String] = []
        /// Takes every 401 of an API as a refused access token. Otherwise only one that says so in
        /// `WWW-Authenticate` (RFC 6750 §3.1) makes ``AuthorizedHTTP`` refresh it. A token that is
        /// less than half a minute old is not refreshed.
        public var refreshesOnAnyUnauthorized = false
        /// Binds the tokens of each session to a key of its own, which is kept with the session:
        /// no one who reads a token elsewhere can use it (DPoP, RFC 9449). The provider and every
        /// API must take proofs signed with ES256; tokens that are not bound are then refused
        /// (rejected(.tokenNotBound)).
        public var dpop = false
        /// Told of every request and of ignored callbacks, for a log. May be called on any thread.
        public var log: (@Sendable (ClientEvent) -> Void)?

        /// The strict defaults.
        public init() {}

        /// The defaults with ``allowInsecureLoopback-swift.property``, for a provider under
        /// development.
        public static var allowInsecureLoopback: Options {
            var options = Options()
            options.allowInsecureLoopback = true
            return options
        }
    }

    /// A client of one provider. Nothing is fetched or read yet; the first call that needs the
    /// issuer or the redirect reports a wrong one.
    ///
    /// - Parameters:
    ///   - issuer: Exactly as the provider writes it; a trailing slash makes a different issuer.
    ///   - clientID: As registered at the provider, for a public client.
    ///   - redirect: As registered at the provider.
    ///   - scopes: What to ask for; `openid` is always included.
    ///   - options: Relaxations, roles, and the origins of APIs.
    ///   - storage: Keeps the session. `nil` is the keychain on iOS, tvOS, watchOS and visionOS,
    ///     and ``InMemory`` elsewhere, which forgets it when the process ends.
    ///   - transport: Sends every request of this client and its sessions.
    public convenience init(
        issuer: String,
        clientID: String,
        redirect: Redirect = .standard,
        scopes: [ScopeToken] = [.openid, .profile, .email],
        options: Options = Options(),
        storage: (any SessionStorage)? = nil,
        transport: any HTTPTransport = SystemTransport()
    ) {
        self.init(
            issuer: issuer,
            clientID: clientID,
            redirect: redirect,
            scopes: scopes,
            options: options,
            storage: storage ?? SystemStorage.storage(of: clientID, at: issuer),
            transport: transport,
            now: { Date() },
            random: .system
        )
    }

    package init(
        issuer: String,
        clientID: String,
        redirect: Redirect,
        scopes: [ScopeToken],
        options: Options,
        storage: any SessionStorage,
        transport: any HTTPTransport,
        browser: (any ScriptedBrowser)? = nil,
        now: @escaping @Sendable () -> Date,
        random: RandomSource
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.redirect = redirect
        self.scopes = scopes.contains(.openid) ? scopes : [.openid] + scopes
        self.options = options
        context = ClientContext(
            clientID: clientID,
            options: options,
            storage: storage,
            http: ProviderHTTP(
                transport: transport,
                log: ClientLog(tell: options.log),
                now: now,
                random: random
            ),
            browser: browser,
            now: now,
            random: random
        )
        let http = context.http
        provided = Result { () throws(SignInError) in
            let issuer = try Self.issuer(issuer, options)
            return RemoteProvider(
                issuer: issuer,
                profile: try Self.profile(of: issuer, options),
                http: http
            )
        }
    }

    /// The provider's metadata, fetched once and kept for an hour, or up to a day if
    /// `Cache-Control` says so (RFC 8414, OpenID Connect
    /// Discovery 1.0).
    ///
    /// - Throws: transient if it cannot be fetched now; misconfigured or rejected if it is not
    ///   usable or belongs to another issuer.
    public func provider() async throws(SignInError) -> ProviderMetadata {
        try await remoteProvider().metadata()
    }

    /// The provider's time now, by its last answer: to show times as the provider sees them where the
    /// device's clock is wrong. `nil` before the first answer.
    public var providerDate: Date? {
        context.http.serverClock.date(at: context.now())
    }

    func remoteProvider() throws(SignInError) -> RemoteProvider {
        try provided.get()
    }

    /// What a sign-in binds its tokens to, if anything.
    func key(continuing session: Session? = nil) throws(SignInError) -> DPoPKey? {
        if let key = try session?.activeRecord().dpopKey { return key }
        guard options.dpop else { return nil }
        do {
            return try DPoPKey(random: context.random)
        } catch {
            throw SignInError(.misconfigured(.proofRefused))
        }
    }

    private static func profile(of issuer: Issuer, _ options: Options) throws(SignInError)
        -> ProviderProfile
    {
        var profile = ProviderProfile()
        profile.pkceUnannounced = options.pkceUnannounced
        guard let json = options.metadata else { return profile }
        let metadata: ProviderMetadata
        do {
            metadata = try ProviderMetadata(json, of: issuer)
        } catch {
            throw SignInError(error)
        }
        try Discovery.check(metadata, pkceUnannounced: options.pkceUnannounced)
        profile.metadata = metadata
        return profile
    }

    private static func issuer(_ text: String, _ options: Options) throws(SignInError) -> Issuer {
        do throws(Issuer.Refusal) {
            var issuer = try Issuer(text, allowInsecureLoopback: options.allowInsecureLoopback)
            if let template = options.tenantIssuers {
                guard let tenants = IssuerTemplate(template) else {
                    throw .notAnAddress
                }
                issuer.tenants = tenants
            }
            return issuer
        } catch {
            throw SignInError(.misconfigured(error == .insecure ? .issuerInsecure : .issuerInvalid))
        }
    }
}

/// The dependencies that a client shares with its sign-ins and sessions.
struct ClientContext: Sendable {
    let clientID: String
    let options: SignInClient.Options
    let storage: any SessionStorage
    let http: ProviderHTTP
    /// Instead of every browser that a call names.
    let browser: (any ScriptedBrowser)?
    let now: @Sendable () -> Date
    let random: RandomSource
    let unwritten = UnwrittenRecord<SessionRecord>()
}

/// The result of looking for a stored ``Session``.
public typealias RestoredSession = Restored<Session>

extension SignInClient {
    /// Restores the session of an earlier run without using the network or asking the person.
    ///
    /// A session of another issuer or client counts as no session.
    public func restore() async -> RestoredSession {
        let provider: RemoteProvider
        let stored: SessionRecord?
        do throws(SignInError) {
            provider = try remoteProvider()
            stored = try await context.storage.record()
        } catch {
            guard case .storage(let problem) = error.kind else { return .signedOut }
            return .locked(problem)
        }
        guard let record = stored,
            sameBytes(record.issuer, issuer), sameBytes(record.clientID, clientID),
            provider.issuer.issued(record.idToken.claims)
        else { return .signedOut }
        await provider.learn(record.provider)
        return .signedIn(Session(client: self, provider: provider, record: record))
    }

    /// Stores a new session before the caller gets it.
    func store(_ record: SessionRecord) async throws(SignInError) {
        try await context.storage.replace(with: record)
    }
}

extension SignInClient {
    /// Signs a person in and keeps the session (RFC 8252 §4.1).
    ///
    /// Cancelling the task closes the port or the sheet, and ends the attempt.
    ///
    /// - Parameters:
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
    public func signIn(
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .standard
    ) async throws(SignInError) -> Session {
        try redirect.check()
        if let browser = context.browser {
            return try await browser.finish(begin(request, redirectURI: redirect.scriptedURI))
        }
        _ = try method.kind(for: redirect)
        try await context.storage.checkKeeps(SessionRecord.self)
        // The port is opened only once the request is known to be valid (RFC 8252 §8.3).
        _ = try await remoteProvider().metadata()
        return try await method.run(on: redirect) { session in
            session.user.displayName
        } begin: { redirectURI throws(SignInError) in
            try await begin(request, redirectURI: redirectURI)
        }
    }
}

/// The result of looking for a stored session, at a provider or at a backend.
public enum Restored<Session: Sendable>: Sendable {
    /// A session is stored. If the server has ended it since, the first refresh finds out.
    case signedIn(Session)
    /// No session is stored, or it belongs to another server or client, or it cannot be parsed.
    case signedOut
    /// A session may be stored but cannot be read now. This is not "signed out".
    case locked(SignInError.StorageProblem)
}
