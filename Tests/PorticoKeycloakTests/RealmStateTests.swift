import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: a file is written over what it was compared with")
struct RealmStateTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let file = """
        {"realm": "a", "enabled": true, "roles": {"realm": [{"name": "admin"}, {"name": "boss"}]},
         "groups": [{"name": "staff"}], "clientScopes": [{"name": "api"}],
         "clients": [{"clientId": "app", "publicClient": true}],
         "identityProviders": [{"alias": "google", "providerId": "google", "internalId": "i1"}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """

    /// Whether changes that were made before another one are written after it.
    private func isWritten(after other: SQLText) async throws -> Bool {
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        let state = try await realms.state(of: realmID)
        var changes = RealmChanges()
        var app = try #require(try await scene.client("app"))
        app.name = UniqueID(random: .system).text
        changes.clients = [app]
        let rows = try await scene.database.database.write { transaction in
            try transaction.run(Self.otherChange, [])
            return try transaction.run(other, [])
        }
        #expect(rows > 0)
        do {
            try await realms.overwrite(realmID, with: changes, from: state)
        } catch is ChangedMeanwhile {
            let client = try await scene.client("app")
            #expect(client?.name != app.name)
            return false
        }
        return true
    }

    private static let otherChange: SQLText = """
        INSERT INTO realm_changes (number, realm_id)
        SELECT MAX(number) + 1, '' FROM realm_changes
        """

    @Test("KC-M-1: what changes in other realms, or of people, holds no file up")
    func others() async throws {
        try await scene.write(Self.file)
        let others: [SQLText] = [
            Self.otherChange,
            "UPDATE people SET epoch = epoch + 1",
            """
            INSERT INTO realms (id, name, issuer, settings)
            SELECT 'other', 'other', 'other', settings FROM realms
            """,
        ]
        for other in others {
            let isWritten = try await isWritten(after: other)
            #expect(isWritten)
        }
    }

    @Test("KC-M-1: whatever of the realm is changed meanwhile, nothing is written over it")
    func own() async throws {
        try await scene.write(Self.file)
        let own: [SQLText] = [
            "UPDATE realms SET settings = settings || ' '",
            "UPDATE clients SET settings = settings || ' '",
            "UPDATE client_scopes SET settings = settings || ' '",
            "UPDATE roles SET attributes = attributes || ' ' WHERE name = 'boss'",
            "UPDATE groups SET name = 'people'",
            "UPDATE signing_keys SET retired_from = 5",
            "UPDATE realm_parts SET document = document || ' ' WHERE kind = 'identityProviders'",
            """
            INSERT INTO role_parts (role_id, part_id) SELECT a.id, b.id FROM roles AS a, roles AS b
            WHERE a.name = 'boss' AND b.name = 'admin'
            """,
            """
            INSERT INTO group_roles (group_id, role_id) SELECT g.id, r.id FROM groups AS g, roles AS r
            WHERE r.name = 'admin'
            """,
            """
            INSERT INTO client_role_limits (client_id, role_id)
            SELECT c.id, r.id FROM clients AS c, roles AS r
            WHERE c.client_id = 'app' AND r.name = 'admin'
            """,
            """
            INSERT INTO scope_role_limits (scope_id, role_id)
            SELECT s.id, r.id FROM client_scopes AS s, roles AS r
            WHERE s.name = 'api' AND r.name = 'admin'
            """,
            """
            INSERT INTO scopes_of_clients (client_id, scope_id, is_default, place)
            SELECT c.id, s.id, 1, 9 FROM clients AS c, client_scopes AS s
            WHERE c.client_id = 'account' AND s.name = 'api'
            """,
            "DELETE FROM scopes_of_clients WHERE is_default = 1 AND place = 9",
            """
            INSERT INTO scopes_of_new_clients (realm_id, scope_id, is_default, place)
            SELECT realm_id, id, 1, 9 FROM client_scopes WHERE name = 'api'
            """,
            "UPDATE client_scopes SET is_limited = 1 - is_limited",
            """
            INSERT INTO login_token_targets (client_id, target_id, is_silent, place)
            SELECT c.id, o.id, 0, 0 FROM clients AS c, clients AS o
            WHERE c.client_id = 'account' AND o.client_id = 'app'
            """,
            """
            INSERT INTO default_roles (realm_id, role_id, place)
            SELECT realm_id, id, 9 FROM roles WHERE name = 'admin'
            """,
            """
            INSERT INTO default_groups (realm_id, group_id, place)
            SELECT realm_id, id, 9 FROM groups LIMIT 1
            """,
            """
            INSERT INTO kept_keys (realm_id, key_id, kind, algorithm, priority, component)
            SELECT id, 'k', 'silent', 'RS256', 0, '{}' FROM realms
            """,
        ]
        for change in own {
            let isWritten = try await isWritten(after: change)
            #expect(!isWritten)
        }
    }
}
