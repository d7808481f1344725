extension SignInError {
    /// What must be put right, in words for the developer.
    public struct Hint: Hashable, Sendable, CustomStringConvertible {
        private let words: String
        /// How far this device's clock seems to be ahead (positive) or behind (negative), where
        /// that is what is wrong.
        public let clockOffset: Duration?

        private init(_ words: StaticString, clockOffset: Duration? = nil) {
            self.words = "\(words)"
            self.clockOffset = clockOffset
        }

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
    public static let issuerInvalid =
        Self("The issuer must be an absolute URL without query, fragment and placeholders.")
    public static let issuerInsecure =
        Self(
            "The issuer must be https; http only on 127.0.0.1 or [::1] with allowInsecureLoopback."
        )
    public static let redirectInvalid =
        Self("The redirect must be https, or a reversed domain with one slash, or a loopback path.")
    public static let redirectLocalhost =
        Self("Use the loopback literal instead of localhost (RFC 8252 8.3).")
    public static let redirectNotLoopback =
        Self("This way to sign in needs a loopback redirect.")
    public static let scopeInvalid = Self("A scope holds a character that is not allowed.")
    public static let originNotAllowed =
        Self("The access token goes only to the origins named in the configuration.")
    public static let tokenInQuery =
        Self("An access token must not be put into a URL (RFC 6750 2.3).")

    // What the provider says
    public static let discoveryNotFound =
        Self("There is no provider metadata at the issuer. Is the issuer right?")
    public static let metadataInvalid =
        Self("The provider's metadata is not usable: a required member is missing or malformed.")
    public static let endpointInsecure = Self("The provider's metadata names an http endpoint.")
    public static let endpointMissing =
        Self("The provider's metadata does not name the endpoint that is needed.")
    public static let pkceNotAnnounced =
        Self("The provider does not announce PKCE with S256; pkceUnannounced accepts that.")
    public static let codeFlowNotSupported =
        Self("The provider does not announce the authorization code flow.")
    public static let clientRefused =
        Self("The provider does not know this client or does not allow it what it asked for.")
    public static let requestRefused = Self("The provider calls the request malformed.")
    public static let scopeRefused = Self("The provider refuses the requested scope.")
    public static let certificateUntrusted = Self("The server's certificate is not trusted.")

    // This machine
    public static let noBrowser = Self("No browser could be started.")
    public static let addressNotOpenable =
        Self("Only an https address, or http on a loopback literal, is handed to a browser.")
    public static let loopbackUnavailable =
        Self("No loopback port could be opened; if it is a fixed one, it may be in use.")

    /// - Parameter offset: Positive where this device's clock is ahead.
    public static func clock(offBy offset: Duration) -> Self {
        Self("The clock of this device is wrong; set it and try again.", clockOffset: offset)
    }

    /// Whether the clock is what is wrong.
    public var isClock: Bool { clockOffset != nil }
}
