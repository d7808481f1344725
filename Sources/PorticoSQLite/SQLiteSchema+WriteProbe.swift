extension SQLiteSchema {
    /// What `/readyz` writes, to see that something can be written.
    static let writeProbe: StaticString = """
        CREATE TABLE write_probes (
            id         INTEGER NOT NULL PRIMARY KEY,
            written_at INTEGER NOT NULL,
            filling    BLOB NOT NULL
        ) STRICT;
        """
}
