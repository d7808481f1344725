import GRDB

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
    ]

    /// "Port" in the file's header says whose it is.
    private static let applicationID = 0x506F_7274

    /// Brings an opened database up to date, or refuses it.
    ///
    /// - Throws: ``DatabaseOpeningError`` where it is a newer program's or another's.
    static func migrate(_ database: Database, to migrations: [Migration] = Self.migrations) throws {
        // Immediate: of two processes that start at once the second finds the work done.
        try database.inTransaction(.immediate) {
            let applied = try applied(database)
            guard applied.count <= migrations.count else { throw DatabaseOpeningError.newerSchema }
            for (name, migration) in zip(applied, migrations) where name != "\(migration.name)" {
                throw DatabaseOpeningError.foreign
            }
            for (index, migration) in migrations.enumerated().dropFirst(applied.count) {
                try database.execute(sql: "\(migration.sql)")
                try database.execute(
                    sql: "INSERT INTO migrations (number, name) VALUES (?, ?)",
                    arguments: [index + 1, "\(migration.name)"]
                )
            }
            return .commit
        }
    }

    /// Whether there is nothing to bring up to date. Writes nothing.
    static func isCurrent(_ database: Database) throws -> Bool {
        guard try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID else {
            return false
        }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM migrations")
            == migrations.count
    }

    /// - Throws: ``DatabaseOpeningError`` where the file is neither ours nor new.
    static func checkOwner(of database: Database) throws {
        // In this order: another process that makes the file ours sets both in one commit.
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id")
        guard owner == applicationID || (owner == 0 && tables == 0) else {
            throw DatabaseOpeningError.foreign
        }
    }

    /// The names of the migrations that a database has, in order; a new file is made ours.
    private static func applied(_ database: Database) throws -> [String] {
        try checkOwner(of: database)
        if try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID {
            return try String.fetchAll(database, sql: "SELECT name FROM migrations ORDER BY number")
        }
        try database.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                """
        )
        return []
    }
}
