import PorticoStores
import PorticoSQLite

/// What the database was asked to do, and what it keeps.
extension BackendUnderTest {
    /// The durable transactions until now (docs/decisions/0034).
    package var transactions: Int { database.database.commitCounts.writes }

    /// As if everyone with a session had just proven who they are (WEB-SESS-8).
    package func proveSessions() async throws {
        let now = clock.seconds
        try await database.database.write { transaction in
            _ = try transaction.run("UPDATE sessions SET proven_at = $1", [.int64(now)])
        }
    }

    /// The rows in all tables of people: what a person left behind.
    package func keptRows() throws -> Int64 {
        let count = try database.database.read { reader in
            try reader.first(
                """
                SELECT (SELECT count(*) FROM people) + (SELECT count(*) FROM identities)
                     + (SELECT count(*) FROM sessions) + (SELECT count(*) FROM spent_once)
                     + (SELECT count(*) FROM email_codes) + (SELECT count(*) FROM mails)
                     + (SELECT count(*) FROM events)
                """,
                []
            ) { row in try row.int64(0) }
        }
        return count ?? -1
    }
}
