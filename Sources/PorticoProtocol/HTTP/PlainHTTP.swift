/// Where `http` will do in place of `https` (RFC 8414 §2 allows it nowhere).
package enum PlainHTTP: Hashable, Sendable {
    case nowhere
    /// The IP literals `127.0.0.1` and `[::1]`: nothing leaves the machine.
    case onLoopback
    /// Also `localhost` and names below it, which a resolver may lead elsewhere: for stand-ins of
    /// providers that are to be another site than we are.
    case onLocalhost

    package func permits(_ address: HTTPAddress) -> Bool {
        switch self {
        case .nowhere: false
        case .onLoopback: address.isLoopback
        case .onLocalhost:
            address.isLoopback || address.host == "localhost"
                || address.host.hasSuffix(".localhost")
        }
    }
}
