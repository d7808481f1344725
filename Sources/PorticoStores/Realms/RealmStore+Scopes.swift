import PorticoBytes
import PorticoProtocol

/// The client scopes of realms, and the roles that clients without full scope see.
extension RealmStore {
    /// A realm's scopes in the order of their names.
    package func scopes(realmID: String) async throws -> [ClientScope] {
        try await database.scan { try $0.scopes(realmID: realmID) }
    }

    /// The roles that a client or scope shows.
    package func roles(shownTo owner: RoleLimit.Owner) async throws -> Set<RoleName> {
        try await database.read { reader in
            switch owner {
            case .client(let id): try reader.limits(ofClient: id)
            case .scope(let id): try reader.limits(ofScope: id)
            }
        }
    }

    /// `.conflict` where the realm has a scope of that name.
    package func create(_ scope: ClientScope) async throws -> Creation {
        try await database.change(ofRealm: scope.realmID) { try $0.insert(scope) }
    }

    /// Replaces what is kept of a scope; its realm stays, and whether it is limited: that follows from the
    /// roles that it shows (``set(_:to:realmID:)``).
    ///
    /// - Parameter former: As for a realm.
    package func update(_ scope: ClientScope, replacing former: ClientScope?) async throws
        -> Change
    {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT id, realm_id, name, is_limited, settings FROM client_scopes
                WHERE id = $1 AND realm_id = $2
                """,
                [.text(scope.id), .text(scope.realmID)],
                decode: ClientScope.init(row:)
            )
            guard kept != nil else { return .notFound }
            try transaction.expect(kept, toBe: former)
            try transaction.run(
                """
                UPDATE client_scopes SET name = $1, settings = $2 WHERE id = $3 AND realm_id = $4
                """,
                [
                    .text(scope.name), SQLValue(scope.document), .text(scope.id),
                    .text(scope.realmID),
                ]
            )
            try transaction.noteChange(ofRealm: scope.realmID)
            return .changed
        }
    }

    /// Deletes a scope, takes it from all clients, and takes its name out of all that people allowed and
    /// clients were granted: one of that name that comes later is new to all of them.
    ///
    /// - Parameter claims: The individual claims that count as the scope (OpenID Connect Core §5.4).
    package func deleteScope(id: String, realmID: String, claims: [String] = []) async throws
        -> Change
    {
        try await database.change(ofRealm: realmID) {
            try $0.deleteScope(id: id, realmID: realmID, claims: claims)
        }
    }

    /// Shows a client or a scope a role of the realm, or hides it again. A scope that shows a role is only for
    /// people with one that it shows, until the last of them is hidden again.
    package func set(_ limit: RoleLimit, to isShown: Bool, realmID: String) async throws -> Change {
        try await database.change { transaction in
            guard let roleID = try transaction.roleID(of: limit.role, realmID: realmID) else {
                return .notFound
            }
            if isShown {
                try transaction.show(roleID, to: limit.owner)
            } else {
                guard try transaction.hide(roleID, from: limit.owner) else { return .notFound }
            }
            switch limit.owner {
            case .client(let id): try transaction.noteChange(ofClient: id, realmID: realmID)
            case .scope: try transaction.noteChange(ofRealm: realmID)
            }
            return .changed
        }
    }
}

extension SQLReader {
    /// In the order of their names.
    func scopes(realmID: String) throws -> [ClientScope] {
        try rows(
            """
            SELECT id, realm_id, name, is_limited, settings FROM client_scopes WHERE realm_id = $1
            ORDER BY name
            """,
            [.text(realmID)],
            decode: ClientScope.init(row:)
        )
    }

    /// The roles that a client without full scope sees itself.
    func limits(ofClient id: String) throws -> Set<RoleName> {
        Set(
            try rows(
                """
                SELECT c.client_id, r.name FROM client_role_limits AS l
                JOIN roles AS r ON r.id = l.role_id LEFT JOIN clients AS c ON c.id = r.client_id
                WHERE l.client_id = $1
                """,
                [.text(id)]
            ) { try RoleName($0, from: 0) }
        )
    }

    fileprivate func limits(ofScope id: String) throws -> Set<RoleName> {
        Set(
            try rows(
                """
                SELECT c.client_id, r.name FROM scope_role_limits AS l
                JOIN roles AS r ON r.id = l.role_id LEFT JOIN clients AS c ON c.id = r.client_id
                WHERE l.scope_id = $1
                """,
                [.text(id)]
            ) { try RoleName($0, from: 0) }
        )
    }

    /// The roles that each scope of a realm shows.
    func limitsOfScopes(realmID: String) throws -> [RoleLimit] {
        try rows(
            """
            SELECT l.scope_id, c.client_id, r.name FROM client_scopes AS s
            JOIN scope_role_limits AS l ON l.scope_id = s.id JOIN roles AS r ON r.id = l.role_id
            LEFT JOIN clients AS c ON c.id = r.client_id WHERE s.realm_id = $1
            """,
            [.text(realmID)]
        ) { RoleLimit(owner: .scope(try $0.text(0)), role: try RoleName($0, from: 1)) }
    }

    /// The roles that each client of a realm sees itself.
    func limitsOfClients(realmID: String) throws -> [RoleLimit] {
        try rows(
            """
            SELECT l.client_id, c.client_id, r.name FROM clients AS o
            JOIN client_role_limits AS l ON l.client_id = o.id JOIN roles AS r ON r.id = l.role_id
            LEFT JOIN clients AS c ON c.id = r.client_id WHERE o.realm_id = $1
            """,
            [.text(realmID)]
        ) { RoleLimit(owner: .client(try $0.text(0)), role: try RoleName($0, from: 1)) }
    }
}

extension ClientScope {
    /// Of the columns `id, realm_id, name, is_limited, settings`.
    fileprivate init(row: any SQLRow) throws {
        try self.init(
            id: try row.text(0),
            realmID: try row.text(1),
            name: try row.text(2),
            document: try row.document(4)
        )
        isLimited = try row.bool(3)
    }
}

/// The names of scopes that a client has, or that new clients of a realm get.
typealias ScopeLists = (defaults: [String], optionals: [String])

extension SQLReader {
    /// - Parameter statement: For names of scopes and whether they are by default, in order.
    func scopeLists(_ statement: SQLText, of owner: String) throws -> ScopeLists {
        let scopes = try rows(statement, [.text(owner)]) { (try $0.text(0), try $0.bool(1)) }
        return (scopes.filter(\.1).map(\.0), scopes.filter { !$0.1 }.map(\.0))
    }
}

extension SQLTransaction {
    /// Writes scopes in their order; one that the realm does not have throws ``MissingReference``.
    ///
    /// - Parameters:
    ///   - statement: Of the owner's id, whether it is by default, its place, the realm and its name.
    ///   - owner: The id of a client or realm.
    func assign(
        _ lists: ScopeLists,
        by statement: SQLText,
        to owner: String,
        realmID: String
    ) throws {
        let scopes = lists.defaults.map { ($0, true) } + lists.optionals.map { ($0, false) }
        for (place, (name, isDefault)) in scopes.enumerated() {
            let found = try run(
                statement,
                [
                    .text(owner), .bool(isDefault), .int64(Int64(place)), .text(realmID),
                    .text(name),
                ]
            )
            guard found > 0 else { throw MissingReference() }
        }
    }

    func insert(_ scope: ClientScope) throws -> Creation {
        try create(
            """
            INSERT INTO client_scopes (id, realm_id, name, is_limited, settings)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .text(scope.id), .text(scope.realmID), .text(scope.name), .bool(scope.isLimited),
                SQLValue(scope.document),
            ]
        )
    }

    func add(_ limit: RoleLimit, realmID: String) throws {
        let roleID = try neededRoleID(of: limit.role, realmID: realmID)
        try show(roleID, to: limit.owner)
    }

    fileprivate func show(_ roleID: String, to owner: RoleLimit.Owner) throws {
        switch owner {
        case .client(let id):
            try run(
                """
                INSERT INTO client_role_limits (client_id, role_id) VALUES ($1, $2)
                ON CONFLICT DO NOTHING
                """,
                [.text(id), .text(roleID)]
            )
        case .scope(let id):
            try run(
                """
                INSERT INTO scope_role_limits (scope_id, role_id) VALUES ($1, $2)
                ON CONFLICT DO NOTHING
                """,
                [.text(id), .text(roleID)]
            )
            try run(
                "UPDATE client_scopes SET is_limited = $1 WHERE id = $2",
                [.bool(true), .text(id)]
            )
        }
    }

    /// - Returns: `false` where it was not shown.
    fileprivate func hide(_ roleID: String, from owner: RoleLimit.Owner) throws -> Bool {
        switch owner {
        case .client(let id):
            return try run(
                "DELETE FROM client_role_limits WHERE client_id = $1 AND role_id = $2",
                [.text(id), .text(roleID)]
            ) > 0
        case .scope(let id):
            let changed = try run(
                "DELETE FROM scope_role_limits WHERE scope_id = $1 AND role_id = $2",
                [.text(id), .text(roleID)]
            )
            guard changed > 0 else { return false }
            let isLast = try !hasRow(
                "SELECT 1 FROM scope_role_limits WHERE scope_id = $1",
                [.text(id)]
            )
            if isLast {
                try run(
                    "UPDATE client_scopes SET is_limited = $1 WHERE id = $2",
                    [.bool(false), .text(id)]
                )
            }
            return true
        }
    }
}

