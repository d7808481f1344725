import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// Rows that no program of ours writes: a damaged file, or a hand that edits it.
@Suite("Kept rows") struct KeptRowTests {
    @Test("an account's session that lacks what it must have is an error, and ends no process")
    func session() async throws {
        let stores = try TestDatabase.inMemory()
        let (_, _, sessionID) = try await stores.waiting()
        try await stores.database.write { transaction in
            // As if its code had been redeemed, without a refresh state.
            _ = try transaction.run("UPDATE sessions SET generation = 1", [])
        }
        await #expect(throws: SQLDecodingError.self) {
            try await stores.liveByFirstStep(id: sessionID, at: AccountExample.now)
        }
    }

    @Test("a grant that lacks a part of its refresh state is an error, and ends no process")
    func grant() async throws {
        let stores = try await StoreUnderTest.furnished()
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        for sql: SQLText in [
            "UPDATE grants SET rotated_at = NULL", "UPDATE grants SET refresh_secret = NULL",
            "UPDATE grants SET generation = 4294967296",
        ] {
            try await stores.database.write { _ = try $0.run(sql, []) }
            await #expect(throws: SQLDecodingError.self) {
                _ = try await stores.reading(Example.grant().id)
            }
        }
    }
}
