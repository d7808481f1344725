package import PorticoBytes
package import PorticoProtocol

/// What a person allowed a client that is registered nowhere (docs/decisions/0064).
package struct DocumentConsent: Hashable, Sendable {
    package var scope: Scope
    /// ``ClientDocument/fingerprint`` of the document that the person was asked with.
    package var fingerprint: Hash256

    package init(scope: Scope, fingerprint: Hash256) {
        self.scope = scope
        self.fingerprint = fingerprint
    }
}

/// What a person allowed such a client that has no live grant of theirs.
package struct DocumentPermission: Hashable, Sendable {
    /// ``KeptClientDocument/id``.
    package var id: String
    package var clientID: String
    package var scope: Scope
    /// Seconds since 1970.
    package var allowedAt: Int64
}

/// A live grant of such a client, which its person can end.
package struct DocumentSession: Hashable, Sendable {
    package var grantID: UniqueID
    package var clientID: String
    package var scope: Scope
    /// Seconds since 1970.
    package var createdAt: Int64
    package var lastUsedAt: Int64
}

extension PersonStore {
    /// What the person allowed the client of that document before; `nil`: nothing.
    ///
    /// - Parameter notBefore: ``Realm/notBefore``: what was allowed earlier counts no more.
    package func documentConsent(personID: String, clientID: String, notBefore: Int64) async throws
        -> DocumentConsent?
    {
        try await database.read {
            try $0.documentConsent(
                personID: personID,
                clientID: clientID,
                notBefore: notBefore
            )
        }
    }

    /// Keeps what the person allows the client in a session, with its document. It adds to what they
    /// allowed before, unless the client has changed since (Client ID Metadata Document §6.3).
    ///
    /// Where the session is over by now, nothing is kept: a new password may have come first, and what
    /// it has ended must not begin again.
    package func allow(
        _ consent: DocumentConsent,
        to document: KeptClientDocument,
        in session: BrowserSession,
        notBefore: Int64,
        at now: Int64
    ) async throws {
        try await database.change { transaction in
            let isLive = try transaction.hasRow(
                """
                SELECT 1 FROM live_browser_sessions
                WHERE id = $1 AND realm_id = $2 AND person_id = $3 AND alive_until > $4
                """,
                [
                    .text(session.id), .text(session.realmID), .text(session.personID),
                    .int64(now),
                ]
            )
            guard isLive else { return }
            try transaction.keep(document, at: now)
            let before = try transaction.documentConsent(
                personID: session.personID,
                clientID: document.id,
                notBefore: notBefore
            )
            let isSame = before?.fingerprint == consent.fingerprint
            let scope = Scope(
                tokens: (isSame ? before?.scope.tokens ?? [] : []) + consent.scope.tokens
            )
            try transaction.run(
                """
                INSERT INTO document_consents (person_id, client_id, scope, fingerprint, updated_at)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (person_id, client_id) DO UPDATE
                SET scope = excluded.scope, fingerprint = excluded.fingerprint,
                    updated_at = excluded.updated_at
                """,
                [
                    .text(session.personID), .text(document.id),
                    SQLValue(words: scope.tokens), SQLValue(consent.fingerprint), .int64(now),
                ]
            )
        }
    }

    /// The live grants of clients with a document that the person has, newest first.
    package func documentSessions(of personID: String, realmID: String, at now: Int64) async throws
        -> [DocumentSession]
    {
        try await database.read {
            try $0.documentSessions(of: personID, realmID: realmID, at: now)
        }
    }

    /// What the person allowed clients with a document that have no live grant of theirs, by address.
    /// ``disconnect(_:from:realmID:at:)`` takes it back.
    ///
    /// - Parameter notBefore: ``Realm/notBefore``.
    package func documentPermissions(
        of personID: String,
        realmID: String,
        notBefore: Int64,
        at now: Int64
    ) async throws -> [DocumentPermission] {
        try await database.read { reader in
            try reader.rows(
                """
                SELECT d.id, d.client_id, c.scope, c.updated_at
                FROM document_consents AS c JOIN client_documents AS d ON d.id = c.client_id
                WHERE c.person_id = $1 AND d.realm_id = $2 AND c.updated_at >= $3
                    AND NOT EXISTS (
                        SELECT 1 FROM live_grants AS g
                        WHERE g.id IN (
                                SELECT o.id FROM grants AS o
                                WHERE o.person_id = $1 AND o.is_offline)
                            AND g.client_id = d.id AND g.created_at >= $3
                            AND g.alive_until > $4)
                ORDER BY d.client_id
                """,
                [.text(personID), .text(realmID), .int64(notBefore), .int64(now)]
            ) { row in
                DocumentPermission(
                    id: try row.text(0),
                    clientID: try row.text(1),
                    scope: Scope(tokens: try row.words(2)),
                    allowedAt: try row.int64(3)
                )
            }
        }
    }

