package import PorticoBytes
public import PorticoProtocol

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Signs people in to an app behind a backend-for-frontend: the backend holds the OAuth tokens, and
/// the app holds a session (OAuth 2.0 for Browser-Based Applications §6.1, RFC 8252).
///
/// An app is a public client here too: there is nowhere to put a secret. What proves that the app
/// which began a sign-in is the one that ends it is PKCE, and the verifier never leaves memory.
public final class BackendClient: Sendable {
    /// Where the backend is, such as `https://api.notes.example.com`.
    public let backend: String
    /// The name that the app is registered by at the backend. Not a secret.
    public let app: String
    /// How the backend's answer comes back.
    public let redirect: Redirect
    /// What was chosen beyond the defaults.
    public let options: Options
    let context: BackendContext
    private let checked: Result<BackendEndpoint, SignInError>

    /// What is left to choose. Each relaxation has a name of its own.
    public struct Options: Sendable {
        /// An `http` backend will do on the literals 127.0.0.1 and [::1].
        public var allowInsecureLoopback = false
        /// The origins beside the backend's own that ``AuthorizedHTTP`` may send the session token
        /// to, such as `https://files.notes.example.com`: services that ask the backend whether the
        /// session is live.
        public var apiOrigins: [String] = []

        /// The strict defaults.
        public init() {}

        /// The defaults and ``allowInsecureLoopback-swift.property``: for a backend under
        /// development.
        public static var allowInsecureLoopback: Options {
            var options = Options()
            options.allowInsecureLoopback = true
            return options
        }
    }

    /// A client of one backend. Nothing is fetched or read yet, and a wrong address or redirect is
    /// told by the first call that needs it.
    ///
    /// - Parameters:
    ///   - backend: An https address without query. A path is kept; a slash at its end is not.
    ///   - app: As registered at the backend.
    ///   - redirect: As registered at the backend, for this app.
    ///   - options: Relaxations, and the origins of APIs.
    ///   - storage: Keeps the session; ``InMemory`` forgets it when the process ends.
    ///   - transport: Sends every request of this client and its sessions.
    public convenience init(
        backend: String,
        app: String,
        redirect: Redirect = .loopback(),
        options: Options = Options(),
        storage: any SessionStorage = .inMemory,
        transport: any HTTPTransport = URLSessionTransport()
    ) {
        self.init(
            backend: backend,
            app: app,
            redirect: redirect,
            options: options,
            storage: storage,
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
        now: @escaping @Sendable () -> Date,
        random: RandomSource
    ) {
        self.backend = backend
        self.app = app
        self.redirect = redirect
        self.options = options
        let http = ProviderHTTP(transport: transport, now: now)
        context = BackendContext(storage: storage, http: http, now: now, random: random)
        checked = Result { () throws(SignInError) in
            BackendEndpoint(
                base: try Self.base(backend, options),
                app: app,
                http: http
            )
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

/// What the parts of a client share.
struct BackendContext: Sendable {
    let storage: any SessionStorage
    let http: ProviderHTTP
    let now: @Sendable () -> Date
    let random: RandomSource
}
