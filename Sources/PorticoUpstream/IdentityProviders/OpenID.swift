import Portico
import PorticoProtocol

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
