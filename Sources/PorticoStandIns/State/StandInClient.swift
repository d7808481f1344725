package import PorticoBytes
package import PorticoProtocol

/// An application registered at a stand-in (RFC 6749 §2).
package struct StandInClient: Sendable {
    package let clientID: String
    /// Compared byte for byte, as the real providers do (RFC 9700 §2.1).
    package var redirectURIs: [String]
    package let authentication: Authentication

    /// How the application authenticates at the token endpoint (RFC 6749 §2.3).
    package enum Authentication: Sendable {
        /// `client_secret_post` or `client_secret_basic`; at Facebook the app secret.
        case secret(SecretText)
        /// Apple: a secret that is a JWT signed with the team's key.
        case teamKey(teamID: String, key: VerificationKey)
    }

    package init(clientID: String, redirectURIs: [String], authentication: Authentication) {
        self.clientID = clientID
        self.redirectURIs = redirectURIs
        self.authentication = authentication
    }

    /// The group in which a person's consent and, at Apple, the person's id are the same.
    var group: String {
        if case .teamKey(let teamID, _) = authentication { teamID } else { clientID }
    }
}
