import PorticoBytes

/// A line of the log of changes.
package struct RealmChange: Hashable, Sendable {
    /// Grows by one with each line, whichever process wrote it.
    package let number: Int64
    package let realmID: String
    /// ``Client/id`` of the one client that changed; `nil`: anything of the realm, clients too.
    package let clientID: String?
}

/// What changed since a number.
package struct RealmNews: Sendable {
    /// Of the last change.
    package var number: Int64
    /// Whether all realms were read, because it cannot be told any more what changed.
    package var isAfresh = false
    /// The realms that changed, as they are now.
    package var realms: [RealmContents] = []
    /// The ids of those that are gone, or that no one may see.
    package var gone: Set<String> = []
    /// The clients that changed alone, or are gone.
    package var clients: [RealmChange] = []
}

/// The log of changes to realms. Each change writes its line in its own transaction, so that processes
/// that hold realms in memory read again what changed, and nothing else.
extension RealmStore {
    /// How many lines are kept. A process that knows an older one reads everything again.
    package static let mostChanges: Int64 = 1000

    /// The number of the last change of a realm, client or key.
    package func lastChange() async throws -> Int64 {
        try await database.read { try $0.lastChange() }
    }

    /// What changed after the change of that number, of one moment. One read by the primary key where
    /// nothing did.
    ///
    /// - Parameter number: `nil`: everything is read.
    /// - Returns: `nil` where nothing changed.
    package func news(after number: Int64?) async throws -> RealmNews? {
        if let number {
            let lines = try await database.read { try $0.changes(from: number) }
            guard lines.count != 1 || lines[0].number != number else { return nil }
            if lines.first?.number == number, let last = lines.last,
                !lines.dropFirst().contains(where: { $0.clientID == nil })
            {
                return RealmNews(number: last.number, clients: Array(lines.dropFirst()))
            }
        }
        return try await database.scan { try $0.news(after: number) }
    }
}

extension SQLDatabase {
    /// Makes a change of a realm. Every process sees it where it has happened.
    func change<Outcome: StoreOutcome & Sendable>(
        ofRealm realmID: String,
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Outcome
    ) async throws -> Outcome {
        try await change { transaction in
            let outcome = try body(transaction)
            if outcome.hasHappened { try transaction.noteChange(ofRealm: realmID) }
            return outcome
        }
    }
}

extension SQLReader {
    func lastChange() throws -> Int64 {
        let number = try first("SELECT MAX(number) FROM realm_changes", []) {
            try $0.optionalInt64(0)
        }
        guard let number = number ?? nil else { throw SQLError(.corrupt, code: 0) }
        return number
    }

    /// The line of that number, if it is kept, and those after it.
    fileprivate func changes(from number: Int64) throws -> [RealmChange] {
        try rows(
            """
            SELECT number, realm_id, client_id FROM realm_changes WHERE number >= $1
            ORDER BY number
            """,
            [.int64(number)]
        ) { row in
            RealmChange(
                number: try row.int64(0),
                realmID: try row.text(1),
                clientID: try row.optionalText(2)
            )
        }
    }

    fileprivate func news(after number: Int64?) throws -> RealmNews {
        var news = RealmNews(number: try lastChange())
        let lines = try number.map { try changes(from: $0) } ?? []
        guard let number, lines.first?.number == number else {
            news.isAfresh = true
            news.realms = try allRealms().map { try contents(of: $0) }
            return news
        }
        let changed = Set(lines.dropFirst().filter { $0.clientID == nil }.map(\.realmID))
        for id in changed.sorted() {
            if let realm = try realm(id: id) {
                news.realms.append(try contents(of: realm))
            } else {
                news.gone.insert(id)
            }
        }
        news.clients = lines.dropFirst().filter {
            $0.clientID != nil && !changed.contains($0.realmID)
        }
        return news
    }
}

extension SQLTransaction {
    /// Lets every process see that something of a realm has changed.
    func noteChange(ofRealm realmID: String) throws {
        try noteChange(realmID, clientID: nil)
    }

    /// The same of one client alone.
    ///
    /// - Parameter id: ``Client/id``
    func noteChange(ofClient id: String, realmID: String) throws {
        try noteChange(realmID, clientID: id)
    }

    private func noteChange(_ realmID: String, clientID: String?) throws {
        try run(
            """
            INSERT INTO realm_changes (number, realm_id, client_id)
            SELECT MAX(number) + 1, $1, $2 FROM realm_changes
            """,
            [.text(realmID), SQLValue(clientID)]
        )
        try run(
            "DELETE FROM realm_changes WHERE number <= $1",
            [.int64(try lastChange() - RealmStore.mostChanges)]
        )
    }
}

