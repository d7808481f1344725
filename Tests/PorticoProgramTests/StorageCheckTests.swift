import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("Whether the database can be written") struct StorageCheckTests {
    private static let full = SQLError(.full, code: 13)

    private static func fail(_ database: SQLiteDatabase) async {
        await #expect(throws: Self.full) {
            try await database.write { (_: any SQLTransaction) -> Void in throw Self.full }
        }
    }

    @Test(
        "what a write has found ends with the first try that can write, and not with one that fails"
    )
    func ends() async throws {
        let log = WrittenLog(StoppedClock())
        let installation = try Installation.open(
            Settings(dataDirectory: "/nowhere"),
            missing: .pretend
        )
        let database = installation.database
        let check = StorageCheck(installation, logger: log.logger)
        try await check.retry()
        #expect(database.commitCounts.writes == 0, "nothing is tried where nothing is wrong")
        await Self.fail(database)
        #expect(check.hasTrouble)
        try await check.retry()
        #expect(!check.hasTrouble)
        #expect(log.text.matches(of: /database cannot be written/).count == 1)
        #expect(log.text.matches(of: /database can be written again/).count == 1)

        await Self.fail(database)
        try await installation.close()
        await #expect(throws: SQLError(.closed, code: 0)) { try await check.retry() }
        #expect(check.hasTrouble)
        #expect(log.text.matches(of: /database can be written again/).count == 1)
    }

    @Test("it does not end where the database can be read, and not written")
    func readable() async throws {
        let log = WrittenLog(StoppedClock())
        let installation = try Installation.open(
            Settings(dataDirectory: "/nowhere"),
            missing: .pretend
        )
        let database = installation.database
        let check = StorageCheck(installation, logger: log.logger)
        _ = try await database.write { try $0.run("DROP TABLE write_probes", []) }
        await Self.fail(database)
        await #expect(throws: SQLError.self) { try await check.retry() }
        await #expect(throws: SQLError.self) { try await check() }
        #expect(check.hasTrouble)
        #expect(!log.text.contains("database can be written again"))
        try await installation.close()
    }
}
