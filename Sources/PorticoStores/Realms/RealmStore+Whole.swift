import PorticoProtocol

/// Realms that are put together before anyone sees them, and taken apart after no one does.
///
/// Such a realm is disabled, and has a name that no realm may have: it has no address, and nothing
/// lists it. ``Realm/isName(_:)`` has no `~`.
extension RealmStore {
    /// The name that another realm has, or whose issuer it has.
    package struct TakenName: Error, Hashable, Sendable {
        package let name: String

        package init(name: String) {
            self.name = name
        }
    }

    static let staged = "~import-"
    static let removed = "~removed-"

    /// Begins a realm that no one sees, with everything in it but its people. A few rows are written in
    /// each transaction.
    ///
    /// - Throws: ``StoreConflict`` where the store has something of one of its ids. What was written is
    ///   for ``removeStaged()``.
    package func stage(_ new: NewRealm) async throws {
        var hidden = new.realm
        hidden.name = Self.staged + hidden.id
        hidden.issuer = "import:" + hidden.id
        hidden.isEnabled = false
        let realmID = hidden.id
        try await database.change([.realm(hidden)] + new.rows) {
            try $0.insert($1, realmID: realmID)
        }
    }

    /// Adds people to staged realms, all or none: about a hundred at once.
    ///
    /// - Throws: ``StoreConflict`` where someone has one of their ids, or had.
    package func stage(_ people: [NewPerson]) async throws {
        try await database.changeAndPause { transaction in
            for person in people where try transaction.insert(person) == .conflict {
                throw StoreConflict()
            }
        }
    }

    /// Gives staged realms their names, issuers and settings: all of them in one short transaction, or
    /// none.
    ///
    /// - Throws: ``TakenName``.
    package func publish(_ realms: [Realm]) async throws {
        try await database.change { transaction in
            // Their identity providers are seen from now on.
            try transaction.raiseBackendVersion()
            for realm in realms {
                let isTaken = try transaction.hasRow(
                    "SELECT 1 FROM realms WHERE name = $1 OR issuer = $2",
                    [.text(realm.name), .text(realm.issuer)]
                )
                guard !isTaken else { throw TakenName(name: realm.name) }
                var document = JSONObject()
                realm.write(to: &document)
                let changed = try transaction.run(
                    """
                    UPDATE realms SET name = $1, issuer = $2, settings = $3
                    WHERE id = $4 AND name = $5
                    """,
                    [
                        .text(realm.name), .text(realm.issuer), SQLValue(document),
                        .text(realm.id), .text(Self.staged + realm.id),
                    ]
                )
                guard changed > 0 else { throw MissingReference() }
                try transaction.noteChange(ofRealm: realm.id)
            }
        }
    }

    /// Removes every staged realm: no import may be under way.
    package func removeStaged() async throws {
        for id in try await hiddenRealms(Self.staged) { try await removeRows(of: id) }
    }

    /// Removes what is left of deleted realms.
    package func removeDeleted() async throws {
        for id in try await hiddenRealms(Self.removed) { try await removeRows(of: id) }
    }

    /// - Parameter prefix: Ends with `-`, after which `.` is the next character.
    private func hiddenRealms(_ prefix: String) async throws -> [String] {
        try await database.read { reader in
            try reader.rows(
                "SELECT id FROM realms WHERE name >= $1 AND name < $2 ORDER BY id",
                [.text(prefix), .text(prefix.dropLast() + ".")]
            ) { try $0.text(0) }
        }
    }

    /// A few rows at a time, those first that others would go with in one long transaction.
    func removeRows(of realmID: String) async throws {
        for statement in Self.removals {
            var changed = 1
            while changed > 0 {
                changed = try await database.changeAndPause { transaction in
                    try transaction.run(statement, [.text(realmID)])
                }
            }
        }
    }

    private static let removals: [SQLText] = [
        "DELETE FROM people WHERE id IN (SELECT id FROM people WHERE realm_id = $1 LIMIT 100)",
        """
        DELETE FROM deleted_people
        WHERE id IN (SELECT id FROM deleted_people WHERE realm_id = $1 LIMIT 500)
        """,
        """
        DELETE FROM role_parts WHERE (role_id, part_id) IN (SELECT p.role_id, p.part_id
            FROM roles AS r JOIN role_parts AS p ON p.role_id = r.id WHERE r.realm_id = $1 LIMIT 500)
        """,
        """
        DELETE FROM client_role_limits WHERE (client_id, role_id) IN (SELECT l.client_id, l.role_id
            FROM clients AS c JOIN client_role_limits AS l ON l.client_id = c.id
            WHERE c.realm_id = $1 LIMIT 500)
        """,
        """
        DELETE FROM scope_role_limits WHERE (scope_id, role_id) IN (SELECT l.scope_id, l.role_id
            FROM client_scopes AS s JOIN scope_role_limits AS l ON l.scope_id = s.id
            WHERE s.realm_id = $1 LIMIT 500)
        """,
        """
        DELETE FROM group_roles WHERE (group_id, role_id) IN (SELECT r.group_id, r.role_id
            FROM groups AS g JOIN group_roles AS r ON r.group_id = g.id
            WHERE g.realm_id = $1 LIMIT 500)
        """,
        // Those of clients too: a client would take all of its own with it.
        "DELETE FROM roles WHERE id IN (SELECT id FROM roles WHERE realm_id = $1 LIMIT 100)",
        """
        DELETE FROM scopes_of_clients WHERE (client_id, scope_id) IN (SELECT u.client_id, u.scope_id
            FROM clients AS c JOIN scopes_of_clients AS u ON u.client_id = c.id
            WHERE c.realm_id = $1 LIMIT 500)
        """,
        "DELETE FROM clients WHERE id IN (SELECT id FROM clients WHERE realm_id = $1 LIMIT 100)",
        // The lowest first: a group would take all below it.
        """
        DELETE FROM groups WHERE id IN (SELECT g.id FROM groups AS g WHERE g.realm_id = $1
            AND NOT EXISTS (SELECT 1 FROM groups AS c WHERE c.parent_id = g.id) LIMIT 100)
        """,
        """
        DELETE FROM realm_parts WHERE realm_id = $1 AND (kind, id) IN
            (SELECT kind, id FROM realm_parts WHERE realm_id = $1 LIMIT 500)
        """,
        """
        DELETE FROM client_scopes
        WHERE id IN (SELECT id FROM client_scopes WHERE realm_id = $1 LIMIT 100)
        """,
        """
        DELETE FROM swapped_tokens
        WHERE hash IN (SELECT hash FROM swapped_tokens WHERE realm_id = $1 LIMIT 500)
        """,
        """
        DELETE FROM moved_sessions WHERE realm_id = $1
            AND sid IN (SELECT sid FROM moved_sessions WHERE realm_id = $1 LIMIT 500)
        """,
        "DELETE FROM realms WHERE id = $1",
    ]
}

