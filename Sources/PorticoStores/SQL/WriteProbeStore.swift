/// Finds out whether what has to last can be written.
package struct WriteProbeStore: Sendable {
    let database: any SQLDatabase

    /// In bytes: the pages that a grant and its indexes touch.
    private static let filling = 16 * 1024

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Writes, durably, about as much as the redemption of a code does, in place of what was written
    /// before.
    ///
    /// - Throws: What a redemption would fail with now: that the disk is full, for instance.
    package func write(at now: Int64) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                """
                INSERT INTO write_probes (id, written_at, filling) VALUES (1, $1, $2)
                ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at,
                    filling = excluded.filling
                """,
                [.int64(now), .bytes(Array(repeating: 0, count: Self.filling))]
            )
        }
    }
}
