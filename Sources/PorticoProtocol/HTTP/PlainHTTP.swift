/// Where `http` will do in place of `https` (RFC 8414 §2 allows it nowhere).
package enum PlainHTTP: Hashable, Sendable {
    case nowhere
    /// The IP literals `127.0.0.1` and `[::1]`, `localhost` and the names below it: nothing leaves the
    /// machine. Whoever sends something sees to it that such a name leads here (``LocalhostName``).
    case onLoopback

    package func permits(_ address: HTTPAddress) -> Bool {
        switch self {
        case .nowhere: false
        case .onLoopback: address.isThisMachine
        }
    }
}
