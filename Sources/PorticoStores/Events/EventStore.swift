import PorticoBytes
import PorticoProtocol

/// Which events are looked for. What is `nil` does not matter.
package struct EventQuery: Hashable, Sendable {
    /// Behind this number.
    package var after: Int64?
    package var realmID: String?
    package var subjectID: String?
    /// Any of these.
    package var kinds: Set<Event.Kind>?
    /// Whether administrators did it.
    package var isAdministration: Bool?
    /// The id of the administrator.
    package var actorID: String?
    package var clientID: String?
    package var address: String?
    /// Milliseconds since 1970, inclusive.
    package var from: Int64?
    /// Milliseconds since 1970, exclusive.
    package var to: Int64?
    package var isOldestFirst = false

    package init() {}
}

/// How often events of a kind happened in a realm, to a client, for a reason.
package struct EventCount: Hashable, Sendable {
    /// Its name.
    package let realm: String?
    package let kind: Event.Kind
    package let clientID: String?
    package let reason: String?
    package let count: Int64
    /// Of the latest; milliseconds since 1970.
    package let lastAt: Int64
}

/// Keeps the audit trail, in the order of events.
package struct EventStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps events in their order. Their numbers are ignored: the store gives the next ones. Of a realm
    /// that is gone by now, only what administrators did is kept.
    package func note(_ events: [Event]) async throws {
        try await database.write { transaction in
            for event in events { try transaction.note(event) }
        }
    }

    /// The latest first, unless the query says otherwise.
    ///
    /// - Parameter first: How many are passed over.
    package func events(_ query: EventQuery, first: Int = 0, limit: Int) async throws -> [Event] {
        let arguments =
            query.arguments + [.int64(Int64(max(0, limit))), .int64(Int64(max(0, first)))]
        return try await database.scan { reader in
            try reader.rows(query.statement, arguments, decode: Event.init)
        }
    }

    /// Counts by realm, kind, client and reason.
    package func counts(_ query: EventQuery) async throws -> [EventCount] {
        try await database.scan { reader in
            try reader.rows(Statement.counts, query.arguments, decode: EventCount.init)
        }
    }

    /// Removes what people and clients of a realm did, and notes who removed it. What administrators did
    /// stays.
    package func clear(realmID: String, noting event: Event) async throws {
        // First, so that the latest event stays, and no number is given twice.
        try await note([event])
        try await remove(Statement.ofPeople, [.text(realmID), .int64(.max)])
    }

    /// How long events are kept, and how many of each realm.
    package enum Bound {
        package static let days: Int64 = 400
        /// Of what strangers can cause.
        package static let daysOfStrangers: Int64 = 30
        package static let ofStrangers: Int64 = 10_000
        package static let ofPeople: Int64 = 100_000
        package static let ofAdministrators: Int64 = 100_000
    }

    /// Removes what is too old, by a realm's own policy as well, what is too much, and what realms leave
    /// that are gone. The latest of all stays, so that no number is given twice.
    ///
    /// - Parameter now: Seconds since 1970.
    package func purge(at now: Int64) async throws {
        try await remove(
            Statement.old,
            [
                .int64(Event.milliseconds(now - Bound.days * 86_400)),
                .int64(Event.milliseconds(now - Bound.daysOfStrangers * 86_400)),
            ]
        )
        try await remove(Statement.orphans, [])
        for realm in try await database.scan({ try $0.realmsWithEvents() }) {
            if let start = realm.events.start(at: now) {
                try await remove(Statement.ofPeople, [.text(realm.id), .int64(start)])
            }
            for (origin, most) in [
                (Event.Origin.anyone, Bound.ofStrangers), (.person, Bound.ofPeople),
                (.account, Bound.ofPeople),
                (.administrator, Bound.ofAdministrators),
            ] {
                try await remove(
                    Statement.tooMany,
                    [.text(realm.id), .text(origin.rawValue), .int64(most)]
                )
            }
        }
    }

    /// - Parameter find: The numbers of at most 200 rows behind the number that is its last argument.
    private func remove(_ find: SQLText, _ arguments: [SQLValue]) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(find, arguments + [cursor ?? .int64(.min)]) {
                SQLValue.int64(try $0.int64(0))
            }
        } removing: { transaction, number in
            try transaction.run("DELETE FROM events WHERE number = $1", [number])
        }
    }
}

extension RealmStore {
    /// What happened.
    package var events: EventStore { EventStore(database) }
}

extension Realm.EventPolicy {
    /// Events of people and clients from before are over; milliseconds since 1970.
    ///
    /// - Parameter now: Seconds since 1970.
    package func start(at now: Int64) -> Int64? {
        guard let lifetime, lifetime > 0, lifetime <= now else { return nil }
        return Event.milliseconds(now - lifetime)
    }
}

