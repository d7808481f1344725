import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoSQLite

@Suite("SQLite: the schema") struct SchemaTests {
    /// Migrations that were released are never edited: a database that has them stays as it is.
    @Test("a released migration is what it was when it was released")
    func checksums() {
        let released: [(name: String, sha256: String)] = [
            ("sign-in", "2kjJHcIxJ-6qyrIIky218s-P9fe87EVXxjuISUZiU7Q"),
            ("sign-out-everywhere", "2LOFRGMeA2rlm2ttguYh_QnJrWfSvZtNs6TKvY964os"),
            ("accounts", "JuQ_GLYUx1nZYYinouhB2RdxCCSUQzc-_uvX4E4_03Y"),
            ("back-channel-logout", "mPQiACvK6LZ8pbyPZd-tPwm86z0Iz_4U-O3aYdPVzC8"),
            ("mailboxes", "89xpL24ZZIhD8k_DBxLbF-X66FZIX14DPcs92hJre5o"),
            ("devices", "Wyn2F2EBHvInWG-W3SgtQjL8BLOl-gA6SoBetncTSZQ"),
            ("proofs", "ocEigk2bhoS5si_Q4x2o8cS6UF2HceEzYPykrujPs3o"),
            ("write-probe", "zHhgp8b-dX_W_vntqrIcSDPXfrJ73MoG0nPUWNyLoIg"),
            ("refused-clients", "stm59ZdGCsUqhfN377UZpa0EJTlpCgPfqWd1gFMxq5U"),
            ("liveness", "S1ubBmSZtDHTzE3c9sx5kykjP3tGhGLQtBkHyiqs5eo"),
            ("login-tokens", "j_Azr7ivGF6TCvlAiRz3HhL4lCJT3DZLvff4UZAVJzc"),
            ("derived-grants", "DHkrObTbm9TmQHFx54wO_Xq6ZXvvKochfYfilTerGso"),
            ("groups", "xyiKGNgvrvJhXrQPOpL4e8Jm1fBtCqhcHdY--NL-c-g"),
            ("credentials", "XjaXl9mHjysLj2aLFuwdXm-AVE3zb8-JBUpq-YbYKQQ"),
            ("moved-sessions", "nCR5Ooj87pe5tAh79lAb4QhwsjUOD19S03Ikv5_DtTs"),
            ("realm-events", "oPE1dem8IQRdr5Chm1I6vzQ2NJpjdRrTvMfN6UjebLQ"),
            ("handle-sessions", "VZKO5wxGZgYzYWuRg2S9R9ev2C3xPOgLMWcfboy1bpE"),
            ("bound-grants", "6mByGyoBIw4I2oyx-ZiyC7cD290FisGW4nnEHBekXaA"),
            ("client-documents", "pMUi4j72_V1njneop3x1mUnpBTZUdx6lmvQ2eqAY0XM"),
            ("foreign-seals", "T4Qp6cY5SoKPluXAJ5zurBirifR9WBXlSHi3GWhojhY"),
            ("removed-apps", "2oPVbAKg_GVRHTfLh4ss9gBnGNL5Ze2PU5W5bm_gaMc"),
        ]
        #expect(SQLiteSchema.migrations.count == released.count, "append the new one here")
        for (migration, expected) in zip(SQLiteSchema.migrations, released) {
            #expect("\(migration.name)" == expected.name)
            let checksum = Base64URL.encode(Hash256(of: "\(migration.sql)").bytes)
            #expect(checksum == expected.sha256)
        }
    }

    @Test("a database that a newer program has written is refused")
    func newer() throws {
        let tomorrow = SQLiteSchema.Migration(name: "tomorrow", sql: "CREATE TABLE tomorrow (x)")
        let database = try empty()
        try SQLiteSchema.migrate(database, to: SQLiteSchema.migrations + [tomorrow])
        #expect(throws: DatabaseOpeningError.newerSchema) { try SQLiteSchema.migrate(database) }
    }

    @Test("a database with another history is refused")
    func otherHistory() throws {
        let other = SQLiteSchema.Migration(name: "other", sql: "CREATE TABLE other (x)")
        let database = try empty()
        try SQLiteSchema.migrate(database, to: [other])
        #expect(throws: DatabaseOpeningError.foreign) { try SQLiteSchema.migrate(database) }
    }

