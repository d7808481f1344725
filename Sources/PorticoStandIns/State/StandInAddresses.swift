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