extension EventQuery {
    fileprivate var statement: SQLText {
        switch (subjectID != nil, realmID != nil, isOldestFirst) {
        case (true, _, false): Statement.latestOfSubject
        case (true, _, true): Statement.oldestOfSubject
        case (_, true, false): Statement.latestOfRealm
        case (_, true, true): Statement.oldestOfRealm
        case (_, _, false): Statement.latest
        case (_, _, true): Statement.oldest
        }
    }

    fileprivate var arguments: [SQLValue] {
        let kinds = kinds.map { "," + $0.map(\.rawValue).sorted().joined(separator: ",") + "," }
        return [
            SQLValue(subjectID), SQLValue(realmID), .int64(after ?? .min), SQLValue(kinds),
            isAdministration.map(SQLValue.bool) ?? .null, SQLValue(actorID), SQLValue(clientID),
            SQLValue(address), SQLValue(from), SQLValue(to),
        ]
    }
}

private enum EventColumn: Int, SQLColumns {
    case kind, at, realmID, actorKind, actorID, subjectID, clientID, provider, sessionID, device
    case address, reason, details, before, after
}

private enum Statement {
    static let insert: SQLText = """
        INSERT INTO events (\(EventColumn.self), origin)
        SELECT \(valuesOf: EventColumn.self), $16
        WHERE $3 IS NULL OR $16 = 'administrator' OR EXISTS (SELECT 1 FROM realms WHERE id = $3)
        """

    private static let wanted: SQLText = """
        e.number > $3 AND ($4 IS NULL OR instr($4, ',' || e.kind || ',') > 0)
        AND ($5 IS NULL OR (e.origin = 'administrator') = $5)
        AND ($6 IS NULL OR e.actor_id = $6) AND ($7 IS NULL OR e.client_id = $7)
        AND ($8 IS NULL OR e.address = $8) AND ($9 IS NULL OR e.at >= $9)
        AND ($10 IS NULL OR e.at < $10)
        """

    private static let columns: SQLText = """
        SELECT \(EventColumn.self, of: "e"), e.number, r.name
        FROM events AS e LEFT JOIN realms AS r ON r.id = e.realm_id
        """

    // An index serves each of the first two; the order of its rows is that of the numbers.
    private static let ofSubject: SQLText =
        "\(columns) WHERE e.subject_id = $1 AND ($2 IS NULL OR e.realm_id = $2) AND \(wanted)"
    private static let ofRealm: SQLText =
        "\(columns) WHERE ($1 IS NULL OR e.subject_id = $1) AND e.realm_id = $2 AND \(wanted)"
    private static let ofAll: SQLText = """
        \(columns) WHERE ($1 IS NULL OR e.subject_id = $1)
        AND ($2 IS NULL OR e.realm_id = $2) AND \(wanted)
        """
    private static let latestFirst: SQLText = "ORDER BY e.number DESC LIMIT $11 OFFSET $12"
    private static let oldestFirst: SQLText = "ORDER BY e.number LIMIT $11 OFFSET $12"

    static let latestOfSubject: SQLText = "\(ofSubject) \(latestFirst)"
    static let oldestOfSubject: SQLText = "\(ofSubject) \(oldestFirst)"
    static let latestOfRealm: SQLText = "\(ofRealm) \(latestFirst)"
    static let oldestOfRealm: SQLText = "\(ofRealm) \(oldestFirst)"
    static let latest: SQLText = "\(ofAll) \(latestFirst)"
    static let oldest: SQLText = "\(ofAll) \(oldestFirst)"

    static let counts: SQLText = """
        SELECT r.name, e.kind, e.client_id, e.reason, COUNT(*), MAX(e.at)
        FROM events AS e LEFT JOIN realms AS r ON r.id = e.realm_id
        WHERE ($1 IS NULL OR e.subject_id = $1) AND ($2 IS NULL OR e.realm_id = $2) AND \(wanted)
        GROUP BY e.realm_id, r.name, e.kind, e.client_id, e.reason
        ORDER BY r.name, e.kind, e.client_id, e.reason
        """

    // A database gives the number behind the greatest one that is there.
    private static let butTheLatest: SQLText =
        "number < (SELECT MAX(number) FROM events) ORDER BY number LIMIT 200"

    static let old: SQLText = """
        SELECT number FROM events
        WHERE (at < $1 OR (at < $2 AND origin = 'anyone')) AND number > $3 AND \(butTheLatest)
        """

    static let orphans: SQLText = """
        SELECT number FROM events AS e
        WHERE realm_id IS NOT NULL AND origin <> 'administrator' AND number > $1
            AND NOT EXISTS (SELECT 1 FROM realms AS r WHERE r.id = e.realm_id)
            AND \(butTheLatest)
        """

    static let ofPeople: SQLText = """
        SELECT number FROM events
        WHERE realm_id = $1 AND origin <> 'administrator' AND at < $2 AND number > $3
            AND \(butTheLatest)
        """

