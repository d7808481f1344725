import Foundation
import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram
@testable import PorticoSQLite

@Suite("A disk that is full") struct FullDiskTests {
    private static let file = ".local/share/portico/server/portico.sqlite"

    /// Fills the log of the database beyond what the server may write, as another program fills a disk.
    private static func fill(_ portico: PorticoProcess) async throws {
        let database = try SQLiteDatabase(file: portico.home.appending(path: file).path)
        try await OutboxStore(database).add(
            MailDraft(
                id: UniqueID(random: .system),
                to: "ann@example.com",
                message: .wayAdded(provider: String(repeating: "x", count: 2_500_000)),
                language: "en",
                createdAt: 4_000_000_000
            )
        )
        try await database.close()
    }

    /// Gives the room back.
    private static func clear(_ portico: PorticoProcess) async throws {
        let path = portico.home.appending(path: file).path
        let database = try SQLiteDatabase(file: path)
        _ = try await database.write { try $0.run("DELETE FROM mails", []) }
        try await database.close()
        let connection = try SQLiteConnection(path: path, .writing, busyTimeout: 5)
        var isBusy: Int64 = 1
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = try $0.int64(0) }
        #expect(isBusy == 0)
    }

    @Test(
        "a database that cannot be opened on a full disk is said to lack room",
        arguments: [.cannotOpen, .other(code: 13)] as [DatabaseOpeningError]
    )
    func opening(error: DatabaseOpeningError) {
        let directory = DataDirectory(path: "/srv/portico")
        let full = Failure(opening: directory, error, DiskRoom(free: 0))
        #expect(
            full.advice == [
                "The disk is full: 0 bytes free.", "Make room on the disk of /srv/portico",
            ]
        )
        #expect(full.problem == .database)
        for room in [DiskRoom(free: 1_000_000_000), nil] {
            let other = Failure(opening: directory, error, room)
            #expect(other.advice.first == error.description)
        }
        let damaged = Failure(opening: directory, .corrupt, DiskRoom(free: 0))
        #expect(damaged.advice.first == DatabaseOpeningError.corrupt.description)
    }

    @Test("a database of another version is refused with what to do about it, full disk or not")
    func otherVersion() {
        let directory = DataDirectory(path: "/srv/portico")
        for (error, advice) in [
            (DatabaseOpeningError.olderSchema, "portico realm export"),
            (.newerSchema, "Install that version"),
        ] {
            let failure = Failure(opening: directory, error, DiskRoom(free: 0))
            #expect(failure.advice.first == error.description)
            #expect(failure.advice.contains { $0.contains(advice) })
        }
    }

    private static let redirectURI = "https://a.example/cb"
    private static let secret = "a secret that was chosen for a test"

    @Test(
        "readiness is told where what must last can be written, is not where it cannot, and is again"
    )
    func readiness() async throws {
        let portico = try PorticoProcess()
        let server = try await EarnestServer(in: portico, longestFile: 2_000_000)
        try await server.makeRealm(
            client: [
                "--template", "web", "--redirect-uri", Self.redirectURI, "--secret-file", "-",
            ],
            secret: Self.secret
        )
        #expect(try await server.request("GET", "/readyz").status == 200)
        try await server.wait { try await Self.push(server) == 201 }
        try await Self.fill(portico)
        // At once, although what was found out before holds for a second.
        #expect(try await Self.push(server) == 503)
        #expect(try await server.request("GET", "/readyz").status == 503)
        for _ in 1...3 { #expect(try await Self.push(server) == 503) }
        #expect(try await server.request("GET", "/healthz").status == 200)
        // People read it, too.
        let page = try await server.request(
            "GET",
            "/realms/acme/protocol/openid-connect/auth?"
                + EarnestServer.form(TestFlow.request("shop", [("redirect_uri", Self.redirectURI)]))
        )
        #expect(page.status == 200, "nothing is written for the sign-in page")
        // The log has it once, in words.
        let log = server.running.stderr
        #expect(
            log.matches(of: /message="database cannot be written" logger=\S+ why="/).count == 1,
            "\(log)"
        )
        #expect(!log.contains("unexpected error"))
        // A command that does what a redemption does finds it.
        let doctor = try portico.run(["doctor", "--offline"], longestFile: 2_000_000)
        #expect(doctor.status == 10)
        #expect(
            doctor.stdout.contains(/✗ disk +the database cannot be written/),
            "\(doctor.stdout)"
        )
        // A secret that was shown and is not in use is called that.
        let update = ["client", "update", "shop", "--new-secret"]
        let refused = try portico.run(update, longestFile: 2_000_000)
        #expect(refused.status == 1 && refused.stderr.contains("the old secret stays"))
        #expect(try portico.run(["doctor", "--offline"]).stdout.contains(/✓ disk|! disk/))
        // No one has to ask: the server tries by itself.
        try await Self.clear(portico)
        _ = try await server.running.wait(forErrors: /message="database can be written again"/)
        try await server.wait { try await server.request("GET", "/readyz").status == 200 }
        #expect(try await Self.push(server) == 201)
    }

    /// The status of a pushed request: it is kept, as a redemption is.
    private static func push(_ server: EarnestServer) async throws -> Int? {
        let basic = Data("shop:\(secret)".utf8).base64EncodedString()
        return try await server.request(
            "POST",
            "/realms/acme/protocol/openid-connect/ext/par/request",
            ["Authorization: Basic \(basic)"],
            body: EarnestServer.form(TestFlow.request("shop", [("redirect_uri", redirectURI)]))
        ).status
    }
}

