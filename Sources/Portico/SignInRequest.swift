import PorticoBytes
import PorticoProtocol

/// What a single sign-in asks for (OpenID Connect Core §3.1.2.1).
///
/// State, nonce and PKCE are not here: they are made for each attempt and cannot be set.
public struct SignInRequest: Hashable, Sendable {
    /// Whom the app believes to be there, for instance an e-mail address.
    public var loginHint: String?
    public var prompt: [Prompt]
    /// How long ago the person may have authenticated; the ID Token is checked for it.
    public var maxAge: Duration?
    /// The authentication contexts of which one is required; the ID Token is checked for it.
    public var acr: [AuthenticationContext]
    /// Languages for the provider's pages, as BCP 47 tags, best first.
    public var uiLocales: [String]

    public init(
        loginHint: String? = nil,
        prompt: [Prompt] = [],
        maxAge: Duration? = nil,
        acr: [AuthenticationContext] = [],
        uiLocales: [String] = []
    ) {
        self.loginHint = loginHint
        self.prompt = prompt
        self.maxAge = maxAge
        self.acr = acr
        self.uiLocales = uiLocales
    }

    public struct Prompt: Hashable, Sendable {
        let text: String

        /// Ask nothing; fails with interactionRequired where the person would have to be asked.
        public static let none = Prompt(text: "none")
        /// Ask for the password again.
        public static let login = Prompt(text: "login")
        public static let consent = Prompt(text: "consent")
        public static let selectAccount = Prompt(text: "select_account")
    }

    /// A value of `acr`.
    public struct AuthenticationContext: Hashable, Sendable, ExpressibleByStringLiteral {
        public let text: String

        public init(_ text: String) {
            self.text = text
        }

        public init(stringLiteral text: String) {
            self.text = text
        }

        /// OpenID Connect EAP ACR Values §2.
        public static let phishingResistant = AuthenticationContext("phr")
        public static let phishingResistantHardware = AuthenticationContext("phrh")
    }

    /// In whole seconds, never negative.
    var maxAgeSeconds: Int64? {
        maxAge.map { max(0, $0.components.seconds) }
    }
}

/// A token of the scope that an app asks for (RFC 6749 §3.3).
public struct ScopeToken: Hashable, Sendable, ExpressibleByStringLiteral {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    public init(stringLiteral text: String) {
        self.text = text
    }

    public static let openid = ScopeToken("openid")
    public static let profile = ScopeToken("profile")
    public static let email = ScopeToken("email")
    /// A refresh token that outlives the browser session (OpenID Connect Core §11).
    public static let offlineAccess = ScopeToken("offline_access")
    public static let roles = ScopeToken("roles")
}
