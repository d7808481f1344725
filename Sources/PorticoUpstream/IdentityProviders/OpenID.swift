import Portico
import PorticoProtocol

extension IdentityProvider {
    /// Any OpenID provider, found by its issuer (PRV-O-1): a vendor's, or one that is run at home.
    static func oidc(_ settings: ProviderSettings) throws(IdentityProviderRefusal)
        -> IdentityProvider
    {
        _ = try settings.standIn()
        var oidc = try IdentityProvider(settings, issuer: try settings.required(.issuer))
        oidc.usesUserInfo = true
        oidc.tellsAuthTime = true
        // We let every provider ask, never with `prompt=none`: where consent is missing all the same,
        // the person refused it. LemonLDAP::NG says it so.
        oidc.cancellations = [OAuthError.Code.consentRequired.rawValue]
        oidc.profile.pkceUnannounced = try settings.flag(.pkceUnannounced)
        if let names = try settings.texts(.algorithms) {
            let algorithms = names.compactMap(SignatureAlgorithm.init(rawValue:))
            guard algorithms.count == names.count, !names.isEmpty else {
                throw .malformed(.algorithms)
            }
            oidc.profile.algorithms = Set(algorithms)
        }
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
