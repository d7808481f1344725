package import PorticoBytes

/// A relying party's settings for a stand-in, as an operator would enter them.
package struct StandInSettings: Sendable {
    /// `iss` of ID Tokens.
    package let issuer: String
    package let clientID: String
    /// The app's secret; for Apple the content of the `.p8` file: PKCS#8 in PEM.
    package let secret: SecretText
    /// Apple's.
    package let team: Team?

    /// What Apple's developer pages give a team besides.
    package struct Team: Sendable {
        package let id: String
        package let keyID: String
    }
}