extension SQLTransaction {
    /// As ``RealmStore/deleteScope(id:realmID:claims:)``.
    func deleteScope(id: String, realmID: String, claims: [String]) throws -> Change {
        let name = try first(
            "SELECT name FROM client_scopes WHERE id = $1 AND realm_id = $2",
            [.text(id), .text(realmID)]
        ) { try $0.text(0) }
        guard let name else { return .notFound }
        try run(
            "DELETE FROM client_scopes WHERE id = $1 AND realm_id = $2",
            [.text(id), .text(realmID)]
        )
        let ids = Set(
            try rows("SELECT id FROM clients WHERE realm_id = $1", [.text(realmID)]) {
                try $0.text(0)
            }
        )
        for id in ids { try forgetConsent(to: name, ofClient: id) }
        try forgetGrants(of: name, ofClients: ids, realmID: realmID, claims)
        return .changed
    }

    /// Words that ``SQLValue/init(words:)`` wrote have one blank between them.
    fileprivate func forgetConsent(to scope: String, ofClient id: String) throws {
        try run(
            """
            UPDATE consents SET scope = TRIM(REPLACE(' ' || scope || ' ', $1, ' '))
            WHERE client_id = $2 AND REPLACE(' ' || scope || ' ', $1, ' ') <> ' ' || scope || ' '
            """,
            [.text(" \(scope) "), .text(id)]
        )
    }

