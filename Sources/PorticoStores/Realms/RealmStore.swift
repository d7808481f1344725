import PorticoProtocol

/// Keeps realms with their clients, scopes, roles, groups and keys: what changes seldom.
///
/// A change that names something that is not there throws ``MissingReference``; ``StoreConflict``
/// is thrown where an answer has no word for it. Nothing has happened then.
package struct RealmStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Creates a realm with everything in it: all or nothing. Groups stand behind their parents.
    ///
    /// Of any number of concurrent calls for one name exactly one gets `.created`. A realm's
    /// issuer is its own, too: another's is `.conflict` (docs/decisions/0036).
    package func create(_ new: NewRealm) async throws -> Creation {
        try await database.change { transaction in
            guard try transaction.insert(new.realm) == .created else { return .conflict }
            for row in new.rows { try transaction.insert(row, realmID: new.realm.id) }
            for person in new.people where try transaction.insert(person) == .conflict {
                throw StoreConflict()
            }
            try transaction.noteChange(ofRealm: new.realm.id)
            return .created
        }
    }

    /// Replaces what is kept of a realm; name, id and issuer stay. A role, group or scope that it does not
    /// have is ``MissingReference``.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    package func update(_ realm: Realm, replacing former: Realm? = nil) async throws -> Change {
        try await database.change { transaction in
            guard let kept = try transaction.keptRealm(realm.id) else { return .notFound }
            try transaction.expect(kept.realm, toBe: former)
            try transaction.keep(realm, replacing: kept)
            try transaction.noteChange(ofRealm: realm.id)
            return .changed
        }
    }

    /// Gives a realm another issuer, as long as it has no client that knows the former one.
    ///
    /// - Returns: `.notFound`, and nothing has changed, where it has one.
    package func readdress(_ id: String, to issuer: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE realms SET issuer = $1
                WHERE id = $2 AND NOT EXISTS (SELECT 1 FROM clients WHERE realm_id = $2)
                """,
                [.text(issuer), .text(id)]
            )
            guard changed > 0 else { return .notFound }
            try transaction.noteChange(ofRealm: id)
            return .changed
        }
    }

    /// Deletes a realm and everything in it: one short transaction hides it, others remove what it
    /// had. What is left where the program ends meanwhile is for ``removeDeleted()``.
    ///
    /// Sessions and grants are dead with the people; what is kept of them goes with the next purge.
    package func deleteRealm(id: String) async throws -> Change {
        let change = try await database.change { transaction -> Change in
            guard var (realm, document) = try transaction.keptRealm(id), !realm.isHidden
            else { return .notFound }
            realm.isEnabled = false
            realm.write(to: &document)
            try transaction.run(
                "UPDATE realms SET name = $1, issuer = $2, settings = $3 WHERE id = $4",
                [
                    .text(Self.removed + id), .text("removed:" + id), SQLValue(document),
                    .text(id),
                ]
            )
            // No key is left that could sign them.
            try transaction.run(
                "DELETE FROM logout_deliveries WHERE realm_id = $1",
                [.text(id)]
            )
            try transaction.noteChange(ofRealm: id)
            return .changed
        }
        if change == .changed { try await removeRows(of: id) }
        return change
    }
}

extension SQLReader {
    /// A realm with the document that its settings are kept in.
    func keptRealm(_ id: String) throws -> (realm: Realm, document: JSONObject)? {
        let kept = try first(
            "SELECT id, name, issuer, settings FROM realms WHERE id = $1",
            [.text(id)]
        ) { (realm: try Realm(row: $0), document: try $0.document(3)) }
        return try kept.map { (try withDefaults($0.realm), $0.document) }
    }

    /// A realm as its row has it, with what new people and clients get: every reading of realms ends here.
    func withDefaults(_ realm: Realm) throws -> Realm {
        var realm = realm
        realm.defaultRoles = try rows(
            """
            SELECT c.client_id, r.name FROM default_roles AS d
            JOIN roles AS r ON r.id = d.role_id LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE d.realm_id = $1 ORDER BY d.place
            """,
            [.text(realm.id)]
        ) { try RoleName($0, from: 0) }
        realm.defaultGroupIDs = try rows(
            "SELECT group_id FROM default_groups WHERE realm_id = $1 ORDER BY place",
            [.text(realm.id)]
        ) { try $0.text(0) }
        (realm.defaultClientScopes, realm.optionalClientScopes) = try scopeLists(
            """
            SELECT s.name, u.is_default FROM scopes_of_new_clients AS u
            JOIN client_scopes AS s ON s.id = u.scope_id
            WHERE u.realm_id = $1 ORDER BY u.place
            """,
            of: realm.id
        )
        return realm
    }
}

extension Realm {
    /// Of the columns `id, name, issuer, settings`.
    init(row: any SQLRow) throws {
        try self.init(
            id: row.text(0),
            name: row.text(1),
            issuer: row.text(2),
            document: row.document(3)
        )
    }
}

extension SQLTransaction {
    /// Without what new people and clients get: that follows once it is there
    /// (``keepDefaults(of:replacing:)``).
    func insert(_ realm: Realm) throws -> Creation {
        var document = JSONObject()
        realm.write(to: &document)
        return try create(
            """
            INSERT INTO realms (id, name, issuer, settings) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [.text(realm.id), .text(realm.name), .text(realm.issuer), SQLValue(document)]
        )
    }

    /// - Parameter kept: With its document: members that nothing here knows stay.
    func keep(_ realm: Realm, replacing kept: (realm: Realm, document: JSONObject)) throws {
        var document = kept.document
        realm.write(to: &document)
        try run(
            "UPDATE realms SET settings = $1 WHERE id = $2",
            [SQLValue(document), .text(realm.id)]
        )
        try keepDefaults(of: realm, replacing: kept.realm)
    }

    /// What new people and clients of a realm get.
    ///
    /// - Parameter former: What is kept; `nil`: nothing is yet.
    func keepDefaults(of realm: Realm, replacing former: Realm?) throws {
        let id = SQLValue.text(realm.id)
        if former?.defaultRoles ?? [] != realm.defaultRoles {
            try run("DELETE FROM default_roles WHERE realm_id = $1", [id])
            for (place, role) in realm.defaultRoles.enumerated() {
                let roleID = try neededRoleID(of: role, realmID: realm.id)
                try run(
                    "INSERT INTO default_roles (realm_id, role_id, place) VALUES ($1, $2, $3)",
                    [id, .text(roleID), .int64(Int64(place))]
                )
            }
        }
        if former?.defaultGroupIDs ?? [] != realm.defaultGroupIDs {
            try run("DELETE FROM default_groups WHERE realm_id = $1", [id])
            for (place, groupID) in realm.defaultGroupIDs.enumerated() {
                let found = try run(
                    """
                    INSERT INTO default_groups (realm_id, group_id, place)
                    SELECT realm_id, id, $1 FROM groups WHERE realm_id = $2 AND id = $3
                    """,
                    [.int64(Int64(place)), id, .text(groupID)]
                )
                guard found > 0 else { throw MissingReference() }
            }
        }
        if former?.defaultClientScopes ?? [] != realm.defaultClientScopes
            || former?.optionalClientScopes ?? [] != realm.optionalClientScopes
        {
            try run("DELETE FROM scopes_of_new_clients WHERE realm_id = $1", [id])
            try assign(
                (realm.defaultClientScopes, realm.optionalClientScopes),
                by: """
                    INSERT INTO scopes_of_new_clients (realm_id, scope_id, is_default, place)
                    SELECT $1, id, $2, $3 FROM client_scopes WHERE realm_id = $4 AND name = $5
                    """,
                to: realm.id,
                realmID: realm.id
            )
        }
    }
}

