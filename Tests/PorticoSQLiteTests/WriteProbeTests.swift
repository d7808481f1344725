import PorticoBytes
import PorticoStores
import Testing

@testable import PorticoSQLite

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
                [try $0.int64(1), try $0.int64(2)]
            }
        }
        // More pages than a grant, its session and their indexes touch.
        #expect(rows == [[3, 65_536]])
        try await database.close()
    }

    @Test("it needs room that is not in use, as a redemption does")
    func room() async throws {
        let connection = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
        try SQLiteSchema.make(in: connection)
        let database = SQLiteDatabase(alone: connection)
        let probe = WriteProbeStore(database)
        // SQLite writes a row over in its place only with one of the same size, as with two times of now.
        let now: Int64 = 1_800_000_000
        try await probe.write(at: now)
        let told = Locked<[String]>([])
        database.writeTrouble.tell { error in
            told.withLock { $0.append(error?.whyUnwritable.map { "\($0)" } ?? "well") }
        }
        // No page more than there are, and those that are free go to something else.
        try connection.run("PRAGMA max_page_count = 1")
        let outbox = OutboxStore(database)
        await #expect(throws: SQLError(.full, code: 13)) {
            while true {
                try await outbox.add(
                    MailDraft(
                        id: UniqueID(random: .system),
                        to: "ann@example.com",
                        message: .wayAdded(provider: String(repeating: "x", count: 4000)),
                        language: "en",
                        createdAt: 1
                    )
                )
            }
        }
        #expect(told.withLock { $0 } == ["disk full"])
        for _ in 1...2 {
            await #expect(throws: SQLError(.full, code: 13)) { try await probe.write(at: now + 1) }
        }
        #expect(told.withLock { $0 } == ["disk full"], "it is told once")
        try connection.run("PRAGMA max_page_count = 100000")
        // A write that finds room says nothing: a probe does.
        _ = try await database.write { try $0.run("DELETE FROM mails", []) }
        #expect(database.writeTrouble.error != nil)
        try await probe.write(at: now + 2)
        database.writeTrouble.end()
        database.writeTrouble.end()
        #expect(told.withLock { $0 } == ["disk full", "well"])
        try await database.close()
    }
}
