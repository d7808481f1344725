extension SQLiteSchema {
    /// Wishes for a new password, whose mail a mail is, and the way from a person to the grants that
    /// outlive their sessions.
    ///
    /// A wish names its person without a foreign key, as sessions do; one for an address of no
    /// account names no person.
    static let mailboxes: StaticString = """
        CREATE TABLE password_resets (
            id              BLOB NOT NULL PRIMARY KEY,
            realm_id        TEXT NOT NULL,
            person_id       TEXT,
            email           TEXT NOT NULL,
            link_hash       BLOB NOT NULL UNIQUE,
            browser_hash    BLOB NOT NULL,
            way_back        TEXT,
            expires_at      INTEGER NOT NULL,
            code_hash       BLOB,
            code_expires_at INTEGER,
            tries           INTEGER NOT NULL,
            used_at         INTEGER
        ) STRICT;
        CREATE INDEX password_resets_by_person ON password_resets (person_id)
            WHERE person_id IS NOT NULL;

        ALTER TABLE mails ADD COLUMN service TEXT;

        CREATE INDEX offline_grants_by_person ON grants (person_id) WHERE is_offline;
        """
}
