import PorticoProtocol

/// What is kept of imported realms and acts on nothing.
extension RealmStore {
    /// The parts of one kind, in the order of their ids; `nil`: of all kinds.
    package func parts(_ kind: String?, realmID: String) async throws -> [RealmPart] {
        try await database.scan { try $0.parts(kind, realmID: realmID) }
    }

    /// Keeps a part, in place of the one of that kind and id.
    package func put(_ part: RealmPart) async throws {
        try await database.change { transaction in
            try transaction.put(part)
            try transaction.raiseRealmVersion()
        }
    }

    package func deletePart(_ kind: String, id: String, realmID: String) async throws -> Change {
        try await database.change { transaction in
            let change = try transaction.deletePart(kind, id: id, realmID: realmID)
            if change == .changed { try transaction.raiseRealmVersion() }
            return change
        }
    }
}

extension SQLReader {
    func parts(_ kind: String?, realmID: String) throws -> [RealmPart] {
        try rows(
            """
            SELECT kind, id, document, sealed FROM realm_parts
            WHERE realm_id = $1 AND kind = COALESCE($2, kind) ORDER BY kind, id
            """,
            [.text(realmID), SQLValue(kind)]
        ) { row in
            RealmPart(
                realmID: realmID,
                kind: try row.text(0),
                id: try row.text(1),
                document: try row.document(2),
                sealed: try row.optionalText(3)
            )
        }
    }
}

extension SQLTransaction {
    func put(_ part: RealmPart) throws {
        try run(
            """
            INSERT INTO realm_parts (realm_id, kind, id, document, sealed)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (realm_id, kind, id)
                DO UPDATE SET document = excluded.document, sealed = excluded.sealed
            """,
            [
                .text(part.realmID), .text(part.kind), .text(part.id), SQLValue(part.document),
                SQLValue(part.sealed),
            ]
        )
    }

    func deletePart(_ kind: String, id: String, realmID: String) throws -> Change {
        let changed = try run(
            "DELETE FROM realm_parts WHERE realm_id = $1 AND kind = $2 AND id = $3",
            [.text(realmID), .text(kind), .text(id)]
        )
        return changed > 0 ? .changed : .notFound
    }
}
