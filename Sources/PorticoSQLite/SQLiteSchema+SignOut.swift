extension SQLiteSchema {
    /// How often a person was signed out everywhere: a session or grant of an earlier count is dead.
    /// A count, because times of the same second, or of two clocks, cannot be told apart.
    static let signOutEverywhere: StaticString = """
        ALTER TABLE people ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE browser_sessions ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE grants ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
        """
}
