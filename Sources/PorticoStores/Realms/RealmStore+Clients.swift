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

    /// Deletes a client with its roles; its grants end with it.
    package func deleteClient(id: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run("DELETE FROM clients WHERE id = $1", [.text(id)])
            guard changed > 0 else { return .notFound }
            try transaction.raiseRealmVersion()
            return .changed
        }
    }

    /// Roles of a realm in the order of client and name, the realm's own first.
    package func roles(realmID: String) async throws -> [Role] {
        try await database.scan { reader in
            try reader.rows(
                """
                SELECT id, realm_id, client_id, name, description FROM roles WHERE realm_id = $1
                ORDER BY client_id IS NOT NULL, client_id, name
                """,
                [.text(realmID)]
            ) { row in
                Role(
                    id: try row.text(0),
                    realmID: try row.text(1),
                    clientID: try row.optionalText(2),
                    name: try row.text(3),
                    description: try row.text(4)
                )
            }
        }
    }

    /// `.conflict` where the realm, or its client, has a role of that name.
    package func create(_ role: Role) async throws -> Creation {
        try await database.change { try $0.insert(role) }
    }

    /// Deletes a role and takes it from everyone.
    package func deleteRole(id: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run("DELETE FROM roles WHERE id = $1", [.text(id)])
            return changed > 0 ? .changed : .notFound
        }
    }
}

extension SQLReader {
    func allClients() throws -> [Client] {
        try rows(
            "SELECT id, realm_id, client_id, settings FROM clients ORDER BY realm_id, client_id",
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
    func insert(_ client: Client) throws -> Creation {
        var document = JSONObject()
        client.write(to: &document)
        let isNew = try hasRow(
            """
            INSERT INTO clients (id, realm_id, client_id, settings) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [.text(client.id), .text(client.realmID), .text(client.clientID), SQLValue(document)]
        )
        return isNew ? .created : .conflict
    }

    func insert(_ role: Role) throws -> Creation {
        let isNew = try hasRow(
            """
            INSERT INTO roles (id, realm_id, client_id, name, description)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .text(role.id), .text(role.realmID), SQLValue(role.clientID), .text(role.name),
                .text(role.description),
            ]
        )
        return isNew ? .created : .conflict
    }
}
