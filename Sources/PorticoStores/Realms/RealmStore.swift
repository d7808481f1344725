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

    /// Replaces what is kept of a realm; name, id and issuer stay.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    package func update(_ realm: Realm, replacing former: Realm?) async throws -> Change {
        try await database.change { transaction in
            guard let kept = try transaction.keptRealm(realm.id) else { return .notFound }
            try transaction.expect(kept.realm, toBe: former)
            try transaction.keep(realm, in: kept.document)
            try transaction.noteChange(ofRealm: realm.id)
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

extension SQLTransaction {
    /// A realm with the document that its settings are kept in.
    func keptRealm(_ id: String) throws -> (realm: Realm, document: JSONObject)? {
        try first(
            "SELECT id, name, issuer, settings FROM realms WHERE id = $1",
            [.text(id)]
        ) { (realm: try Realm(row: $0), document: try $0.document(3)) }
    }

    /// - Parameter document: What is kept so far. Members that nothing here knows stay.
    func keep(_ realm: Realm, in document: JSONObject) throws {
        var document = document
        realm.write(to: &document)
        try run(
            "UPDATE realms SET settings = $1 WHERE id = $2",
            [SQLValue(document), .text(realm.id)]
        )
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
    func insert(_ realm: Realm) throws -> Creation {
        var document = JSONObject()
        realm.write(to: &document)
        let isNew = try hasRow(
            """
            INSERT INTO realms (id, name, issuer, settings) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [.text(realm.id), .text(realm.name), .text(realm.issuer), SQLValue(document)]
        )
        return isNew ? .created : .conflict
    }
}

extension RealmStore {
    package func update(_ realm: Realm) async throws -> Change {
        try await update(realm, replacing: nil)
    }

    package func update(_ client: Client) async throws -> Change {
        try await update(client, replacing: nil)
    }
}
