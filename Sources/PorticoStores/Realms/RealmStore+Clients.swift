import PorticoProtocol

extension RealmStore {
    /// `.conflict` where the realm has a client of that `client_id`; exactly one of many concurrent
    /// calls creates it.
    package func create(_ client: Client) async throws -> Creation {
        try await database.change { transaction in
            let creation = try transaction.insert(client)
            if creation == .created {
                try transaction.noteChange(ofClient: client.id, realmID: client.realmID)
            }
            return creation
        }
    }

    /// Replaces what is kept of a client, found by its id; `client_id` and realm stay.
    ///
    /// - Parameter former: As for a realm.
    package func update(_ client: Client, replacing former: Client?) async throws -> Change {
        try await database.change { transaction in
            let kept = try transaction.first(
                "SELECT id, realm_id, client_id, settings FROM clients WHERE id = $1",
                [.text(client.id)]
            ) { (client: try Client(row: $0), document: try $0.document(3)) }
            guard let kept else { return .notFound }
            try transaction.expect(kept.client, toBe: former)
            var document = kept.document
            client.write(to: &document)
            try transaction.run(
                "UPDATE clients SET settings = $1 WHERE id = $2",
                [SQLValue(document), .text(client.id)]
            )
            try transaction.keepFindable(client)
            try transaction.noteChange(ofClient: client.id, realmID: kept.client.realmID)
            return .changed
        }
    }

    /// Deletes a client with its roles; its grants end with it, also for one that gets its id later,
    /// and so do those derived from them.
    package func deleteClient(id: String) async throws -> Change {
        try await database.change { transaction in
            // Its roles go with it, and what contains them is the realm's.
            let hasRoles = try transaction.hasRow(
                """
                SELECT 1 FROM clients AS c
                JOIN roles AS r ON r.realm_id = c.realm_id AND r.client_id = c.client_id
                WHERE c.id = $1
                """,
                [.text(id)]
            )
            guard let realmID = try transaction.deleteClient(id: id) else { return .notFound }
            if hasRoles {
                try transaction.noteChange(ofRealm: realmID)
            } else {
                try transaction.noteChange(ofClient: id, realmID: realmID)
            }
            return .changed
        }
    }
}

extension Client {
    /// Of the columns `id, realm_id, client_id, settings`.
    init(row: any SQLRow) throws {
        try self.init(
            id: row.text(0),
            realmID: row.text(1),
            clientID: row.text(2),
            document: row.document(3)
        )
    }
}

extension SQLTransaction {
    /// As ``RealmStore/deleteClient(id:)``.
    ///
    /// - Returns: The id of its realm; `nil` where there is none of that id.
    func deleteClient(id: String) throws -> String? {
        try run(
            """
            WITH RECURSIVE ended (id) AS (
                SELECT id FROM grants WHERE client_id = $1
                UNION SELECT g.id FROM grants AS g JOIN ended AS e ON g.parent_id = e.id)
            UPDATE grants SET revoked_at = created_at
            WHERE revoked_at IS NULL AND id IN (SELECT id FROM ended)
            """,
            [.text(id)]
        )
        return try first("DELETE FROM clients WHERE id = $1 RETURNING realm_id", [.text(id)]) {
            try $0.text(0)
        }
    }

    func insert(_ client: Client) throws -> Creation {
        var document = JSONObject()
        client.write(to: &document)
        return try insert(client, settings: SQLValue(document))
    }

    /// - Parameter settings: Its document.
    func insert(_ client: Client, settings: SQLValue) throws -> Creation {
        let isNew = try hasRow(
            """
            INSERT INTO clients (id, realm_id, client_id, settings) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [.text(client.id), .text(client.realmID), .text(client.clientID), settings]
        )
        guard isNew else { return .conflict }
        try keepFindable(client)
        return .created
    }
}
