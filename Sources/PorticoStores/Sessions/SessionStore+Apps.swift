import PorticoBytes

/// Sessions of the backend's apps.
extension SessionStore {
    /// Moves a live app session's refresh state on, as ``GrantStore/rotate(_:sessionIdle:spending:at:)`` does:
    /// of any number of concurrent calls with one generation exactly one gets `.rotated`. It counts
    /// as seen. `familyID` is the session's id.
    package func rotate(_ rotation: Rotation, at now: Int64) async throws -> RotationOutcome {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE sessions AS s
                SET generation = generation + 1, rotated_at = $1, idempotency_key = $2,
                    refresh_key_id = $3,
                    last_seen_at = CASE WHEN last_seen_at < $1 THEN $1 ELSE last_seen_at END
                WHERE s.id = $4 AND s.generation = $5 AND s.generation < 4294967295
                    AND EXISTS (
                        SELECT 1 FROM backend_sessions AS l
                        WHERE l.id = s.id AND l.alive_until > $1)
                """,
                [
                    .int64(now), SQLValue(rotation.idempotencyKey), .bytes(rotation.keyID),
                    .text(rotation.familyID.text), .int64(Int64(rotation.generation)),
                ]
            )
            return changed > 0 ? .rotated : .outdated
        }
    }
}

/// Giving an app its session (docs/decisions/0013).
extension SessionStore {
    /// Redeems a hand-off code (docs/decisions/0013). Of any number of concurrent presentations
    /// exactly one gets `.redeemed`; a presentation that is wrong in any respect spends the code. A
    /// second one that is right in every respect ends the session that the first one got (RFC 6749
    /// §4.1.2).
    package func redeem(_ presentation: HandOffPresentation, at now: Int64) async throws
        -> HandOffRedemption
    {
        try await database.change { transaction in
            guard try transaction.activate(presentation, at: now) else {
                return try transaction.refuse(presentation, at: now)
            }
            guard let (live, isNew) = try transaction.redeemed(presentation.codeHash) else {
                throw SQLError(.corrupt, code: 0)
            }
            try transaction.note(.handOffRedeemed, ofSession: live.session.id, at: now)
            return .redeemed(live, isNew: isNew)
        }
    }
}

extension SQLTransaction {
    /// One statement decides: the code's first use, what it is bound to, and that its account is
    /// still there.
    fileprivate func activate(_ presentation: HandOffPresentation, at now: Int64) throws -> Bool {
        let changed = try run(
            """
            UPDATE sessions AS s
            SET code_spent_at = $1, last_seen_at = $1, generation = $2,
                refresh_secret = $3, refresh_key_id = $4, rotated_at = $5, idempotency_key = $6
            WHERE s.code_hash = $7
                AND s.app = $8 AND s.redirect_hash = $9 AND s.challenge = $10
                AND EXISTS (
                    SELECT 1 FROM backend_sessions AS l
                    WHERE l.id = s.id AND l.waits_until > $1)
            """,
            [.int64(now)] + presentation.refresh.values + [
                .bytes(presentation.codeHash.bytes), .text(presentation.app),
                .bytes(presentation.redirectHash.bytes), .bytes(presentation.challenge.bytes),
            ]
        )
        return changed > 0
    }

    /// Spends a code that was presented wrongly (docs/decisions/0033), and says why it is not good.
    fileprivate func refuse(_ presentation: HandOffPresentation, at now: Int64) throws
        -> HandOffRedemption
    {
        guard let code = try waiting(for: presentation.codeHash) else { return .unknown }
        let refusal = code.refusal(of: presentation, at: now)
        if code.isSpent {
            if code.isBound(to: presentation) { try endSession(code.sessionID, at: now) }
        } else {
            try run(
                """
                UPDATE sessions SET code_spent_at = $1
                WHERE code_hash = $2 AND code_spent_at IS NULL
                """,
                [.int64(now), .bytes(presentation.codeHash.bytes)]
            )
        }
        try note(.handOffRefused, ofSession: code.sessionID, at: now)
        return .refused(refusal)
    }

    private func waiting(for codeHash: Hash256) throws -> KeptHandOff? {
        try first(
            """
            SELECT id, code_spent_at IS NOT NULL, app, redirect_hash, challenge, code_expires_at
            FROM sessions WHERE code_hash = $1
            """,
            [.bytes(codeHash.bytes)]
        ) { row in
            KeptHandOff(
                sessionID: try row.text(0),
                isSpent: try row.bool(1),
                app: try row.text(2),
                redirectHash: try row.hash(3),
                challenge: try row.hash(4),
                expiresAt: try row.int64(5)
            )
        }
    }

    /// The session that a code has just brought.
    fileprivate func redeemed(_ codeHash: Hash256) throws -> (LiveSession, isNew: Bool)? {
        let found = try first(
            Statement.byCode,
            [.bytes(codeHash.bytes)]
        ) { row in
            (
                try LiveSession(row),
                isNew: try row.bool(SessionColumn.count + PersonColumn.count)
            )
        }
        guard case (var live, let isNew)? = found else { return nil }
        live.providers = try providers(of: live.person.id)
        return (live, isNew: isNew)
    }
}

/// What is kept of a hand-off code, and of what it is bound to.
private struct KeptHandOff {
    let sessionID: String
    let isSpent: Bool
    let app: String
    let redirectHash: Hash256
    let challenge: Hash256
    let expiresAt: Int64

    func refusal(of presentation: HandOffPresentation, at now: Int64) -> HandOffRefusal {
        if isSpent { return .alreadyUsed }
        if expiresAt <= now { return .expired }
        if !sameBytes(app, presentation.app) { return .otherApp }
        if redirectHash != presentation.redirectHash { return .otherRedirect }
        if challenge != presentation.challenge { return .wrongVerifier }
        return .accountGone
    }

    func isBound(to presentation: HandOffPresentation) -> Bool {
        sameBytes(app, presentation.app) && redirectHash == presentation.redirectHash
            && challenge == presentation.challenge
    }
}

private enum Statement {
    static let byCode: SQLText = """
        SELECT \(SessionColumn.self, of: "s"), \(PersonColumn.self, of: "p"), s.is_new
        FROM sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE s.code_hash = $1
        """
}
