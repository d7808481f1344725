/// Finds out whether what has to last can be written.
package struct WriteProbeStore: Sendable {
    let database: any SQLDatabase

    /// In bytes: more than the pages that a grant, its session and their indexes touch.
    private static let filling = 64 * 1024

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Writes, durably, a new row of no smaller size than what the redemption of a code writes; the row
    /// of before goes in the same step. Like a redemption it needs room that is not in use: a row that
    /// was written over would find its own room.
    ///
    /// - Throws: What a redemption would fail with now: that the disk is full, for instance.
    package func write(at now: Int64) async throws {
        try await database.change { transaction in
            let id = try transaction.first(
                "INSERT INTO write_probes (written_at, filling) VALUES ($1, $2) RETURNING id",
                [.int64(now), .bytes(Array(repeating: 0, count: Self.filling))]
            ) { try $0.int64(0) }
            try transaction.run("DELETE FROM write_probes WHERE id <> $1", [SQLValue(id)])
        }
    }
}
