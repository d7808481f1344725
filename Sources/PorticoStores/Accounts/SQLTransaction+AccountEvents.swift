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