    static let tooMany: SQLText = """
        SELECT number FROM events
        WHERE realm_id = $1 AND origin = $2 AND number <= (
                SELECT number FROM events WHERE realm_id = $1 AND origin = $2
                ORDER BY number DESC LIMIT 1 OFFSET $3)
            AND number > $4 AND \(butTheLatest)
        """
}

extension SQLReader {
    fileprivate func realm(ofPerson id: String) throws -> String? {
        try first("SELECT realm_id FROM people WHERE id = $1", [.text(id)]) { try $0.text(0) }
    }

    fileprivate func realmsWithEvents() throws -> [Realm] {
        try rows(
            """
            SELECT r.id, r.name, r.issuer, r.settings FROM realms AS r
            WHERE EXISTS (SELECT 1 FROM events AS e WHERE e.realm_id = r.id)
            """,
            [],
            decode: Realm.init(row:)
        )
    }
}

extension SQLTransaction {
    /// - Parameter event: Its number is ignored: the database gives the next one.
    func note(_ event: Event) throws {
        let actor: (kind: String?, id: String?) =
            switch event.actor {
            case nil: (nil, nil)
            case .person(let id): ("person", id)
            case .client(let id): ("client", id)
            case .commandLine: ("command_line", nil)
            }
        // Before a person is deleted, their row says it.
        let realmID =
            try event.realmID
            ?? (event.origin == .account ? event.subjectID.flatMap(realm(ofPerson:)) : nil)
        try run(
            Statement.insert,
            [
                .text(event.kind.rawValue), .int64(event.at), SQLValue(realmID),
                SQLValue(actor.kind), SQLValue(actor.id), SQLValue(event.subjectID),
                SQLValue(event.clientID), SQLValue(event.provider), SQLValue(event.sessionID),
                SQLValue(event.device), SQLValue(event.address), SQLValue(event.reason),
                event.details.isEmpty ? .null : SQLValue(event.details),
                event.before.map(SQLValue.init) ?? .null, event.after.map(SQLValue.init) ?? .null,
                .text(event.origin.rawValue),
            ]
        )
    }

    /// Notes an event with what is known of a session: person, provider, app, device and address.
    ///
    /// - Parameter provider: That the event is about; `nil`: the session's.
    func note(
        _ kind: Event.Kind,
        ofSession id: String,
        provider: String? = nil,
        reason: String? = nil,
        at now: Int64
    ) throws {
        let event = try first(
            """
            SELECT s.person_id, i.provider, s.app, s.device, s.address
            FROM sessions AS s
            LEFT JOIN identities AS i ON i.person_id = s.person_id AND i.issuer = s.issuer
                AND i.subject = s.subject
            WHERE s.id = $1
            """,
            [.text(id)]
        ) { row in
            var event = Event(kind, of: try row.text(0), at: now)
            event.provider = try provider ?? row.optionalText(1)
            event.clientID = try row.optionalText(2)
            event.device = try row.optionalText(3)
            event.address = try row.optionalText(4)
            event.reason = reason
            return event
        }
        if let event { try note(event) }
    }
}

extension Event {
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: EventColumn) -> Int { column.rawValue }
        func object(_ column: EventColumn) throws -> JSONObject? {
            try row.optionalText(at(column)) == nil ? nil : row.document(at(column))
        }
        self.init(
            try Kind(row, at(.kind)),
            at: try row.int64(at(.at)),
            realmID: try row.optionalText(at(.realmID))
        )
        let actorID = try row.optionalText(at(.actorID))
        switch (try row.optionalText(at(.actorKind)), actorID) {
        case ("person"?, let id?): actor = .person(id)
        case ("client"?, let id?): actor = .client(id)
        case (nil, _): actor = nil
        default: actor = .commandLine
        }
        subjectID = try row.optionalText(at(.subjectID))
        clientID = try row.optionalText(at(.clientID))
        provider = try row.optionalText(at(.provider))
        sessionID = try row.optionalText(at(.sessionID))
        device = try row.optionalText(at(.device))
        address = try row.optionalText(at(.address))
        reason = try row.optionalText(at(.reason))
        details = try object(.details) ?? [:]
        before = try object(.before)
        after = try object(.after)
        number = try row.int64(EventColumn.count)
        realm = try row.optionalText(EventColumn.count + 1)
    }
}

extension EventCount {
    fileprivate init(_ row: any SQLRow) throws {
        self.init(
            realm: try row.optionalText(0),
            kind: try Event.Kind(row, 1),
            clientID: try row.optionalText(2),
            reason: try row.optionalText(3),
            count: try row.int64(4),
            lastAt: try row.int64(5)
        )
    }
}

extension Event.Kind {
    fileprivate init(_ row: any SQLRow, _ column: Int) throws {
        guard let kind = Self(rawValue: try row.text(column)) else {
            throw SQLDecodingError.outOfRange(column: column)
        }
        self = kind
    }
}
