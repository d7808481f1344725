import Foundation
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("serve, and providers that cannot be used") struct UnusableProviderTests {
    private static let file = ".local/share/portico/server/portico.sqlite"

    @Test("each is named in the log when the server starts, and offered to no one")
    func named() async throws {
        let portico = try PorticoProcess()
        func add(_ arguments: [String], _ secret: String) throws {
            try portico.done(
                ["provider", "add"] + arguments + ["--secret-file", "-"],
                input: secret
            )
        }
        try add(["google", "--client-id", "ours"], "a secret\n")
        try add(["facebook", "--client-id", "ours"], "a secret\n")
        // Apple takes no address without a domain name, and ours is one on loopback.
        try add(
            ["apple", "--client-id", "ours", "--team-id", "ABCDE12345", "--key-id", "KEY1234567"],
            DoctorTests.appleKey
        )
        let database = try SQLiteDatabase(file: portico.home.appending(path: Self.file).path)
        let store = BackendConfigurationStore(database)
        for var record in try await store.configuration().providers where record.name == "facebook"
        {
            record.sealedSecret = "AAAA"
            try await store.put(record)
        }
        try await database.close()
        let server = try await EarnestServer(in: portico)
        for name in ["apple", "facebook"] {
            // The log is written beside what says that it listens.
            try await server.wait { server.running.stderr.contains("provider=\(name)") }
        }
        #expect(!server.running.stderr.contains("provider=google"))
        let page = try await server.request("GET", "/login")
        #expect(page.body.contains("/v1/auth/google"))
        #expect(!page.body.contains("/v1/auth/apple"))
        #expect(!page.body.contains("/v1/auth/facebook"))
    }
}
