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
