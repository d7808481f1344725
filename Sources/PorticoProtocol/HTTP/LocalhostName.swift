package import HTTPTypes

/// Where `localhost` and the names below it lead on this machine: to itself, or nowhere
/// (RFC 6761 §6.3).
///
/// Plain http goes to such a name in place of a loopback literal, for who develops. A hosts file, a
/// search list or a resolver may lead it to another machine, to which a password or a token would go in
/// the clear.
package struct LocalhostName: Sendable {
    private let resolver: any AddressResolver

    /// Asks the system.
    package static let system = LocalhostName(resolver: SystemResolver())

    package init(resolver: any AddressResolver) {
        self.resolver = resolver
    }

    /// The address with a loopback literal in place of its name, once for each address that the name
    /// has, in the order in which they should be tried: who connects to one of them asks no resolver
    /// again, and says the name in `Host` (RFC 9110 §7.2).
    ///
    /// A name that the system does not know is this machine all the same, as browsers have it.
    ///
    /// - Returns: `nil` where the address has no such name, and where it is https: its certificate says
    ///   who it is.
    /// - Throws: elsewhere, where an address of the name is not a loopback one; cancelled.
    package func literals(for address: HTTPAddress) async throws(HTTPTransportError)
        -> [HTTPAddress]?
    {
        guard !address.isSecure, address.isLocalhost else { return nil }
        let found: [[UInt8]]
        do {
            found = try await resolver.addresses(of: address.host)
        } catch {
            throw .cancelled
        }
        // One that is elsewhere among loopback ones is no accident: none of them is used.
        let literals = found.map(Self.literal)
        guard !literals.contains(nil) else { throw .elsewhere }
        return (literals.isEmpty ? ["127.0.0.1", "[::1]"] : literals.compactMap { $0 })
            .compactMap { HTTPAddress("http://\($0):\(address.port)\(address.target)") }
    }

    /// For who cannot choose what is connected to.
    ///
    /// - Throws: As ``literals(for:)``.
    package func check(_ request: HTTPRequest) async throws(HTTPTransportError) {
        guard let address = request.address else { return }
        _ = try await literals(for: address)
    }

    /// A loopback address as it stands in a URI, or `nil` where it is none (RFC 1122 §3.2.1.3,
    /// RFC 4291 §2.5.3).
    private static func literal(_ bytes: [UInt8]) -> String? {
        if bytes.count == 4, bytes[0] == 127 {
            return bytes.map(String.init).joined(separator: ".")
        }
        return bytes.count == 16 && bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
            ? "[::1]" : nil
    }
}
