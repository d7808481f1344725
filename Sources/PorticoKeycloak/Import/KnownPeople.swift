import PorticoAdministration
import PorticoBytes
import PorticoStores

/// Which person of a file is which person here: a UUID may be spelled otherwise. No one is known by
/// a user name, which anyone may have taken (docs/decisions/0054).
struct KnownPeople {
    /// Those of the ids that are a person's in any realm, or were.
    private let used: Set<String>

    /// - Parameter ids: Of people of a file (``id(_:username:realmID:)``).
    init(_ ids: [String], _ realms: RealmStore) async throws {
        used = try await realms.idsInUse(ofPeople: ids + ids.map(ImportedIDs.key))
    }

    func isUsed(_ id: String) -> Bool { used.contains(id) }

    /// The id here of the person who has that one in the file. One who is not here keeps it.
    func id(of id: String) -> String {
        let key = ImportedIDs.key(id)
        return used.contains(id) || !used.contains(key) ? id : key
    }

    /// The id of a person of a file: its own, or where it says none that may be one, that which is made
    /// of the user name.
    static func id(_ said: String?, username: String, realmID: String) -> String {
        if let said, PersonRegistration.isSubject(said) { return said }
        return Person.madeID(of: username, in: realmID)
    }
}

extension Person {
    /// The id of a person who has none in a file: the same each time, so that they are known by it.
    static func madeID(of username: String, in realmID: String) -> String {
        let name = LoginName.folded(username)
        var bytes = Array(Hash256(of: "\(realmID) person \(name)").bytes.prefix(16))
        // An id made in a way of our own (RFC 9562 §5.8).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UniqueID(bytes: bytes)?.text ?? Hexadecimal.text(bytes)
    }
}
