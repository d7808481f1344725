import PorticoStores
import PorticoSQLite
import Testing

@Suite("SQLite: the write probe") struct WriteProbeTests {
    @Test("each probe is a durable commit of its own, and one row is left of all")
    func write() async throws {
        let database = try SQLiteDatabase(inMemory: ())
        let probe = WriteProbeStore(database)
        for round in 1...3 {
            let before = database.commitCounts
            try await probe.write(at: Int64(round))
            #expect(database.commitCounts.commits == before.commits + 1)
            #expect(database.commitCounts.writes == before.writes + 1)
        }
        let rows = try database.read { reader in
            try reader.rows("SELECT id, written_at, length(filling) FROM write_probes", []) {
                [try $0.int64(0), try $0.int64(1), try $0.int64(2)]
            }
        }
        // As many pages as a grant and its indexes touch.
        #expect(rows == [[1, 3, 16_384]])
        try await database.close()
    }
}
