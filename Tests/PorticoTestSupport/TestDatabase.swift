import Foundation
import PorticoBytes
import PorticoSQL
package import PorticoSQLite
package import PorticoStores

/// An empty, migrated database with all stores on it. Its file, if it has one, goes with the last
/// of them.
package final class TestDatabase: Sendable {
    package let database: SQLiteDatabase
    package let realms: any RealmStore
    package let people: any PersonStore
    package let sessions: any BrowserSessionStore
    package let grants: any GrantStore
    package let logoutDeliveries: any LogoutDeliveryStore
    package let pushedRequests: any PushedRequestStore
    package let accounts: any AccountStore
    package let mailboxes: any PersonMailboxStore
    package let outbox: any OutboxStore
    package let audit: any AuditStore
    package let configuration: any BackendConfigurationStore
    package let writeProbe: any WriteProbeStore
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
        realms = SQLRealmStore(kept)
        people = SQLPersonStore(kept)
        sessions = SQLBrowserSessionStore(kept)
        grants = SQLGrantStore(kept)
        logoutDeliveries = SQLLogoutDeliveryStore(kept)
        pushedRequests = SQLPushedRequestStore(kept)
        accounts = SQLAccountStore(kept)
        mailboxes = SQLPersonMailboxStore(kept)
        outbox = SQLOutboxStore(kept)
        audit = SQLAuditStore(kept)
        configuration = SQLBackendConfigurationStore(kept)
        writeProbe = SQLWriteProbeStore(kept)
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
