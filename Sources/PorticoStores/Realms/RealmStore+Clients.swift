import PorticoBytes
import PorticoProtocol

/// The clients of realms, with their scopes and the clients that they hand their sign-in on to. A scope or
/// client that the realm does not have is ``MissingReference``.
extension RealmStore {
    /// `.conflict` where the realm has registered a client of that `client_id`; exactly one of many
    /// concurrent calls creates it. A client that was taken from its document at that address makes way,
    /// with its grants and what people allowed it.
    package func create(_ client: Client) async throws -> Creation {
        try await database.change { transaction in
            let creation = try transaction.insert(client)
            if creation == .created {
                try transaction.keepTargets(of: client, replacing: nil)
                try transaction.noteChange(ofClient: client.id, realmID: client.realmID)
            }
            return creation
        }
    }

    /// The client of that id, enabled or not.
    package func client(id: String, realmID: String) async throws -> Client? {
        try await database.read { reader in
            guard let client = try reader.keptClient(id)?.client,
                sameBytes(client.realmID, realmID)
            else { return nil }
            return client
        }
    }

    /// Replaces what is kept of a client, found by its id; `client_id` and realm stay. Without
    /// `client_credentials` it has no account for itself any more.
    ///
    /// - Parameter former: As for a realm.
    package func update(_ client: Client, replacing former: Client? = nil) async throws -> Change {
        try await database.change { transaction in
            guard let kept = try transaction.keptClient(client.id) else { return .notFound }
            try transaction.expect(kept.client, toBe: former)
            var (next, document) = (client, kept.document)
            next.realmID = kept.client.realmID
            next.write(to: &document)
            try transaction.run(
                "UPDATE clients SET settings = $1 WHERE id = $2",
                [SQLValue(document), .text(client.id)]
            )
            try transaction.keepScopes(of: next, replacing: kept.client)
            try transaction.keepTargets(of: next, replacing: kept.client)
            try transaction.keepFindable(next)
            if kept.client.grantTypes.contains(.clientCredentials),
                !next.grantTypes.contains(.clientCredentials)
            {
                try transaction.deleteAccount(ofClient: client.id)
            }
            try transaction.noteChange(ofClient: client.id, realmID: next.realmID)
            return .changed
        }
    }

    /// Deletes a client with its roles and the account that it has for itself; its grants end with it, also for
    /// one that gets its id later, and so do those derived from them.
    ///
    /// - Parameter former: As for a realm.
    package func deleteClient(id: String, replacing former: Client? = nil) async throws -> Change {
        try await database.change { transaction in
            guard let kept = try transaction.keptClient(id) else { return .notFound }
            try transaction.expect(kept.client, toBe: former)
            // Its roles go with it, which other clients may see and the realm's roles may contain, and
            // other clients no longer hand their sign-in on to it.
            let isNamed = try transaction.hasRow(
                """
                SELECT 1 FROM roles WHERE client_id = $1
                UNION ALL SELECT 1 FROM login_token_targets WHERE target_id = $1
                """,
                [.text(id)]
            )
            guard let realmID = try transaction.deleteClient(id: id) else { return .notFound }
            if isNamed {
                try transaction.noteChange(ofRealm: realmID)
            } else {
                try transaction.noteChange(ofClient: id, realmID: realmID)
            }
            return .changed
        }
    }
}

/// Clients that are taken from their documents: kept once a person lets them in, so that their grants
/// live on without their sites (docs/decisions/0064).
extension GrantStore {
    /// The client of that id, as its document described it when a person last let it in. Its keys are not
    /// kept: it authenticates with those that it has at the time.
    package func clientFromDocument(id: String, realmID: String) async throws -> Client? {
        try await database.read { reader in
            try reader.first(
                """
                SELECT id, realm_id, client_id, source, settings FROM clients
                WHERE id = $1 AND realm_id = $2 AND source = 'document'
                """,
                [.text(id), .text(realmID)],
                decode: Client.init(row:)
            )
        }
    }

    /// Removes those that no grant and no consent needs, and that were last used before `time`.
    package func purgeClientsFromDocuments(before time: Int64) async throws {
        try await database.purge(
            before: time,
            from: .text(""),
            """
            SELECT id FROM clients
            WHERE id > $1 AND source = 'document' AND last_used_at < $2
                AND id NOT IN (SELECT client_id FROM grants)
                AND id NOT IN (SELECT client_id FROM consents)
            ORDER BY id LIMIT 200
            """,
            "DELETE FROM clients WHERE id = $1 AND last_used_at < $2",
            isRenewed: true
        )
    }
}

extension SQLReader {
    /// A client with the document that its settings are kept in.
    func keptClient(_ id: String) throws -> (client: Client, document: JSONObject)? {
        let kept = try first(
            "SELECT id, realm_id, client_id, source, settings FROM clients WHERE id = $1",
            [.text(id)]
        ) { (client: try Client(row: $0), document: try $0.document(4)) }
        return try kept.map { (try withScopes($0.client), $0.document) }
    }