    @Test("a migration is applied once, and to databases of the version before")
    func upgrade() throws {
        let next = SQLiteSchema.Migration(
            name: "next",
            sql: "INSERT INTO realms (id, name, issuer, settings) VALUES ('1', 'a', 'b', '{}')"
        )
        let database = try empty()
        try SQLiteSchema.migrate(database)
        for _ in 1...2 {
            try SQLiteSchema.migrate(database, to: SQLiteSchema.migrations + [next])
            #expect(try count("SELECT count(*) FROM realms", database) == 1)
        }
    }

    /// docs/decisions/0020
    @Test("decision 0020: of the addresses of before only those are proven whose code came back")
    func proofs() throws {
        let database = try empty()
        let count = SQLiteSchema.migrations.firstIndex { "\($0.name)" == "proofs" }
        try SQLiteSchema.migrate(
            database,
            to: Array(SQLiteSchema.migrations.prefix(try #require(count)))
        )
        try database.execute(
            """
            INSERT INTO accounts (id, email, email_key, is_email_verified, is_email_relay,
                is_name_own, language, is_blocked, is_welcomed, created_at, last_sign_in_at, epoch,
                registered_provider)
            VALUES (x'01', 'said@example.com', 'said@example.com', 1, 0, 0, 'en', 0, 0, 0, 0, 0, 'x'),
                (x'02', 'code@example.com', 'code@example.com', 1, 0, 0, 'en', 0, 0, 0, 0, 0, 'x'),
                (x'03', 'none@example.com', 'none@example.com', 0, 0, 0, 'en', 0, 0, 0, 0, 0, 'x'),
                (x'04', 'claimed@example.com', 'claimed@example.com', 1, 0, 0, 'en', 0, 0, 0, 0, 0,
                    'x');
            INSERT INTO audit_events (kind, at, account_id)
            VALUES ('sign_in.ok', 0, x'01'), ('email.confirmed', 0, x'02'),
                ('email.confirmed', 0, x'03'), ('account.claimed', 0, x'04');
            """
        )
        try SQLiteSchema.migrate(database)
        let proofs = try SQLiteReader(connection: database).rows(
            "SELECT email_proof FROM accounts ORDER BY id",
            []
        ) { try $0.optionalText(0) }
        #expect(proofs == [nil, "code", nil, nil])
    }

    @Test("decision 0066: sessions that came from another system before take its seals for 14 days")
    func foreignSeals() throws {
        let database = try empty()
        let before = SQLiteSchema.migrations.prefix { "\($0.name)" != "foreign-seals" }
        try SQLiteSchema.migrate(database, to: Array(before))
        try database.execute(
            """
            INSERT INTO handle_sessions (session_id, did, handle, host, issuer, client_id,
                asked_scope, scope, created_at, refreshed_at, revision, takes_foreign, tries)
            VALUES (x'01', 'did:web:a', 'a', 'h', 'i', 'c', 's', 's', 100, 100, 1, 1, 0),
                (x'02', 'did:web:a', 'a', 'h', 'i', 'c', 's', 's', 100, 100, 1, 0, 0);
            """
        )
        try SQLiteSchema.migrate(database)
        let ends = try SQLiteReader(connection: database).rows(
            "SELECT foreign_until FROM handle_sessions ORDER BY session_id",
            []
        ) { try $0.optionalInt64(0) }
        #expect(ends == [100 + 14 * 86_400, nil])
    }

    @Test("a migration that fails leaves the database as it was")
    func failure() throws {
        let broken = SQLiteSchema.Migration(
            name: "broken",
            sql: "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)"
        )
        let database = try empty()
        try SQLiteSchema.migrate(database)
        #expect(throws: SQLError.self) {
            try SQLiteSchema.migrate(database, to: SQLiteSchema.migrations + [broken])
        }
        #expect(try count("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", database) == 0)
        try SQLiteSchema.migrate(database)
    }

    private func empty() throws -> SQLiteConnection {
        try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
    }

    private func count(_ sql: SQLText, _ database: SQLiteConnection) throws -> Int64? {
        try SQLiteReader(connection: database).first(sql, []) { try $0.int64(0) }
    }

    @Test("programs that start at once on a new file make one schema")
    func concurrentStarts() async throws {
        for _ in 1...50 {
            let file = TestDatabase.temporaryFile()
            try await withThrowingTaskGroup { group in
                for _ in 1...8 {
                    group.addTask { @concurrent in
                        let database = try SQLiteDatabase(file: file)
                        _ = try database.read { try $0.hasRow("SELECT 1 FROM realms", []) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
