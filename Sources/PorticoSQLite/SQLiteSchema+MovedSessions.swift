extension SQLiteSchema {
    /// What becomes of the refresh tokens that the server before has made
    /// (docs/decisions/0051-old-tokens-are-swapped.md).
    ///
    /// - `moved_sessions`: its sessions, by client. `listed_at`: its own list has it; without, it was
    ///   noted here. The client `''` stands for the whole session.
    /// - `swapped_tokens`: which are used up. A row lives as long as the key that verifies the token.
    /// - `swap_counts`: for the operator.
    static let movedSessions: StaticString = """
        CREATE TABLE moved_sessions (
            realm_id   TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            sid        TEXT NOT NULL,
            is_offline INTEGER NOT NULL,
            client_id  TEXT NOT NULL,
            person_id  TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            listed_at  INTEGER,
            ended_at   INTEGER,
            PRIMARY KEY (realm_id, sid, is_offline, client_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE swapped_tokens (
            hash     BLOB NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            grant_id BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX swapped_tokens_by_realm ON swapped_tokens (realm_id);

        CREATE TABLE swap_counts (
            realm_id  TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            outcome   TEXT NOT NULL,
            count     INTEGER NOT NULL,
            last_at   INTEGER NOT NULL,
            PRIMARY KEY (realm_id, client_id, outcome)
        ) STRICT, WITHOUT ROWID;
        """
}
