import PorticoStores

/// The schema of the database, and which databases have it.
///
/// Until 0.2.0 a change is made in place and raises ``version``: databases of other versions are
/// refused. After that, a change is a step from one version to the next, run in ``make(in:)``.
enum SQLiteSchema {
    /// What `PRAGMA user_version` says; ``backendTables`` ends with the same number.
    static let version: Int64 = 6
    /// "Port" in the file's header says whose it is.
    private static let applicationID: Int64 = 0x506F_7274

    /// Makes the schema in a new database, whole or not at all; leaves one that has it as it is.
    ///
    /// - Throws: ``DatabaseOpeningError`` for a database of another version or another program.
    static func make(in connection: SQLiteConnection) throws {
        // Immediate: of two processes that start at once the second finds the work done.
        try connection.execute("BEGIN IMMEDIATE")
        do {
            if try !isMade(in: connection) {
                try connection.execute(tables)
                try connection.execute(backendTables)
                try connection.execute(views)
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Whether a database has the schema; `false` for a new one. Writes nothing.
    ///
    /// - Throws: ``DatabaseOpeningError`` for a database of another version or another program.
    static func isMade(in connection: SQLiteConnection) throws -> Bool {
        // One statement: another process that makes the schema commits all three at once.
        let header = try SQLiteReader(connection: connection).first(
            """
            SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
            FROM pragma_application_id, pragma_user_version
            """,
            []
        ) { (owner: try $0.int64(0), version: try $0.int64(1), entries: try $0.int64(2)) }
        guard let header else { throw DatabaseOpeningError.corrupt }
        if header.owner == 0, header.entries == 0 { return false }
        guard header.owner == applicationID else { throw DatabaseOpeningError.foreign }
        if header.version < version { throw DatabaseOpeningError.olderSchema }
        if header.version > version { throw DatabaseOpeningError.newerSchema }
        return true
    }

    /// What is live, defined once: each view has the rows that nothing has ended, and the time when
    /// they end by themselves (`alive_until`, exclusive).
    ///
    /// - `live_grants`: ``GrantStore`` defines when a grant is live. It expires by inactivity; a new
    ///   password (`epoch`) or a sign-out ends it (RFC 9700 §4.14.2). One with times of its own ends
    ///   with its browser session only if that is ended, not when it expires.
    /// - `live_sessions`: where a session has no limit of its own, statements also check when it was last
    ///   seen, because that limit is the realm's. A disabled person's session has lived until 0, and so
    ///   has one that waits for its app: it waits until `waits_until`. `apps_until`: the latest end of
    ///   its grants with times of their own, or 0.
    /// - `backend_sessions`: those of the backend's realm.
    static let views: StaticString = """
        CREATE VIEW live_grants AS
        SELECT g.*, MIN(
            COALESCE(g.expires_at, 9223372036854775807),
            CASE WHEN g.generation IS NULL THEN 9223372036854775807
                ELSE g.rotated_at + g.idle_seconds END,
            CASE WHEN g.is_offline OR g.has_own_times OR g.session_id IS NULL
                THEN 9223372036854775807 ELSE s.expires_at END) AS alive_until
        FROM grants AS g
        LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
        LEFT JOIN sessions AS s ON s.id = g.session_id
        WHERE g.refused_at IS NULL AND g.revoked_at IS NULL
            AND EXISTS (SELECT 1 FROM clients AS c WHERE c.id = g.client_id)
            AND (g.person_id IS NULL OR (p.is_enabled AND p.epoch = g.epoch
                AND p.not_before <= g.created_at))
            AND (g.is_offline OR g.session_id IS NULL
                OR (s.id IS NOT NULL AND s.ended_at IS NULL));

        CREATE VIEW live_sessions AS
        SELECT s.*,
            CASE WHEN p.is_enabled AND (s.code_hash IS NULL OR s.generation IS NOT NULL)
                THEN MIN(s.expires_at,
                    COALESCE(s.last_seen_at + s.idle_seconds, 9223372036854775807))
                ELSE 0 END AS alive_until,
            CASE WHEN p.is_enabled AND s.code_hash IS NOT NULL AND s.generation IS NULL
                    AND s.code_spent_at IS NULL
                THEN MIN(s.code_expires_at, s.expires_at, s.last_seen_at + s.idle_seconds)
                ELSE 0 END AS waits_until,
            COALESCE((
                SELECT MAX(g.alive_until) FROM live_grants AS g
                WHERE g.session_id = s.id AND g.has_own_times AND NOT g.is_offline), 0)
                AS apps_until
        FROM sessions AS s
        JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
        WHERE s.ended_at IS NULL AND p.epoch = s.epoch AND p.not_before <= s.authenticated_at;

        CREATE VIEW backend_sessions AS
        SELECT s.* FROM live_sessions AS s
        WHERE s.realm_id = (SELECT b.realm_id FROM backend_version AS b);
        """
}
