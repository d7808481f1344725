import PorticoBytes
import PorticoProtocol

/// By which ids files know people (docs/decisions/0054).
extension PersonStore {
    /// Of ids that files know people by, or would without an id, those that were noted, with the ids that
    /// these people have here, or had until they were deleted.
    package func ids(knownAs ids: [String], realmID: String) async throws -> [String: String] {
        try await database.read { reader in
            var known: [String: String] = [:]
            for id in ids {
                known[id] = try reader.part(RealmPart.knownPerson, id, realmID)?.string("id")
            }
            return known
        }
    }
}

extension Person {
    /// The id of who has none in a file: the same each time, so that who was deleted or renamed here is
    /// known by it.
    package static func madeID(of username: String, in realmID: String) -> String {
        let name = LoginName.folded(username)
        var bytes = Array(Hash256(of: "\(realmID) person \(name)").bytes.prefix(16))
        // An id made in a way of our own (RFC 9562 §5.8).
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UniqueID(bytes: bytes)?.text ?? Hexadecimal.text(bytes)
    }
}

extension SQLTransaction {
    /// Keeps what an import notes of a person.
    func note(_ new: NewPerson) throws {
        guard let imported = new.imported else { return }
        let person = new.person
        try put(
            RealmPart(
                realmID: person.realmID,
                kind: RealmPart.importedPerson,
                id: person.id,
                document: imported
            )
        )
        if let knownAs = new.knownAs { try know(person, as: knownAs) }
        // The file has another user name than they have here: no one gets that, either.
        if let made = imported.string(RealmPart.madeID),
            !sameBytes(made, Person.madeID(of: person.username, in: person.realmID))
        {
            try know(person, as: made)
        }
    }

    /// Keeps that a person had a user name until now, if an import has noted something of them: no file
    /// makes someone else under it.
    func noteFormerName(of person: Person) throws {
        let made = Person.madeID(of: person.username, in: person.realmID)
        guard !sameBytes(made, person.id),
            try part(RealmPart.importedPerson, person.id, person.realmID) != nil
        else { return }
        try know(person, as: made)
    }

    /// Likewise of one who is deleted, with the user names that files took from them.
    func noteFormerNames(of person: Person) throws {
        try noteFormerName(of: person)
        let note = try part(RealmPart.importedPerson, person.id, person.realmID)
        for made in note?.strings(RealmPart.formerIDs) ?? [] { try know(person, as: made) }
    }

    private func know(_ person: Person, as id: String) throws {
        try put(
            RealmPart(
                realmID: person.realmID,
                kind: RealmPart.knownPerson,
                id: id,
                document: ["id": .string(person.id)]
            )
        )
    }
}
