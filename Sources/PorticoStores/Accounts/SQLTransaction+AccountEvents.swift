import PorticoBytes

/// What the events of accounts write beside what they change.
extension SQLTransaction {
    /// Spends everything, or nothing.
    ///
    /// - Returns: `false` where something was spent before.
    func spend(_ spending: [SpentOnce]) throws -> Bool {
        for (index, one) in spending.enumerated() {
            let isFirst = try hasRow(
                """
                INSERT INTO spent_once (hash, expires_at)
                SELECT $1, $2
                WHERE $3 IS NULL OR EXISTS (SELECT 1 FROM spent_once WHERE hash = $3)
                ON CONFLICT DO NOTHING RETURNING hash
                """,
                [.bytes(one.hash.bytes), .int64(one.expiresAt), SQLValue(one.after)]
            )
            if isFirst { continue }
            for earlier in spending[..<index] {
                try run(
                    "DELETE FROM spent_once WHERE hash = $1",
                    [.bytes(earlier.hash.bytes)]
                )
            }
            return false
        }
        return true
    }

    /// - Parameter event: Its number is ignored: the database gives the next one.
    func note(_ event: AuditEvent) throws {
        try run(
            """
            INSERT INTO audit_events (kind, at, account_id, provider, app, device, address, realm,
                client, reason)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                .text(event.kind.rawValue), .int64(event.at), SQLValue(event.accountID),
                SQLValue(event.provider), SQLValue(event.app), SQLValue(event.device),
                SQLValue(event.address), SQLValue(event.realm), SQLValue(event.client),
                SQLValue(event.reason),
            ]
        )
    }

    /// Notes an event with what is known of a session: provider, app, device and address.
    func note(
        _ kind: AuditEvent.Kind,
        ofSession id: UniqueID,
        reason: String? = nil,
        at now: Int64
    ) throws {
        try run(
            """
            INSERT INTO audit_events (kind, at, account_id, provider, app, device, address, reason)
            SELECT $1, $2, s.account_id, i.provider, s.app, s.device, s.address, $3
            FROM account_sessions AS s
            LEFT JOIN identities AS i ON i.issuer = s.issuer AND i.subject = s.subject
            WHERE s.id = $4
            """,
            [.text(kind.rawValue), .int64(now), SQLValue(reason), .bytes(id.bytes)]
        )
    }

    /// Queues a mail about an account: to the address that the draft names, or to the account's
    /// verified one. Without either there is no mail.
    func queue(_ draft: MailDraft?, about accountID: UniqueID) throws {
        guard let draft else { return }
        try run(
            """
            INSERT INTO mails (id, recipient, kind, message, language, created_at, tries, due_at)
            SELECT $1, CASE WHEN $2 IS NULL THEN a.email ELSE $2 END, $3, $4, $5, $6, 0, $6
            FROM accounts AS a
            WHERE a.id = $7 AND ($2 IS NOT NULL OR (a.email IS NOT NULL AND a.is_email_verified))
            """,
            [
                .bytes(draft.id.bytes), SQLValue(draft.to), .text(draft.message.kind),
                SQLValue(draft.message.document), .text(draft.language), .int64(draft.createdAt),
                .bytes(accountID.bytes),
            ]
        )
    }

    /// Queues a mail to an address.
    func queue(_ draft: MailDraft, to address: String) throws {
        try run(
            """
            INSERT INTO mails (id, recipient, kind, message, language, created_at, tries, due_at,
                service)
            VALUES ($1, $2, $3, $4, $5, $6, 0, $6, $7)
            """,
            [
                .bytes(draft.id.bytes), .text(address), .text(draft.message.kind),
                SQLValue(draft.message.document), .text(draft.language), .int64(draft.createdAt),
                SQLValue(draft.service),
            ]
        )
    }
}

extension MailDraft {
    /// A notice of an event of an account, to its verified address and in its language.
    init(_ message: Message, id: UniqueID, to account: Account, at now: Int64) {
        self.init(
            id: id,
            to: nil,
            message: message,
            language: account.language,
            createdAt: now
        )
    }
}
