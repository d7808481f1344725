import PorticoProtocol

/// What people allowed clients, seen from the person.
extension PersonStore {
    /// The clients that the person allowed something, or that hold a live grant of theirs
    /// (``GrantStore``), in the order of their ids. `now` in seconds since 1970.
    package func connectedApps(of personID: String, realmID: String, at now: Int64) async throws
        -> [ConnectedApp]
    {
        try await database.read { reader in
            var apps: [String: ConnectedApp] = [:]
            for app in try reader.consents(of: personID, realmID: realmID) {
                apps[app.clientID] = app
            }
            for used in try reader.liveGrants(of: personID, realmID: realmID, at: now) {
                var app = apps[used.clientID] ?? used
                app.scope = Scope(tokens: app.scope.tokens + used.scope.tokens)
                app.lastUsedAt = max(app.lastUsedAt ?? .min, used.lastUsedAt ?? .min)
                apps[used.clientID] = app
            }
            return apps.values.sorted { $0.clientID < $1.clientID }
        }
    }

    /// Takes back what the person allowed a client (``Client/id``): what was allowed is forgotten, and
    /// every grant that the client has of theirs is dead with what was issued from it, or derived by
    /// another client, and codes that it has by then are not redeemed. Other grants and the person's
    /// sessions stay. `.notFound` where there was nothing.
    package func disconnect(
        _ clientID: String,
        from personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            let forgotten = try transaction.run(
                "DELETE FROM consents WHERE person_id = $1 AND client_id = $2",
                [.text(personID), .text(clientID)]
            )
            let forgottenToo = try transaction.run(
                "DELETE FROM document_consents WHERE person_id = $1 AND client_id = $2",
                [.text(personID), .text(clientID)]
            )
            let revoked = try transaction.run(
                """
                WITH RECURSIVE ended (id) AS (
                    SELECT g.id FROM grants AS g
                    WHERE g.client_id = $1 AND g.person_id = $2 AND g.realm_id = $3
                        AND g.id IN (
                            SELECT o.id FROM grants AS o WHERE o.person_id = $2 AND o.is_offline
                            UNION ALL
                            SELECT k.id FROM browser_sessions AS b
                            JOIN grants AS k ON k.session_id = b.id
                            WHERE b.person_id = $2)
                    UNION SELECT g.id FROM grants AS g JOIN ended AS e ON g.parent_id = e.id)
                UPDATE grants SET revoked_at = $4
                WHERE revoked_at IS NULL AND refused_at IS NULL
                    AND id IN (SELECT id FROM ended)
                """,
                [.text(clientID), .text(personID), .text(realmID), .int64(now)]
            )
            try transaction.run(
                """
                INSERT INTO moved_sessions (realm_id, sid, is_offline, client_id, person_id,
                    started_at, ended_at)
                SELECT DISTINCT g.realm_id, g.session_id, g.is_offline, c.client_id, $1, $2, $2
                FROM grants AS g JOIN clients AS c ON c.id = g.client_id
                WHERE g.client_id = $3 AND g.person_id = $1 AND g.realm_id = $4
                    AND g.session_id IS NOT NULL
                    AND EXISTS (SELECT 1 FROM swapped_tokens AS t WHERE t.realm_id = g.realm_id)
                ON CONFLICT (realm_id, sid, is_offline, client_id) DO NOTHING
                """,
                [.text(personID), .int64(now), .text(clientID), .text(realmID)]
            )
            let moved = try transaction.run(
                """
                UPDATE moved_sessions SET ended_at = $1
                WHERE realm_id = $2 AND person_id = $3 AND ended_at IS NULL
                    AND client_id = (SELECT c.client_id FROM clients AS c WHERE c.id = $4)
                """,
                [.int64(now), .text(realmID), .text(personID), .text(clientID)]
            )
            guard forgotten + forgottenToo + revoked + moved > 0 else { return .notFound }
            try transaction.refuseCodes(of: clientID, for: personID, at: now)
            return .changed
        }
    }

    /// Forgets removals from before `time`, by when the codes that they are about have expired.
    package func purgeRemovedApps(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT id FROM removed_apps WHERE id > $1 AND removed_at < $2
                ORDER BY id LIMIT 200
                """,
                [cursor ?? .int64(0), .int64(time)]
            ) { SQLValue.int64(try $0.int64(0)) }
        } removing: { transaction, id in
            try transaction.run(
                "DELETE FROM removed_apps WHERE id = $1 AND removed_at < $2",
                [id, .int64(time)]
            )
        }
    }
}

extension SQLTransaction {
    /// Of the codes that the client has for the person none is redeemed any more.
    func refuseCodes(of clientID: String, for personID: String, at now: Int64) throws {
        try run(
            """
            INSERT INTO removed_apps (person_id, client_id, removed_at) VALUES ($1, $2, $3)
            ON CONFLICT (person_id, client_id) DO UPDATE SET removed_at = excluded.removed_at
            WHERE excluded.removed_at > removed_apps.removed_at
            """,
            [.text(personID), .text(clientID), .int64(now)]
        )
    }
}

extension SQLReader {
    fileprivate func consents(of personID: String, realmID: String) throws -> [ConnectedApp] {
        try rows(
            """
            SELECT o.client_id, o.scope, o.updated_at
            FROM consents AS o
            JOIN clients AS c ON c.id = o.client_id
            JOIN people AS p ON p.id = o.person_id
            WHERE o.person_id = $1 AND c.realm_id = $2 AND p.realm_id = $2
            """,
            [.text(personID), .text(realmID)]
        ) { row in
            ConnectedApp(
                clientID: try row.text(0),
                scope: Scope(tokens: try row.words(1)),
                allowedAt: try row.int64(2),
                lastUsedAt: nil
            )
        }
    }

    /// The live grants of a person (``GrantStore``), by client and scope. They are found by way of
    /// the person's sessions; those that outlive them have an index of their own.
    fileprivate func liveGrants(of personID: String, realmID: String, at now: Int64) throws
        -> [ConnectedApp]
    {
        try rows(
            """
            SELECT g.client_id, g.scope, MAX(COALESCE(g.rotated_at, g.created_at))
            FROM live_grants AS g
            WHERE g.id IN (
                    SELECT o.id FROM grants AS o WHERE o.person_id = $1 AND o.is_offline
                    UNION ALL
                    SELECT k.id FROM browser_sessions AS b
                    JOIN grants AS k ON k.session_id = b.id
                    WHERE b.person_id = $1)
                AND g.person_id = $1 AND g.realm_id = $2 AND g.alive_until > $3
            GROUP BY g.client_id, g.scope
            """,
            [.text(personID), .text(realmID), .int64(now)]
        ) { row in
            ConnectedApp(
                clientID: try row.text(0),
                scope: Scope(tokens: try row.words(1)),
                allowedAt: nil,
                lastUsedAt: try row.int64(2)
            )
        }
    }
}
