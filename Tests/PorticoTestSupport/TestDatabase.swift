import Foundation
import PorticoBytes
import PorticoSQL
package import PorticoSQLite
package import PorticoStores

/// An empty, migrated database with all stores on it. Its file, if it has one, goes when it goes.
package final class TestDatabase: Sendable {
    package let database: SQLiteDatabase
    package let realms: any RealmStore
    package let people: any PersonStore
    package let sessions: any BrowserSessionStore
    package let grants: any GrantStore
    package let pushedRequests: any PushedRequestStore
    /// The database file; `nil` in memory.
    package let file: String?

    private init(_ database: SQLiteDatabase, file: String?) {
        self.database = database
        self.file = file
        realms = SQLRealmStore(database)
        people = SQLPersonStore(database)
        sessions = SQLBrowserSessionStore(database)
        grants = SQLGrantStore(database)
        pushedRequests = SQLPushedRequestStore(database)
    }

    deinit {
        guard let file else { return }
        // Best effort: what stays is in the folder for temporary files.
        try? FileManager.default.removeItem(at: URL(filePath: file).deletingLastPathComponent())
    }

    package static func inMemory() throws -> TestDatabase {
        TestDatabase(try SQLiteDatabase(inMemory: ()), file: nil)
    }

    /// In a file in a folder of its own, with a pool of readers.
    package static func inFile() throws -> TestDatabase {
        let file = temporaryFile()
        return TestDatabase(try SQLiteDatabase(file: file), file: file)
    }

    /// A second opening of the same file: what another process would have.
    package func openedAgain() throws -> TestDatabase {
        guard let file else { throw DatabaseOpeningError.cannotOpen }
        return TestDatabase(try SQLiteDatabase(file: file), file: nil)
    }

    /// A path that nothing has used, in a folder that is not there yet.
    package static func temporaryFile() -> String {
        FileManager.default.temporaryDirectory
            .appending(path: "portico-test-" + RandomSource.system.text(12))
            .appending(path: "portico.sqlite").path
    }
}
