import PorticoStores

/// One row that is written again and again, in SQL.
package struct SQLWriteProbeStore: WriteProbeStore {
    let database: any SQLDatabase

    /// In bytes: the pages that a grant and its indexes touch.
    private static let filling = 16 * 1024

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

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
