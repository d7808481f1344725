package import HTTPTypes
package import NIOCore
import PorticoBytes

/// The proxies with trusted `X-Forwarded-…` headers (docs/decisions/0036).
package struct TrustedProxies: Sendable {
    private let ranges: [NetworkRange]

    package init(_ ranges: [NetworkRange]) {
        self.ranges = ranges
    }

    package static let none = TrustedProxies([])

    package func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }
}

/// The sender of a request, and whether it used TLS, as far as that can be known (RFC 7239 §8).
///
/// `X-Forwarded-For` and `X-Forwarded-Proto` are read only if the peer of the connection is a
/// trusted proxy. `X-Forwarded-Host` is never read.
package struct ClientAddress: Hashable, Sendable {
    /// `nil` if the connection is not an IP connection.
    package let address: IPAddress?

    /// Whether the request reached the trusted proxy over TLS; `nil` if unknown.
    package let isSecure: Bool?

    /// Whether the request came through a trusted proxy.
    package let isForwarded: Bool

    package init(peer: SocketAddress?, headers: HTTPFields, trusting proxies: TrustedProxies) {
        let peer = IPAddress(peer)
        guard let peer, proxies.contains(peer) else {
            address = peer
            isSecure = nil
            isForwarded = false
            return
        }
        isForwarded = true
        address = Self.client(behind: peer, Self.elements(of: Self.forwardedFor, headers), proxies)
        // The last one was written by the nearest proxy, the first by the one that the client asked: TLS
        // may end at either (docs/decisions/0103).
        let schemes = Self.elements(of: Self.forwardedProto, headers)
        isSecure =
            schemes.isEmpty
            ? nil
            : [schemes.first, schemes.last].contains { scheme in
                scheme.map { $0.utf8.count == 5 && $0.lowercased() == "https" } ?? false
            }
    }

    /// The key for limits, which counts a neighbourhood as one.
    package var limitKey: String {
        address?.neighbourhood.description ?? "local"
    }

    /// The first address from the right that is not a trusted proxy: addresses further left were
    /// written by the client itself.
    private static func client(
        behind peer: IPAddress,
        _ chain: [Substring],
        _ proxies: TrustedProxies
    ) -> IPAddress {
        var client = peer
        for element in chain.reversed() {
            guard let address = IPAddress(withoutPort(element)) else { break }
            client = address
            guard proxies.contains(address) else { break }
        }
        return client
    }

    private static let forwardedFor = name("X-Forwarded-For")
    private static let forwardedProto = name("X-Forwarded-Proto")

    private static func name(_ text: String) -> HTTPField.Name? {
        HTTPField.Name(text)
    }

    /// The elements of a list header, in order (RFC 9110 §5.6.1).
    private static func elements(of name: HTTPField.Name?, _ headers: HTTPFields) -> [Substring] {
        guard let name else { return [] }
        return headers[values: name].flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ","))
                .map { Substring($0.trimming { $0.isBlank }) }.filter { !$0.isEmpty }
        }
    }

    /// `192.0.2.1:80` and `[2001:db8::1]:80` without their ports.
    private static func withoutPort(_ element: Substring) -> Substring {
        if element.first == "[" {
            return element.dropFirst().prefix { $0 != "]" }
        }
        let colons = element.utf8.count { $0 == UInt8(ascii: ":") }
        return colons == 1 ? element.prefix { $0 != ":" } : element
    }
}
