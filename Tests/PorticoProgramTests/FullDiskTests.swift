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
                + EarnestServer.form(
                    TestFlow.request("shop", [("redirect_uri", Self.redirectURI)])
                )
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
        // Nobody has to ask: the server tries by itself.
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
