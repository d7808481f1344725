package import PorticoBytes
package import PorticoStores

/// Mails to be sent, in SQL.
package struct SQLOutboxStore: OutboxStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func add(_ draft: MailDraft) async throws {
        guard let address = draft.to else { return }
        try await database.change { try $0.queue(draft, to: address) }
    }

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

    package func markFailed(_ id: UniqueID, dueAt: Int64?) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                "UPDATE mails SET due_at = $1 WHERE id = $2 AND sent_at IS NULL",
                [SQLValue(dueAt), .bytes(id.bytes)]
            )
        }
    }

    package func latest(limit: Int) async throws -> [OutboxMail] {
        try await database.scan { reader in
            try reader.rows(
                """
                SELECT id, recipient, kind, message, language, created_at, tries, due_at, sent_at,
                    service
                FROM mails ORDER BY created_at DESC, id DESC LIMIT $1
                """,
                [.int64(Int64(max(0, limit)))],
                decode: OutboxMail.init(row:)
            )
        }
    }

    package func purge(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT id FROM mails
                WHERE id > $1 AND (due_at < $2 OR due_at IS NULL AND (sent_at < $2
                    OR sent_at IS NULL AND COALESCE(tried_at, created_at) < $2))
                ORDER BY id LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        } removing: { transaction, id in
            try transaction.run("DELETE FROM mails WHERE id = $1", [id])
        }
    }
}

extension SQLReader {
    fileprivate func due(limit: Int64, at now: Int64) throws -> [OutboxMail] {
        try rows(
            """
            SELECT id, recipient, kind, message, language, created_at, tries, due_at, sent_at,
                service
            FROM mails WHERE due_at <= $1 ORDER BY created_at, id LIMIT $2
            """,
            [.int64(now), .int64(limit)],
            decode: OutboxMail.init(row:)
        )
    }
}

extension OutboxMail {
    fileprivate init(row: any SQLRow) throws {
        self.init(
            draft: MailDraft(
                id: try row.uniqueID(0),
                to: try row.text(1),
                message: try MailDraft.Message(kind: row.text(2), document: row.document(3)),
                language: try row.text(4),
                service: try row.optionalText(9),
                createdAt: try row.int64(5)
            ),
            tries: Int(clamping: try row.int64(6)),
            dueAt: try row.optionalInt64(7),
            sentAt: try row.optionalInt64(8)
        )
    }
}
