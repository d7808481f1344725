import Foundation
import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoSQLite

@Suite("SQLite: the file") struct DatabaseFileTests {
    @Test("a new database file, its log and its folder are for their owner only")
    func modes() async throws {
        let stores = try TestDatabase.inFile()
        let file = try #require(stores.file)
        _ = try await stores.realms.version()
        let folder = URL(filePath: file).deletingLastPathComponent().path
        #expect(try mode(of: folder) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 3)
        for name in names {
            #expect(try mode(of: folder + "/" + name) == 0o600, "\(name)")
        }
        _ = stores
    }

    @Test("a database file that others could read is closed to them")
    func tightened() throws {
        let file = try emptyFile()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        _ = try SQLiteDatabase(file: file)
        #expect(try mode(of: file) == 0o600)
    }

    @Test("decision 0034: commits reach the disk before anyone is told (WAL, synchronous=FULL)")
    func durability() async throws {
        let file = TestDatabase.temporaryFile()
        let database = try SQLiteDatabase(file: file)
        #expect(try await pragma("PRAGMA synchronous", of: database) == 2)
        #expect(try await pragma("PRAGMA foreign_keys", of: database) == 1)
        let mode = try database.read {
            try $0.first("PRAGMA journal_mode", []) { try $0.text(0) }
        }
        #expect(mode == "wal")
        let unsafe = try SQLiteDatabase(
            file: TestDatabase.temporaryFile(),
            durability: .unsafeOff
        )
        #expect(try await pragma("PRAGMA synchronous", of: unsafe) == 0)
    }

    @Test("what was committed is there when the file is opened again")
    func reopening() async throws {
        let notes = try await Notes()
        try await notes.add(7)
        try await notes.database.close()
        let again = try SQLiteDatabase(file: notes.file)
        let number = try again.read {
            try $0.first("SELECT number FROM notes", []) { try $0.int64(0) }
        }
        #expect(number == 7)
    }