    /// A client as its row has it, with its scopes and login token targets: every reading of clients ends
    /// here.
    func withScopes(_ client: Client) throws -> Client {
        guard client.source != .document else { return client }
        var client = client
        (client.defaultScopes, client.optionalScopes) = try scopeLists(
            """
            SELECT s.name, u.is_default FROM scopes_of_clients AS u
            JOIN client_scopes AS s ON s.id = u.scope_id
            WHERE u.client_id = $1 ORDER BY u.place
            """,
            of: client.id
        )
        client.loginTokenTargets = try rows(
            """
            SELECT c.client_id, t.is_silent FROM login_token_targets AS t
            JOIN clients AS c ON c.id = t.target_id
            WHERE t.client_id = $1 ORDER BY t.place
            """,
            [.text(client.id)]
        ) { LoginTokenTarget(clientID: try $0.text(0), isSilent: try $0.bool(1)) }
        return client
    }

    /// ``Client/id`` of the client of that `client_id`.
    func clientUUID(_ clientID: String, realmID: String) throws -> String? {
        try first(
            "SELECT id FROM clients WHERE realm_id = $1 AND client_id = $2",
            [.text(realmID), .text(clientID)]
        ) { try $0.text(0) }
    }
}

extension Client {
    /// Of the columns `id, realm_id, client_id, source, settings`.
    init(row: any SQLRow) throws {
        guard let source = ClientSource(rawValue: try row.text(3)) else {
            throw SQLDecodingError.outOfRange(column: 3)
        }
        try self.init(
            id: row.text(0),
            realmID: row.text(1),
            clientID: row.text(2),
            source: source,
            document: row.document(4)
        )
    }
}

extension SQLTransaction {
    /// With its scopes. Its login token targets follow once these are there
    /// (``keepTargets(of:replacing:)``).
    func insert(_ client: Client) throws -> Creation {
        var document = JSONObject()
        client.write(to: &document)
        return try insert(client, settings: SQLValue(document))
    }

    /// - Parameter settings: Its document.
    func insert(_ client: Client, settings: SQLValue) throws -> Creation {
        let stranger = try first(
            """
            SELECT id FROM clients
            WHERE realm_id = $1 AND client_id = $2 AND source = 'document'
            """,
            [.text(client.realmID), .text(client.clientID)]
        ) { try $0.text(0) }
        if let stranger { _ = try deleteClient(id: stranger) }
        let isNew = try hasRow(
            """
            INSERT INTO clients (id, realm_id, client_id, source, settings)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .text(client.id), .text(client.realmID), .text(client.clientID),
                .text(client.source.rawValue), settings,
            ]
        )
        guard isNew else { return .conflict }
        try keepScopes(of: client, replacing: nil)
        try keepFindable(client)
        return .created
    }

    /// - Parameter former: What is kept; `nil`: it is new.
    func keepScopes(of client: Client, replacing former: Client?) throws {
        if let former {
            guard
                former.defaultScopes != client.defaultScopes
                    || former.optionalScopes != client.optionalScopes
            else { return }
            try run("DELETE FROM scopes_of_clients WHERE client_id = $1", [.text(client.id)])
        }
        try assign(
            (client.defaultScopes, client.optionalScopes),
            by: """
                INSERT INTO scopes_of_clients (client_id, scope_id, is_default, place)
                SELECT $1, id, $2, $3 FROM client_scopes WHERE realm_id = $4 AND name = $5
                """,
            to: client.id,
            realmID: client.realmID
        )
    }

    /// - Parameter former: As for the scopes.
    func keepTargets(of client: Client, replacing former: Client?) throws {
        if let former {
            guard former.loginTokenTargets != client.loginTokenTargets else { return }
            try run("DELETE FROM login_token_targets WHERE client_id = $1", [.text(client.id)])
        }
        for (place, target) in client.loginTokenTargets.enumerated() {
            guard let id = try clientUUID(target.clientID, realmID: client.realmID) else {
                throw MissingReference()
            }
            try run(
                """
                INSERT INTO login_token_targets (client_id, target_id, is_silent, place)
                VALUES ($1, $2, $3, $4)
                """,
                [.text(client.id), .text(id), .bool(target.isSilent), .int64(Int64(place))]
            )
        }
    }

    /// As ``RealmStore/deleteClient(id:replacing:)``.
    ///
    /// - Returns: The id of its realm; `nil` where there is none of that id.
    func deleteClient(id: String) throws -> String? {
        try deleteAccount(ofClient: id)
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

    fileprivate func deleteAccount(ofClient id: String) throws {
        let account = try first(
            "SELECT id, realm_id FROM people WHERE service_client_id = $1",
            [.text(id)]
        ) { (id: try $0.text(0), realmID: try $0.text(1)) }
        if let account { _ = try deletePerson(id: account.id, realmID: account.realmID) }
    }

    /// Keeps a client that a person lets in, if it is taken from its document. Others are kept already.
    ///
    /// - Returns: Whether it is kept: not where another was registered under its address meanwhile.
    func keep(_ client: Client, at now: Int64) throws -> Bool {
        guard client.changesAlone else { return true }
        var kept = client
        kept.keySet = nil
        let document = kept.wholeDocument
        return try hasRow(
            """
            INSERT INTO clients (id, realm_id, client_id, source, settings, last_used_at)
            SELECT $1, $2, $3, $4, $5, $6
            WHERE NOT EXISTS (
                SELECT 1 FROM clients WHERE realm_id = $2 AND client_id = $3 AND id <> $1)
            ON CONFLICT (id) DO UPDATE
            SET settings = excluded.settings, last_used_at = excluded.last_used_at
            RETURNING id
            """,
            [
                .text(client.id), .text(client.realmID), .text(client.clientID),
                .text(client.source.rawValue), SQLValue(document), .int64(now),
            ]
        )
    }
}
