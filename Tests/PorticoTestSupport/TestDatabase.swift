import Foundation
package import PorticoBytes
package import PorticoSQLite
package import PorticoStores

/// An empty database with all stores on it. Its file, if it has one, goes with the last
/// of them.
package final class TestDatabase: Sendable {
    package let database: SQLiteDatabase
    package let realms: RealmStore
    package let people: PersonStore
    package let sessions: SessionStore
    package let grants: GrantStore
    package let logoutDeliveries: LogoutDeliveryStore
    package let pushedRequests: PushedRequestStore
    package let accounts: AccountStore
    package let mailboxes: PersonMailboxStore
    package let outbox: OutboxStore
    package let events: EventStore
    package let handles: HandleSessionStore
    package let configuration: BackendConfigurationStore
    package let writeProbe: WriteProbeStore
    /// The database file; `nil` in memory.
    package let file: String?
    private let fault = Locked<(any Error)?>(nil)

    /// From now on nothing can be written, for this reason; `nil` mends it.
    package func refuseWrites(_ error: (any Error)?) {
        fault.withLock { $0 = error }
    }

    private init(_ database: SQLiteDatabase, file: String?, isTemporary: Bool) {
        self.database = database
        self.file = file
        let kept = TemporaryDatabase(
            base: database,
            file: isTemporary ? file : nil,
            fault: fault
        )
        realms = RealmStore(kept)
        people = PersonStore(kept)
        sessions = SessionStore(kept)
        grants = GrantStore(kept)
        logoutDeliveries = LogoutDeliveryStore(kept)
        pushedRequests = PushedRequestStore(kept)
        accounts = AccountStore(kept)
        mailboxes = PersonMailboxStore(kept)
        outbox = OutboxStore(kept)
        events = EventStore(kept)
        handles = HandleSessionStore(kept)
        configuration = BackendConfigurationStore(kept)
        writeProbe = WriteProbeStore(kept)
    }

    package static func inMemory() throws -> TestDatabase {
        TestDatabase(try SQLiteDatabase(inMemory: ()), file: nil, isTemporary: false)
    }

    /// In a file in a folder of its own, with a pool of readers.
    package static func inFile() throws -> TestDatabase {
        let file = temporaryFile()
        return TestDatabase(try SQLiteDatabase(file: file), file: file, isTemporary: true)
    }

    /// A second opening of the same file: what another process would have.
    package func openedAgain() throws -> TestDatabase {
        guard let file else { throw DatabaseOpeningError.cannotOpen }
        return TestDatabase(try SQLiteDatabase(file: file), file: file, isTemporary: false)
    }

    /// A path that nothing has used, in a folder that is not there yet.
    package static func temporaryFile() -> String {
        Guardian.shared.folder
            .appending(path: "portico-test-" + RandomSource.system.text(12))
            .appending(path: "portico.sqlite").path
    }
}

/// A database whose folder goes when no store uses it any more.
private final class TemporaryDatabase: SQLDatabase {
    private let base: SQLiteDatabase
    private let file: String?
    private let fault: Locked<(any Error)?>

    init(base: SQLiteDatabase, file: String?, fault: Locked<(any Error)?>) {
        self.base = base
        self.file = file
        self.fault = fault
    }

    deinit {
        guard let file else { return }
        // `try?`: what stays behind goes at the end of the run.
        try? FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent())
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLReader) throws -> Value
    ) throws -> Value {
        try base.read(body)
    }

    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLReader) throws -> Value
    ) async throws -> Value {
        try await base.scan(body)
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        if let error = fault.withLock({ $0 }) { throw error }
        return try await base.write(body)
    }
}

extension EventStore {
    /// The latest first; of one account where one is named.
    package func latest(
        _ kinds: Set<Event.Kind>? = nil,
        of personID: String? = nil,
        limit: Int = 1000
    ) async throws -> [Event] {
        var query = EventQuery()
        query.kinds = kinds
        query.subjectID = personID
        return try await events(query, limit: limit)
    }
}

extension TestDatabase {
    /// In the realm that tests of the backend have.
    package func liveByFirstStep(cookie: Hash256, at now: Int64) async throws -> LiveSession? {
        try await sessions.liveByFirstStep(cookie: cookie, realmID: "home", at: now, idle: 1800)
    }

    package func liveByFirstStep(id: String, at now: Int64) async throws -> LiveSession? {
        try await sessions.liveByFirstStep(id: id, realmID: "home", at: now, idle: 1800)
    }
}
