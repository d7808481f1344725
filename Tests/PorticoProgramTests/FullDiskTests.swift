import Foundation
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

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

    private static let redirectURI = "https://a.example/cb"
    private static let secret = "a secret that was chosen for a test"

    @Test("readiness is told where what must last can be written, and is not where it cannot")
    func readiness() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let server = try await EarnestServer(in: portico, longestFile: 2_000_000)
        defer { server.running.process.terminate() }
        try await server.makeRealm(
            client: [
                "--template", "web", "--redirect-uri", Self.redirectURI, "--secret-file", "-",
            ],
            secret: Self.secret
        )
        #expect(try await server.request("GET", "/readyz").status == 200)
        try await server.wait { try await Self.push(server) == 201 }
        try await Self.fill(portico)
        // What was found out holds for a second.
        try await server.wait { try await server.request("GET", "/readyz").status == 503 }
        #expect(try await Self.push(server) == 500)
        #expect(try await server.request("GET", "/healthz").status == 200)
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
