/// The addresses of a stand-in's endpoints, with the real provider's paths.
struct StandInAddresses: Sendable {
    let base: String
    private let kind: StandInKind

    init(_ kind: StandInKind, base: String) {
        self.kind = kind
        self.base = base
    }

    /// Graph's version in addresses; any other is answered as well.
    private static let graphVersion = "v23.0"

    var authorization: String {
        switch kind {
        case .google: base + "/o/oauth2/v2/auth"
        case .facebook: "\(base)/\(Self.graphVersion)/dialog/oauth"
        case .apple: base + "/auth/authorize"
        case .openID: base + "/authorize"
        }
    }

    var token: String {
        switch kind {
        case .google, .openID: base + "/token"
        case .facebook: "\(base)/\(Self.graphVersion)/oauth/access_token"
        case .apple: base + "/auth/token"
        }
    }

    var keys: String {
        switch kind {
        case .google: base + "/oauth2/v3/certs"
        case .facebook: base + "/.well-known/oauth/openid/jwks/"
        case .apple: base + "/auth/keys"
        case .openID: base + "/keys"
        }
    }

    var userInfo: String? {
        switch kind {
        case .google: base + "/v1/userinfo"
        case .facebook: "\(base)/\(Self.graphVersion)/me"
        case .apple: nil
        case .openID: base + "/userinfo"
        }
    }

    var revocation: String? {
        switch kind {
        case .google, .openID: base + "/revoke"
        case .facebook: nil
        case .apple: base + "/auth/revoke"
        }
    }

    var endSession: String? { kind == .openID ? base + "/logout" : nil }

    /// `accounts.google.com` for `https://accounts.google.com` (PRV-G-2).
    var withoutScheme: String {
        guard let end = base.firstRange(of: "://")?.upperBound else { return base }
        return String(base[end...])
    }
}
