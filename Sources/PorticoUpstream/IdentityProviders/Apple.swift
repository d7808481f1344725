import Portico
import PorticoProtocol

extension IdentityProvider {
    /// Apple: configured, because its metadata does not always agree with its tokens (PRV-A-1,
    /// PRV-A-2); name and address are posted by a form (PRV-A-3); PKCE is not announced (PRV-A-21).
    static func apple(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        let standIn = try settings.standIn()
        let origin = standIn ?? "https://appleid.apple.com"
        var apple = try IdentityProvider(settings, issuer: origin)
        if try settings.scopes() == nil { apple.scopes = ["name", "email"] }
        apple.profile.metadata = try settings.metadata(
            [
                "issuer": .string(origin),
                "authorization_endpoint": .string(origin + "/auth/authorize"),
                "token_endpoint": .string(origin + "/auth/token"),
                "jwks_uri": .string(origin + "/auth/keys"),
                "revocation_endpoint": .string(origin + "/auth/revoke"),
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            ],
            of: apple.issuer
        )
        apple.profile.pkceUnannounced = true
        apple.profile.algorithms = [.rs256]
        apple.profile.otherIssuerNames = Set(try settings.texts(.otherIssuers) ?? [])
        apple.proof = .mintedSecret(
            teamID: try settings.required(.teamID),
            keyID: try settings.required(.keyID)
        )
        apple.emailTrust = .apple
        apple.loginPrompt = nil
        apple.usesFormPost = !Set(apple.scopes.map(\.text)).isDisjoint(with: ["name", "email"])
        if apple.usesFormPost { apple.furtherParameters = [("response_mode", "form_post")] }
        apple.ignoredParameters = ["id_token"]
        apple.pageOrigins = [apple.issuer.pageOrigin]
        apple.nativeNonce = .hashed
        apple.needsDomainRedirect = standIn == nil
        return apple
    }
}

extension IdentityProvider {
    /// Facebook: OAuth with a profile at the Graph API (PRV-F-1 to PRV-F-3); with the scope
    /// `openid` the code flow with an ID Token (PRV-F-8); Limited Login's tokens have their own
    /// keys and spelling of the issuer (PRV-F-9). Its addresses are never verified (PRV-F-6).
    static func facebook(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        let standIn = try settings.standIn()
        let origin = standIn ?? "https://www.facebook.com"
        let limited = standIn ?? "https://limited.facebook.com"
        let version = try settings.text(.version) ?? "v23.0"
        guard version.wholeMatch(of: /v[0-9]{1,3}\.[0-9]{1,2}/) != nil else {
            throw .malformed(.version)
        }
        let graph = "\(standIn ?? "https://graph.facebook.com")/\(version)"
        var facebook = try IdentityProvider(settings, issuer: origin)
        if try settings.scopes() == nil { facebook.scopes = ["public_profile", .email] }
        let json: JSONObject = [
            "issuer": .string(origin),
            "authorization_endpoint": .string("\(origin)/\(version)/dialog/oauth"),
            "token_endpoint": .string("\(graph)/oauth/access_token"),
            "jwks_uri": .string("\(origin)/.well-known/oauth/openid/jwks/"),
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ]
        facebook.profile.metadata = try settings.metadata(json, of: facebook.issuer)
        // The final address: fetching keys does not follow redirects (PRV-F-9).
        var native = json
        native["jwks_uri"] = .string("\(limited)/.well-known/oauth/openid/jwks/")
        facebook.nativeMetadata = try settings.metadata(native, of: facebook.issuer)
        facebook.profile.pkceUnannounced = true
        facebook.profile.algorithms = [.rs256]
        facebook.profile.otherIssuerNames = [limited]
        facebook.profile.otherTokenError = GraphError.tokenError
        facebook.graph = graph
        facebook.loginPrompt = nil
        facebook.reauthentication = [("auth_type", "reauthenticate")]
        facebook.givesIDTokens = facebook.scopes.contains(.openid)
        facebook.emailTrust = .never
        facebook.addsFragment = true
        facebook.pageOrigins =
            [facebook.issuer.pageOrigin] + (standIn == nil ? ["https://m.facebook.com"] : [])
        return facebook
    }
}

extension IdentityProvider {
    /// Google: discovered like any OpenID provider (PRV-G-1), with an older spelling of its issuer
    /// (PRV-G-2), an organisation's domain in `hd` (PRV-G-4), and email addresses, for many of
    /// which it has no authority (PRV-G-6).
    static func google(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        let standIn = try settings.standIn()
        var google = try IdentityProvider(
            settings,
            issuer: standIn ?? "https://accounts.google.com"
        )
        google.profile.otherIssuerNames = [google.issuer.withoutScheme]
        google.profile.algorithms = [.rs256]
        google.emailTrust = .google
        // It does not support `login`; choosing the account comes closest.
        google.loginPrompt = .selectAccount
        google.pageOrigins = [google.issuer.pageOrigin]
        google.hostedDomains = Set(try settings.texts(.hostedDomains) ?? [])
        if google.hostedDomains.count == 1, let domain = google.hostedDomains.first {
            // A hint for the account chooser; only the claim is checked.
            google.furtherParameters.append(("hd", domain))
        }
        if try settings.flag(.offline) {
            // The refresh token is issued at the first consent only (PRV-G-7).
            google.furtherParameters.append(("access_type", "offline"))
            google.prompts = [.consent]
        }
        return google
    }
}

extension IdentityProvider {
    /// A realm of Keycloak or Portico: an ordinary OpenID provider.
    static func keycloak(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        try oidc(settings)
    }
}

extension IdentityProvider {
    /// Any OpenID provider, found by its issuer (PRV-O-1): a vendor's or a self-hosted one.
    static func oidc(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        _ = try settings.standIn()
        var oidc = try IdentityProvider(settings, issuer: try settings.required(.issuer))
        oidc.usesUserInfo = true
        oidc.tellsAuthTime = true
        // We allow every provider to ask, never with `prompt=none`: if consent is missing anyway,
        // the person refused it. LemonLDAP::NG reports it like this.
        oidc.cancellations = [OAuthError.Code.consentRequired.rawValue]
        oidc.profile.pkceUnannounced = try settings.flag(.pkceUnannounced)
        oidc.bindsTokens = try settings.flag(.dpop)
        if let names = try settings.texts(.algorithms) {
            let algorithms = names.compactMap(SignatureAlgorithm.init(rawValue:))
            guard algorithms.count == names.count, !names.isEmpty else {
                throw .malformed(.algorithms)
            }
            oidc.profile.algorithms = Set(algorithms)
        }
        oidc.trustedAudiences = Set(try settings.texts(.trustedAudiences) ?? [])
        // Anyone can have a tenant, and its administrator writes what addresses its people have.
        if oidc.issuer.tenants != nil { oidc.emailTrust = .never }
        let method = try settings.text(.authentication)
        let known = method.flatMap(ProofMethod.init(rawValue:))
        guard method == nil || known != nil else { throw .malformed(.authentication) }
        if let keyID = try settings.text(.keyID) {
            oidc.proof = .assertion(keyID: keyID)
        } else {
            oidc.proof = known == .assertion ? .assertion(keyID: nil) : .secret(known)
        }
        return oidc
    }
}