/// The keys of realms.
extension RealmStore {
    /// Adds keys and changes when others are used and retired, in one step: a rotation is seen
    /// whole or not at all.
    package func rotate(adding: [SigningKeyRecord], changing: [SigningKeyRecord]) async throws {
        try await database.change { transaction in
            for key in adding { try transaction.insert(key) }
            for key in changing { try transaction.update(key) }
            for id in Set((adding + changing).map(\.realmID)).sorted() {
                try transaction.noteChange(ofRealm: id)
            }
        }
    }

    /// Removes keys that were retired before `time` (seconds since 1970).
    package func removeKeys(retiredBefore time: Int64) async throws {
        try await database.change { transaction in
            let realmIDs = try transaction.rows(
                "DELETE FROM signing_keys WHERE retired_from < $1 RETURNING realm_id",
                [.int64(time)]
            ) { try $0.text(0) }
            for id in Set(realmIDs).sorted() { try transaction.noteChange(ofRealm: id) }
        }
    }
}

extension SQLReader {
    func keys(realmID: String) throws -> [SigningKeyRecord] {
        try rows(
            """
            SELECT realm_id, key_id, algorithm, sealed_private_key, created_at, active_from,
                retired_from, priority, certificate, component
            FROM signing_keys WHERE realm_id = $1 ORDER BY active_from, key_id
            """,
            [.text(realmID)]
        ) { row in
            guard let algorithm = SignatureAlgorithm(rawValue: try row.text(2)) else {
                throw SQLDecodingError.outOfRange(column: 2)
            }
            var key = SigningKeyRecord(
                realmID: try row.text(0),
                keyID: try row.text(1),
                algorithm: algorithm,
                sealedPrivateKey: try row.text(3),
                createdAt: try row.int64(4),
                activeFrom: try row.int64(5),
                retiredFrom: try row.optionalInt64(6)
            )
            key.priority = try row.int64(7)
            key.certificate = try row.optionalText(8)
            if try row.optionalText(9) != nil { key.component = try row.document(9) }
            return key
        }
    }