    @Test("after a clean end one file remains, with everything in it")
    func oneFile() async throws {
        let notes = try await Notes()
        // Readers of both kinds, in use until the end.
        for number: Int64 in 1...20 {
            try await notes.add(number)
            _ = try notes.database.read { try $0.rows("SELECT 1 FROM notes", []) { _ in } }
            _ = try await notes.database.scan { try $0.rows("SELECT 1 FROM notes", []) { _ in } }
        }
        try await notes.database.close()
        let file = URL(filePath: notes.file)
        let folder = file.deletingLastPathComponent().path
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder) == [file.lastPathComponent]
        )
        let again = try SQLiteDatabase(file: notes.file)
        let count = try again.read {
            try $0.first("SELECT count(*) FROM notes", []) { try $0.int64(0) }
        }
        #expect(count == 20)
    }

    @Test("a file that is no database is refused as damaged, and left as it is")
    func garbage() throws {
        let file = try emptyFile()
        let garbage = Data(repeating: 0x41, count: 8192)
        try garbage.write(to: URL(filePath: file))
        #expect(throws: DatabaseOpeningError.corrupt) { try SQLiteDatabase(file: file) }
        #expect(try Data(contentsOf: URL(filePath: file)) == garbage)
    }

    @Test("another program's database is refused, and left as it is", arguments: [true, false])
    func foreign(_ isMarked: Bool) throws {
        let file = try emptyFile()
        do {
            let other = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
            if isMarked { try other.execute("PRAGMA application_id = 0x1234") }
            try other.execute("CREATE TABLE t (x)")
        }
        let before = try Data(contentsOf: URL(filePath: file))
        #expect(throws: DatabaseOpeningError.foreign) { try SQLiteDatabase(file: file) }
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
    }

    @Test("a database that another process holds for itself is reported as locked")
    func locked() throws {
        let file = try emptyFile()
        let other = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
        try other.execute("BEGIN EXCLUSIVE")
        #expect(throws: DatabaseOpeningError.locked) {
            try SQLiteDatabase(file: file, busyTimeout: 0.05)
        }
        try other.execute("ROLLBACK")
        _ = try SQLiteDatabase(file: file, busyTimeout: 0.05)
    }

    @Test("a writer that another process keeps from writing is told that the database is busy")
    func busy() async throws {
        let file = TestDatabase.temporaryFile()
        let database = try SQLiteDatabase(file: file, busyTimeout: 0.05)
        let other = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        await #expect(throws: StoreBusy.self) {
            try await database.write { _ = try $0.run("DELETE FROM realms", []) }
        }
        // Readers do not mind.
        #expect(try await RealmStore(database).version() == 1)
        try other.execute("ROLLBACK")
        try await database.write { _ = try $0.run("DELETE FROM realms", []) }
    }

    @Test("a writer waits for another process that is done soon")
    func waiting() async throws {
        let file = TestDatabase.temporaryFile()
        let database = try SQLiteDatabase(file: file)
        let other = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        let before = database.commitCounts.commits
        let write = Task.immediate {
            try await database.write { _ = try $0.run("DELETE FROM realms", []) }
        }
        // The writer has taken it up, and gets no further.
        try await waitUntil("the write is under way") { database.commitCounts.waiting == 0 }
        #expect(database.commitCounts.commits == before)
        try other.execute("COMMIT")
        try await write.value
        #expect(database.commitCounts.commits == before + 1)
    }

    @Test("a read cannot write, and sees one moment")
    func reading() async throws {
        let notes = try await Notes()
        try await notes.add(1)
        #expect(throws: SQLError(.readOnly, code: 8)) {
            try notes.database.read { try $0.hasRow("DELETE FROM notes RETURNING number", []) }
        }
        let other = try SQLiteConnection(path: notes.file, .writing, busyTimeout: 1)
        let counts = try notes.database.read { reader in
            try (0..<2).map { _ in
                let count = try reader.first("SELECT count(*) FROM notes", []) { try $0.int64(0) }
                try other.execute("INSERT INTO notes (number) VALUES (NULL)")
                return count
            }
        }
        #expect(counts == [1, 1])
        let after = try notes.database.read { reader in
            try reader.first("SELECT count(*) FROM notes", []) { try $0.int64(0) }
        }
        #expect(after == 3)
    }

    @Test("where SQLite makes no write-ahead log, nothing is served")
    func noWriteAheadLog() throws {
        // As on a file system without shared memory: it keeps the mode that it had.
        let connection = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
        #expect(throws: DatabaseOpeningError.noWriteAheadLog) {
            try SQLiteDatabase.turnOnWriteAheadLog(connection)
        }
    }

    @Test("a word in double quotes is a name, and a file's schema calls no functions")
    func strict() async throws {
        let database = try SQLiteDatabase(file: TestDatabase.temporaryFile())
        #expect(throws: SQLError.self) {
            try database.read { try $0.hasRow(#"SELECT "no such column""#, []) }
        }
        #expect(try await pragma("PRAGMA trusted_schema", of: database) == 0)
    }

    @Test("a folder that cannot be made, and a file that cannot be, have their errors")
    func unusable() throws {
        let file = try emptyFile()
        #expect(throws: DatabaseOpeningError.cannotCreateFolder) {
            try SQLiteDatabase(file: file + "/folder/portico.sqlite")
        }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        #expect(throws: DatabaseOpeningError.cannotOpen) { try SQLiteDatabase(file: folder) }
    }

    private func pragma(_ pragma: SQLText, of database: SQLiteDatabase) async throws -> Int64? {
        // On the writer's connection.
        try await database.write { try $0.first(pragma, []) { try $0.int64(0) } }
    }

    private func mode(of path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    private func emptyFile() throws -> String {
        let file = TestDatabase.temporaryFile()
        let folder = URL(filePath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        return file
    }
}
