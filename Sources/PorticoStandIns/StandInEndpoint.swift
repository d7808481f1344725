import HTTPTypes

/// What a stand-in can be asked for.
package enum StandInEndpoint: String, CaseIterable, Hashable, Sendable {
    case discovery
    case keys
    /// The page where a person chooses an account, and its answer.
    case authorization
    case token
    /// UserInfo; at Facebook `/me`.
    case userInfo
    /// Facebook: `debug_token`.
    case debugToken
    /// Facebook: `/{user}/permissions`.
    case permissions
    case revocation
    case endSession
    /// A person's picture.
    case picture

    /// Whether a server asks for it, and no browser.
    var isForServers: Bool {
        self != .authorization && self != .endSession && self != .picture
    }
}

extension StandInEndpoint {
    /// The endpoint behind a path, as the real provider lays its paths out.
    ///
    /// - Parameter segments: The path behind the stand-in's own name.
    init?(_ segments: [Substring], at kind: StandInKind) {
        if segments == [".well-known", "openid-configuration"] {
            self = .discovery
            return
        }
        if segments.count == 2, segments[0] == "picture" {
            self = .picture
            return
        }
        let found: Self? =
            switch kind {
            case .google: Self.google[segments.joined(separator: "/")]
            case .apple: Self.apple[segments.joined(separator: "/")]
            case .openID: Self.openID[segments.joined(separator: "/")]
            case .facebook: Self.facebook(segments)
            }
        guard let found else { return nil }
        self = found
    }

    private static let google: [String: Self] = [
        "o/oauth2/v2/auth": .authorization, "token": .token, "oauth2/v3/certs": .keys,
        "v1/userinfo": .userInfo, "revoke": .revocation,
    ]

    private static let apple: [String: Self] = [
        "auth/authorize": .authorization, "auth/token": .token, "auth/keys": .keys,
        "auth/revoke": .revocation,
    ]

    private static let openID: [String: Self] = [
        "authorize": .authorization, "token": .token, "keys": .keys, "userinfo": .userInfo,
        "revoke": .revocation, "logout": .endSession,
    ]

    /// Graph is asked with a version in front, or without one.
    private static func facebook(_ segments: [Substring]) -> Self? {
        if segments == [".well-known", "oauth", "openid", "jwks"] { return .keys }
        let rest = segments.first.map(isVersion) == true ? segments.dropFirst() : segments[...]
        switch rest.joined(separator: "/") {
        case "dialog/oauth": return .authorization
        case "oauth/access_token": return .token
        case "me": return .userInfo
        case "debug_token": return .debugToken
        default: return rest.count == 2 && rest.last == "permissions" ? .permissions : nil
        }
    }

    /// `v23.0`.
    private static func isVersion(_ segment: Substring) -> Bool {
        let digits = segment.utf8.dropFirst().split(separator: UInt8(ascii: "."))
        return segment.first == "v" && digits.count == 2
            && digits.joined().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    func methods(at kind: StandInKind) -> [HTTPRequest.Method] {
        switch self {
        case .discovery, .keys, .picture: [.get, .head]
        case .authorization, .userInfo, .endSession: [.get, .post]
        case .token: kind == .facebook ? [.get, .post] : [.post]
        case .revocation: [.post]
        case .debugToken: [.get]
        case .permissions: [.delete, .post]
        }
    }
}
