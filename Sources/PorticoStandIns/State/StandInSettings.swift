package import PorticoBytes

/// What a relying party has to know of a stand-in, as an operator would write it down.
package struct StandInSettings: Sendable {
    package let kind: StandInKind
    /// `iss` of ID Tokens.
    package let issuer: String
    /// How Google's old tokens spell the same issuer; `nil` elsewhere.
    package let legacyIssuer: String?
    package let authorizationEndpoint: String
    package let tokenEndpoint: String
    package let keySetURI: String
    /// Facebook: `/me`.
    package let userInfoEndpoint: String?
    /// `nil` at Facebook, where permissions are deleted by Graph.
    package let revocationEndpoint: String?
    package let endSessionEndpoint: String?
    /// Facebook: below it stand the version and the nodes of Graph; `nil` elsewhere.
    package let graphURL: String?
    package let clientID: String
    /// `nil` where the client proves itself by a key.
    package let clientSecret: SecretText?
    /// Where ``StandIns/registerAppleDemo(redirectURIs:)`` made one.
    package let appleKey: AppleKey?

    /// What Apple's developer pages give a team.
    package struct AppleKey: Sendable {
        package let teamID: String
        package let keyID: String
        /// The content of the `.p8` file: PKCS#8 in PEM.
        package let privateKey: SecretText
    }
}
