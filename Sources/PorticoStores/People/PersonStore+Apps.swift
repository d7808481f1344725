package import PorticoBytes
package import PorticoProtocol

/// What a person allowed a client.
package struct Consent: Hashable, Sendable {
    package var scope: Scope
    /// ``Client/consentFingerprint`` of the client that the person was asked about.
    package var fingerprint: Hash256?

    package init(scope: Scope, fingerprint: Hash256? = nil) {
        self.scope = scope
        self.fingerprint = fingerprint
    }

    /// Whether it allows a client that, as the client is now.
    package func covers(_ scope: Scope, of client: Client) -> Bool {
        fingerprint == client.consentFingerprint && scope.isSubset(of: self.scope)
    }
}

extension PersonStore {
    /// What the person allowed the client (its UUID) before; `nil`: nothing.
    ///
    /// - Parameter notBefore: ``Realm/notBefore``: what a stranger was allowed earlier, by its
    ///   fingerprint, counts no more.
    package func consent(personID: String, clientID: String, notBefore: Int64 = 0) async throws
        -> Consent?
    {
        try await database.read {
            try $0.consent(personID: personID, clientID: clientID, notBefore: notBefore)
        }
    }

    /// Keeps what the person allows the client, with the client if it is taken from its document. It adds
    /// to what they allowed before, unless the client has changed since (Client ID Metadata Document
    /// §6.3). `now` in seconds since 1970.
    ///
    /// Where the session is over by now, nothing is kept: a new password may have come first, and what
    /// it has ended must not begin again.
    ///
    /// - Parameter session: Where they allow it; `nil`: not in a browser.
    package func allow(
        _ consent: Consent,
        to client: Client,
        by personID: String,
        in session: PersonSession?,
        notBefore: Int64,
        at now: Int64
    ) async throws {
        try await database.change { transaction in
            if let session, try !transaction.isLive(session, of: personID, at: now) { return }
            guard try transaction.keep(client, at: now) else { return }
            try transaction.allow(
                consent,
                to: client.id,
                by: personID,
                notBefore: notBefore,
                at: now
            )
        }
    }
}

extension SQLTransaction {
    func allow(
        _ consent: Consent,
        to clientID: String,
        by personID: String,
        notBefore: Int64 = 0,
        at now: Int64
    ) throws {
        let before = try self.consent(
            personID: personID,
            clientID: clientID,
            notBefore: notBefore
        )
        let isSame = before?.fingerprint == consent.fingerprint
        let scope = Scope(tokens: (isSame ? before?.scope.tokens ?? [] : []) + consent.scope.tokens)
        try run(
            """
            INSERT INTO consents (person_id, client_id, scope, fingerprint, updated_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (person_id, client_id) DO UPDATE
            SET scope = excluded.scope, fingerprint = excluded.fingerprint,
                updated_at = excluded.updated_at
            """,
            [
                .text(personID), .text(clientID), SQLValue(words: scope.tokens),
                SQLValue(consent.fingerprint), .int64(now),
            ]
        )
    }

    /// Forgets what a person allowed strangers. Where all sessions and grants of theirs end, that goes,
    /// too: what a thief allowed must not let the thief's client in again.
    func forgetStrangers(of personID: String) throws {
        try run(
            "DELETE FROM consents WHERE person_id = $1 AND fingerprint IS NOT NULL",
            [.text(personID)]
        )
    }

    fileprivate func isLive(_ session: PersonSession, of personID: String, at now: Int64) throws
        -> Bool
    {
        try hasRow(
            """
            SELECT 1 FROM live_sessions
            WHERE id = $1 AND realm_id = $2 AND person_id = $3 AND alive_until > $4
            """,
            [.text(session.id), .text(session.realmID), .text(personID), .int64(now)]
        )
    }
}

extension SQLReader {
    fileprivate func consent(personID: String, clientID: String, notBefore: Int64) throws
        -> Consent?
    {
        try first(
            """
            SELECT scope, fingerprint FROM consents
            WHERE person_id = $1 AND client_id = $2
                AND (fingerprint IS NULL OR updated_at >= $3)
            """,
            [.text(personID), .text(clientID), .int64(notBefore)]
        ) { row in
            Consent(scope: Scope(tokens: try row.words(0)), fingerprint: try row.optionalHash(1))
        }
    }
}

