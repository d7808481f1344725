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
        in session: BrowserSession?,
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

    fileprivate func isLive(_ session: BrowserSession, of personID: String, at now: Int64) throws
        -> Bool
    {
        try hasRow(
            """
            SELECT 1 FROM live_browser_sessions
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
