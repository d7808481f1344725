import Foundation
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("An import that is killed") struct ImportKilledTests {
    /// How many people of whatever realm are in the database, and how many realms.
    private func counts(_ file: String) async throws -> (people: Int64, realms: Int64) {
        let database = try SQLiteDatabase(lookingAt: file)
        let counts = try await database.scan { reader in
            let people = try reader.first("SELECT count(*) FROM people", []) { try $0.int64(0) }
            let realms = try reader.first("SELECT count(*) FROM realms", []) { try $0.int64(0) }
            return (people ?? 0, realms ?? 0)
        }
        try await database.close()
        return counts
    }

    @Test(
        "KC-M-1: kill -9 between two chunks leaves nothing that anyone sees"
    )
    func killed() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let users = (0..<4000).map {
            #"{"id": "id-\#($0)", "username": "u\#($0)", "enabled": true}"#
        }
        let file =
            #"{"realm": "big", "enabled": true, "users": [\#(users.joined(separator: ","))]}"#
        try Data(file.utf8).write(to: portico.home.appending(path: "big.json"))
        let place = ["--data-directory", "data"]
        let database = portico.home.appending(path: "data/portico.sqlite").path
        // There is a database, so that it can be looked at from the beginning.
        #expect(try portico.run(["realm", "create", "here"] + place).status == 0)

        var cut = 0
        for round in 1...3 {
            let running = try portico.start(["realm", "import", "big.json"] + place)
            while running.process.isRunning, try await counts(database).people < round * 700 {
                try await Task.sleep(for: .milliseconds(2))
            }
            running.process.signal(SIGKILL)
            _ = try await running.ended()
            let left = try await counts(database)
            if left.people > 0, left.people < 4000 { cut += 1 }
            #expect(try portico.run(["realm", "list", "--plain"] + place).stdout.contains("here"))
            for command in [["realm", "list"], ["client", "list", "--realm", "here"], ["doctor"]] {
                let said = try portico.run(command + place)
                #expect(!(said.stdout + said.stderr).contains("~"), "\(command)")
                #expect(!said.stdout.contains("big"), "\(command)")
            }
        }
        #expect(cut > 0)
        let done = try portico.run(["realm", "import", "big.json"] + place)
        #expect(done.status == 0, "\(done.stderr)")
        #expect(try await counts(database) == (people: 4000, realms: 2))
        let deleted = try portico.run(["realm", "delete", "big", "--confirm", "big"] + place)
        #expect(deleted.status == 0)
        #expect(try await counts(database) == (people: 0, realms: 1))
    }

    @Test("One import at a time goes into a folder")
    func oneAtATime() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let place = ["--data-directory", "data"]
        #expect(try portico.run(["realm", "create", "here"] + place).status == 0)
        let file = #"{"realm": "a", "enabled": true}"#
        try Data(file.utf8).write(to: portico.home.appending(path: "a.json"))
        let directory = DataDirectory(path: portico.home.appending(path: "data").path)
        let lock = try ImportLock.take(directory)
        let refused = try portico.run(["realm", "import", "a.json"] + place)
        #expect(refused.status == 6 && refused.stderr.contains("under way"))
        // A dry run writes nothing, so it may.
        #expect(try portico.run(["realm", "import", "-n", "a.json"] + place).status == 0)
        withExtendedLifetime(lock) {}
    }
}
