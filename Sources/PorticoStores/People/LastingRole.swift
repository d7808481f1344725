import PorticoProtocol

/// A role that a change may not take from the last one who can use it.
package struct LastingRole: Sendable {
    let role: RoleName
    /// Seconds since 1970.
    let now: Int64

    package init(_ role: RoleName, at now: Int64) {
        self.role = role
        self.now = now
    }
}

/// After a change, no one could use a role that someone could use before (``LastingRole``). Nothing has happened.
package struct LastHolder: Error, Hashable, Sendable {}

extension SQLTransaction {
    /// Makes a change, unless it takes a role from the last one who can use it.
    ///
    /// - Throws: ``LastHolder``.
    func keeping(_ role: LastingRole?, ofRealm realmID: String, _ change: () throws -> Void) throws
    {
        guard let role, try isUsable(role, ofRealm: realmID) else { return try change() }
        try change()
        guard try isUsable(role, ofRealm: realmID) else { throw LastHolder() }
    }

    /// Whether anyone has the role who can sign in: by a password, or as a client that gets tokens for itself.
    private func isUsable(_ role: LastingRole, ofRealm realmID: String) throws -> Bool {
        guard let realm = try keptRealm(realmID)?.realm, realm.isEnabled,
            realm.notBefore <= role.now, let id = try roleID(of: role.role, realmID: realmID)
        else { return false }
        let clients = try rows(
            """
            WITH RECURSIVE bringing (id) AS (
                SELECT id FROM roles WHERE id = $1
                UNION SELECT p.role_id FROM role_parts AS p JOIN bringing AS b ON p.part_id = b.id
            ), belonging (id) AS (
                SELECT g.group_id FROM group_roles AS g JOIN bringing AS b ON g.role_id = b.id
                UNION SELECT g.id FROM groups AS g JOIN belonging AS b ON g.parent_id = b.id
            )
            SELECT DISTINCT service_client_id FROM people
            WHERE realm_id = $2 AND is_enabled AND not_before <= $3
                AND (password_hash IS NOT NULL OR service_client_id IS NOT NULL)
                AND id IN (
                    SELECT r.person_id FROM person_roles AS r JOIN bringing AS b ON r.role_id = b.id
                    UNION SELECT g.person_id FROM person_groups AS g
                    JOIN belonging AS b ON g.group_id = b.id
                )
            """,
            [.text(id), .text(realmID), .int64(role.now)]
        ) { try $0.optionalText(0) }
        return try clients.contains { id in
            guard let id else { return true }
            let client = try first(
                "SELECT id, realm_id, client_id, source, settings FROM clients WHERE id = $1",
                [.text(id)],
                decode: Client.init(row:)
            )
            return client.map { $0.isEnabled && $0.grantTypes.contains(.clientCredentials) }
                ?? false
        }
    }
}
