import PorticoSystem

/// Resolves a host name to its addresses.
package protocol AddressResolver: Sendable {
    /// Every address of `host`, in the order in which to try them, of four or sixteen bytes each.
    /// Empty if there is no such name, or it has none.
    ///
    /// - Parameter host: A name, or an IP literal without brackets.
    /// - Throws: ``HTTPTransportError/unreachable`` where the look-up failed, so that nothing is
    ///   known; ``HTTPTransportError/busy`` where too many names are being looked up;
    ///   `CancellationError`.
    func addresses(of host: String) async throws -> [[UInt8]]
}

/// The system's resolver: hosts file, DNS, and other configured sources.
package final class SystemResolver: AddressResolver {
    private let calls: BlockingCalls<[[UInt8]]?>
    private let look: @Sendable (String) -> [[UInt8]]?

    /// - Parameters:
    ///   - most: Names that are being looked up at one time.
    ///   - look: Asked instead of the system; may block its thread. `nil`: the look-up failed.
    package init(most: Int = 32, asking look: (@Sendable (String) -> [[UInt8]]?)? = nil) {
        calls = BlockingCalls(most: most)
        self.look = look ?? Self.ask
    }

    package func addresses(of host: String) async throws -> [[UInt8]] {
        guard let answer = try await calls(host, { [look] in look(host) }) else {
            throw HTTPTransportError.busy
        }
        guard let addresses = answer else { throw HTTPTransportError.unreachable }
        return addresses
    }

    /// `EAI_NODATA`, which the C library's headers hide where only POSIX is asked for.
    #if canImport(Glibc)
        private static let noData: Int32 = -5
    #else
        private static let noData = EAI_NODATA
    #endif

    /// An answer may have thousands; a few are tried.
    private static let mostAddresses = 64

    @Sendable private static func ask(_ host: String) -> [[UInt8]]? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = Int32(SOCK_STREAM)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        // No such name, or one without an address: that is an answer (RFC 3493 §6.1).
        guard status == 0 else { return [EAI_NONAME, noData].contains(status) ? [] : nil }
        defer { freeaddrinfo(list) }
        var addresses: [[UInt8]] = []
        var next = list
        while let entry = next?.pointee {
            if let address = bytes(of: entry), addresses.count < mostAddresses,
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return addresses
    }

    /// Addresses other than IPv4 and IPv6 are not requested and not used.
    private static func bytes(of entry: addrinfo) -> [UInt8]? {
        guard let address = entry.ai_addr else { return nil }
        let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        // Family and port come first; in IPv6 the flow too.
        switch entry.ai_family {
        case AF_INET: return raw.count >= 8 ? Array(raw[4..<8]) : nil
        case AF_INET6: return raw.count >= 24 ? Array(raw[8..<24]) : nil
        default: return nil
        }
    }
}
