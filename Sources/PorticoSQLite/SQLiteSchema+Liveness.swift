extension SQLiteSchema {
    /// What is live, said once: each view has the rows that nothing has ended, with the time until
    /// which they live by themselves (`alive_until`, exclusive, in seconds since 1970).
    ///
    /// - `live_grants`: ``GrantStore`` says when a grant is live. It expires by inactivity, and a new
    ///   password (`epoch`) or a sign-out ends it (RFC 9700 §4.14.2).
    /// - `live_browser_sessions`: whether a session was seen lately enough is asked beside it, because
    ///   that limit is the realm's. A disabled person's session lives until 0.
    /// - `live_account_sessions`: one that waits for its app lives until 0, and waits until
    ///   `waits_until`.
    static let liveness: StaticString = """
        CREATE VIEW live_grants AS
        SELECT g.*, MIN(
            COALESCE(g.expires_at, 9223372036854775807),
            CASE WHEN g.generation IS NULL THEN 9223372036854775807
                ELSE g.rotated_at + g.idle_seconds END,
            CASE WHEN g.is_offline OR g.session_id IS NULL THEN 9223372036854775807
                ELSE s.expires_at END) AS alive_until
        FROM grants AS g
        JOIN clients AS c ON c.id = g.client_id
        LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
        LEFT JOIN browser_sessions AS s ON s.id = g.session_id
        WHERE g.refused_at IS NULL AND g.revoked_at IS NULL
            AND (g.person_id IS NULL OR (p.is_enabled AND p.epoch = g.epoch
                AND p.not_before <= g.created_at))
            AND (g.is_offline OR g.session_id IS NULL
                OR (s.id IS NOT NULL AND s.ended_at IS NULL));

        CREATE VIEW live_browser_sessions AS
        SELECT s.*, CASE WHEN p.is_enabled THEN s.expires_at ELSE 0 END AS alive_until
        FROM browser_sessions AS s
        JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
        WHERE s.ended_at IS NULL AND p.epoch = s.epoch AND p.not_before <= s.authenticated_at;

        CREATE VIEW live_account_sessions AS
        SELECT s.*,
            CASE WHEN s.is_active
                THEN MIN(s.expires_at, s.last_seen_at + s.idle_seconds)
                ELSE 0 END AS alive_until,
            CASE WHEN NOT s.is_active AND s.code_spent_at IS NULL
                THEN MIN(s.code_expires_at, s.expires_at, s.last_seen_at + s.idle_seconds)
                ELSE 0 END AS waits_until
        FROM account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
        WHERE s.ended_at IS NULL AND NOT a.is_blocked AND a.epoch = s.epoch;
        """
}