    fileprivate func forgetGrants(
        of scope: String,
        ofClients clients: Set<String>,
        realmID: String,
        _ claims: [String]
    ) throws {
        let found = try rows(
            """
            SELECT id, client_id, scope, claims FROM grants
            WHERE realm_id = $1 AND (claims IS NOT NULL
                OR REPLACE(' ' || scope || ' ', $2, ' ') <> ' ' || scope || ' ')
            """,
            [.text(realmID), .text(" \(scope) ")]
        ) { row in
            (
                id: try row.bytes(0), clientID: try row.text(1), scope: try row.words(2),
                claims: try row.optionalText(3)
            )
        }
        for grant in found where clients.contains(grant.clientID) {
            try run(
                "UPDATE grants SET scope = $1, claims = $2 WHERE id = $3",
                [
                    SQLValue(words: grant.scope.filter { !sameBytes($0, scope) }),
                    SQLValue(try grant.claims.flatMap { try Self.without(claims, in: $0) }),
                    .bytes(grant.id),
                ]
            )
        }
    }

    /// - Parameter text: ``Grant/claims``.
    private static func without(_ claims: [String], in text: String) throws -> String? {
        var object = try JSONObject(parsing: Array(text.utf8))
        for (place, value) in object {
            guard var members = value.object else { continue }
            for claim in claims { members[claim] = nil }
            object[place] = members.isEmpty ? nil : .object(members)
        }
        return object.isEmpty ? nil : String(decoding: object.serialized(), as: UTF8.self)
    }
}
