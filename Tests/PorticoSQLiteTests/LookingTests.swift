import Foundation
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoSQLite

@Suite("SQLite: looking at a database without touching it") struct LookingTests {
    private struct Seen: Equatable {
        let bytes: Data
        let changed: Date?
    }

    /// Every file beside the database, and itself; the shared memory of those who have it open is no
    /// part of it.
    private func folder(of file: String) throws -> [String: Seen] {
        let folder = URL(filePath: file).deletingLastPathComponent()
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) {
            let path = folder.appending(path: $1).path
            guard !path.hasSuffix("-shm") else { return $0[$1] = Seen(bytes: Data(), changed: nil) }
            $0[$1] = Seen(
                bytes: try Data(contentsOf: URL(filePath: path)),
                changed: try manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
            )
        }
    }

    private let realm = Realm(id: "1", name: "a", displayName: "A", issuer: "https://a.example/a")

    private func look(at file: String) async throws -> [String] {
        let database = try SQLiteDatabase(lookingAt: file)
        let names = try await RealmStore(database).snapshot().realms.map(\.name)
        _ = try await RealmStore(database).version()
        try await database.close()
        return names
    }

    @Test("a database that no one has open is read, and nothing is left beside it")
    func closed() async throws {
        let file = TestDatabase.temporaryFile()
        let database = try SQLiteDatabase(file: file)
        _ = try await RealmStore(database).create(NewRealm(realm: realm, keys: []))
        try await database.close()
        let before = try folder(of: file)
        #expect(before.count == 1)
        #expect(try await look(at: file) == ["a"])
        #expect(try folder(of: file) == before)
    }

    @Test("a path with characters that an address escapes is the same path")
    func path() async throws {
        let file = TestDatabase.temporaryFile() + "?mode=memory#x%41 ä/portico.sqlite"
        let database = try SQLiteDatabase(file: file)
        _ = try await RealmStore(database).create(NewRealm(realm: realm, keys: []))
        try await database.close()
        #expect(try await look(at: file) == ["a"])
    }

    @Test("one that a server has open is read with what it has written last")
    func open() async throws {
        let file = TestDatabase.temporaryFile()
        let database = try SQLiteDatabase(file: file)
        _ = try await RealmStore(database).create(NewRealm(realm: realm, keys: []))
        let before = try folder(of: file)
        #expect(before.count == 3)
        #expect(try await look(at: file) == ["a"])
        #expect(try folder(of: file) == before)
        try await database.close()
    }

    @Test("a file that no schema was made in yet is seen as an empty database, and stays as it is")
    func new() async throws {
        let file = TestDatabase.temporaryFile()
        try PrivateDatabaseFile.prepare(file)
        let before = try folder(of: file)
        #expect(try await look(at: file) == [])
        #expect(try folder(of: file) == before)
    }

    @Test("nothing can be written by it")
    func refusesWrites() async throws {
        let file = TestDatabase.temporaryFile()
        try await SQLiteDatabase(file: file).close()
        let before = try folder(of: file)
        let database = try SQLiteDatabase(lookingAt: file)
        await #expect(throws: (any Error).self) {
            try await database.write { _ = try $0.run("DELETE FROM realms", []) }
        }
        try await database.close()
        #expect(try folder(of: file) == before)
    }

    @Test("another program's database is refused as ever")
    func refused() throws {
        let file = TestDatabase.temporaryFile()
        try PrivateDatabaseFile.prepare(file)
        do {
            let other = try SQLiteConnection(path: file, .writing, busyTimeout: 0)
            try other.execute("CREATE TABLE t (x)")
        }
        #expect(throws: DatabaseOpeningError.foreign) { try SQLiteDatabase(lookingAt: file) }
    }
}
