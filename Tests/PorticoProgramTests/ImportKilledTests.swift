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

    @Test("KC-M-1: kill -9 between two chunks leaves nothing that anyone sees")
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

@Suite("Two commands at once") struct ChangedMeanwhileTests {
    @Test("a client that is disabled while a person types its secret stays disabled")
    func disabled() async throws {
        let portico = try PorticoProcess()
        func run(_ arguments: [String]) throws -> PorticoProcess.Outcome {
            let outcome = try portico.run(arguments, input: "a secret that was chosen for a test")
            #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
            return outcome
        }
        _ = try run(["realm", "create", "acme", "--public-url", "https://id.example.com"])
        _ = try run(["client", "create", "shop", "--template", "service", "--secret-file", "-"])

        let pipe = portico.home.appending(path: "secret").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let typing = try portico.start(["client", "update", "shop", "--secret-file", pipe])
        let secret = try await Self.opened(pipe)
        _ = try run(["client", "update", "shop", "--disable-client"])
        RawPipe.write(secret, "another secret that was chosen")
        #expect(try await typing.ended() == 6)
        #expect(
            typing.stderr == """
                ✗ It was changed by another command in the meantime. (changed-meanwhile)
                  Nothing was changed. Look at it and try again.

                """
        )
        let shown = try run(["client", "show", "shop", "--json"])
        #expect(shown.stdout.contains(#""enabled":false"#))
    }

    /// The pipe's writing end, as soon as a program reads from it: then the command has looked at what
    /// it changes.
    private static func opened(_ path: String) async throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw PorticoProcess.TimedOut()
    }

    private enum RawPipe {
        static func write(_ descriptor: Int32, _ text: String) {
            let bytes = Array(text.utf8)
            _ = Foundation.write(descriptor, bytes, bytes.count)
            close(descriptor)
        }
    }
}

@Suite("--dry-run")
struct DryRunTests {
    private static let folder = ".local/share/portico/server"

    /// Names, bytes and times of everything in the data folder.
    private func contents(of portico: PorticoProcess) throws -> [String: [String]] {
        let folder = portico.home.appending(path: Self.folder)
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) {
            let file = folder.appending(path: $1)
            let attributes = try manager.attributesOfItem(atPath: file.path)
            $0[$1] = [
                try Data(contentsOf: file).base64EncodedString(),
                "\(attributes[.modificationDate] ?? "")", "\(attributes[.posixPermissions] ?? "")",
            ]
        }
    }

    @Test("nothing at all is written")
    func nothing() throws {
        let portico = try PorticoProcess()
        for arguments in [
            ["realm", "create", "acme", "--public-url", "https://id.example.com"],
            ["client", "create", "app", "--template", "cli"],
            ["user", "create", "ann", "--without-password"], ["role", "create", "editor"],
        ] {
            try portico.done(arguments)
        }
        try portico.write(#"{"realm": "other"}"#, to: "other.json")
        try portico.write("correct horse battery", to: "password")
        let before = try contents(of: portico)
        for arguments in [
            ["realm", "import", "other.json", "--public-url", "https://id.example.com"],
            ["realm", "create", "next", "--public-url", "https://id.example.com"],
            ["realm", "delete", "acme", "--confirm", "acme"],
            ["client", "create", "second", "--template", "cli"],
            ["client", "update", "app", "--name", "App"],
            ["client", "delete", "app", "--confirm", "app"],
            ["user", "create", "bob", "--without-password"],
            ["user", "update", "ann", "--given-name", "Ann"],
            ["user", "delete", "ann", "--confirm", "ann"], ["role", "create", "reader"],
            ["role", "assign", "editor", "ann"],
            ["role", "delete", "editor", "--confirm", "editor"],
            [
                "realm", "create", "moss", "--template", "keycloak", "--public-url",
                "https://id.example.com",
            ],
            ["group", "create", "staff"], ["role", "assign", "editor", "--composite", "editor"],
            ["user", "set-password", "ann", "--temporary", "--password-file", "password"],
            ["keys", "rotate"],
            [
                "provider", "add", "oidc", "--client-id", "x", "--issuer", "https://a.example",
                "--without-secret",
            ],
            [
                "client", "create", "notes", "--hand-off", "code", "--redirect-uri",
                "com.example.notes:/callback",
            ],
        ] {
            let outcome = try portico.run(arguments + ["--dry-run"])
            #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
            #expect(outcome.stderr.contains("Nothing written (dry run)."), "\(arguments)")
            #expect(try contents(of: portico) == before, "\(arguments)")
        }
        try portico.done(["role", "create", "reader"])
        #expect(try contents(of: portico) != before)
    }

    @Test("where there is no data yet, there is none afterwards")
    func nothingYet() async throws {
        let portico = try PorticoProcess()
        try portico.done("realm create acme --public-url https://id.example.com -n")
        let made = portico.home.appending(path: Self.folder).path
        #expect(!FileManager.default.fileExists(atPath: made))
    }
}

@Suite("portico realm export")
struct RealmExportCommandTests {
    @Test("a file is its owner's alone, and what was there stays until it is whole")
    func owner() throws {
        let portico = try PorticoProcess()
        let html = String(repeating: "x", count: 3_000_000)
        let realm = portico.home.appending(path: "acme.json")
        try Data(#"{"realm": "acme", "enabled": true, "displayNameHtml": "\#(html)"}"#.utf8)
            .write(to: realm)
        try portico.done(["realm", "import", realm.path])
        let file = portico.home.appending(path: "out.json")
        try Data("old".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let arguments = ["realm", "export", "acme", "--with-keys", "-o", file.path]
        let running = try portico.start(arguments, longestFile: 2_000_000)
        #expect(running.process.waitUntilExit().status == 1)
        #expect(running.stderr.contains("cannot be written"))
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        try portico.done(arguments)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("\"realm\":\"acme\""))
        let names = try FileManager.default.contentsOfDirectory(atPath: portico.home.path)
        #expect(!names.contains { $0.hasSuffix(".new") })
    }
}
