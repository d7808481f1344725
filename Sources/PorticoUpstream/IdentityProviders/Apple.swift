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
