extension SQLiteSchema {
    /// Clients that are registered nowhere (docs/decisions/0064-client-documents.md).
    ///
    /// - `client_documents`: those that a person let in, as their documents were then. They are no
    ///   rows of `clients`: a program of the version before would take them for registered ones.
    /// - `document_consents`: what people allowed them. `fingerprint`: of what a person was asked
    ///   about; a client that has changed in that is asked about again.
    /// - `people.did`: the attribute of that name, where it is one DID.
    /// - `live_grants`: as before, also of clients with a document. One with times of its own ends
    ///   with its browser session only where that is ended, not where it expires.
    /// - `live_browser_sessions`: as before; `apps_until`: the time until which such a grant lives in it,
    ///   or 0.
    static let clientDocuments: StaticString = """
        CREATE TABLE client_documents (
            id            TEXT NOT NULL PRIMARY KEY,
            realm_id      TEXT NOT NULL REFERENCES realms (id) ON DELETE CASCADE,
            client_id     TEXT NOT NULL,
            document      TEXT NOT NULL,
            first_used_at INTEGER NOT NULL,
            last_used_at  INTEGER NOT NULL,
            UNIQUE (realm_id, client_id)
        ) STRICT;
        CREATE TABLE document_consents (
            person_id   TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            client_id   TEXT NOT NULL REFERENCES client_documents (id) ON DELETE CASCADE,
            scope       TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            updated_at  INTEGER NOT NULL,
            PRIMARY KEY (person_id, client_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX document_consents_by_client ON document_consents (client_id);

        ALTER TABLE people ADD COLUMN did TEXT;
        CREATE UNIQUE INDEX people_by_did ON people (realm_id, did) WHERE did IS NOT NULL;

        DROP VIEW live_grants;
        CREATE VIEW live_grants AS
        SELECT g.*, MIN(
            COALESCE(g.expires_at, 9223372036854775807),
            CASE WHEN g.generation IS NULL THEN 9223372036854775807
                ELSE g.rotated_at + g.idle_seconds END,
            CASE WHEN g.is_offline OR g.has_own_times OR g.session_id IS NULL
                THEN 9223372036854775807 ELSE s.expires_at END) AS alive_until
        FROM grants AS g
        LEFT JOIN clients AS c ON c.id = g.client_id
        LEFT JOIN client_documents AS d ON d.id = g.client_id
        LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
        LEFT JOIN browser_sessions AS s ON s.id = g.session_id
        WHERE g.refused_at IS NULL AND g.revoked_at IS NULL
            AND (c.id IS NOT NULL OR d.id IS NOT NULL)
            AND (g.person_id IS NULL OR (p.is_enabled AND p.epoch = g.epoch
                AND p.not_before <= g.created_at))
            AND (g.is_offline OR g.session_id IS NULL
                OR (s.id IS NOT NULL AND s.ended_at IS NULL));

        DROP VIEW live_browser_sessions;
        CREATE VIEW live_browser_sessions AS
        SELECT s.*, CASE WHEN p.is_enabled THEN s.expires_at ELSE 0 END AS alive_until,
            COALESCE((
                SELECT MAX(g.alive_until) FROM live_grants AS g
                WHERE g.session_id = s.id AND g.has_own_times), 0) AS apps_until
        FROM browser_sessions AS s
        JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
        WHERE s.ended_at IS NULL AND p.epoch = s.epoch AND p.not_before <= s.authenticated_at;
        """
}
