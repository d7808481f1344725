import PorticoBytes

/// A client identifier that is the address of the client's document (Client ID Metadata Document
/// §3; AT Protocol, OAuth): https, a public name, no port, a path, and nothing behind it.
///
/// Stricter than the draft, which allows ports and queries: two addresses of one document would be
/// two clients.
package struct ClientIDAddress: Hashable, Sendable {
    /// At most 2,048 bytes, as sent. Clients are told apart by these bytes.
    package let text: String
    package let address: HTTPAddress
    /// Whether hosts under `.test` are taken, also where the document names one.
    let allowsTest: Bool

    /// What a person is shown of a client (§6.4).
    package var host: String { address.host }

    /// - Parameter allowsTest: Whether hosts under `.test` are taken, too.
    /// - Throws: `.address`; `.clientHost` where only the host is wrong.
    package init(_ text: String, allowsTest: Bool = false) throws(ClientDocumentRefusal) {
        guard text.utf8.count <= 2048, text.dropping("https://") != nil,
            let address = HTTPAddress(text), address.query == nil, Self.isPath(address.path)
        else { throw .address }
        try Self.checkHost(of: address, allowsTest)
        self.text = text
        self.address = address
        self.allowsTest = allowsTest
    }

    /// That a document's own address may be asked: a public name, as written, without a port.
    ///
    /// - Throws: `.address` for an IP address, a port or capital letters, else `.clientHost`.
    static func checkHost(of address: HTTPAddress, _ allowsTest: Bool)
        throws(ClientDocumentRefusal)
    {
        guard sameBytes(address.authority, address.host) else { throw .address }
        do throws(HostName.Refusal) {
            _ = try HostName(address.host, allowsTest: allowsTest)
        } catch {
            throw error == .topLevel || error == .character ? .address : .clientHost
        }
    }

    /// A path that names something, without dot segments in any spelling (§3).
    private static func isPath(_ path: String) -> Bool {
        guard path.utf8.count > 1, path.utf8.last != UInt8(ascii: "/") else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { segment in
            guard let decoded = Hexadecimal.percentDecoded(segment) else { return false }
            return !decoded.elementsEqual(".".utf8) && !decoded.elementsEqual("..".utf8)
        }
    }
}