/// What a realm is kept as, without its people, at one time: what is made from it may be written as long
/// as it is the same.
package struct RealmState: Hashable, Sendable {
    /// Of the last change in any realm: if there was none since, nothing has changed.
    package let number: Int64
    /// Of this realm's rows: others may change meanwhile.
    let digest: Hash256
}

extension RealmStore {
    package func state(of realmID: String) async throws -> RealmState {
        try await database.scan { reader in
            RealmState(
                number: try reader.lastChange(),
                digest: try reader.digest(ofRealm: realmID)
            )
        }
    }
}

extension SQLReader {
    /// - Throws: ``ChangedMeanwhile`` where it is in another state by now.
    func expect(_ realmID: String, toBe state: RealmState) throws {
        guard try lastChange() == state.number || digest(ofRealm: realmID) == state.digest
        else { throw ChangedMeanwhile() }
    }

    fileprivate func digest(ofRealm realmID: String) throws -> Hash256 {
        try digest(RealmState.statements, of: realmID)
    }

    /// - Parameter statements: For rows of texts, in one order.
    func digest(_ statements: [SQLText], of id: String) throws -> Hash256 {
        var digest = Hash256(of: [])
        for statement in statements {
            _ = try rows(statement, [.text(id)]) { row in
                // Each with its length, so that no two rows read alike.
                var bytes = digest.bytes
                for column in 0..<row.count {
                    let text = try row.optionalText(column)
                    bytes += Array("\(text?.utf8.count ?? -1) ".utf8)
                    bytes += Array((text ?? "").utf8)
                }
                digest = Hash256(of: bytes)
            }
            digest = Hash256(of: digest.bytes)
        }
        return digest
    }
}

extension RealmState {
    /// Everything that an import reads of a realm.
    fileprivate static let statements: [SQLText] = [
        "SELECT name, issuer, settings FROM realms WHERE id = $1",
        """
        SELECT id, client_id, settings FROM clients
        WHERE realm_id = $1 AND source <> 'document' ORDER BY id
        """,
        """
        SELECT c.id, o.target_id, CAST(o.is_silent AS TEXT), CAST(o.place AS TEXT)
        FROM clients AS c JOIN login_token_targets AS o ON o.client_id = c.id
        WHERE c.realm_id = $1 ORDER BY c.id, o.place
        """,
        """
        SELECT id, name, settings, CAST(is_limited AS TEXT) FROM client_scopes
        WHERE realm_id = $1 ORDER BY id
        """,
        """
        SELECT c.id, u.scope_id, CAST(u.is_default AS TEXT) FROM clients AS c
        JOIN scopes_of_clients AS u ON u.client_id = c.id
        WHERE c.realm_id = $1 ORDER BY c.id, u.place
        """,
        """
        SELECT scope_id, CAST(is_default AS TEXT) FROM scopes_of_new_clients
        WHERE realm_id = $1 ORDER BY place
        """,
        "SELECT role_id FROM default_roles WHERE realm_id = $1 ORDER BY place",
        "SELECT group_id FROM default_groups WHERE realm_id = $1 ORDER BY place",
        """
        SELECT id, client_id, name, description, attributes FROM roles
        WHERE realm_id = $1 ORDER BY id
        """,
        """
        SELECT p.role_id, p.part_id FROM roles AS r JOIN role_parts AS p ON p.role_id = r.id
        WHERE r.realm_id = $1 ORDER BY p.role_id, p.part_id
        """,
        """
        SELECT id, parent_id, name, description, attributes FROM groups
        WHERE realm_id = $1 ORDER BY id
        """,
        """
        SELECT r.group_id, r.role_id FROM groups AS g JOIN group_roles AS r ON r.group_id = g.id
        WHERE g.realm_id = $1 ORDER BY r.group_id, r.role_id
        """,
        """
        SELECT l.client_id, l.role_id FROM clients AS c
        JOIN client_role_limits AS l ON l.client_id = c.id
        WHERE c.realm_id = $1 ORDER BY l.client_id, l.role_id
        """,
        """
        SELECT l.scope_id, l.role_id FROM client_scopes AS s
        JOIN scope_role_limits AS l ON l.scope_id = s.id
        WHERE s.realm_id = $1 ORDER BY l.scope_id, l.role_id
        """,
        """
        SELECT key_id, sealed_private_key, CAST(active_from AS TEXT), CAST(retired_from AS TEXT),
            CAST(priority AS TEXT), certificate, component
        FROM signing_keys WHERE realm_id = $1 ORDER BY key_id
        """,
        """
        SELECT key_id, kind, sealed, public_jwk, CAST(priority AS TEXT), component FROM kept_keys
        WHERE realm_id = $1 ORDER BY key_id
        """,
        """
        SELECT kind, id, document, sealed FROM realm_parts
        WHERE realm_id = $1 ORDER BY kind, id
        """,
    ]
}
