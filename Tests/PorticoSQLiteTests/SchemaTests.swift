import Foundation
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoSQLite

@Suite("SQLite: the schema") struct SchemaTests {
    @Test("the schema is made once, and found by the next start")
    func once() async throws {
        let file = TestDatabase.temporaryFile()
        for _ in 1...2 {
            let database = try SQLiteDatabase(file: file)
            let version = try database.read {
                try $0.first("PRAGMA user_version", []) { try $0.int64(0) }
            }
            #expect(version == SQLiteSchema.version)
            try await database.close()
        }
    }

    @Test(
        "a database of another version is refused, and left as it is",
        arguments: [
            // The first had no version.
            ("PRAGMA user_version = 0", .olderSchema),
            ("PRAGMA user_version = 1000", .newerSchema),
        ] as [(StaticString, DatabaseOpeningError)]
    )
    func otherVersion(_ mark: StaticString, _ error: DatabaseOpeningError) async throws {
        let file = TestDatabase.temporaryFile()
        try await SQLiteDatabase(file: file).close()
        do {
            let other = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
            try other.execute(mark)
        }
        let before = try Data(contentsOf: URL(filePath: file))
        #expect(throws: error) { try SQLiteDatabase(file: file) }
        #expect(throws: error) { try SQLiteDatabase(writingTo: file) }
        #expect(throws: error) { try SQLiteDatabase(lookingAt: file) }
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }

    @Test("a start that was killed while it made the schema is made up for by the next")
    func killed() async throws {
        let file = TestDatabase.temporaryFile()
        try PrivateDatabaseFile.prepare(file)
        let killed = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
        try SQLiteDatabase.turnOnWriteAheadLog(killed)
        // So that pages are in the log before the commit.
        try killed.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
        try killed.execute(SQLiteSchema.tables)

        // What kill -9 leaves: nothing is rolled back.
        let left = TestDatabase.temporaryFile()
        try PrivateDatabaseFile.prepare(left)
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: file + suffix))
            #expect(!bytes.isEmpty)
            try bytes.write(to: URL(filePath: left + suffix))
        }
        try killed.execute("ROLLBACK")

        let database = try SQLiteDatabase(file: left)
        #expect(try await RealmStore(database).version() == 1)
        try await database.close()
    }

    @Test("a schema that finds no room is not made, and can be once there is some")
    func full() throws {
        let database = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
        try database.run("PRAGMA max_page_count = 20")
        #expect(throws: SQLError(.full, code: 13)) { try SQLiteSchema.make(in: database) }
        #expect(try !SQLiteSchema.isMade(in: database))
        try database.run("PRAGMA max_page_count = 1000")
        try SQLiteSchema.make(in: database)
        #expect(try SQLiteSchema.isMade(in: database))
    }

    @Test("programs that start at once on a new file make one schema")
    func concurrentStarts() async throws {
        for _ in 1...50 {
            let file = TestDatabase.temporaryFile()
            try await withThrowingTaskGroup { group in
                for _ in 1...8 {
                    group.addTask { @concurrent in
                        let database = try SQLiteDatabase(file: file)
                        _ = try database.read { try $0.hasRow("SELECT 1 FROM realms", []) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
