package import Portico
import PorticoBytes
package import PorticoProtocol

/// A provider that people sign in with, as it is configured: a value that says only what this one
/// does differently from an OpenID provider as the standards have it. What is done with it is the
/// same for all, and stands in ``UpstreamClient``.
package struct IdentityProvider: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case google, facebook, apple, keycloak, oidc
    }

    /// What routes name it by: lower-case letters, digits, `-`.
    package let name: String
    package let kind: Kind
    /// What its button says.
    package let displayName: String
    /// As they were read; ``ProviderSetting`` has their names.
    package let settings: JSONObject
    /// What the provider knows us by.
    package let clientID: String
    /// The one spelling of many that the account's key holds, and that the metadata has.
    package let issuer: Issuer
    package var scopes: [ScopeToken] = [.openid, .profile, .email]
    package var profile = ProviderProfile()
    /// Whether the web flow yields an ID Token, or the Graph API is asked who somebody is.
    var givesIDTokens = true
    /// Facebook's Graph API, with its version.
    var graph: String?
    var proof = ProofRule.secret(nil)
    var emailTrust = EmailTrust.vouched
    /// Whether claims that the ID Token lacks are asked for at the UserInfo endpoint.
    var usesUserInfo = false
    /// Sent with each authorization request, beyond the standards.
    var furtherParameters: [(name: String, value: String)] = []
    /// Asked of the person at each sign-in, beside what the request asks for.
    var prompts: [SignInRequest.Prompt] = []
    /// Whether it knows `max_age` and tells `auth_time` (OpenID Connect Core §3.1.2.1): only then can
    /// a sign-in there prove that the person was asked.
    package var tellsAuthTime = false
    /// What asks for a new authentication; `nil`: it knows no `prompt`.
    var loginPrompt: SignInRequest.Prompt? = .login
    /// Sent beside it.
    var reauthentication: [(name: String, value: String)] = []
    /// The answer comes by a form from the provider's site.
    package var usesFormPost = false
    /// It puts a fragment behind the redirect URI (PRV-F-13).
    package var addsFragment = false
    /// Parameters of the answer that are not read.
    var ignoredParameters: Set<String> = []
    /// Its own error codes for a person who changed their mind.
    var cancellations: Set<String> = []
    /// Origins of its pages, where they are known.
    var pageOrigins: [String] = []
    /// Organisations of which a person must be one's member (`hd`); empty where it does not matter.
    var hostedDomains: Set<String> = []
    /// Where the keys of native identity tokens are, if not where the others are.
    var nativeMetadata: ProviderMetadata?
    var nativeNonce = NativeNonce.plain
    /// Redirect URIs need a domain name, and https (PRV-A-13).
    var needsDomainRedirect = false

    /// How a client proves itself (RFC 6749 §2.3).
    enum ProofRule: Sendable {
        /// By what the metadata offers, or by one method always.
        case secret(ProofMethod?)
        /// By a secret that is made for each request, of a key (PRV-A-10).
        case mintedSecret(teamID: String, keyID: String)
        /// By an assertion that the key signs (OpenID Connect Core §9).
        case assertion(keyID: String?)
    }

    /// Methods of the IANA registry, "OAuth Token Endpoint Authentication Methods".
    enum ProofMethod: String, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case assertion = "private_key_jwt"
    }

    /// What of a nonce that we issued stands in a native identity token.
    enum NativeNonce: Sendable {
        case plain
        /// Its SHA-256 in hexadecimal (PRV-A-16).
        case hashed
    }

    init(
        _ settings: ProviderSettings,
        issuer: String
    ) throws(IdentityProviderRefusal) {
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

    /// Reads a provider as it was configured.
    ///
    /// - Parameters:
    ///   - settings: By the names of ``ProviderSetting``.
    ///   - allowingStandIns: Whether ``ProviderSetting/standIn`` may be there: in a demonstration and
    ///     in tests, never in earnest.
    /// - Throws: What is wrong with them.
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

    /// The issuer of account keys (WEB-ACC-2).
    package var canonicalIssuer: String { issuer.text }

    /// Sources for `form-action` of a page whose form leads to its sign-in pages.
    package var navigationSources: [String] {
        guard pageOrigins.isEmpty else { return pageOrigins }
        return issuer.address.isSecure ? ["https:"] : [issuer.pageOrigin]
    }

    /// Whether the provider takes this redirect URI, as far as is known beforehand.
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
    /// Scheme and authority as written: without a port that goes without saying.
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
