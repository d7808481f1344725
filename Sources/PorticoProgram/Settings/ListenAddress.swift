import PorticoBytes
import PorticoSystem

/// An IP address and a port to listen on.
struct ListenAddress: Hashable, Sendable {
    /// Without brackets.
    let host: String
    /// 0: any free one.
    var port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// - Parameter text: `127.0.0.1:8080` or `[::1]:8080`.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard let port = Int(digits: digits.utf8, atMost: 5), port <= 65535 else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.utf8.contains(0x3A) else { return nil }
        } else if host.utf8.contains(0x3A) {
            return nil
        }
        guard let literal = Self.literal(String(host)) else { return nil }
        self.init(host: literal, port: port)
    }

    /// With brackets around IPv6 (RFC 3986 §3.2.2).
    var text: String {
        host.hasBytes(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine can reach it.
    var isLoopback: Bool {
        host == "::1" || host.hasPrefix("127.")
    }

    /// Whether it is one of the literals that a client accepts plain http on (RFC 8252 §8.3).
    var isLoopbackLiteral: Bool {
        host == "::1" || host == "127.0.0.1"
    }

    /// The canonical text of an IP address (RFC 5952), or `nil` if `text` is not one.
    static func literal(_ text: String) -> String? {
        let family = text.hasBytes(":") ? AF_INET6 : AF_INET
        var address = [UInt8](repeating: 0, count: 16)
        guard inet_pton(family, text, &address) == 1 else { return nil }
        var spelled = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &spelled, socklen_t(spelled.count)) != nil else {
            return nil
        }
        return String(decoding: spelled.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}