extension Realm {
    /// Whether it is being put together or taken apart.
    var isHidden: Bool { name.hasPrefix("~") }
}

extension NewRealm {
    /// What it has besides people, in an order in which each row names only rows before it.
    var rows: [RealmStore.Row] {
        typealias Row = RealmStore.Row
        var rows: [Row] = keys.map(Row.key) + keptKeys.map(Row.keptKey)
        rows += scopes.map(Row.scope) + clients.map(Row.client)
        rows += clients.filter { !$0.loginTokenTargets.isEmpty }.map(Row.targets)
        rows += roles.map(Row.role) + roleParts.map(Row.rolePart)
        rows += roleLimits.map(Row.limit) + groups.map(Row.group) + parts.map(Row.part)
        return rows + [.defaults(realm)]
    }
}

extension RealmStore {
    /// Something that a realm has, or the realm itself.
    enum Row: Sendable {
        case realm(Realm)
        case key(SigningKeyRecord)
        case keptKey(KeptKey)
        case scope(ClientScope)
        case client(Client)
        /// The clients that a client hands its sign-in on to.
        case targets(Client)
        case role(Role)
        case rolePart(RolePart)
        case limit(RoleLimit)
        case group(GroupWithRoles)
        case part(RealmPart)
        /// What new people and clients of the realm get.
        case defaults(Realm)
    }
}

extension SQLTransaction {
    /// - Throws: ``StoreConflict`` where it is there already.
    func insert(_ row: RealmStore.Row, realmID: String) throws {
        let creation: Creation =
            switch row {
            case .realm(let realm): try insert(realm)
            case .client(let client): try insert(client)
            case .scope(let scope): try insert(scope)
            case .role(let role): try insert(role)
            case .group(let group): try insert(group)
            case .key(let key): try done { try insert(key) }
            case .keptKey(let key): try done { try insert(key) }
            case .rolePart(let part): try done { try add(part, realmID: realmID) }
            case .limit(let limit): try done { try add(limit, realmID: realmID) }
            case .part(let part): try done { try put(part) }
            case .targets(let client):
                try done { try keepTargets(of: client, replacing: nil) }
            case .defaults(let realm):
                try done { try keepDefaults(of: realm, replacing: nil) }
            }
        guard creation == .created else { throw StoreConflict() }
    }

    private func done(_ body: () throws -> Void) throws -> Creation {
        try body()
        return .created
    }
}

/// Realms as a whole, and the ids that are given once in the whole store: those of a file may be another
/// realm's.
extension RealmStore {
    /// A realm with everything in it but its people, of one moment: what ``create(_:)`` takes.
    /// `nil` where there is none of that id.
    package func whole(id: String) async throws -> NewRealm? {
        try await database.scan { reader in
            guard let realm = try reader.realm(id: id) else { return nil }
            var whole = NewRealm(
                realm: realm,
                keys: try reader.keys(realmID: id),
                clients: try reader.clients(realmID: id, after: nil, limit: .max),
                roles: try reader.roles(realmID: id)
            )
            whole.keptKeys = try reader.keptKeys(realmID: id)
            whole.scopes = try reader.scopes(realmID: id)
            whole.roleParts = try reader.roleParts(realmID: id)
            whole.roleLimits =
                try reader.limitsOfClients(realmID: id) + reader.limitsOfScopes(realmID: id)
            whole.groups = try reader.groups(realmID: id)
            whole.parts = try reader.parts(nil, realmID: id)
            return whole
        }
    }

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
            try transaction.noteChange(ofRealm: part.realmID)
        }
    }

    package func deletePart(_ kind: String, id: String, realmID: String) async throws -> Change {
        try await database.change(ofRealm: realmID) {
            try $0.deletePart(kind, id: id, realmID: realmID)
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
        // It may be an identity provider.
        try raiseBackendVersion()
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
        try raiseBackendVersion()
        return try change(
            "DELETE FROM realm_parts WHERE realm_id = $1 AND kind = $2 AND id = $3",
            [.text(realmID), .text(kind), .text(id)]
        )
    }
}
