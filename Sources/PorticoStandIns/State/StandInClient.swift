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

/// The endpoints of a stand-in.
package enum StandInEndpoint: Sendable {
    case discovery
    case keys
    /// The page where a person chooses an account, and its answer.
    case authorization
    case token
    /// UserInfo; at Facebook `/me`.
    case userInfo
    /// Facebook: `debug_token`.
    case debugToken
    case revocation
    /// A person's picture.
    case picture
}

/// The provider that a stand-in imitates.
package enum StandInKind: String, CaseIterable, Hashable, Sendable {
    case google
    case facebook
    case apple
    /// An ordinary OpenID provider, found by discovery (OpenID Connect Discovery 1.0).
    case openID = "openid"

    /// The real provider's name on pages.
    package var name: String {
        switch self {
        case .google: "Google"
        case .facebook: "Facebook"
        case .apple: "Apple"
        case .openID: "an OpenID provider"
        }
    }

    /// The id of the application of a demo.
    package var demoClientID: String {
        switch self {
        case .google: "stand-in.apps.googleusercontent.com"
        case .facebook: "1000000000000001"
        case .apple: "com.example.stand-in.web"
        case .openID: "portico"
        }
    }

    /// How long a code is valid, in seconds: ten minutes at most (RFC 6749 §4.1.2), five at Apple.
    var codeLife: Double { self == .apple ? 300 : 600 }
}

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

/// The addresses of a stand-in's endpoints, with the real provider's paths.
package struct StandInAddresses: Sendable {
    package let base: String
    private let kind: StandInKind

    package init(_ kind: StandInKind, base: String) {
        self.kind = kind
        self.base = base
    }

    /// Graph's version in addresses; any other is answered as well.
    private static let graphVersion = "v23.0"

    package var authorization: String {
        switch kind {
        case .google: base + "/o/oauth2/v2/auth"
        case .facebook: "\(base)/\(Self.graphVersion)/dialog/oauth"
        case .apple: base + "/auth/authorize"
        case .openID: base + "/authorize"
        }
    }

    package var token: String {
        switch kind {
        case .google, .openID: base + "/token"
        case .facebook: "\(base)/\(Self.graphVersion)/oauth/access_token"
        case .apple: base + "/auth/token"
        }
    }

    package var keys: String {
        switch kind {
        case .google: base + "/oauth2/v3/certs"
        case .facebook: base + "/.well-known/oauth/openid/jwks/"
        case .apple: base + "/auth/keys"
        case .openID: base + "/keys"
        }
    }

    package var userInfo: String? {
        switch kind {
        case .google: base + "/v1/userinfo"
        case .facebook: "\(base)/\(Self.graphVersion)/me"
        case .apple: nil
        case .openID: base + "/userinfo"
        }
    }

    package var revocation: String? {
        switch kind {
        case .google, .openID: base + "/revoke"
        case .facebook: nil
        case .apple: base + "/auth/revoke"
        }
    }
}
