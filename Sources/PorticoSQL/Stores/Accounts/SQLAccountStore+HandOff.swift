import PorticoBytes
package import PorticoStores

/// Giving an app its session (docs/decisions/0013).
extension SQLAccountStore {
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
            UPDATE account_sessions AS s
            SET is_active = TRUE, code_spent_at = $1, last_seen_at = $1, generation = $2,
                refresh_secret = $3, refresh_key_id = $4, rotated_at = $5, idempotency_key = $6
            WHERE s.code_hash = $7 AND s.code_spent_at IS NULL AND s.code_expires_at > $1
                AND s.app = $8 AND s.redirect_hash = $9 AND s.challenge = $10
                AND s.ended_at IS NULL AND s.expires_at > $1
                AND EXISTS (
                    SELECT 1 FROM accounts AS a
                    WHERE a.id = s.account_id AND NOT a.is_blocked AND a.epoch = s.epoch)
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
            if code.isBound(to: presentation) { try end(code.sessionID, at: now) }
        } else {
            try run(
                """
                UPDATE account_sessions SET code_spent_at = $1
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
            FROM account_sessions WHERE code_hash = $1
            """,
            [.bytes(codeHash.bytes)]
        ) { row in
            KeptHandOff(
                sessionID: try row.uniqueID(0),
                isSpent: try row.bool(1),
                app: try row.text(2),
                redirectHash: try row.hash(3),
                challenge: try row.hash(4),
                expiresAt: try row.int64(5)
            )
        }
    }

    /// The session that a code has just brought.
    fileprivate func redeemed(_ codeHash: Hash256) throws -> (LiveAccountSession, isNew: Bool)? {
        let found = try first(
            """
            SELECT s.id, s.account_id, s.cookie_hash, s.app, s.generation, s.refresh_secret,
                s.refresh_key_id, s.rotated_at, s.idempotency_key, s.issuer, s.subject,
                s.provider_session_id, s.device, s.address, s.proven_at, s.created_at,
                s.last_seen_at, s.idle_seconds, s.expires_at,
                a.id, a.email, a.is_email_verified, a.email_proof, a.is_email_relay, a.name,
                a.is_name_own, a.picture, a.language, a.is_blocked, a.is_welcomed,
                a.created_at, a.last_sign_in_at, s.is_new
            FROM account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
            WHERE s.code_hash = $1
            """,
            [.bytes(codeHash.bytes)]
        ) { row in
            (
                try AccountSessionRow.live(row),
                isNew: try row.bool(AccountSessionRow.width + AccountRow.width)
            )
        }
        guard case (var live, let isNew)? = found else { return nil }
        live.providers = try providers(of: live.account.id)
        return (live, isNew: isNew)
    }
}

/// What is kept of a hand-off code, and of what it is bound to.
private struct KeptHandOff {
    let sessionID: UniqueID
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
