/// Where a person is signed in, as their realm's administration sees it.
extension PersonStore {
    /// Ends every session and grant that there is, offline ones too. `now` in seconds since 1970.
    package func signOutEverywhere(_ personID: String, realmID: String, at now: Int64) async throws
        -> Change
    {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID) else { return .notFound }
            try transaction.tellClients(ofPerson: personID)
            try transaction.forgetStrangers(of: personID)
            try transaction.run(
                """
                UPDATE people SET epoch = epoch + 1,
                    not_before = CASE WHEN not_before < $1 THEN $1 ELSE not_before END
                WHERE id = $2
                """,
                [.int64(now), .text(personID)]
            )
            return .changed
        }
    }

    /// The clients (their ids) with a live grant in a live session of the person, by session.
    package func clientsBySession(of personID: String, realmID: String, at now: Int64) async throws
        -> [String: [String]]
    {
        let pairs = try await database.read { reader in
            try reader.rows(
                """
                SELECT DISTINCT b.id, g.client_id FROM live_browser_sessions AS b
                JOIN live_grants AS g ON g.session_id = b.id
                WHERE b.person_id = $1 AND b.realm_id = $2 AND g.alive_until > $3
                ORDER BY b.id, g.client_id
                """,
                [.text(personID), .text(realmID), .int64(now)]
            ) { (session: try $0.text(0), client: try $0.text(1)) }
        }
        return Dictionary(grouping: pairs, by: \.session).mapValues { $0.map(\.client) }
    }
}
