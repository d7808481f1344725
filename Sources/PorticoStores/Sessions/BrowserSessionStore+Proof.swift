/// Whether a session proves its person (docs/decisions/0081).
extension BrowserSessionStore {
    /// How recently a person must have proven who they are to change their account, in seconds.
    package static let freshness: Int64 = 300

    /// What a change of an account asks of the session that it is made in.
    package enum Proof: Sendable {
        /// The person has proven who they are lately, and with a second factor if they have one now.
        case now
        /// With a second factor if they have one now, whenever that was: something else proves that
        /// they are there, such as a code from their mailbox.
        case strength
    }

    /// Whether the session is as good a proof of its person as that.
    ///
    /// A store method that changes an account asks the same in its transaction.
    package func proves(_ session: BrowserSession, _ proof: Proof, at now: Int64) async throws
        -> Bool
    {
        try await database.read { try $0.proves(session, proof, at: now) }
    }
}

extension SQLReader {
    /// Whether a session is live, and as good a proof of its person as that. What counts is the session
    /// as it is kept, and what the person has now.
    func proves(_ session: BrowserSession, _ proof: BrowserSessionStore.Proof, at now: Int64) throws
        -> Bool
    {
        let since: Int64 =
            switch proof {
            case .now: now &- BrowserSessionStore.freshness
            case .strength: .min
            }
        return try hasRow(
            """
            SELECT 1 FROM live_browser_sessions AS s
            WHERE s.id = $1 AND s.realm_id = $2 AND s.person_id = $3 AND s.epoch = $4
                AND s.alive_until > $5 AND s.authenticated_at >= $6
                AND (' ' || s.amr || ' ' LIKE '% otp %' OR NOT EXISTS (
                    SELECT 1 FROM credentials AS c
                    WHERE c.person_id = s.person_id AND c.kind <> 'other'))
            """,
            [
                .text(session.id), .text(session.realmID), .text(session.personID),
                .int64(session.epoch), .int64(now), .int64(since),
            ]
        )
    }
}
