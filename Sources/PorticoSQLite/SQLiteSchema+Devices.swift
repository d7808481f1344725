extension SQLiteSchema {
    /// What the browser of a session is called. Sessions of before, and of a program of the version
    /// before that still runs, have no name.
    static let devices: StaticString = """
        ALTER TABLE browser_sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';
        """
}
