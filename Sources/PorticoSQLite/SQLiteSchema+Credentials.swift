extension SQLiteSchema {
    /// What people have besides a password: second factors, accounts at other providers, things they
    /// must do at their next sign-in; and the accounts that clients have for themselves.
    ///
    /// - `credentials.used`: the last step of a one-time password, or which recovery codes are spent.
    static let credentials: StaticString = """
        ALTER TABLE people ADD COLUMN required_actions TEXT NOT NULL DEFAULT '';
        ALTER TABLE people ADD COLUMN service_client_id TEXT;
        CREATE UNIQUE INDEX people_by_service_client ON people (service_client_id)
            WHERE service_client_id IS NOT NULL;

        CREATE TABLE credentials (
            id            TEXT NOT NULL PRIMARY KEY,
            person_id     TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            kind          TEXT NOT NULL,
            label         TEXT NOT NULL,
            created_at    INTEGER NOT NULL,
            priority      INTEGER NOT NULL,
            parameters    TEXT NOT NULL,
            sealed_secret TEXT NOT NULL,
            used          INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX credentials_by_person ON credentials (person_id);

        CREATE TABLE federated_identities (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            realm_id  TEXT NOT NULL,
            provider  TEXT NOT NULL,
            subject   TEXT NOT NULL,
            username  TEXT,
            PRIMARY KEY (person_id, provider)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX federated_identities_by_subject
            ON federated_identities (realm_id, provider, subject);
        """
}
