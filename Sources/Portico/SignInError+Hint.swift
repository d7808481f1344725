extension SignInError {
    /// What must be put right, in words for the developer.
    public struct Hint: Hashable, Sendable, CustomStringConvertible {
        private let words: String
        /// How far this device's clock seems to be ahead (positive) or behind (negative), where
        /// that is what is wrong.
        public let clockOffset: Duration?

        package init(_ words: StaticString, clockOffset: Duration? = nil) {
            self.words = "\(words)"
            self.clockOffset = clockOffset
        }

        /// One or two sentences for the developer, made of literals and a number.
        public var description: String {
            guard let clockOffset else { return words }
            let seconds = clockOffset.components.seconds
            return seconds < 0
                ? "\(words) It seems to be \(seconds.magnitude) s behind."
                : "\(words) It seems to be \(seconds) s ahead."
        }

        public static func == (one: Hint, other: Hint) -> Bool {
            one.words == other.words
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(words)
        }
    }
}

extension SignInError.Hint {
    // What the app configured
    /// The issuer is no URL that a provider can have (OpenID Connect Discovery §3).
    public static let issuerInvalid =
        Self("The issuer must be an absolute URL without query, fragment and placeholders.")
    /// The issuer is http (RFC 8414 §2).
    public static let issuerInsecure =
        Self(
            "The issuer must be https; http only on this machine with allowInsecureLoopback."
        )
    /// `localhost`, or a name below it, has an address that is another machine's (RFC 6761 §6.3).
    public static let localhostElsewhere =
        Self(
            "The name localhost leads to another machine here. Mend the hosts file, or say 127.0.0.1."
        )
    /// The redirect is none for an app (RFC 8252 §7), or not for this way to sign in.
    public static let redirectInvalid =
        Self("The redirect must be https, or a reversed domain with one slash, or a loopback path.")
    /// `localhost` may be another machine (RFC 8252 §8.3).
    public static let redirectLocalhost =
        Self("Use the loopback literal instead of localhost (RFC 8252 8.3).")
    /// ``SignInClient/signIn(_:using:)`` takes loopback redirects; for others there is
    /// ``SignInClient/begin(_:)``.
    public static let redirectNotLoopback =
        Self("This way to sign in needs a loopback redirect.")
    /// The backend's address is none, or http (see ``BackendClient``).
    public static let backendInvalid =
        Self("The backend must be https, without query; http on this machine where allowed.")
    /// A provider's name at a backend goes into a path.
    public static let providerNameInvalid =
        Self("A provider's name has letters, digits, hyphens and underscores only.")
    /// A scope is malformed (RFC 6749 §3.3).
    public static let scopeInvalid = Self("A scope holds a character that is not allowed.")
    /// A service that verifies access tokens must know what for, and how they may be signed.
    public static let verificationInvalid =
        Self("The audience is empty, or an algorithm is none that is known.")
    /// The origin is not among ``SignInClient/Options/apiOrigins`` or
    /// ``BackendClient/Options/apiOrigins``.
    public static let originNotAllowed =
        Self("The token goes only to the origins named in the configuration.")
    /// The URL of a request holds an access token.
    public static let tokenInQuery =
        Self("An access token must not be put into a URL (RFC 6750 2.3).")

    // What the provider says
    /// Neither well-known address has metadata (RFC 8414 §3, OpenID Connect Discovery §4).
    public static let discoveryNotFound =
        Self("There is no provider metadata at the issuer. Is the issuer right?")
    /// What a provider must say of itself is not there (RFC 8414 §2).
    public static let metadataInvalid =
        Self("The provider's metadata is not usable: a required member is missing or malformed.")
    /// An endpoint is http (RFC 8414 §2).
    public static let endpointInsecure = Self("The provider's metadata names an http endpoint.")
    /// What the call needs is not offered.
    public static let endpointMissing =
        Self("The provider's metadata does not name the endpoint that is needed.")
    /// The provider does not say that it checks S256 (RFC 9700 §2.1.1).
    public static let pkceNotAnnounced =
        Self("The provider does not announce PKCE with S256; pkceUnannounced accepts that.")
    /// `code` is not among the response types.
    public static let codeFlowNotSupported =
        Self("The provider does not announce the authorization code flow.")
    /// `invalid_client` or `unauthorized_client`: look at the client's registration.
    public static let clientRefused =
        Self("The provider does not know this client or does not allow it what it asked for.")
    /// `invalid_request` or its like: look at redirect URI and parameters as registered.
    public static let requestRefused = Self("The provider calls the request malformed.")
    /// `invalid_scope`, or UserInfo refuses the scope: look at what the client may ask for.
    public static let scopeRefused = Self("The provider refuses the requested scope.")
    /// TLS failed. There is no switch to go on without.
    public static let certificateUntrusted = Self("The server's certificate is not trusted.")

    // This machine
    /// Give another ``ExternalBrowser``, or open the address yourself.
    public static let noBrowser = Self("No browser could be started.")
    /// Nothing else than a provider's address is handed to a browser.
    public static let addressNotOpenable =
        Self("Only an https address, or http on this machine, is handed to a browser.")
    /// Neither 127.0.0.1 nor [::1] had a port to listen on.
    public static let loopbackUnavailable = Self("No loopback port could be opened.")
    /// Somebody listens on the port of 127.0.0.1 that ``Redirect/loopback(path:port:)`` names.
    public static let loopbackPortInUse =
        Self("The port that was asked for is in use on 127.0.0.1.")

    /// - Parameter offset: Positive where this device's clock is ahead.
    public static func clock(offBy offset: Duration) -> Self {
        Self("The clock of this device is wrong; set it and try again.", clockOffset: offset)
    }

    /// Whether the clock is what is wrong.
    public var isClock: Bool { clockOffset != nil }
}
