import PorticoProtocol

/// Keeps what happened in realms, the latest ``most`` of each.
package struct RealmEventStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// How many a realm has of its own, and of its administrators.
    package static let most: Int64 = 10_000

    /// Keeps events in their order, and removes the oldest of those that are too many. Of a realm that
    /// is gone by now, none is kept.
    package func note(_ events: [RealmEvent]) async throws {
        try await database.change { transaction in
            for event in events { try transaction.note(event) }
            for (realmID, events) in Dictionary(grouping: events, by: \.realmID) {
                for isAdmin in Set(events.map(\.isAdmin)) {
                    try transaction.dropOldest(realmID, isAdmin: isAdmin)
                }
            }
        }
    }

    /// - Parameters:
    ///   - first: How many are passed over.
    ///   - limit: The most that are wanted.
    package func events(_ query: RealmEventQuery, realmID: String, first: Int, limit: Int)
        async throws -> [RealmEvent]
    {
        let kinds =
            query.kinds.isEmpty
            ? SQLValue.null : .text("," + query.kinds.joined(separator: ",") + ",")
        let arguments: [SQLValue] = [
            .text(realmID), .bool(query.isAdmin), kinds, SQLValue(query.clientID),
            SQLValue(query.personID), SQLValue(query.address), SQLValue(query.from),
            SQLValue(query.to), .int64(Int64(max(0, limit))), .int64(Int64(max(0, first))),
        ]
        return try await database.scan { reader in
            try reader.rows(
                query.isOldestFirst ? Self.oldest : Self.latest,
                arguments,
                decode: RealmEvent.init
            )
        }
    }

    /// Removes a realm's events: those of its people, or of its administrators.
    ///
    /// - Parameter time: Only those of before, in milliseconds since 1970.
    package func clear(isAdmin: Bool, before time: Int64 = .max, realmID: String) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT number FROM realm_events
                WHERE number > $1 AND realm_id = $2 AND is_admin = $3 AND at < $4
                ORDER BY number LIMIT 200
                """,
                [cursor ?? .int64(.min), .text(realmID), .bool(isAdmin), .int64(time)]
            ) { SQLValue.int64(try $0.int64(0)) }
        } removing: { transaction, number in
            try transaction.run("DELETE FROM realm_events WHERE number = $1", [number])
        }
    }

    private static let latest: SQLText = """
        SELECT \(RealmEventColumn.self) FROM realm_events
        WHERE realm_id = $1 AND is_admin = $2
            AND ($3 IS NULL OR instr($3, ',' || kind || ',') > 0)
            AND ($4 IS NULL OR client_id = $4) AND ($5 IS NULL OR person_id = $5)
            AND ($6 IS NULL OR address = $6) AND ($7 IS NULL OR at >= $7)
            AND ($8 IS NULL OR at < $8)
        ORDER BY number DESC LIMIT $9 OFFSET $10
        """

    private static let oldest: SQLText = """
        SELECT \(RealmEventColumn.self) FROM realm_events
        WHERE realm_id = $1 AND is_admin = $2
            AND ($3 IS NULL OR instr($3, ',' || kind || ',') > 0)
            AND ($4 IS NULL OR client_id = $4) AND ($5 IS NULL OR person_id = $5)
            AND ($6 IS NULL OR address = $6) AND ($7 IS NULL OR at >= $7)
            AND ($8 IS NULL OR at < $8)
        ORDER BY number LIMIT $9 OFFSET $10
        """
}

extension RealmStore {
    /// What happened in the realms.
    package var events: RealmEventStore { RealmEventStore(database) }
}

private enum RealmEventColumn: Int, SQLColumns {
    case number, realmID, isAdmin, at, kind, clientID, personID, sessionID, address, error, details
}

extension RealmEvent {
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: RealmEventColumn) -> Int { column.rawValue }
        self.init(
            realmID: try row.text(at(.realmID)),
            isAdmin: try row.bool(at(.isAdmin)),
            at: try row.int64(at(.at)),
            kind: try row.text(at(.kind)),
            clientID: try row.optionalText(at(.clientID)),
            personID: try row.optionalText(at(.personID)),
            sessionID: try row.optionalText(at(.sessionID)),
            address: try row.optionalText(at(.address)),
            error: try row.optionalText(at(.error)),
            details: try row.document(at(.details))
        )
        number = try row.int64(at(.number))
    }
}

extension SQLTransaction {
    fileprivate func note(_ event: RealmEvent) throws {
        try run(
            """
            INSERT INTO realm_events (realm_id, is_admin, at, kind, client_id, person_id,
                session_id, address, error, details)
            SELECT r.id, $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM realms AS r WHERE r.id = $10
            """,
            [
                .bool(event.isAdmin), .int64(event.at), .text(event.kind),
                SQLValue(event.clientID), SQLValue(event.personID), SQLValue(event.sessionID),
                SQLValue(event.address), SQLValue(event.error), SQLValue(event.details),
                .text(event.realmID),
            ]
        )
    }

    fileprivate func dropOldest(_ realmID: String, isAdmin: Bool) throws {
        try run(
            """
            DELETE FROM realm_events WHERE realm_id = $1 AND is_admin = $2 AND number < (
                SELECT number FROM realm_events WHERE realm_id = $1 AND is_admin = $2
                ORDER BY number DESC LIMIT 1 OFFSET $3)
            """,
            [.text(realmID), .bool(isAdmin), .int64(RealmEventStore.most - 1)]
        )
    }
}
