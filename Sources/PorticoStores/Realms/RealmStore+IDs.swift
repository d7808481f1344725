/// Ids are given once in the whole store, and those of a file may be another realm's.
extension RealmStore {
    /// Those of the ids that are a person's in any realm, or were.
    package func idsInUse(ofPeople ids: [String]) async throws -> Set<String> {
        try await database.read { reader in
            var used: Set<String> = []
            for id in ids {
                let isUsed = try reader.hasRow(
                    """
                    SELECT 1 FROM people WHERE id = $1
                    UNION ALL SELECT 1 FROM deleted_people WHERE id = $1
                    """,
                    [.text(id)]
                )
                if isUsed { used.insert(id) }
            }
            return used
        }
    }

    /// A client, scope, role or group of a new realm whose id is used in the store: `client shop`.
    ///
    /// - Parameter known: Ids that may be used.
    package func subjectWithUsedID(in new: NewRealm, but known: Set<String> = []) async throws
        -> String?
    {
        try await database.scan { reader in
            func isUsed(_ sql: SQLText, _ id: String) throws -> Bool {
                try !known.contains(id) && reader.hasRow(sql, [.text(id)])
            }
            for client in new.clients
            where try isUsed("SELECT 1 FROM clients WHERE id = $1", client.id) {
                return "client \(client.clientID)"
            }
            for scope in new.scopes
            where try isUsed("SELECT 1 FROM client_scopes WHERE id = $1", scope.id) {
                return "scope \(scope.name)"
            }
            for role in new.roles where try isUsed("SELECT 1 FROM roles WHERE id = $1", role.id) {
                return "role \(role.name)"
            }
            for group in new.groups.map(\.group)
            where try isUsed("SELECT 1 FROM groups WHERE id = $1", group.id) {
                return "group \(group.name)"
            }
            return nil
        }
    }
}
