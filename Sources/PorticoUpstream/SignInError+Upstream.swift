package import Portico

extension SignInError.Check {
    /// `hd` is missing or names another organisation (PRV-G-4).
    package static let hostedDomain = Self("The account is not of an organisation that is allowed.")
    /// The provider refused an access token as invalid (PRV-F-16).
    package static let accessToken = Self("The provider does not accept the access token.")
    /// An access token is not accepted as proof (PRV-N-3), or was made for another app (PRV-F-4).
    package static let nativeToken = Self("This token is no proof of a sign-in at this provider.")
    /// `c_hash` does not match the code (OpenID Connect Core §3.3.2.10).
    package static let codeHash = Self("The ID Token belongs to another code.")
    /// The profile does not have the Graph API's form.
    package static let profile = Self("The provider's profile is malformed.")
}

extension SignInError.Hint {
    /// The secret is missing, of a kind that the provider does not accept, or cannot sign.
    package static let providerSecret =
        Self("The provider's client secret or key is missing, or not one that it accepts.")
}
