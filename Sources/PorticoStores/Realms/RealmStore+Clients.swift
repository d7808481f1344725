import PorticoProtocol

extension RealmStore {
    /// `.conflict` where the realm has a client of that `client_id`; exactly one of many concurrent
    /// calls creates it.
    package func create(_ client: Client) async throws -> Creation {
        try await database.change { transaction in
            let creation = try transaction.insert(client)
            if creation == .created { try transaction.raiseRealmVersion() }
            return creation
        }
    }

    /// The client of that id, enabled or not.
    package func client(id: String, realmID: String) async throws -> Client? {
        try await database.read {
            try $0.first(
                "SELECT id, realm_id, client_id, settings FROM clients WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)],
                decode: Client.init(row:)
            )
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
            try transaction.raiseRealmVersion()
            return .changed
        }
    }

    /// Deletes a client with its roles; its grants end with it, also for one that gets its id later,
    /// and so do those derived from them.
    package func deleteClient(id: String) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.deleteClient(id: id) == .changed else { return .notFound }
            try transaction.raiseRealmVersion()
            return .changed
        }
    }

}

extension SQLReader {
    func allClients() throws -> [Client] {
        try rows(
            """
            SELECT id, realm_id, client_id, settings FROM clients
            WHERE realm_id IN (SELECT id FROM realms WHERE substr(name, 1, 1) <> '~')
            ORDER BY realm_id, client_id
            """,
            [],
            decode: Client.init(row:)
        )
    }
}

extension Client {
    /// Of the columns `id, realm_id, client_id, settings`.
    fileprivate init(row: any SQLRow) throws {
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
    func deleteClient(id: String) throws -> Change {
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
        let changed = try run("DELETE FROM clients WHERE id = $1", [.text(id)])
        return changed > 0 ? .changed : .notFound
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
        return isNew ? .created : .conflict
    }
}
