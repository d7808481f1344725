extension SignInError {
    /// What must be put right, in words for the developer.
    public struct Hint: Hashable, Sendable, CustomStringConvertible {
        private let words: String
        private var detail: String?
        /// How far the local clock seems to be ahead (positive) or behind (negative), if the clock
        /// is what is wrong.
        public let clockOffset: Duration?

        package init(_ words: StaticString, clockOffset: Duration? = nil) {
            self.words = "\(words)"
            self.clockOffset = clockOffset
        }

        /// The same hint, with the member of an answer that it is about: for the description, while
        /// `==` does not compare it.
        package func naming(_ detail: StaticString?) -> Self {
            var hint = self
            hint.detail = detail.map { "\($0)" }
            return hint
        }

        /// One or two sentences for the developer, made of literals and a number.
        public var description: String {
            guard let clockOffset else { return words.naming(detail) }
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
    /// The issuer is not a valid provider URL (OpenID Connect Discovery §3).
    public static let issuerInvalid =
        Self("The issuer must be an absolute URL without query, fragment and placeholders.")
    /// The issuer is http (RFC 8414 §2).
    public static let issuerInsecure =
        Self("The issuer must be https; http only on this machine with allowInsecureLoopback.")
    /// `localhost`, or a name below it, has the address of another machine (RFC 6761 §6.3).
    public static let localhostElsewhere =
        Self(
            "The name localhost resolves to another machine. Correct the hosts file, or use 127.0.0.1."
        )
    /// The redirect is not valid for an app (RFC 8252 §7), or not for this sign-in method.
    public static let redirectInvalid =
        Self("The redirect must be https, or a reversed domain with one slash, or a loopback path.")
    /// `localhost` may be another machine (RFC 8252 §8.3).
    public static let redirectLocalhost =
        Self("Use the loopback literal instead of localhost (RFC 8252 8.3).")
    /// The system browser needs a loopback redirect; use ``SignInClient/begin(_:)`` for others.
    public static let redirectNotLoopback =
        Self("This sign-in method needs a loopback redirect.")
    /// Apple's sign-in sheet closes on a private-use scheme, and on https from iOS 17.4 and macOS
    /// 14.4; see ``Redirect/https(_:fallback:)``.
    public static let redirectNotForSheet =
        Self("The sign-in sheet needs a private-use scheme, or https where the system takes it.")
    /// The backend's address is invalid, or http (see ``BackendClient``).
    public static let backendInvalid =
        Self("The backend must be https, without query; http on this machine where allowed.")
    /// A provider's name at a backend must be a valid path segment.
    public static let providerNameInvalid =
        Self("A provider's name has letters, digits, hyphens and underscores only.")
    /// A scope is malformed (RFC 6749 §3.3).
    public static let scopeInvalid = Self("A scope holds a character that is not allowed.")
    /// ``SignInClient/Options/parameters`` has one that the library sends itself, or that must not
    /// be sent.
    public static let parameterReserved =
        Self("A further parameter has a name that belongs to the library.")
    /// A further parameter's name has other characters than letters, digits, `-`, `.` and `_`, or
    /// more than 64; or its value has more than 2,048 bytes.
    public static let parameterInvalid =
        Self("A further parameter has a malformed name, or a value that is too long.")
    /// A service that verifies access tokens must configure their audience and algorithms, and for
    /// proofs of possession its own https address.
    public static let verificationInvalid =
        Self("The audience is empty, an algorithm is unknown, or proofs cannot be checked.")
    /// No access token of this provider or backend is valid for as long as the caller asked.
    public static let tokenLifeTooShort =
        Self("An access token of this server does not live as long as that.")
    /// The origin is not among ``SignInClient/Options/apiOrigins`` or
    /// ``BackendClient/Options/apiOrigins``.
    public static let originNotAllowed =
        Self("The token goes only to the origins named in the configuration.")
    /// The URL of a request holds an access token.
    public static let tokenInQuery =
        Self("An access token must not be put into a URL (RFC 6750 2.3).")

    // What the provider announces
    /// Neither well-known address has metadata (RFC 8414 §3, OpenID Connect Discovery §4).
    public static let discoveryNotFound =
        Self("There is no provider metadata at the issuer. Is the issuer right?")
    /// Required metadata is missing (RFC 8414 §2).
    public static let metadataInvalid =
        Self("The provider's metadata is not usable: a required member is missing or malformed.")
    /// An endpoint is http (RFC 8414 §2).
    public static let endpointInsecure = Self("The provider's metadata names an http endpoint.")
    /// The provider does not offer the endpoint that the call needs.
    public static let endpointMissing =
        Self("The provider's metadata does not name the endpoint that is needed.")
    /// The provider does not announce that it checks S256 (RFC 9700 §2.1.1).
    public static let pkceNotAnnounced =
        Self("The provider does not announce PKCE with S256; pkceUnannounced accepts that.")
    /// `code` is not among the response types.
    public static let codeFlowNotSupported =
        Self("The provider does not announce the authorization code flow.")
    /// `invalid_client` or `unauthorized_client`: check the client's registration.
    public static let clientRefused =
        Self("The provider does not know this client or does not allow its request.")
    /// `invalid_request` or similar: check the registered redirect URI and parameters.
    public static let requestRefused = Self("The provider calls the request malformed.")
    /// `invalid_scope`, or UserInfo refuses the scope: check which scopes the client may request.
    public static let scopeRefused = Self("The provider refuses the requested scope.")
    /// `invalid_target`: the provider must list the other client among those that this one may hand
    /// its sign-in on to.
    public static let targetRefused =
        Self("The provider does not let this client hand its sign-in on to that one.")
    /// `invalid_dpop_proof`: check this machine's clock, and that the provider takes proofs signed
    /// with ES256 (``SignInClient/Options/dpop``).
    public static let proofRefused =
        Self("The provider refuses the proof of possession. Check the clock of this device.")
    /// TLS failed. No option continues without it.
    public static let certificateUntrusted =
        Self("The server's certificate is not trusted, or it does not speak TLS there.")

    // This machine
    /// Give another ``ExternalBrowser``, or open the address yourself.
    public static let noBrowser = Self("No browser could be started.")
    /// The sign-in sheet has no window to stand in: pass the one of the view that asks.
    public static let sheetNotShown =
        Self("The system did not show the sign-in sheet. Pass a window that is on the screen.")
    /// The system refuses the https redirect. The app needs the entitlement
    /// `com.apple.developer.associated-domains` with `webcredentials:` and the redirect's host, and
    /// that host's `apple-app-site-association` the app.
    public static let redirectNotAssociated =
        Self("The app is not associated with the redirect's host (webcredentials).")
    /// The system refused Sign in with Apple. The app needs the entitlement
    /// `com.apple.developer.applesignin`, and the person an Apple Account on this device.
    public static let appleSignInRefused =
        Self(
            "The system did not let the person sign in with Apple (com.apple.developer.applesignin)."
        )
    /// A request of `URLSession`'s kind has a stream as its body, which could not be sent again.
    public static let bodyStream =
        Self("A request with a body stream cannot be repeated. Use httpBody.")
    /// Only a provider's address is passed to a browser.
    public static let addressNotOpenable =
        Self("Only an https address, or http on this machine, is handed to a browser.")
    /// No port could be opened on 127.0.0.1 or [::1].
    public static let loopbackUnavailable = Self("No loopback port could be opened.")
    /// Another program listens on the port of 127.0.0.1 given to ``Redirect/loopback(path:port:)``.
    public static let loopbackPortInUse =
        Self("The port that was asked for is in use on 127.0.0.1.")

    /// - Parameter offset: Positive if the local clock is ahead.
    public static func clock(offBy offset: Duration) -> Self {
        Self("The clock of this device is wrong; set it and try again.", clockOffset: offset)
    }

    /// Whether the local clock is wrong.
    public var isClock: Bool { clockOffset != nil }
}
