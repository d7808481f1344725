import PorticoBytes

/// What is kept of an identity besides the person: a provider's refresh token.
extension AccountStore {
    /// Keeps a provider's new refresh token in place of the one that it succeeds. `.notFound` where
    /// another process came first, or the identity is gone: then what is kept stays.
    package func keepToken(
        _ sealedToken: String,
        of personID: String,
        at provider: String,
        replacing old: String?
    ) async throws -> Change {
        try await database.change { transaction in
            try transaction.change(
                """
                UPDATE identities SET sealed_token = $1
                WHERE person_id = $2 AND provider = $3
                    AND (sealed_token = $4 OR sealed_token IS NULL AND $4 IS NULL)
                """,
                [.text(sealedToken), .text(personID), .text(provider), SQLValue(old)]
            )
        }
    }
}

extension SQLReader {
    /// What a person's sessions that are live or wait for their app were signed in by; `nil`: a password.
    /// With a session that waits a fresh token has come.
    ///
    /// - Parameter kept: A session that does not count.
    func identitiesInUse(of personID: String, except kept: String? = nil, at now: Int64)
        throws -> [IdentityKey?]
    {
        try rows(
            """
            SELECT DISTINCT s.issuer, s.subject
            FROM live_sessions AS s
            WHERE s.person_id = $1 AND ($2 IS NULL OR s.id <> $2)
                AND (s.alive_until > $3 OR s.waits_until > $3)
            """,
            [.text(personID), SQLValue(kept), .int64(now)]
        ) { row in
            guard let issuer = try row.optionalText(0) else { return nil }
            return IdentityKey(issuer: issuer, subject: try row.text(1))
        }
    }
}

extension SQLTransaction {
    /// Forgets the tokens of identities whose sessions have just ended, where none is left; with
    /// the account's last session those of all.
    ///
    /// - Returns: The identities as they were, in the order of linking.
    func forgetTokens(of personID: String, leftBy left: [IdentityKey], at now: Int64) throws
        -> [Identity]
    {
        let used = try identitiesInUse(of: personID, at: now)
        let forgotten = try identities(of: personID).filter { identity in
            identity.sealedToken != nil
                && (used.isEmpty
                    || identity.isOne(of: left) && !identity.isOne(of: used.compactMap(\.self)))
        }
        for identity in forgotten {
            try run(
                "UPDATE identities SET sealed_token = NULL WHERE person_id = $1 AND provider = $2",
                [.text(personID), .text(identity.provider)]
            )
        }
        return forgotten
    }
}

extension Identity {
    fileprivate func isOne(of keys: [IdentityKey]) -> Bool { key.map(keys.contains) ?? false }
}
