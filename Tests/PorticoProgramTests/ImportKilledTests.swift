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
        let users = (0..<4000).map {
            #"{"id": "id-\#($0)", "username": "u\#($0)", "enabled": true}"#
        }
        let file =
            #"{"realm": "big", "enabled": true, "users": [\#(users.joined(separator: ","))]}"#
        try portico.write(file, to: "big.json")
        let place = ["--data-directory", "data"]
        let database = portico.home.appending(path: "data/portico.sqlite").path
        // There is a database, so that it can be looked at from the beginning.
        try portico.done(["realm", "create", "here"] + place)

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
        try portico.done(["realm", "delete", "big", "--confirm", "big"] + place)
        #expect(try await counts(database) == (people: 0, realms: 1))
    }

    @Test("KC-M-1: kill -9 while a file is written over a realm: the same again does the rest")
    func overwriteKilled() async throws {
        let portico = try PorticoProcess()
        func file(_ word: String) -> Data {
            let clients = (0..<600).map {
                #"{"clientId": "c-\#($0)", "publicClient": true, "description": "\#(word)"}"#
            }
            let users = (0..<3000).map {
                #"{"id": "id-\#($0)", "username": "u\#($0)", "firstName": "\#(word)", "enabled": true}"#
            }
            return Data(
                #"""
                {"realm": "big", "enabled": true, "clients": [\#(clients.joined(separator: ","))],
                 "users": [\#(users.joined(separator: ","))]}
                """#.utf8
            )
        }
        let place = [
            "--data-directory", "data", "--on-conflict", "overwrite", "--people", "overwrite",
        ]
        let command = ["realm", "import", "big.json"] + place
        let path = portico.home.appending(path: "big.json")
        let database = portico.home.appending(path: "data/portico.sqlite").path
        func changed(_ word: String) async throws -> Int64 {
            let database = try SQLiteDatabase(lookingAt: database)
            let count = try await database.scan { reader in
                try reader.first(
                    "SELECT count(*) FROM people WHERE given_name = $1",
                    [.text(word)]
                ) { try $0.int64(0) }
            }
            try await database.close()
            return count ?? 0
        }
        try file("zero").write(to: path)
        try portico.done(command)
        var cut = 0
        for word in ["one", "two"] {
            try file(word).write(to: path)
            let running = try portico.start(command)
            while running.process.isRunning, try await changed(word) < 700 {
                try await Task.sleep(for: .milliseconds(2))
            }
            running.process.signal(SIGKILL)
            _ = try await running.ended()
            let left = try await changed(word)
            if left > 0, left < 3000 { cut += 1 }
        }
        #expect(cut > 0)
        try portico.done(command)
        #expect(try await changed("two") == 3000)
        let again = try portico.run(command)
        #expect(again.stderr.contains("Nothing to change"), "\(again.stderr)")
    }

    @Test("A lock that cannot be taken is not said to be another import's")
    func impossible() async throws {
        let portico = try PorticoProcess()
        let place = ["--data-directory", "data"]
        try portico.done(["realm", "create", "here"] + place)
        try portico.write(#"{"realm": "a", "enabled": true}"#, to: "a.json")
        let directory = DataDirectory(path: portico.home.appending(path: "data").path)
        // Not even root opens a folder for writing.
        try FileManager.default.createDirectory(
            atPath: directory.importLock,
            withIntermediateDirectories: false
        )
        let refused = try portico.run(["realm", "import", "a.json"] + place)
        #expect(refused.status == 1 && refused.stderr.contains("cannot be written"))
        #expect(refused.stderr.contains("(data-directory)"), "\(refused.stderr)")
    }

    @Test("One import at a time goes into a folder")
    func oneAtATime() async throws {
        let portico = try PorticoProcess()
        let place = ["--data-directory", "data"]
        try portico.done(["realm", "create", "here"] + place)
        let file = #"{"realm": "a", "enabled": true}"#
        try portico.write(file, to: "a.json")
        let directory = DataDirectory(path: portico.home.appending(path: "data").path)
        let lock = try ImportLock.take(directory)
        let refused = try portico.run(["realm", "import", "a.json"] + place)
        #expect(refused.status == 6 && refused.stderr.contains("under way"))
        // A dry run writes nothing, so it may.
        try portico.done(["realm", "import", "-n", "a.json"] + place)
        withExtendedLifetime(lock) {}
    }
}
