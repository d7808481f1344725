package import NIOCore
import PorticoBytes

/// An IPv4 or IPv6 address; an IPv4-mapped IPv6 address counts as IPv4 (RFC 4291 §2.5.5.2).
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes, most significant first.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes =
            bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    /// - Parameter text: A literal without brackets, port and zone.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45, !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        do {
            self.init(try SocketAddress(ipAddress: String(text), port: 0))
        } catch {
            return nil
        }
    }

    /// `nil` for a socket without an IP address.
    package init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            // The same on every system: family and port first, then the address.
            self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address):
            // Family, port and flow, then the address.
            self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket, nil: return nil
        }
    }

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// What limits count as one: an IPv4 address, also one that was translated (RFC 6052 §2.1), or the
    /// /64 that one household or machine gets in IPv6.
    package var neighbourhood: IPAddress {
        guard bytes.count == 16 else { return self }
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        guard !bytes.starts(with: translated) else { return IPAddress(bytes: bytes.suffix(4)) }
        return IPAddress(bytes: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }

    package var description: String {
        if bytes.count == 4 {
            return "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])"
        }
        let buffer = ByteBuffer(bytes: bytes)
        do {
            return try SocketAddress(packedIPAddress: buffer, port: 0).ipAddress ?? "unknown"
        } catch {
            return "unknown"
        }
    }
}

/// A range of addresses: `10.0.0.0/8`, `2001:db8::/32`, or a single address (RFC 4632 §3.1).
package struct NetworkRange: Hashable, Sendable {
    private let first: IPAddress
    private let length: Int

    /// `nil` if it is not a range, or bits after the prefix are set: `10.0.0.1/8` is a mistake.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let bits = address.bytes.count * 8
        if parts.count == 2 {
            guard let length = Int(digits: parts[1].utf8, atMost: 3), length <= bits else {
                return nil
            }
            self.length = length
        } else {
            length = bits
        }
        first = address
        guard Self.prefix(of: address, length) == address.bytes else { return nil }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == first.bytes.count
            && Self.prefix(of: address, length) == first.bytes
    }

    private static func prefix(of address: IPAddress, _ length: Int) -> [UInt8] {
        address.bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, length - index * 8))
            return kept == 8 ? byte : byte & ~(0xFF >> UInt8(kept))
        }
    }
}