/// `/dev/full` takes nothing, as a file on a disk that is full.
@Suite("What cannot be written to stdout") struct FullOutputTests {
    private static func realm() throws -> PorticoProcess {
        let portico = try PorticoProcess()
        let make = ["realm", "create", "acme", "--public-url", "https://id.example.com"]
        try portico.done(make)
        return portico
    }

    private static let web = ["--template", "web", "--redirect-uri", "https://a.example/cb"]

    @Test(
        "a client whose secret could not be shown is not made",
        arguments: [[], ["--json"], ["--for", "grafana", "--url", "https://g.example.com"]]
    )
    func create(_ form: [String]) throws {
        let portico = try Self.realm()
        let create = ["client", "create", "notes"]
        let arguments = create + (form.first == "--for" ? form : Self.web + form)
        let failed = try portico.run(arguments, output: "/dev/full")
        #expect(failed.status == 1)
        #expect(failed.stderr.contains("stdout cannot be written: No space left on device."))
        #expect(failed.stderr.contains("(output)"))
        #expect(failed.stderr.contains("Nothing was made."))
        #expect(!failed.stderr.contains("✓ Created"))
        #expect(try portico.run(["client", "show", "notes"]).status == 1, "there is none")
        let made = try portico.run(arguments)
        #expect(made.status == 0 && !made.stdout.isEmpty, "\(made.stderr)")
    }

    @Test("a client keeps its secret where a new one could not be shown")
    func update() throws {
        let portico = try Self.realm()
        try portico.done(["client", "create", "notes"] + Self.web)
        let before = try portico.run(["realm", "export", "acme", "--with-keys"]).stdout
        let update = ["client", "update", "notes", "--new-secret"]
        let failed = try portico.run(update, output: "/dev/full")
        #expect(failed.status == 1)
        #expect(failed.stderr.contains("Nothing was changed: the secret is not in use."))
        #expect(!failed.stderr.contains("✓"))
        // Whatever else could have changed, too: nothing was written.
        let shown = try portico.run(["client", "show", "notes", "--json"]).stdout
        #expect(shown.contains(#""has_secret":true"#))
        #expect(try portico.run(["realm", "export", "acme", "--with-keys"]).stdout == before)
        let done = try portico.run(update)
        #expect(done.status == 0 && done.stdout.count > 40)
    }

    @Test(
        "every command that reads says so and fails, in each form",
        arguments: [
            ["realm", "list"], ["realm", "list", "--json"], ["realm", "list", "--plain"],
            ["realm", "show", "acme"], ["realm", "show", "acme", "--json"],
            ["realm", "show", "acme", "--plain"],
            ["client", "list"], ["client", "products"], ["client", "products", "--json"],
            ["client", "products", "--markdown"], ["user", "list", "--json"], ["keys", "list"],
            ["config", "show"], ["config", "show", "--json"], ["doctor", "--offline"],
            ["doctor", "--offline", "--json"], ["events", "--count"],
            ["realm", "export", "acme"], ["whoami"], ["token"], ["--help"], ["--version"],
            ["keys", "rotate"], ["user", "create", "eve", "--password-file", "-"],
            ["group", "create", "staff"],
            ["realm", "create", "other", "--public-url", "https://id.example.com"],
        ]
    )
    func reading(_ arguments: [String]) throws {
        let portico = try Self.realm()
        let client = ["client", "create", "notes", "--template", "cli"]
        try portico.done(client)
        let failed = try portico.run(arguments, input: EarnestServer.password, output: "/dev/full")
        if ["whoami", "token"].contains(arguments[0]) {
            #expect(failed.status == 3, "no one is signed in")
            return
        }
        #expect(failed.status == 1, "\(failed.stderr)")
        #expect(failed.stderr.contains("stdout cannot be written"), "\(failed.stderr)")
    }

    @Test("a server that cannot say where it listens says that it runs on")
    func serve() async throws {
        let portico = try PorticoProcess()
        let serve = ["serve", "--listen", "127.0.0.1:0"]
        let running = try portico.start(serve, output: "/dev/full")
        let line = try await running.wait(forErrors: /! stdout cannot be written.*\n/)
        #expect(line.hasSuffix("The server runs on.\n"), "\(line)")
        #expect(running.process.isRunning)
    }
}
