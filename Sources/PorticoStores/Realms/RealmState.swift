import PorticoBytes

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

    /// - Parameter statements: Each with the number of its columns, which are texts, in one order.
    func digest(_ statements: [(SQLText, columns: Int)], of id: String) throws -> Hash256 {
        var digest = Hash256(of: [])
        for (statement, columns) in statements {
            _ = try rows(statement, [.text(id)]) { row in
                // Each with its length, so that no two rows read alike.
                var bytes = digest.bytes
                for column in 0..<columns {
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
    /// Everything that an import reads of a realm, with the number of columns.
    fileprivate static let statements: [(SQLText, columns: Int)] = [
        ("SELECT name, issuer, settings FROM realms WHERE id = $1", 3),
        (
            """
            SELECT id, client_id, settings FROM clients
            WHERE realm_id = $1 AND source <> 'document' ORDER BY id
            """, 3
        ),
        (
            """
            SELECT c.id, o.target_id, CAST(o.is_silent AS TEXT), CAST(o.place AS TEXT)
            FROM clients AS c JOIN login_token_targets AS o ON o.client_id = c.id
            WHERE c.realm_id = $1 ORDER BY c.id, o.place
            """, 4
        ),
        (
            """
            SELECT id, name, settings, CAST(is_limited AS TEXT) FROM client_scopes
            WHERE realm_id = $1 ORDER BY id
            """, 4
        ),
        (
            """
            SELECT c.id, u.scope_id, CAST(u.is_default AS TEXT) FROM clients AS c
            JOIN scopes_of_clients AS u ON u.client_id = c.id
            WHERE c.realm_id = $1 ORDER BY c.id, u.place
            """, 3
        ),
        (
            """
            SELECT scope_id, CAST(is_default AS TEXT) FROM scopes_of_new_clients
            WHERE realm_id = $1 ORDER BY place
            """, 2
        ),
        ("SELECT role_id FROM default_roles WHERE realm_id = $1 ORDER BY place", 1),
        ("SELECT group_id FROM default_groups WHERE realm_id = $1 ORDER BY place", 1),
        (
            """
            SELECT id, client_id, name, description, attributes FROM roles
            WHERE realm_id = $1 ORDER BY id
            """, 5
        ),
        (
            """
            SELECT p.role_id, p.part_id FROM roles AS r JOIN role_parts AS p ON p.role_id = r.id
            WHERE r.realm_id = $1 ORDER BY p.role_id, p.part_id
            """, 2
        ),
        (
            """
            SELECT id, parent_id, name, description, attributes FROM groups
            WHERE realm_id = $1 ORDER BY id
            """, 5
        ),
        (
            """
            SELECT r.group_id, r.role_id FROM groups AS g JOIN group_roles AS r ON r.group_id = g.id
            WHERE g.realm_id = $1 ORDER BY r.group_id, r.role_id
            """, 2
        ),
        (
            """
            SELECT l.client_id, l.role_id FROM clients AS c
            JOIN client_role_limits AS l ON l.client_id = c.id
            WHERE c.realm_id = $1 ORDER BY l.client_id, l.role_id
            """, 2
        ),
        (
            """
            SELECT l.scope_id, l.role_id FROM client_scopes AS s
            JOIN scope_role_limits AS l ON l.scope_id = s.id
            WHERE s.realm_id = $1 ORDER BY l.scope_id, l.role_id
            """, 2
        ),
        (
            """
            SELECT key_id, sealed_private_key, CAST(active_from AS TEXT), CAST(retired_from AS TEXT),
                CAST(priority AS TEXT), certificate, component
            FROM signing_keys WHERE realm_id = $1 ORDER BY key_id
            """, 7
        ),
        (
            """
            SELECT key_id, kind, sealed, public_jwk, CAST(priority AS TEXT), component FROM kept_keys
            WHERE realm_id = $1 ORDER BY key_id
            """, 6
        ),
        (
            """
            SELECT kind, id, document, sealed FROM realm_parts
            WHERE realm_id = $1 ORDER BY kind, id
            """, 4
        ),
    ]
}
