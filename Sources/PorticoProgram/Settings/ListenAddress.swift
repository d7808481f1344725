import ArgumentParser
import PorticoBytes
import PorticoSystem

struct ListenAddress: Hashable, Sendable {
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

/// A duration as it is typed: `90s`, `3m`, `12h`, `7d`, or several of these, `4m59s`.
struct DurationText: ExpressibleByArgument, Hashable, Sendable {
    let seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    init?(argument: String) {
        guard (2...40).contains(argument.utf8.count) else { return nil }
        let units: [(letter: UInt8, seconds: Int64)] = [
            (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60),
            (UInt8(ascii: "s"), 1),
        ]
        // The larger one first, each once: 1h30m.
        var left = units[...]
        var rest = argument.utf8[...]
        var sum: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            guard let number = Int64(String(Substring(digits))), number <= 100_000_000,
                let letter = rest.popFirst(),
                let place = left.firstIndex(where: { $0.letter == letter })
            else { return nil }
            sum += number * left[place].seconds
            left = left[(place + 1)...]
        }
        guard sum > 0 else { return nil }
        seconds = sum
    }

    var text: String {
        let parts = [
            (seconds / 86_400, "d"), (seconds % 86_400 / 3600, "h"), (seconds % 3600 / 60, "m"),
            (seconds % 60, "s"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
    }

    var defaultValueDescription: String {
        seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}
