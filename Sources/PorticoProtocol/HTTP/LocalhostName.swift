package import HTTPTypes

/// Checks that `localhost` and names below it resolve to this machine, or to nothing (RFC 6761
/// §6.3).
///
/// During development, such a name may replace a loopback literal for plain http. A hosts file, a
/// search list or a resolver may map it to another machine, which would receive passwords and
/// tokens in the clear.
package struct LocalhostName: Sendable {
    private let resolver: any AddressResolver

    /// Uses the system's resolver.
    package static let system = LocalhostName(resolver: SystemResolver())

    package init(resolver: any AddressResolver) {
        self.resolver = resolver
    }

    /// The address with a loopback literal in place of its name, once for each address of the name,
    /// in the order in which to try them. The caller connects to one of them without resolving the
    /// name again, and sends the name in `Host` (RFC 9110 §7.2).
    ///
    /// A name that the system cannot resolve counts as this machine, as in browsers.
    ///
    /// - Returns: `nil` if the address has no such name, or is https: its certificate identifies
    ///   the server.
    /// - Throws: elsewhere if an address of the name is not a loopback address; cancelled; busy.
    package func literals(for address: HTTPAddress) async throws(HTTPTransportError)
        -> [HTTPAddress]?
    {
        guard !address.isSecure, address.isLocalhost else { return nil }
        let found: [[UInt8]]
        do {
            found = try await resolver.addresses(of: address.host)
        } catch {
            guard error as? HTTPTransportError == .unreachable else {
                throw error as? HTTPTransportError ?? .cancelled
            }
            found = []
        }
        // One foreign address among loopback ones is not an accident: none of them is used.
        let literals = found.map(Self.literal)
        guard !literals.contains(nil) else { throw .elsewhere }
        return (literals.isEmpty ? ["127.0.0.1", "[::1]"] : literals.compactMap { $0 })
            .compactMap { HTTPAddress("http://\($0):\(address.port)\(address.target)") }
    }

    /// For a caller that cannot choose the address to connect to.
    ///
    /// - Throws: As ``literals(for:)``.
    package func check(_ request: HTTPRequest) async throws(HTTPTransportError) {
        guard let address = request.address else { return }
        _ = try await literals(for: address)
    }

    /// A loopback address as written in a URI, or `nil` if it is not a loopback address (RFC 1122
    /// §3.2.1.3, RFC 4291 §2.5.3).
    private static func literal(_ bytes: [UInt8]) -> String? {
        if bytes.count == 4, bytes[0] == 127 {
            return bytes.map(String.init).joined(separator: ".")
        }
        return bytes.count == 16 && bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
            ? "[::1]" : nil
    }
}
