extension SQLiteSchema {
    /// What happened in a realm, in Keycloak's words, for those who administer it
    /// (``RealmEventStore``). `at` in milliseconds since 1970; `details` is an object of texts.
    static let realmEvents: StaticString = """
        CREATE TABLE realm_events (
            number     INTEGER PRIMARY KEY,
            realm_id   TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            is_admin   INTEGER NOT NULL,
            at         INTEGER NOT NULL,
            kind       TEXT NOT NULL,
            client_id  TEXT,
            person_id  TEXT,
            session_id TEXT,
            address    TEXT,
            error      TEXT,
            details    TEXT NOT NULL
        ) STRICT;
        CREATE INDEX realm_events_by_realm ON realm_events (realm_id, is_admin, number);
        """
}
