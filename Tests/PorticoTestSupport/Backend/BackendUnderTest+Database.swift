import PorticoSQL
import PorticoSQLite

/// What the database was asked to do, and what it keeps.
extension BackendUnderTest {
    /// The durable transactions until now: what decision 15 counts.
    package var transactions: Int { database.database.commitCounts.writes }

    /// The rows in all tables of people: what somebody left behind.
    package func keptRows() throws -> Int64 {
        let count = try database.database.read { reader in
            try reader.first(
                """
                SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM identities)
                     + (SELECT count(*) FROM account_sessions) + (SELECT count(*) FROM spent_once)
                     + (SELECT count(*) FROM email_codes) + (SELECT count(*) FROM mails)
                     + (SELECT count(*) FROM audit_events)
                """,
                []
            ) { row in try row.int64(0) }
        }
        return count ?? -1
    }
}
