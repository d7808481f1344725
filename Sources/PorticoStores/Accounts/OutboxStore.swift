package import PorticoBytes

/// Keeps mails until they are sent. They are put in by the transactions that cause them.
package struct OutboxStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Puts in a mail that no other event causes. Without `to` there is none.
    package func add(_ draft: MailDraft) async throws {
        try await database.change { try $0.queue(draft) }
    }

    /// Takes up to `limit` mails that are due, oldest first, and sets their next try to `retryAt`,
    /// so that another process does not send them as well. Of any number of concurrent calls one
    /// gets a mail.
    package func take(limit: Int, at now: Int64, retryAt: Int64) async throws -> [OutboxMail] {
        let limit = Int64(max(0, limit))
        // Mostly nothing is due: looking costs no commit.
        guard try await database.read({ try !$0.due(limit: 1, at: now).isEmpty }) else {
            return []
        }
        return try await database.change { transaction in
            try transaction.due(limit: limit, at: now).map { mail in
                try transaction.run(
                    """
                    UPDATE mails SET tries = tries + 1, tried_at = $1, due_at = $2 WHERE id = $3
                    """,
                    [.int64(now), .int64(retryAt), .bytes(mail.draft.id.bytes)]
                )
                var taken = mail
                taken.tries += 1
                taken.dueAt = retryAt
                return taken
            }
        }
    }

    package func markSent(_ id: UniqueID, at now: Int64) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                "UPDATE mails SET sent_at = $1, due_at = NULL WHERE id = $2",
                [.int64(now), .bytes(id.bytes)]
            )
        }
    }

    /// - Parameter dueAt: `nil` gives it up.
    package func markFailed(_ id: UniqueID, dueAt: Int64?) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                "UPDATE mails SET due_at = $1 WHERE id = $2 AND sent_at IS NULL",
                [SQLValue(dueAt), .bytes(id.bytes)]
            )
        }
    }

    /// The latest first, sent or not.
    package func latest(limit: Int) async throws -> [OutboxMail] {
        try await database.scan { reader in
            try reader.rows(
                Statement.latest,
                [.int64(Int64(max(0, limit)))],
                decode: OutboxMail.init
            )
        }
    }

    /// Removes mails sent before `time`, those given up whose last try was before it, and those that
    /// were due before it: nothing sends them.
    package func purge(before time: Int64) async throws {
        try await database.purge(
            before: time,
            """
            SELECT id FROM mails
            WHERE id > $1 AND (due_at < $2 OR due_at IS NULL AND (sent_at < $2
                OR sent_at IS NULL AND COALESCE(tried_at, created_at) < $2))
            ORDER BY id LIMIT 200
            """,
            "DELETE FROM mails WHERE id = $1"
        )
    }
}

extension SQLReader {
    fileprivate func due(limit: Int64, at now: Int64) throws -> [OutboxMail] {
        try rows(Statement.due, [.int64(now), .int64(limit)], decode: OutboxMail.init)
    }
}

private enum MailColumn: Int, SQLColumns {
    case id, recipient, kind, message, language, createdAt, tries, dueAt, sentAt, service
}

extension OutboxMail {
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: MailColumn) -> Int { column.rawValue }
        self.init(
            draft: MailDraft(
                id: try row.uniqueID(at(.id)),
                to: try row.text(at(.recipient)),
                message: try MailDraft.Message(
                    kind: row.text(at(.kind)),
                    document: row.document(at(.message))
                ),
                language: try row.text(at(.language)),
                service: try row.optionalText(at(.service)),
                createdAt: try row.int64(at(.createdAt))
            ),
            tries: Int(clamping: try row.int64(at(.tries))),
            dueAt: try row.optionalInt64(at(.dueAt)),
            sentAt: try row.optionalInt64(at(.sentAt))
        )
    }
}

/// What the events of people write beside what they change.
extension SQLTransaction {
    /// Queues a mail about a person: to the address that the draft names, or to the person's
    /// verified one. Without either there is no mail.
    func queue(_ draft: MailDraft?, about personID: String) throws {
        guard let draft else { return }
        try run(
            """
            INSERT INTO mails (id, recipient, kind, message, language, created_at, tries, due_at)
            SELECT $1, CASE WHEN $2 IS NULL THEN p.email ELSE $2 END, $3, $4, $5, $6, 0, $6
            FROM people AS p
            WHERE p.id = $7 AND ($2 IS NOT NULL OR (p.email IS NOT NULL AND p.is_email_verified))
            """,
            [
                .bytes(draft.id.bytes), SQLValue(draft.to), .text(draft.message.kind),
                SQLValue(draft.message.document), .text(draft.language), .int64(draft.createdAt),
                .text(personID),
            ]
        )
    }

    /// Queues a mail to the address that the draft names. Without one there is no mail.
    func queue(_ draft: MailDraft?) throws {
        if let draft, let address = draft.to { try queue(draft, to: address) }
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
    /// A notice of something that happened to a person, to their verified address and in their language.
    init(_ message: Message, id: UniqueID, to person: Person, at now: Int64) {
        self.init(
            id: id,
            to: nil,
            message: message,
            language: person.language,
            createdAt: now
        )
    }
}

private enum Statement {
    static let latest: SQLText = """
        SELECT \(MailColumn.self) FROM mails ORDER BY created_at DESC, id DESC LIMIT $1
        """

    static let due: SQLText = """
        SELECT \(MailColumn.self) FROM mails WHERE due_at <= $1 ORDER BY created_at, id LIMIT $2
        """
}
