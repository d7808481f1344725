extension SQLiteSchema {
    /// Realms, people, browser sessions and grants.
    ///
    /// Sessions and grants name their person, client and realm without a foreign key: they are dead
    /// at once when one of these goes (every query joins them), and are cleared away later, so that
    /// no deletion walks through all of them and each sign-in writes few indexes.
    static let signIn: StaticString = """
        CREATE TABLE realm_version (
            id      INTEGER PRIMARY KEY CHECK (id = 1),
            version INTEGER NOT NULL
        ) STRICT;
        INSERT INTO realm_version (id, version) VALUES (1, 1);

        CREATE TABLE realms (
            id       TEXT NOT NULL PRIMARY KEY,
            name     TEXT NOT NULL UNIQUE,
            issuer   TEXT NOT NULL UNIQUE,
            settings TEXT NOT NULL
        ) STRICT;

        CREATE TABLE signing_keys (
            realm_id           TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            key_id             TEXT NOT NULL,
            algorithm          TEXT NOT NULL,
            sealed_private_key TEXT NOT NULL,
            created_at         INTEGER NOT NULL,
            active_from        INTEGER NOT NULL,
            retired_from       INTEGER,
            PRIMARY KEY (realm_id, key_id)
        ) STRICT;

        CREATE TABLE clients (
            id        TEXT NOT NULL PRIMARY KEY,
            realm_id  TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            settings  TEXT NOT NULL,
            UNIQUE (realm_id, client_id)
        ) STRICT;

        CREATE TABLE roles (
            id          TEXT NOT NULL PRIMARY KEY,
            realm_id    TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            client_id   TEXT,
            name        TEXT NOT NULL,
            description TEXT NOT NULL,
            FOREIGN KEY (realm_id, client_id) REFERENCES clients (realm_id, client_id)
                ON DELETE CASCADE
        ) STRICT;
        CREATE UNIQUE INDEX realm_roles_by_name ON roles (realm_id, name)
            WHERE client_id IS NULL;
        CREATE UNIQUE INDEX client_roles_by_name ON roles (realm_id, client_id, name)
            WHERE client_id IS NOT NULL;

        CREATE TABLE people (
            id                TEXT NOT NULL PRIMARY KEY,
            realm_id          TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            username          TEXT NOT NULL,
            email             TEXT,
            email_key         TEXT,
            is_email_verified INTEGER NOT NULL,
            given_name        TEXT,
            family_name       TEXT,
            is_enabled        INTEGER NOT NULL,
            not_before        INTEGER NOT NULL,
            attributes        TEXT NOT NULL,
            created_at        INTEGER NOT NULL,
            updated_at        INTEGER NOT NULL,
            password_hash     TEXT,
            UNIQUE (realm_id, username),
            UNIQUE (realm_id, email_key)
        ) STRICT;

        CREATE TABLE deleted_people (
            id       TEXT NOT NULL PRIMARY KEY,
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX deleted_people_by_realm ON deleted_people (realm_id);

        CREATE TABLE person_roles (
            person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            role_id   TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
            PRIMARY KEY (person_id, role_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX person_roles_by_role ON person_roles (role_id);

        CREATE TABLE consents (
            person_id  TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
            scope      TEXT NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (person_id, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX consents_by_client ON consents (client_id);

        CREATE TABLE browser_sessions (
            id               TEXT NOT NULL PRIMARY KEY,
            realm_id         TEXT NOT NULL,
            person_id        TEXT NOT NULL,
            cookie_hash      BLOB NOT NULL UNIQUE,
            authenticated_at INTEGER NOT NULL,
            acr              TEXT NOT NULL,
            amr              TEXT NOT NULL,
            created_at       INTEGER NOT NULL,
            last_seen_at     INTEGER NOT NULL,
            expires_at       INTEGER NOT NULL,
            ended_at         INTEGER
        ) STRICT;

        CREATE TABLE grants (
            id               BLOB NOT NULL PRIMARY KEY,
            request_id       BLOB UNIQUE,
            realm_id         TEXT NOT NULL,
            client_id        TEXT NOT NULL,
            person_id        TEXT,
            session_id       TEXT,
            scope            TEXT NOT NULL,
            is_offline       INTEGER NOT NULL,
            authenticated_at INTEGER,
            acr              TEXT,
            amr              TEXT NOT NULL,
            claims           TEXT,
            created_at       INTEGER NOT NULL,
            idle_seconds     INTEGER NOT NULL,
            expires_at       INTEGER,
            generation       INTEGER,
            refresh_secret   BLOB,
            refresh_key_id   BLOB,
            rotated_at       INTEGER,
            idempotency_key  BLOB,
            refused_at       INTEGER,
            revoked_at       INTEGER
        ) STRICT;

        CREATE TABLE pushed_requests (
            hash       BLOB NOT NULL PRIMARY KEY,
            realm_id   TEXT NOT NULL,
            client_id  TEXT NOT NULL,
            request_id BLOB NOT NULL,
            parameters BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE used_assertions (
            hash       BLOB NOT NULL PRIMARY KEY,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