/// A session that an app has apart from any browser's: a live grant that is offline by itself
/// (``StaySignedIn/apart(idle:most:)``).
package struct AppSession: Hashable, Sendable {
    package var grantID: UniqueID
    /// The client's UUID.
    package var clientID: String
    /// Seconds since 1970.
    package var lastUsedAt: Int64
}

/// What people allowed clients, and where these are signed in, seen from the person.
extension PersonStore {
    /// The clients that the person allowed something, or that hold a live grant of theirs
    /// (``GrantStore``), in the order of their ids. `now` in seconds since 1970.
    ///
    /// - Parameter notBefore: ``Realm/notBefore``.
    package func connectedApps(
        of personID: String,
        realmID: String,
        notBefore: Int64 = 0,
        at now: Int64
    ) async throws -> [ConnectedApp] {
        try await database.read { reader in
            var apps: [String: ConnectedApp] = [:]
            for app in try reader.consents(of: personID, realmID: realmID, notBefore) {
                apps[app.clientID] = app
            }
            for used in try reader.liveGrants(of: personID, realmID: realmID, notBefore, at: now) {
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
        try await database.change {
            try $0.disconnect(clientID, from: personID, realmID: realmID, at: now).change
        }
    }

    /// The live sessions of apps of their own that the person has, newest first.
    ///
    /// - Parameter notBefore: ``Realm/notBefore``.
    package func appSessions(
        of personID: String,
        realmID: String,
        notBefore: Int64,
        at now: Int64
    ) async throws -> [AppSession] {
        try await database.read { reader in
            try reader.rows(
                """
                SELECT g.id, g.client_id, COALESCE(g.rotated_at, g.created_at)
                FROM live_grants AS g
                WHERE g.id IN (
                        SELECT o.id FROM grants AS o WHERE o.person_id = $1 AND o.is_offline)
                    AND g.person_id = $1 AND g.realm_id = $2 AND g.has_own_times
                    AND g.created_at >= $3 AND g.alive_until > $4
                ORDER BY g.created_at DESC, g.id
                """,
                [.text(personID), .text(realmID), .int64(notBefore), .int64(now)]
            ) { row in
                AppSession(
                    grantID: try row.uniqueID(0),
                    clientID: try row.text(1),
                    lastUsedAt: try row.int64(2)
                )
            }
        }
    }

    /// Ends one such session, with all that was issued from it. With the last one of a client, what
    /// the person allowed it goes, too: when it comes back, they are asked, and codes that it has by
    /// then are not redeemed.
    ///
    /// - Returns: The `client_id`; `nil` where it is no live one of theirs.
    package func endAppSession(
        _ id: UniqueID,
        of personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> String? {
        try await database.change { transaction in
            let app = try transaction.first(
                """
                SELECT g.client_id, c.client_id FROM live_grants AS g
                JOIN clients AS c ON c.id = g.client_id
                WHERE g.id = $1 AND g.person_id = $2 AND g.realm_id = $3
                    AND g.is_offline AND g.has_own_times AND g.alive_until > $4
                """,
                [.bytes(id.bytes), .text(personID), .text(realmID), .int64(now)]
            ) { (id: try $0.text(0), name: try $0.text(1)) }
            guard let app else { return nil }
            let clientID = app.id
            var event = Event(.tokenRevoked, of: personID, at: now)
            event.clientID = app.name
            event.details["grant"] = .string(id.text)
            try transaction.note(event)
            let hasOther = try transaction.hasRow(
                """
                SELECT 1 FROM live_grants AS g
                WHERE g.id IN (
                        SELECT o.id FROM grants AS o WHERE o.person_id = $1 AND o.is_offline)
                    AND g.client_id = $2 AND g.id <> $3 AND g.alive_until > $4
                """,
                [.text(personID), .text(clientID), .bytes(id.bytes), .int64(now)]
            )
            if hasOther {
                try transaction.revoke(id, at: now)
            } else {
                _ = try transaction.disconnect(clientID, from: personID, realmID: realmID, at: now)
            }
            return app.name
        }
    }

    /// Forgets removals from before `time`, by when the codes that they are about have expired.
    package func purgeRemovedApps(before time: Int64) async throws {
        try await database.purge(
            before: time,
            from: .int64(0),
            """
            SELECT id FROM removed_apps WHERE id > $1 AND removed_at < $2
            ORDER BY id LIMIT 200
            """,
            "DELETE FROM removed_apps WHERE id = $1 AND removed_at < $2",
            isRenewed: true
        )
    }
}

extension SQLTransaction {
    /// As ``PersonStore/disconnect(_:from:realmID:at:)``.
    ///
    /// - Returns: Also how many grants it ended.
    fileprivate func disconnect(
        _ clientID: String,
        from personID: String,
        realmID: String,
        at now: Int64
    ) throws -> (change: Change, ended: Int) {
        let forgotten = try run(
            "DELETE FROM consents WHERE person_id = $1 AND client_id = $2",
            [.text(personID), .text(clientID)]
        )
        let revoked = try run(
            """
            WITH RECURSIVE ended (id) AS (
                SELECT g.id FROM grants AS g
                WHERE g.client_id = $1 AND g.person_id = $2 AND g.realm_id = $3
                    AND g.id IN (
                        SELECT o.id FROM grants AS o WHERE o.person_id = $2 AND o.is_offline
                        UNION ALL
                        SELECT k.id FROM sessions AS b
                        JOIN grants AS k ON k.session_id = b.id
                        WHERE b.person_id = $2)
                UNION SELECT g.id FROM grants AS g JOIN ended AS e ON g.parent_id = e.id)
            UPDATE grants SET revoked_at = $4
            WHERE revoked_at IS NULL AND refused_at IS NULL
                AND id IN (SELECT id FROM ended)
            """,
            [.text(clientID), .text(personID), .text(realmID), .int64(now)]
        )
        try run(
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
        let moved = try run(
            """
            UPDATE moved_sessions SET ended_at = $1
            WHERE realm_id = $2 AND person_id = $3 AND ended_at IS NULL
                AND client_id = (SELECT c.client_id FROM clients AS c WHERE c.id = $4)
            """,
            [.int64(now), .text(realmID), .text(personID), .text(clientID)]
        )
        guard forgotten + revoked + moved > 0 else { return (.notFound, 0) }
        try refuseCodes(of: clientID, for: personID, at: now)
        return (.changed, revoked)
    }

    /// Ends every session that apps of the person have of their own, and what they allowed strangers.
    /// Codes that these clients have by then are not redeemed.
    ///
    /// - Returns: How many grants ended.
    func endAppSessions(of personID: String, realmID: String, at now: Int64) throws -> Int {
        let clients = try rows(
            """
            SELECT o.client_id FROM consents AS o
            WHERE o.person_id = $1 AND o.fingerprint IS NOT NULL
            UNION SELECT g.client_id FROM grants AS g
            WHERE g.person_id = $1 AND g.is_offline AND g.has_own_times AND g.revoked_at IS NULL
            """,
            [.text(personID)]
        ) { try $0.text(0) }
        return try clients.reduce(0) { ended, clientID in
            ended
                + (try disconnect(clientID, from: personID, realmID: realmID, at: now)).ended
        }
    }

    /// Of the codes that the client has for the person none is redeemed any more.
    fileprivate func refuseCodes(of clientID: String, for personID: String, at now: Int64) throws {
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
    fileprivate func consents(of personID: String, realmID: String, _ notBefore: Int64) throws
        -> [ConnectedApp]
    {
        try rows(
            """
            SELECT o.client_id, o.scope, o.updated_at
            FROM consents AS o
            JOIN clients AS c ON c.id = o.client_id
            JOIN people AS p ON p.id = o.person_id
            WHERE o.person_id = $1 AND c.realm_id = $2 AND p.realm_id = $2
                AND (o.fingerprint IS NULL OR o.updated_at >= $3)
            """,
            [.text(personID), .text(realmID), .int64(notBefore)]
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
    fileprivate func liveGrants(
        of personID: String,
        realmID: String,
        _ notBefore: Int64,
        at now: Int64
    ) throws -> [ConnectedApp] {
        try rows(
            """
            SELECT g.client_id, g.scope, MAX(COALESCE(g.rotated_at, g.created_at))
            FROM live_grants AS g
            WHERE g.id IN (
                    SELECT o.id FROM grants AS o WHERE o.person_id = $1 AND o.is_offline
                    UNION ALL
                    SELECT k.id FROM sessions AS b
                    JOIN grants AS k ON k.session_id = b.id
                    WHERE b.person_id = $1)
                AND g.person_id = $1 AND g.realm_id = $2 AND g.created_at >= $3
                AND g.alive_until > $4
            GROUP BY g.client_id, g.scope
            """,
            [.text(personID), .text(realmID), .int64(notBefore), .int64(now)]
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
