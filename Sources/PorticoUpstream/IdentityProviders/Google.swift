import Portico
import PorticoProtocol

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
