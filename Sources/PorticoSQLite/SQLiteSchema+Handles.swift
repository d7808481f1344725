extension SQLiteSchema {
    /// Sign-in by internet handle (docs/decisions/0056-sessions-of-handles.md).
    ///
    /// - `handle_sessions`: what a host gave for an account's session, which has the same id. Without
    ///   a foreign key: a row stays until its tokens are revoked. `sealed`: NULL where nothing is left
    ///   to revoke. `sent_at`: a refresh with the refresh token of this `revision` went out, and no
    ///   answer to it is stored. `takes_foreign`: seals of another system that name no session open
    ///   it, by its DID. `due_at`: its tokens are to be revoked from then on.
    /// - `handle_client_keys`: the client's own keys, at every host the same.
    static let handleSessions: StaticString = """
        CREATE TABLE handle_sessions (
            session_id        BLOB NOT NULL PRIMARY KEY,
            did               TEXT NOT NULL,
            handle            TEXT NOT NULL,
            host              TEXT NOT NULL,
            issuer            TEXT NOT NULL,
            client_id         TEXT NOT NULL,
            client_key_id     TEXT,
            asked_scope       TEXT NOT NULL,
            scope             TEXT NOT NULL,
            sealed            TEXT,
            access_expires_at INTEGER,
            created_at        INTEGER NOT NULL,
            refreshed_at      INTEGER NOT NULL,
            revision          INTEGER NOT NULL,
            lease_id          BLOB,
            lease_until       INTEGER,
            sent_at           INTEGER,
            takes_foreign     INTEGER NOT NULL,
            due_at            INTEGER,
            tries             INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX handle_sessions_of_foreign_seals ON handle_sessions (did)
            WHERE takes_foreign = 1;
        CREATE INDEX handle_sessions_by_did ON handle_sessions (did);
        CREATE INDEX handle_sessions_by_client_key ON handle_sessions (client_key_id)
            WHERE client_key_id IS NOT NULL;
        CREATE INDEX handle_sessions_to_revoke ON handle_sessions (due_at) WHERE due_at IS NOT NULL;

        CREATE TABLE handle_client_keys (
            key_id             TEXT NOT NULL PRIMARY KEY,
            algorithm          TEXT NOT NULL,
            sealed_private_key TEXT NOT NULL,
            created_at         INTEGER NOT NULL,
            active_from        INTEGER NOT NULL,
            retired_at         INTEGER,
            withdrawn_at       INTEGER
        ) STRICT;
        """
    /// Seals of another system open a session for a while (docs/decisions/0066-foreign-seals.md).
    ///
    /// - `handle_sessions.foreign_until`: until when, where `takes_foreign` says so. A program of the
    ///   version before ends it when it first sees a seal of ours, which is earlier.
    static let foreignSeals: StaticString = """
        ALTER TABLE handle_sessions ADD COLUMN foreign_until INTEGER;
        UPDATE handle_sessions SET foreign_until = created_at + 1209600 WHERE takes_foreign = 1;
        """
}
