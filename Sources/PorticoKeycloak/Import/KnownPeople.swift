import PorticoBytes
import PorticoProvider
import PorticoStores

/// Which person of a file is which person here: a UUID may be spelled otherwise. No one is known by
/// a user name, which anyone may have taken (docs/decisions/0054).
struct KnownPeople {
    /// Those of the ids that are a person's in any realm, or were.
    private let used: Set<String>
    private let noted: [String: String]

    /// - Parameter ids: Of people of a file (``id(_:username:realmID:)``).
    init(_ ids: [String], _ realms: RealmStore, _ people: PersonStore, realmID: String) async throws
    {
        let keys = ids.map(ImportedIDs.key)
        used = try await realms.idsInUse(ofPeople: ids + keys)
        noted = try await people.ids(knownAs: keys, realmID: realmID)
    }

    /// Whether it is noted whose id it is, or was.
    func isNoted(_ id: String) -> Bool { noted[ImportedIDs.key(id)] != nil }

    /// The id here of who has that one in the file. Those who are not here keep it.
    func id(of id: String) -> String {
        let key = ImportedIDs.key(id)
        if used.contains(id) { return id }
        // Noted under another one is who had the user name that this one is made of.
        if let here = noted[key], sameBytes(ImportedIDs.key(here), key) { return here }
        return used.contains(key) ? key : id
    }

    /// The id of a person of a file: its own, or where it says none that may be one, that which is made
    /// of the user name.
    static func id(_ said: String?, username: String, realmID: String) -> String {
        if let said, PersonRegistration.isSubject(said) { return said }
        return Person.madeID(of: username, in: realmID)
    }
}
