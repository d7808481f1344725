package import PorticoBytes
public import PorticoProtocol
package import PorticoSystem

/// Signs people in to an app behind a backend-for-frontend: the backend holds the OAuth tokens, and
/// the app holds a session (OAuth 2.0 for Browser-Based Applications §6.1, RFC 8252).
///
/// The app is a public client for the backend too, because it cannot keep a secret. PKCE proves
/// that the app which began a sign-in is the one that completes it; the verifier never leaves
/// memory.
public final class BackendClient: Sendable {
    /// The backend's address, such as `https://api.notes.example.com`.
    public let backend: String
    /// The name under which the app is registered at the backend. Not a secret.
    public let app: String
    /// How the backend's answer comes back.
    public let redirect: Redirect
    /// The options that differ from the defaults.
    public let options: Options
    let context: BackendContext
    private let checked: Result<BackendEndpoint, SignInError>

    /// The choices left to the app. Each relaxation has its own name.
    public struct Options: Sendable {
        /// Allows an `http` backend on the literals 127.0.0.1 and [::1].
        public var allowInsecureLoopback = false
        /// The origins, in addition to the backend's own, that ``AuthorizedHTTP`` may send the
        /// session token to, such as `https://files.notes.example.com`: services that check with
        /// the backend whether the session is live.
        public var apiOrigins: [String] = []
        /// Told of every request and of ignored callbacks, for a log. May be called on any thread.
        public var log: (@Sendable (ClientEvent) -> Void)?

        /// The strict defaults.
        public init() {}

        /// The defaults with ``allowInsecureLoopback-swift.property``, for a backend under
        /// development.
        public static var allowInsecureLoopback: Options {
            var options = Options()
            options.allowInsecureLoopback = true
            return options
        }
    }

    /// A client of one backend. Nothing is fetched or read yet; the first call that needs the
    /// address or the redirect reports a wrong one.
    ///
    /// - Parameters:
    ///   - backend: An https address without a query. A path is kept; a trailing slash is not.
    ///   - app: As registered at the backend.
    ///   - redirect: As registered at the backend for this app.
    ///   - options: Relaxations, and the origins of APIs.
    ///   - storage: Keeps the session. `nil` is the keychain on iOS, tvOS, watchOS and visionOS,
    ///     and ``InMemory`` elsewhere, which forgets it when the process ends.
    ///   - transport: Sends every request of this client and its sessions.
    public convenience init(
        backend: String,
        app: String,
        redirect: Redirect = .standard,
        options: Options = Options(),
        storage: (any SessionStorage)? = nil,
        transport: any HTTPTransport = SystemTransport()
    ) {
        self.init(
            backend: backend,
            app: app,
            redirect: redirect,
            options: options,
            storage: storage ?? SystemStorage.storage(of: app, at: backend),
            transport: transport,
            now: { Date() },
            random: .system
        )
    }

    package init(
        backend: String,
        app: String,
        redirect: Redirect,
        options: Options,
        storage: any SessionStorage,
        transport: any HTTPTransport,
        browser: (any ScriptedBrowser)? = nil,
        now: @escaping @Sendable () -> Date,
        random: RandomSource
    ) {
        self.backend = backend
        self.app = app
        self.redirect = redirect
        self.options = options
        let http = ProviderHTTP(
            transport: transport,
            log: ClientLog(tell: options.log),
            now: now,
            random: random
        )
        context = BackendContext(
            storage: storage,
            http: http,
            browser: browser,
            now: now,
            random: random
        )
        checked = Result { () throws(SignInError) in
            BackendEndpoint(base: try Self.base(backend, options), app: app, http: http)
        }
    }

    /// - Throws: misconfigured(.backendInvalid)
    func endpoint() throws(SignInError) -> BackendEndpoint {
        try checked.get()
    }

    private static func base(_ text: String, _ options: Options) throws(SignInError) -> Issuer {
        do {
            return try Issuer(
                text.hasSuffix("/") ? String(text.dropLast()) : text,
                allowInsecureLoopback: options.allowInsecureLoopback
            )
        } catch {
            throw SignInError(.misconfigured(.backendInvalid))
        }
    }
}

/// The dependencies that a client shares with its sign-ins and sessions.
struct BackendContext: Sendable {
    let storage: any SessionStorage
    let http: ProviderHTTP
    /// Instead of every browser that a call names.
    let browser: (any ScriptedBrowser)?
    let now: @Sendable () -> Date
    let random: RandomSource
    let unwritten = UnwrittenRecord<BackendRecord>()
}

extension BackendClient {
    /// The result of looking for a stored ``BackendSession``.
    public typealias Restored = Portico.Restored<BackendSession>

    /// Restores the session of an earlier run without using the network or asking the person.
    /// ``BackendSession/check()`` finds out whether the backend has ended it since.
    ///
    /// A session of another backend or app counts as no session.
    public func restore() async -> Restored {
        let endpoint: BackendEndpoint
        let stored: BackendRecord?
        do throws(SignInError) {
            endpoint = try self.endpoint()
            stored = try await context.storage.record()
        } catch {
            guard case .storage(let problem) = error.kind else { return .signedOut }
            return .locked(problem)
        }
        guard let record = stored,
            sameBytes(record.backend, endpoint.base.text), sameBytes(record.app, app)
        else { return .signedOut }
        return .signedIn(
            BackendSession(client: self, endpoint: endpoint, record: record, isNew: false)
        )
    }

    /// Restores the session of an earlier run and checks it at the backend.
    ///
    /// If the backend refuses the session, it is over and its tokens are deleted. If the backend
    /// cannot be reached, the session is returned as it was stored.
    public func currentSession() async -> Restored {
        let restored = await restore()
        guard case .signedIn(let session) = restored else { return restored }
        do throws(SignInError) {
            try await session.check()
        } catch {
            // Another failure of the storage leaves a session in memory.
            if case .storage(.locked) = error.kind { return .locked(.locked) }
            // Without an answer, the session is assumed to be live.
            return session.isActive ? restored : .signedOut
        }
        return restored
    }
}

extension BackendSession {
    /// Checks at the backend that the session is live, and updates ``user``.
    ///
    /// - Throws: interactionRequired if the backend has ended the session: its tokens are then
    ///   deleted. Every other error leaves the session as it was.
    public func check() async throws(SignInError) {
        if try activeRecord().cookieName != nil { return try await checkCookie() }
        let token = try await freshRecord().accessToken
        var user = try await endpoint.user(of: token)
        if user == nil {
            // Only a refused refresh token ends a session: the session token may merely have
            // expired.
            let fresh = try await refresher.record(of: self, for: .replacement(of: token))
            user = try await endpoint.user(of: fresh.accessToken)
        }
        guard let user else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
        guard sameBytes(user.id, self.user.id) else { throw SignInError(.rejected(.subject)) }
        if user != self.user { try await keep(user) }
    }

    /// Stores the person's new details, then shows them.
    func keep(_ user: BackendUser) async throws(SignInError) {
        // Must not overwrite a refresh by another process.
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        var record = try await storedRecord()
        record.user = user
        try await store(record, replacing: record.refreshToken, under: lock)
    }
}
