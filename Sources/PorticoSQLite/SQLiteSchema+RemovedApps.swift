extension SQLiteSchema {
    /// - `removed_apps`: when a person last took back what they allowed a client. Codes that it got
    ///   until then are not redeemed; the row outlives them by a day.
    static let removedApps: StaticString = """
        CREATE TABLE removed_apps (
            id         INTEGER PRIMARY KEY,
            person_id  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id  TEXT NOT NULL,
            removed_at INTEGER NOT NULL,
            UNIQUE (person_id, client_id)
        ) STRICT;
        """
}