    /// Ends one such grant, with all that was issued from it. With the last one of a client, what
    /// the person allowed it goes, too: when it comes back, they are asked, and codes that it has by
    /// then are not redeemed. `.notFound` where it is no live one of theirs.
    package func endDocumentSession(
        _ id: UniqueID,
        of personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            let clientID = try transaction.first(
                """
                SELECT d.id FROM live_grants AS g JOIN client_documents AS d ON d.id = g.client_id
                WHERE g.id = $1 AND g.person_id = $2 AND g.realm_id = $3 AND g.alive_until > $4
                """,
                [.bytes(id.bytes), .text(personID), .text(realmID), .int64(now)]
            ) { try $0.text(0) }
            guard let clientID else { return .notFound }
            try transaction.revoke(id, at: now)
            let hasOther = try transaction.hasRow(
                """
                SELECT 1 FROM live_grants AS g
                WHERE g.id IN (
                        SELECT o.id FROM grants AS o WHERE o.person_id = $1 AND o.is_offline)
                    AND g.client_id = $2 AND g.alive_until > $3
                """,
                [.text(personID), .text(clientID), .int64(now)]
            )
            guard !hasOther else { return .changed }
            try transaction.run(
                "DELETE FROM document_consents WHERE person_id = $1 AND client_id = $2",
                [.text(personID), .text(clientID)]
            )
            try transaction.refuseCodes(of: clientID, for: personID, at: now)
            return .changed
        }
    }
}

extension SQLTransaction {
    /// Forgets what a person allowed clients with a document. Where all sessions and grants of theirs
    /// end, that goes, too: what a thief allowed must not let the thief's client in again.
    func forgetDocumentConsents(of personID: String) throws {
        try run("DELETE FROM document_consents WHERE person_id = $1", [.text(personID)])
    }

    /// Ends every live grant of such clients that the person has, and forgets what they allowed them.
    /// Codes that these clients have by then are not redeemed.
    ///
    /// - Returns: How many ended.
    func endDocumentSessions(of personID: String, realmID: String, at now: Int64) throws -> Int {
        let clients = try rows(
            """
            SELECT c.client_id FROM document_consents AS c WHERE c.person_id = $1
            UNION SELECT d.id FROM grants AS g JOIN client_documents AS d ON d.id = g.client_id
            WHERE g.person_id = $1 AND g.is_offline AND g.revoked_at IS NULL
            """,
            [.text(personID)]
        ) { try $0.text(0) }
        for clientID in clients { try refuseCodes(of: clientID, for: personID, at: now) }
        let ended = try documentSessions(of: personID, realmID: realmID, at: now)
        for session in ended { try revoke(session.grantID, at: now) }
        try forgetDocumentConsents(of: personID)
        return ended.count
    }
}

extension SQLReader {
    fileprivate func documentSessions(of personID: String, realmID: String, at now: Int64) throws
        -> [DocumentSession]
    {
        try rows(
            """
            SELECT g.id, d.client_id, g.scope, g.created_at,
                COALESCE(g.rotated_at, g.created_at)
            FROM live_grants AS g JOIN client_documents AS d ON d.id = g.client_id
            WHERE g.id IN (
                    SELECT o.id FROM grants AS o WHERE o.person_id = $1 AND o.is_offline)
                AND g.person_id = $1 AND g.realm_id = $2 AND g.alive_until > $3
            ORDER BY g.created_at DESC, g.id
            """,
            [.text(personID), .text(realmID), .int64(now)]
        ) { row in
            DocumentSession(
                grantID: try row.uniqueID(0),
                clientID: try row.text(1),
                scope: Scope(tokens: try row.words(2)),
                createdAt: try row.int64(3),
                lastUsedAt: try row.int64(4)
            )
        }
    }

    fileprivate func documentConsent(personID: String, clientID: String, notBefore: Int64) throws
        -> DocumentConsent?
    {
        try first(
            """
            SELECT scope, fingerprint FROM document_consents
            WHERE person_id = $1 AND client_id = $2 AND updated_at >= $3
            """,
            [.text(personID), .text(clientID), .int64(notBefore)]
        ) { row in
            DocumentConsent(
                scope: Scope(tokens: try row.words(0)),
                fingerprint: try row.hash(1)
            )
        }
    }
}
