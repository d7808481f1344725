import PorticoBytes

/// A database that keeps events in the transaction of the change that they are about: both are there,
/// or neither. A change that did not happen (`.notFound`, `.conflict`) leaves none. Of a change that
/// takes several transactions, the first one keeps them.
struct NotingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let waiting: Locked<[Event]>

    init(_ database: any SQLDatabase, _ events: [Event]) {
        self.database = database
        waiting = Locked(events)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLReader) throws -> Value)
        async throws -> Value
    {
        try await database.read(body)
    }

    func scan<Value: Sendable>(_ body: @escaping @Sendable (any SQLReader) throws -> Value)
        async throws -> Value
    {
        try await database.scan(body)
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> Value)
        async throws -> Value
    {
        let events = waiting.withLock { $0 }
        let value = try await database.write { transaction in
            let value = try body(transaction)
            if Self.hasHappened(value) { for event in events { try transaction.note(event) } }
            return value
        }
        if Self.hasHappened(value) { waiting.withLock { $0 = [] } }
        return value
    }

    /// What is no outcome is no refusal either.
    private static func hasHappened(_ value: some Sendable) -> Bool {
        (value as? any StoreOutcome)?.hasHappened ?? true
    }
}

extension RealmStore {
    /// The store, whose next change keeps these events with it.
    package func noting(_ events: [Event]) -> RealmStore {
        RealmStore(NotingDatabase(database, events))
    }
}

extension PersonStore {
    /// The store, whose next change keeps the event with it.
    package func noting(_ event: Event) -> PersonStore {
        PersonStore(NotingDatabase(database, [event]))
    }
}

extension SessionStore {
    /// The store, whose next change keeps the event with it.
    package func noting(_ event: Event) -> SessionStore {
        SessionStore(NotingDatabase(database, [event]))
    }
}
