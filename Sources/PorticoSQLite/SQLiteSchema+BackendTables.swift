extension SQLiteSchema {
    /// The backend's tables, and what both sides share. As ``tables``.
    static let backendTables: StaticString = """
        -- What a host gave for the session of the same id (docs/decisions/0056). No foreign
        -- key: a row stays until its tokens are revoked. `sealed`: its tokens; NULL once there is
        -- nothing left to revoke. `sent_at`: the refresh token of this `revision` was sent, and no
        -- answer is stored yet. `due_at`: from when its tokens are to be revoked. `takes_foreign`:
        -- until `foreign_until`, cookies of another system that name no session open it by its DID
        -- (docs/decisions/0066).
        CREATE TABLE handle_sessions (
            session_id TEXT NOT NULL PRIMARY KEY,
            did TEXT NOT NULL, handle TEXT NOT NULL, host TEXT NOT NULL, issuer TEXT NOT NULL,
            client_id TEXT NOT NULL, client_key_id TEXT,
            asked_scope TEXT NOT NULL, scope TEXT NOT NULL,
            sealed TEXT, access_expires_at INTEGER,
            created_at INTEGER NOT NULL, refreshed_at INTEGER NOT NULL,
            revision INTEGER NOT NULL, lease_id BLOB, lease_until INTEGER, sent_at INTEGER,
            takes_foreign INTEGER NOT NULL, foreign_until INTEGER,
            due_at INTEGER, tries INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX handle_sessions_of_foreign_seals ON handle_sessions (did)
            WHERE takes_foreign = 1;
        CREATE INDEX handle_sessions_by_did ON handle_sessions (did);
        CREATE INDEX handle_sessions_by_client_key ON handle_sessions (client_key_id)
            WHERE client_key_id IS NOT NULL;
        CREATE INDEX handle_sessions_to_revoke ON handle_sessions (due_at) WHERE due_at IS NOT NULL;

        -- The keys that authenticate this server to hosts of handles, the same at every host.
        CREATE TABLE handle_client_keys (
            key_id TEXT NOT NULL PRIMARY KEY,
            algorithm TEXT NOT NULL, sealed_private_key TEXT NOT NULL,
            created_at INTEGER NOT NULL, active_from INTEGER NOT NULL,
            retired_at INTEGER, withdrawn_at INTEGER
        ) STRICT;

        -- A counter that each change to providers raises, and the realm of the backend's people and apps.
        CREATE TABLE backend_version (
            id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL,
            realm_id TEXT REFERENCES realms (id) ON DELETE SET NULL
        ) STRICT;
        INSERT INTO backend_version (id, version) VALUES (1, 1);

        -- Identity providers that a realm's people sign in with.
        CREATE TABLE providers (
            realm_id TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            kind TEXT NOT NULL, place INTEGER NOT NULL, is_enabled INTEGER NOT NULL,
            settings TEXT NOT NULL, sealed_secret TEXT,
            PRIMARY KEY (realm_id, name)
        ) STRICT;

        -- Codes sent by mail, one for each owner.
        CREATE TABLE email_codes (
            owner BLOB NOT NULL PRIMARY KEY,
            address TEXT NOT NULL, code_hash BLOB NOT NULL,
            expires_at INTEGER NOT NULL, tries INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Mails to send, and recent ones. `service`: the realm that people know it from, if any.
        CREATE TABLE mails (
            id BLOB NOT NULL PRIMARY KEY,
            service TEXT, recipient TEXT NOT NULL,
            kind TEXT NOT NULL, message TEXT NOT NULL, language TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            tries INTEGER NOT NULL, tried_at INTEGER, due_at INTEGER, sent_at INTEGER
        ) STRICT;
        CREATE INDEX mails_to_send ON mails (created_at, id) WHERE due_at IS NOT NULL;

        -- The audit trail. `at`: in milliseconds since 1970. `subject_id`: a person or what an
        -- administrator changed; `before`, `after`: the change. Without references:
        -- what administrators did outlives its realm. `origin` decides how long a row is kept.
        CREATE TABLE events (
            number INTEGER PRIMARY KEY,
            kind TEXT NOT NULL, at INTEGER NOT NULL, origin TEXT NOT NULL, realm_id TEXT,
            actor_kind TEXT, actor_id TEXT, subject_id TEXT, client_id TEXT, provider TEXT,
            session_id TEXT, device TEXT, address TEXT, reason TEXT,
            details TEXT, before TEXT, after TEXT
        ) STRICT;
        CREATE INDEX events_by_realm ON events (realm_id, number) WHERE realm_id IS NOT NULL;
        CREATE INDEX events_by_subject ON events (subject_id, number) WHERE subject_id IS NOT NULL;

        -- `/readyz` writes here to check that the database takes writes.
        CREATE TABLE write_probes (
            id INTEGER NOT NULL PRIMARY KEY,
            written_at INTEGER NOT NULL, filling BLOB NOT NULL
        ) STRICT;

        PRAGMA application_id = 0x506F7274;
        PRAGMA user_version = 6;
        """
}
