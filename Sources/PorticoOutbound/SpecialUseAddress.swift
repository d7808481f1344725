/// Which addresses belong to the public internet, and which to a machine, a link, a private network
/// or a protocol (RFC 6890, the IANA registries of special-purpose addresses).
enum SpecialUseAddress {
    /// Whether nothing that a stranger names may lead there.
    ///
    /// - Parameter bytes: Four or sixteen, most significant first; any other number is one too.
    static func contains(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: containsIPv4(bytes)
        case 16: containsIPv6(bytes)
        default: true
        }
    }

    private static func containsIPv4(_ bytes: [UInt8]) -> Bool {
        ipv4.contains { Self.prefix(of: bytes, $0.length) == $0.prefix }
    }

    /// Only what is given out as global unicast is public, and not all of that: what is reserved
    /// later is refused from the start.
    private static func containsIPv6(_ bytes: [UInt8]) -> Bool {
        // NAT64 (RFC 6052 §2.1): the IPv4 address behind it is the one that is asked. It is how a
        // machine without IPv4 reaches the rest of the world.
        if bytes.starts(with: nat64) { return containsIPv4(Array(bytes.suffix(4))) }
        guard bytes[0] & 0xE0 == 0x20 else { return true }
        return ipv6.contains { Self.prefix(of: bytes, $0.length) == $0.prefix }
    }

    private struct Range {
        let prefix: [UInt8]
        let length: Int

        init(_ first: [UInt8], _ length: Int) {
            self.length = length
            prefix = SpecialUseAddress.prefix(of: first, length)
        }
    }

    /// The bytes that `length` bits touch, those behind them cleared.
    private static func prefix(of bytes: [UInt8], _ length: Int) -> [UInt8] {
        (0..<(length + 7) / 8).map { index in
            let kept = min(8, length - index * 8)
            let byte = index < bytes.count ? bytes[index] : 0
            return kept == 8 ? byte : byte & ~(0xFF >> UInt8(kept))
        }
    }

    private static let ipv4 = [
        Range([0], 8),  // this network
        Range([10], 8),  // private use
        Range([100, 64], 10),  // shared address space
        Range([127], 8),  // loopback
        Range([168, 63, 129, 16], 32),  // a cloud's own services, metadata among them
        Range([169, 254], 16),  // link-local, where clouds keep their metadata
        Range([172, 16], 12),  // private use
        Range([192, 0, 0], 24),  // IETF protocol assignments
        Range([192, 0, 2], 24),  // documentation
        Range([192, 31, 196], 24),  // AS112
        Range([192, 52, 193], 24),  // automatic multicast tunnelling
        Range([192, 88, 99], 24),  // 6to4 relays
        Range([192, 168], 16),  // private use
        Range([192, 175, 48], 24),  // AS112
        Range([198, 18], 15),  // benchmarking
        Range([198, 51, 100], 24),  // documentation
        Range([203, 0, 113], 24),  // documentation
        Range([224], 4),  // multicast
        Range([240], 4),  // reserved, and broadcast
    ]

    private static let ipv6 = [
        Range([0x20, 0x01], 23),  // IETF protocol assignments, Teredo and ORCHID among them
        Range([0x20, 0x01, 0x0D, 0xB8], 32),  // documentation
        Range([0x20, 0x02], 16),  // 6to4: an IPv4 address in disguise
        Range([0x26, 0x20, 0x00, 0x4F, 0x80, 0x00], 48),  // AS112
        Range([0x3F, 0xFF], 20),  // documentation
    ]

    private static let nat64: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
}
