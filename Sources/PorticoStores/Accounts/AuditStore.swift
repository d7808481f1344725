package import PorticoBytes

/// Keeps audit events, in their order.
package struct AuditStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps events in their order. Their numbers are ignored: the store gives the next ones.
    package func note(_ events: [AuditEvent]) async throws {
        try await database.write { transaction in
            for event in events { try transaction.note(event) }
        }
    }

    /// Events after `number`, in order, at most `limit`.
    package func events(after number: Int64, limit: Int) async throws -> [AuditEvent] {
        try await database.scan { reader in
            try reader.rows(
                Self.after,
                [.int64(number), .int64(Int64(max(0, limit)))],
                decode: AuditEvent.init
            )
        }
    }

    /// The latest of these kinds first; of one account where one is named.
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
                    Self.latest,
                    [kinds, limit],
                    decode: AuditEvent.init
                )
            }
            return try reader.rows(
                Self.latestOfAccount,
                [kinds, .bytes(accountID.bytes), limit],
                decode: AuditEvent.init
            )
        }
    }

    /// Removes events of these kinds of before `time`; the latest of all stays, so that no number is given
    /// twice.
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

extension AuditStore {
    private static let after: SQLText = """
        SELECT \(AuditColumn.self) FROM audit_events WHERE number > $1 ORDER BY number LIMIT $2
        """

    private static let latest: SQLText = """
        SELECT \(AuditColumn.self) FROM audit_events
        WHERE instr($1, ',' || kind || ',') > 0 ORDER BY number DESC LIMIT $2
        """

    private static let latestOfAccount: SQLText = """
        SELECT \(AuditColumn.self) FROM audit_events
        WHERE instr($1, ',' || kind || ',') > 0 AND account_id = $2
        ORDER BY number DESC LIMIT $3
        """
}

private enum AuditColumn: Int, SQLColumns {
    case number, kind, at, accountID, provider, app, device, address, realm, client, reason
}

extension AuditEvent {
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: AuditColumn) -> Int { column.rawValue }
        guard let kind = Kind(rawValue: try row.text(at(.kind))) else {
            throw SQLDecodingError.outOfRange(column: at(.kind))
        }
        self.init(
            number: try row.int64(at(.number)),
            kind: kind,
            at: try row.int64(at(.at)),
            accountID: try row.optionalUniqueID(at(.accountID)),
            provider: try row.optionalText(at(.provider)),
            app: try row.optionalText(at(.app)),
            device: try row.optionalText(at(.device)),
            address: try row.optionalText(at(.address))
        )
        realm = try row.optionalText(at(.realm))
        client = try row.optionalText(at(.client))
        reason = try row.optionalText(at(.reason))
    }
}
