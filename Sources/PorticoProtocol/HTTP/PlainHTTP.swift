/// The addresses for which `http` is accepted instead of `https` (RFC 8414 §2 allows none).
package enum PlainHTTP: Hashable, Sendable {
    case nowhere
    /// The IP literals `127.0.0.1` and `[::1]`, `localhost` and names below it: traffic stays on
    /// this machine. The sender must check what such a name resolves to (``LocalhostName``).
    case onLoopback

    package func permits(_ address: HTTPAddress) -> Bool {
        switch self {
        case .nowhere: false
        case .onLoopback: address.isThisMachine
        }
    }
}
