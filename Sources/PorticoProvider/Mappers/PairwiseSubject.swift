import Crypto
import PorticoAdministration
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
}
