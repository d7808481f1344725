extension SQLiteSchema {
    /// Whom of the clients must still be told that a session is over, and the way from a session to
    /// its grants and from a person to their sessions.
    ///
    /// A delivery names what it is about without foreign keys: it is about what has ended.
    static let backchannelLogout: StaticString = """
        CREATE TABLE logout_deliveries (
            session_id TEXT NOT NULL,
            client_id  TEXT NOT NULL,
            realm_id   TEXT NOT NULL,
            person_id  TEXT NOT NULL,
            attempts   INTEGER NOT NULL,
            due_at     INTEGER NOT NULL,
            PRIMARY KEY (session_id, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX logout_deliveries_by_time ON logout_deliveries (due_at);

        CREATE INDEX grants_by_session ON grants (session_id) WHERE session_id IS NOT NULL;
        CREATE INDEX browser_sessions_by_person ON browser_sessions (person_id);
        """
}
