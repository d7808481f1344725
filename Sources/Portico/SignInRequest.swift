import PorticoBytes
import PorticoProtocol

/// What a single sign-in asks for (OpenID Connect Core §3.1.2.1).
///
/// State, nonce and PKCE are not included: they are made for each attempt and cannot be set.
public struct SignInRequest: Hashable, Sendable {
    /// The person whom the app expects to sign in, such as their email address.
    public var loginHint: String?
    /// A token from another app, in which the person is signed in. It takes the place of
    /// ``loginHint``, and is pushed to the provider if that takes pushed requests.
    public var loginToken: LoginToken?
    /// What the provider must, or must not, ask the person (`prompt`).
    public var prompt: [Prompt]
    /// How long ago the person may have authenticated; the ID Token is checked against it.
    public var maxAge: Duration?
    /// The authentication contexts, one of which is required; the ID Token is checked against them.
    public var acr: [AuthenticationContext]
    /// Languages for the provider's pages, as BCP 47 tags, best first.
    public var uiLocales: [String]
    /// Parameters of this request beyond the standards; see ``SignInClient/Options/parameters``,
    /// which these replace where the names are equal.
    public var parameters: [String: String]

    /// An ordinary sign-in unless parameters are given.
    ///
    /// - Parameters:
    ///   - loginHint: For instance an email address.
    ///   - prompt: What the provider must, or must not, ask the person.
    ///   - maxAge: In whole seconds; zero makes the person authenticate now.
    ///   - acr: One of these contexts is required.
    ///   - uiLocales: BCP 47 tags, best first.
    ///   - parameters: Beyond the standards, such as `kc_idp_hint`.
    public init(
        loginHint: String? = nil,
        prompt: [Prompt] = [],
        maxAge: Duration? = nil,
        acr: [AuthenticationContext] = [],
        uiLocales: [String] = [],
        parameters: [String: String] = [:]
    ) {
        self.loginHint = loginHint
        self.prompt = prompt
        self.maxAge = maxAge
        self.acr = acr
        self.uiLocales = uiLocales
        self.parameters = parameters
    }

    /// A value of `prompt` (OpenID Connect Core §3.1.2.1).
    public struct Prompt: Hashable, Sendable {
        let text: String

        /// Ask nothing; fails with interactionRequired if the person would have to be asked.
        public static let none = Prompt(text: "none")
        /// Ask for the password again.
        public static let login = Prompt(text: "login")
        /// Ask for consent again.
        public static let consent = Prompt(text: "consent")
        /// Let the person choose an account.
        public static let selectAccount = Prompt(text: "select_account")
        /// Let the person create an account (Initiating User Registration via OpenID Connect §4.1).
        package static let create = Prompt(text: "create")
    }

    /// A value of `acr`.
    public struct AuthenticationContext: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The value as sent.
        public let text: String

        /// A value as the provider writes it.
        public init(_ text: String) {
            self.text = text
        }

        /// A value from a literal.
        public init(stringLiteral text: String) {
            self.text = text
        }

        /// A method that a phishing page cannot relay (OpenID Connect EAP ACR Values §2).
        public static let phishingResistant = AuthenticationContext("phr")
        /// A phishing-resistant method with a hardware-protected key (OpenID Connect EAP ACR Values
        /// §2).
        public static let phishingResistantHardware = AuthenticationContext("phrh")
    }

    /// In whole seconds, never negative.
    var maxAgeSeconds: Int64? {
        maxAge.map { max(0, $0.components.seconds) }
    }
}

/// A scope token that an app requests (RFC 6749 §3.3).
public struct ScopeToken: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The token as sent.
    public let text: String

    /// A token as the provider writes it; one with a space or a quote is refused at sign-in.
    public init(_ text: String) {
        self.text = text
    }

    /// A token from a literal.
    public init(stringLiteral text: String) {
        self.text = text
    }

    /// An ID Token: required for a sign-in (OpenID Connect Core §3.1.2.1).
    public static let openid = ScopeToken("openid")
    /// Name, picture and similar claims (OpenID Connect Core §5.4).
    public static let profile = ScopeToken("profile")
    /// Email address, and whether it is verified (OpenID Connect Core §5.4).
    public static let email = ScopeToken("email")
    /// A refresh token that outlives a sign-out, too (OpenID Connect Core §11).
    public static let offlineAccess = ScopeToken("offline_access")
    /// A device secret, by which other apps of the vendor on this device sign in without a browser
    /// (OpenID Connect Native SSO §3.1).
    public static let deviceSSO = ScopeToken("device_sso")
    /// Roles as claims, if the provider has them under this name, as Keycloak and Portico's own do.
    public static let roles = ScopeToken("roles")
}