    func keptKeys(realmID: String) throws -> [KeptKey] {
        try rows(
            """
            SELECT realm_id, key_id, kind, algorithm, sealed, public_jwk, priority, component
            FROM kept_keys WHERE realm_id = $1 ORDER BY key_id
            """,
            [.text(realmID)]
        ) { row in
            // A kind of a newer program: it signs nothing, so nothing is lost without it.
            guard let kind = KeptKey.Kind(rawValue: try row.text(2)) else { return nil }
            return KeptKey(
                realmID: try row.text(0),
                keyID: try row.text(1),
                kind: kind,
                algorithm: try row.text(3),
                sealed: try row.optionalText(4),
                publicJWK: try row.optionalText(5) == nil ? nil : try row.document(5),
                priority: try row.int64(6),
                component: try row.document(7)
            )
        }.compactMap(\.self)
    }
}

extension SQLTransaction {
    func insert(_ key: SigningKeyRecord) throws {
        try run(
            """
            INSERT INTO signing_keys (realm_id, key_id, algorithm, sealed_private_key, created_at,
                active_from, retired_from, priority, certificate, component)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .text(key.realmID), .text(key.keyID), .text(key.algorithm.rawValue),
                .text(key.sealedPrivateKey), .int64(key.createdAt), .int64(key.activeFrom),
                SQLValue(key.retiredFrom), .int64(key.priority), SQLValue(key.certificate),
                key.component.map(SQLValue.init) ?? .null,
            ]
        )
    }

    func insert(_ key: KeptKey) throws {
        try run(
            """
            INSERT INTO kept_keys (realm_id, key_id, kind, algorithm, sealed, public_jwk, priority,
                component)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .text(key.realmID), .text(key.keyID), .text(key.kind.rawValue),
                .text(key.algorithm), SQLValue(key.sealed),
                key.publicJWK.map(SQLValue.init) ?? .null, .int64(key.priority),
                SQLValue(key.component),
            ]
        )
    }

    fileprivate func update(_ key: SigningKeyRecord) throws {
        let changed = try run(
            """
            UPDATE signing_keys SET active_from = $1, retired_from = $2
            WHERE realm_id = $3 AND key_id = $4
            """,
            [
                .int64(key.activeFrom), SQLValue(key.retiredFrom), .text(key.realmID),
                .text(key.keyID),
            ]
        )
        guard changed > 0 else { throw MissingReference() }
    }
}

extension RealmStore {
    /// Ends the swaps that close at `now` (seconds since 1970) or closed before, and forgets the keys
    /// that verified the tokens: with these, tokens could be made.
    package func closeTokenSwaps(at now: Int64) async throws {
        let closing = try await database.scan { reader in
            try reader.withHMACKeys().filter {
                $0.tokenSwap.map { $0.closesAt <= now } ?? false
            }
        }
        for realm in closing {
            try await database.change { transaction in
                // Someone may have kept it open meanwhile.
                guard
                    let kept = try transaction.withHMACKeys().first(where: {
                        $0.id == realm.id
                    }),
                    kept == realm
                else { return }
                try transaction.run(
                    "DELETE FROM kept_keys WHERE realm_id = $1 AND kind = 'hmac'",
                    [.text(realm.id)]
                )
                try transaction.noteChange(ofRealm: realm.id)
            }
        }
    }
}

extension SQLReader {
    fileprivate func withHMACKeys() throws -> [Realm] {
        try rows(
            """
            SELECT r.id, r.name, r.issuer, r.settings FROM realms AS r
            WHERE EXISTS (SELECT 1 FROM kept_keys AS k WHERE k.realm_id = r.id AND k.kind = 'hmac')
            """,
            [],
            decode: Realm.init(row:)
        ).map(withDefaults)
    }
}
