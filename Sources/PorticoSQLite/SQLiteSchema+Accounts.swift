extension SQLiteSchema {
    /// The backend-for-frontend: accounts, their identities and sessions, codes by mail, mails,
    /// events, apps and identity providers.
    ///
    /// Sessions name their account without a foreign key, as grants name their person. A session
    /// that waits for its app carries the hand-off code that brings it: a sign-in writes one row.
    static let accounts: StaticString = """
        CREATE TABLE accounts (
            id                    BLOB NOT NULL PRIMARY KEY,
            email                 TEXT,
            email_key             TEXT,
            is_email_verified     INTEGER NOT NULL,
            is_email_relay        INTEGER NOT NULL,
            name                  TEXT,
            is_name_own           INTEGER NOT NULL,
            picture               TEXT,
            language              TEXT NOT NULL,
            is_blocked            INTEGER NOT NULL,
            is_welcomed           INTEGER NOT NULL,
            created_at            INTEGER NOT NULL,
            last_sign_in_at       INTEGER NOT NULL,
            epoch                 INTEGER NOT NULL,
            signed_out_at         INTEGER,
            registered_provider   TEXT NOT NULL,
            registered_address    TEXT,
            registered_user_agent TEXT
        ) STRICT;
        CREATE INDEX accounts_by_email ON accounts (email_key) WHERE email_key IS NOT NULL;
        CREATE UNIQUE INDEX accounts_by_verified_email ON accounts (email_key)
            WHERE is_email_verified = 1 AND is_email_relay = 0;
        CREATE INDEX accounts_by_creation ON accounts (created_at, id);

        CREATE TABLE deleted_accounts (
            id         BLOB NOT NULL PRIMARY KEY,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE identities (
            issuer            TEXT NOT NULL,
            subject           TEXT NOT NULL,
            account_id        BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            provider          TEXT NOT NULL,
            place             INTEGER NOT NULL,
            email             TEXT,
            is_email_verified INTEGER NOT NULL,
            is_email_relay    INTEGER NOT NULL,
            linked_at         INTEGER NOT NULL,
            last_used_at      INTEGER NOT NULL,
            sealed_token      TEXT,
            PRIMARY KEY (issuer, subject),
            UNIQUE (account_id, provider)
        ) STRICT;
        CREATE INDEX identities_in_order ON identities (account_id, place, provider);

        CREATE TABLE account_sessions (
            id                  BLOB NOT NULL PRIMARY KEY,
            account_id          BLOB NOT NULL,
            epoch               INTEGER NOT NULL,
            cookie_hash         BLOB,
            app                 TEXT,
            generation          INTEGER,
            refresh_secret      BLOB,
            refresh_key_id      BLOB,
            rotated_at          INTEGER,
            idempotency_key     BLOB,
            issuer              TEXT NOT NULL,
            subject             TEXT NOT NULL,
            provider_session_id TEXT,
            device              TEXT NOT NULL,
            address             TEXT,
            authenticated_at    INTEGER NOT NULL,
            created_at          INTEGER NOT NULL,
            last_seen_at        INTEGER NOT NULL,
            idle_seconds        INTEGER NOT NULL,
            expires_at          INTEGER NOT NULL,
            is_active           INTEGER NOT NULL,
            is_new              INTEGER NOT NULL,
            code_hash           BLOB,
            redirect_hash       BLOB,
            challenge           BLOB,
            code_expires_at     INTEGER,
            code_spent_at       INTEGER,
            ended_at            INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX account_sessions_by_cookie ON account_sessions (cookie_hash)
            WHERE cookie_hash IS NOT NULL;
        CREATE UNIQUE INDEX account_sessions_by_code ON account_sessions (code_hash)
            WHERE code_hash IS NOT NULL;
        CREATE INDEX account_sessions_by_account ON account_sessions (account_id);
        CREATE INDEX account_sessions_by_provider_session
            ON account_sessions (provider_session_id, issuer)
            WHERE provider_session_id IS NOT NULL;

        CREATE TABLE spent_once (
            hash       BLOB NOT NULL PRIMARY KEY,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE email_codes (
            owner      BLOB NOT NULL PRIMARY KEY,
            address    TEXT NOT NULL,
            code_hash  BLOB NOT NULL,
            expires_at INTEGER NOT NULL,
            tries      INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE mails (
            id         BLOB NOT NULL PRIMARY KEY,
            recipient  TEXT NOT NULL,
            kind       TEXT NOT NULL,
            message    TEXT NOT NULL,
            language   TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            tries      INTEGER NOT NULL,
            tried_at   INTEGER,
            due_at     INTEGER,
            sent_at    INTEGER
        ) STRICT;
        CREATE INDEX mails_to_send ON mails (created_at, id) WHERE due_at IS NOT NULL;

        CREATE TABLE audit_events (
            number     INTEGER PRIMARY KEY,
            kind       TEXT NOT NULL,
            at         INTEGER NOT NULL,
            account_id BLOB,
            provider   TEXT,
            app        TEXT,
            device     TEXT,
            address    TEXT
        ) STRICT;
        CREATE INDEX audit_events_by_account ON audit_events (account_id, number)
            WHERE account_id IS NOT NULL;

        CREATE TABLE backend_version (
            id      INTEGER PRIMARY KEY CHECK (id = 1),
            version INTEGER NOT NULL
        ) STRICT;
        INSERT INTO backend_version (id, version) VALUES (1, 1);

        CREATE TABLE apps (
            id         BLOB NOT NULL PRIMARY KEY,
            name       TEXT NOT NULL UNIQUE,
            is_default INTEGER NOT NULL,
            settings   TEXT NOT NULL
        ) STRICT;

        CREATE TABLE providers (
            name          TEXT NOT NULL PRIMARY KEY,
            kind          TEXT NOT NULL,
            place         INTEGER NOT NULL,
            is_enabled    INTEGER NOT NULL,
            settings      TEXT NOT NULL,
            sealed_secret TEXT
        ) STRICT;
        """
}
