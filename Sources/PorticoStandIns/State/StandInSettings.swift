package import PorticoBytes

/// A relying party's settings for a stand-in, as an operator would enter them.
package struct StandInSettings: Sendable {
    package let kind: StandInKind
    /// `iss` of ID Tokens.
    package let issuer: String
    /// The issuer's spelling in Google's old tokens; `nil` for others.
    package let legacyIssuer: String?
    package let authorizationEndpoint: String
    package let tokenEndpoint: String
    package let keySetURI: String
    /// Facebook: `/me`.
    package let userInfoEndpoint: String?
    /// `nil` for Facebook, where Graph deletes permissions.
    package let revocationEndpoint: String?
    package let endSessionEndpoint: String?
    /// Facebook: the base of the version and the nodes of Graph; `nil` for others.
    package let graphURL: String?
    package let clientID: String
    /// `nil` if the client authenticates with a key.
    package let clientSecret: SecretText?
    /// Set if ``StandIns/registerAppleDemo(redirectURIs:)`` made one.
    package let appleKey: AppleKey?

    /// What Apple's developer pages give a team.
    package struct AppleKey: Sendable {
        package let teamID: String
        package let keyID: String
        /// The content of the `.p8` file: PKCS#8 in PEM.
        package let privateKey: SecretText
    }
}
