package import PorticoBytes
package import PorticoStores

/// What happened to accounts and clients, in SQL.
package struct SQLAuditStore: AuditStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func note(_ events: [AuditEvent]) async throws {
        try await database.write { transaction in
            for event in events { try transaction.note(event) }
        }
    }

    package func events(after number: Int64, limit: Int) async throws -> [AuditEvent] {
        try await database.scan { reader in
            try reader.rows(
                """
                SELECT number, kind, at, account_id, provider, app, device, address, realm,
                    client, reason
                FROM audit_events WHERE number > $1 ORDER BY number LIMIT $2
                """,
                [.int64(number), .int64(Int64(max(0, limit)))],
                decode: AuditEvent.init(row:)
            )
        }
    }

    package func latest(
        _ kinds: Set<AuditEvent.Kind>,
        of accountID: UniqueID?,
        limit: Int
    ) async throws -> [AuditEvent] {
        let limit = SQLValue.int64(Int64(max(0, limit)))
        let kinds = Self.list(kinds)
        return try await database.scan { reader in
            guard let accountID else {
                return try reader.rows(
                    """
                    SELECT number, kind, at, account_id, provider, app, device, address, realm,
                        client, reason
                    FROM audit_events WHERE instr($1, ',' || kind || ',') > 0
                    ORDER BY number DESC LIMIT $2
                    """,
                    [kinds, limit],
                    decode: AuditEvent.init(row:)
                )
            }
            return try reader.rows(
                """
                SELECT number, kind, at, account_id, provider, app, device, address, realm,
                    client, reason
                FROM audit_events WHERE instr($1, ',' || kind || ',') > 0 AND account_id = $2
                ORDER BY number DESC LIMIT $3
                """,
                [kinds, .bytes(accountID.bytes), limit],
                decode: AuditEvent.init(row:)
            )
        }
    }

    package func purge(_ kinds: Set<AuditEvent.Kind>, before time: Int64) async throws {
        let kinds = Self.list(kinds)
        try await database.purge { reader, cursor in
            // A database gives the number behind the greatest one that is there.
            try reader.rows(
                """
                SELECT number FROM audit_events
                WHERE number > $1 AND at < $2 AND number < (SELECT MAX(number) FROM audit_events)
                    AND instr($3, ',' || kind || ',') > 0
                ORDER BY number LIMIT 200
                """,
                [cursor ?? .int64(.min), .int64(time), kinds]
            ) { SQLValue.int64(try $0.int64(0)) }
        } removing: { transaction, number in
            try transaction.run("DELETE FROM audit_events WHERE number = $1", [number])
        }
    }

    /// Names between commas, of which none has one.
    private static func list(_ kinds: Set<AuditEvent.Kind>) -> SQLValue {
        .text("," + kinds.map(\.rawValue).sorted().joined(separator: ",") + ",")
    }
}

extension AuditEvent {
    fileprivate init(row: any SQLRow) throws {
        guard let kind = Kind(rawValue: try row.text(1)) else {
            throw SQLDecodingError.outOfRange(column: 1)
        }
        self.init(
            number: try row.int64(0),
            kind: kind,
            at: try row.int64(2),
            accountID: try row.optionalUniqueID(3),
            provider: try row.optionalText(4),
            app: try row.optionalText(5),
            device: try row.optionalText(6),
            address: try row.optionalText(7)
        )
        realm = try row.optionalText(8)
        client = try row.optionalText(9)
        reason = try row.optionalText(10)
    }
}
