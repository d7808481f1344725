import HTTPTypes

/// The endpoints of a stand-in.
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

    /// Whether servers call it, and not browsers.
    var isForServers: Bool {
        self != .authorization && self != .endSession && self != .picture
    }
}
