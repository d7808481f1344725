import PorticoStores

/// The schema as the history of its changes.
///
/// A migration that was released is never edited (a test holds its checksum); a change is a new one
/// at the end. Programs of the version before keep running beside it, so it adds, and removes only
/// what they do not use.
enum SQLiteSchema {
    struct Migration: Sendable {
        let name: StaticString
        let sql: StaticString
    }

    static let migrations = [
        Migration(name: "sign-in", sql: signIn),
        Migration(name: "sign-out-everywhere", sql: signOutEverywhere),
        Migration(name: "accounts", sql: accounts),
        Migration(name: "back-channel-logout", sql: backchannelLogout),
        Migration(name: "mailboxes", sql: mailboxes),
        Migration(name: "devices", sql: devices),
        Migration(name: "proofs", sql: proofs),
        Migration(name: "write-probe", sql: writeProbe),
        Migration(name: "refused-clients", sql: refusedClients),
        Migration(name: "liveness", sql: liveness),
        Migration(name: "login-tokens", sql: loginTokens),
        Migration(name: "derived-grants", sql: derivedGrants),
        Migration(name: "groups", sql: groups),
        Migration(name: "credentials", sql: credentials),
        Migration(name: "moved-sessions", sql: movedSessions),
        Migration(name: "realm-events", sql: realmEvents),
        Migration(name: "handle-sessions", sql: handleSessions),
        Migration(name: "bound-grants", sql: boundGrants),
        Migration(name: "client-documents", sql: clientDocuments),
        Migration(name: "foreign-seals", sql: foreignSeals),
        Migration(name: "removed-apps", sql: removedApps),
    ]

    /// "Port" in the file's header says whose it is.
    private static let applicationID: Int64 = 0x506F_7274

    /// Brings an opened database up to date, or refuses it.
    ///
    /// - Throws: ``DatabaseOpeningError`` where it is a newer program's or another's.
    static func migrate(
        _ connection: SQLiteConnection,
        to migrations: [Migration] = Self.migrations
    ) throws {
        // Immediate: of two processes that start at once the second finds the work done.
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let applied = try applied(connection)
            guard applied.count <= migrations.count else { throw DatabaseOpeningError.newerSchema }
            for (name, migration) in zip(applied, migrations) where name != "\(migration.name)" {
                throw DatabaseOpeningError.foreign
            }
            for (index, migration) in migrations.enumerated().dropFirst(applied.count) {
                try connection.execute(migration.sql)
                try connection.run(
                    "INSERT INTO migrations (number, name) VALUES ($1, $2)",
                    [.int64(Int64(index + 1)), .text("\(migration.name)")]
                )
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether there is nothing to bring up to date. Writes nothing.
    static func isCurrent(_ connection: SQLiteConnection) throws -> Bool {
        guard try number("PRAGMA application_id", connection) == applicationID else {
            return false
        }
        return try number("SELECT count(*) FROM migrations", connection)
            == Int64(migrations.count)
    }

    /// - Throws: ``DatabaseOpeningError`` where the file is neither ours nor new.
    static func checkOwner(of connection: SQLiteConnection) throws {
        // In this order: another process that makes the file ours sets both in one commit.
        let tables = try number("SELECT count(*) FROM sqlite_schema", connection)
        let owner = try number("PRAGMA application_id", connection)
        guard owner == applicationID || (owner == 0 && tables == 0) else {
            throw DatabaseOpeningError.foreign
        }
    }

    /// The names of the migrations that a database has, in order; a new file is made ours.
    private static func applied(_ connection: SQLiteConnection) throws -> [String] {
        try checkOwner(of: connection)
        if try number("PRAGMA application_id", connection) == applicationID {
            return try SQLiteReader(connection: connection).rows(
                "SELECT name FROM migrations ORDER BY number",
                []
            ) { try $0.text(0) }
        }
        try connection.execute(
            """
            PRAGMA application_id = 0x506F7274;
            CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
            """
        )
        return []
    }

    private static func number(_ sql: SQLText, _ connection: SQLiteConnection) throws -> Int64? {
        try SQLiteReader(connection: connection).first(sql, []) { try $0.int64(0) }
    }
}
