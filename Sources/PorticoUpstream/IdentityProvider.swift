package import Portico
import PorticoBytes
package import PorticoProtocol

/// A configured identity provider: a value that describes only how it differs from a standard
/// OpenID provider. ``UpstreamClient`` treats all providers alike.
package struct IdentityProvider: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case google, facebook, apple, keycloak, oidc
    }

    /// Its name in routes: lower-case letters, digits, `-`.
    package let name: String
    package let kind: Kind
    /// The name on its button.
    package let displayName: String
    /// The settings as read; ``ProviderSetting`` has their names.
    package let settings: JSONObject
    /// Our identifier at the provider.
    package let clientID: String
    /// The canonical spelling, used in the account's key and in the metadata.
    package let issuer: Issuer
    package var scopes: [ScopeToken] = [.openid, .profile, .email]
    package var profile = ProviderProfile()
    /// What an ID Token may name as its audience beside ``clientID``.
    var trustedAudiences: Set<String> = []
    /// Whether the web flow yields an ID Token; otherwise the Graph API identifies the person.
    var givesIDTokens = true
    /// Facebook's Graph API, with its version.
    var graph: String?
    var proof = ProofRule.secret(nil)
    /// Whether its tokens are bound to a key of each sign-in (RFC 9449).
    var bindsTokens = false
    var emailTrust = EmailTrust.vouched
    /// Whether claims missing from the ID Token are fetched from the UserInfo endpoint.
    var usesUserInfo = false
    /// Sent with each authorization request, beyond the standards.
    var furtherParameters: [(name: String, value: String)] = []
    /// The `prompt` values of each sign-in, in addition to those of the request.
    var prompts: [SignInRequest.Prompt] = []
    /// Whether it supports `max_age` and returns `auth_time` (OpenID Connect Core §3.1.2.1): only
    /// then can a sign-in prove that the person was asked.
    package var tellsAuthTime = false
    /// The `prompt` for a new authentication; `nil`: `prompt` is not supported.
    var loginPrompt: SignInRequest.Prompt? = .login
    /// Sent with it.
    var reauthentication: [(name: String, value: String)] = []
    /// The answer is posted by a form from the provider's site.
    package var usesFormPost = false
    /// It adds a fragment to the redirect URI (PRV-F-13).
    package var addsFragment = false
    /// Parameters of the answer that are ignored.
    var ignoredParameters: Set<String> = []
    /// Its own error codes for a person who cancelled, beside those that everyone knows
    /// (``SignInError/init(_:retryAfter:)``).
    var cancellations: Set<String> = []
    /// Origins of its pages, if known.
    var pageOrigins: [String] = []
    /// Organisations, one of which the person must belong to (`hd`); empty for any.
    var hostedDomains: Set<String> = []
    /// The keys of native identity tokens, if they are not at the usual address.
    var nativeMetadata: ProviderMetadata?
    var nativeNonce = NativeNonce.plain
    /// Redirect URIs need a domain name, and https (PRV-A-13).
    var needsDomainRedirect = false

    /// How a client authenticates (RFC 6749 §2.3).
    enum ProofRule: Sendable {
        /// With a method that the metadata offers, or always with one method.
        case secret(ProofMethod?)
        /// With a secret generated from a key for each request (PRV-A-10).
        case mintedSecret(teamID: String, keyID: String)
        /// With an assertion signed by the key (OpenID Connect Core §9).
        case assertion(keyID: String?)
    }

    /// Methods of the IANA registry, "OAuth Token Endpoint Authentication Methods".
    enum ProofMethod: String, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case assertion = "private_key_jwt"
    }

    /// The form of our nonce in a native identity token.
    enum NativeNonce: Sendable {
        case plain
        /// Its SHA-256 in hexadecimal (PRV-A-16).
        case hashed
    }

    init(_ settings: ProviderSettings, issuer: String) throws(IdentityProviderRefusal) {
        name = settings.name
        kind = settings.kind
        self.settings = settings.json
        displayName = try settings.text(.displayName) ?? settings.kind.usualName
        clientID = try settings.required(.clientID)
        self.issuer = try settings.issuer(issuer)
        profile.keySetLife = 60...86_400
        profile.tokenLimits = HTTPLimits(bytes: 256 * 1024, seconds: 10)
        if let scopes = try settings.scopes() { self.scopes = scopes }
    }

    /// Reads a configured provider.
    ///
    /// - Parameters:
    ///   - settings: By the names of ``ProviderSetting``.
    ///   - allowingStandIns: Whether ``ProviderSetting/standIn`` is allowed: for demonstrations and tests,
    ///     never in production.
    /// - Throws: What is wrong with the settings.
    package init(
        name: String,
        kind: Kind,
        settings: JSONObject,
        allowingStandIns: Bool = false
    ) throws(IdentityProviderRefusal) {
        let settings = try ProviderSettings(
            name: name,
            kind: kind,
            json: settings,
            allowsStandIns: allowingStandIns
        )
        switch kind {
        case .google: self = try .google(settings)
        case .facebook: self = try .facebook(settings)
        case .apple: self = try .apple(settings)
        case .keycloak: self = try .keycloak(settings)
        case .oidc: self = try .oidc(settings)
        }
    }

    /// The issuer of account keys (WEB-ACC-2); see ``issuer(of:)``.
    package var canonicalIssuer: String { issuer.text }

    /// The issuer of the key of the account that these verified claims belong to. Where each tenant is
    /// an issuer, that is the tenant: a subject is one person's only there (OpenID Connect Core §5.7).
    func issuer(of claims: JSONObject) -> String {
        guard issuer.tenants != nil, let named = claims.string("iss") else { return issuer.text }
        return named
    }

    /// The origins of the provider's sign-in pages.
    package var navigationSources: [String] {
        guard pageOrigins.isEmpty else { return pageOrigins }
        return issuer.address.isSecure ? ["https:"] : [issuer.pageOrigin]
    }

    /// Whether the provider accepts this redirect URI, as far as is known in advance.
    package func permits(redirectURI: String) -> Bool {
        guard let address = HTTPAddress(redirectURI) else { return false }
        guard needsDomainRedirect else { return true }
        let labels = address.host.split(separator: ".")
        let isNumber = labels.last?.utf8.allSatisfy { $0.isDigit } ?? true
        return address.isSecure && !address.host.hasPrefix("[") && labels.count > 1 && !isNumber
            && labels.last != "localhost"
    }
}

extension Issuer {
    /// Scheme and authority as written, without a default port.
    var pageOrigin: String {
        "\(address.isSecure ? "https" : "http")://\(address.authority)"
    }

    var withoutScheme: String { "\(address.authority)\(address.path)" }
}

extension IdentityProvider.Kind {
    fileprivate var usualName: String {
        switch self {
        case .google: "Google"
        case .facebook: "Facebook"
        case .apple: "Apple"
        case .keycloak: "Keycloak"
        case .oidc: "OpenID"
        }
    }
}
