import Crypto
import PorticoBytes
import PorticoProtocol
package import PorticoStores

extension PairwiseSubject {
    /// - Parameters:
    ///   - person: The person's id.
    ///   - own: The sector of the client; see ``sector(of:)``.
    ///   - clientID: Its sector where it has no other.
    func callAsFunction(_ person: String, own: String?, clientID: String) -> String {
        let sector = sector ?? own ?? clientID
        let hash = Hash256(of: Array(sector.utf8) + Array(person.utf8) + Array(salt.utf8))
        // A name-based UUID (RFC 9562 §5.3): MD5 only gives the hash its form.
        var bytes = Array(Insecure.MD5.hash(data: hash.bytes))
        bytes[6] = bytes[6] & 0x0F | 0x30
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UniqueID(bytes: bytes)?.text ?? Hexadecimal.text(bytes)
    }

    /// The sector of a client: the one host of its redirect URIs; `nil` where they have several, or
    /// none.
    package static func sector(of redirectURIs: some Sequence<String>) -> String? {
        var sector: String?
        for host in redirectURIs.map(host) {
            guard let host else { return nil }
            guard let found = sector else {
                sector = host
                continue
            }
            guard sameBytes(found, host) else { return nil }
        }
        return sector
    }

    /// The host of a URI, as written; `nil` for one without, and for one that is longer than a
    /// redirect URI can be.
    package static func host(of uri: String) -> String? {
        let bytes = Array(uri.utf8)
        guard bytes.count <= RedirectPattern.longest,
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { return nil }
        let authority = bytes[(colon + 3)...].prefix { !"/?#".utf8.contains($0) }
        let place = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] }
        var host = place ?? authority
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            host = host[...end]
        } else {
            host = host.prefix { $0 != UInt8(ascii: ":") }
        }
        return host.isEmpty ? nil : String(decoding: host, as: UTF8.self)
    }
}
