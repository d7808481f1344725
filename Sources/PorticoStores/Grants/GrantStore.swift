package import PorticoBytes

/// Keeps grants.
///
/// A grant is **live** while it is not refused or revoked, `expiresAt` lies ahead, its refresh
/// state (where it has one) was rotated after `now - idleSeconds`, its client is kept, its person
/// (where it has one) is enabled, was not signed out everywhere
/// since, and has a `notBefore` not later than `createdAt`, and, unless it is offline, its browser
/// session (where it has one) has not ended and, unless the grant has times of its own, has not
/// expired. All times are seconds since 1970.
///
/// Every event takes what its request has that is good once, and spends it in the same transaction:
/// where some of it was spent before, nothing else happens and the answer says so.
package struct GrantStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Spends an authorization code and keeps the grant it stands for
    /// (docs/decisions/0033).
    ///
    /// Of any number of concurrent calls with one grant id, or with one request id, exactly one
    /// gets `.redeemed`, and only while the browser session and person it names are live, and if the
    /// person has not removed the client since the code was issued. It is
    /// called for a presentation that is right in every respect, so a second one revokes, in the
    /// same step, what the first one issued (RFC 6749 §4.1.2).
    ///
    /// - Parameter issuedAt: When the code was issued; `nil` where none is behind the request.
    /// - Parameter derivation: Where another app handed the sign-in on. Only while the grant of that
    ///   app is live; and of any number of codes from one login token exactly one is redeemed, and
    ///   the others get `.loginTokenSpent`.
    /// - Parameter client: Whose it is: one that is taken from its document is kept with the grant. Where
    ///   another has been registered under its address meanwhile, the answer is `.sessionEnded`.
    /// - Parameter challenge: What is good for one code only. With one that was spent before the
    ///   code is spent as a wrong one is, and what came of the first code lives on.
    package func redeem(
        _ grant: Grant,
        requestID: UniqueID,
        issuedAt: Int64?,
        derivedBy derivation: Derivation? = nil,
        of client: Client? = nil,
        spending used: [UsedAssertion],
        once challenge: UsedAssertion? = nil,
        at now: Int64
    ) async throws -> Redemption {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            // One statement decides: liveness, the code's first use and the request's first use.
            let isFirst = try transaction.hasRow(
                Self.redeem,
                grant.values
                    + [
                        .bytes(requestID.bytes), SQLValue(derivation?.loginTokenID),
                        SQLValue(derivation?.parentID), .int64(now), SQLValue(issuedAt),
                    ]
            )
            if isFirst {
                guard let challenge, let kind = try transaction.spend([challenge]) else {
                    guard let client, try !transaction.keep(client, at: now) else {
                        return .redeemed
                    }
                    try transaction.revoke(grant.id, at: now)
                    return .sessionEnded
                }
                try transaction.run(
                    "UPDATE grants SET refused_at = $1 WHERE id = $2",
                    [.int64(now), .bytes(grant.id.bytes)]
                )
                return .spentBefore(kind)
            }
            if try transaction.hasRow(
                "SELECT 1 FROM grants WHERE id = $1",
                [.bytes(grant.id.bytes)]
            ) {
                // RFC 6749 §4.1.2: revoke what the first use issued.
                try transaction.revoke(grant.id, at: now)
                return .replayed
            }
            if try transaction.isAnswered(requestID) { return .replayed }
            if let id = derivation?.loginTokenID, try transaction.isSpent(loginToken: id) {
                return .loginTokenSpent
            }
            return .sessionEnded
        }
    }

    /// Spends an authorization code that was presented wrongly: keeps its id as refused, so that
    /// it is never good again. Does nothing where it was redeemed before. `.redeemed` says here
    /// that this call spent it. A login token behind it stays good: it proves nothing that is wrong.
    package func refuse(
        _ grant: Grant,
        requestID: UniqueID,
        spending used: [UsedAssertion],
        at now: Int64
    ) async throws -> Redemption {
        try await keep(grant, [SQLValue(requestID), .int64(now), .null], spending: used)
    }

    /// Keeps a grant that no code stands for (client_credentials).
    package func insert(_ grant: Grant, spending used: [UsedAssertion], at now: Int64)
        async throws -> Redemption
    {
        try await keep(grant, [.null, .null, .null], spending: used)
    }

    /// Keeps a grant for a person's password, with the session that it hangs on and that begins with
    /// it. Where the person's ``BrowserSession/epoch`` has changed since the password was judged, or they
    /// are disabled, neither is kept and the answer is `.sessionEnded`.
    package func insert(
        _ grant: Grant,
        beginning session: BrowserSession,
        spending used: [UsedAssertion],
        at now: Int64
    ) async throws -> Redemption {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            let more: [SQLValue] = [.null, .null, .int64(session.epoch)]
            guard try transaction.hasRow(Self.keep, grant.values + more) else {
                return .sessionEnded
            }
            _ = try transaction.begin(session, replacing: nil)
            return .redeemed
        }
    }

    private func keep(_ grant: Grant, _ more: [SQLValue], spending used: [UsedAssertion])
        async throws -> Redemption
    {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            return try transaction.hasRow(Self.keep, grant.values + more) ? .redeemed : .replayed
        }
    }

    /// The clients (their ids) of a grant and of those that it is derived from, its own first.
    package func clients(behind id: UniqueID) async throws -> [String] {
        try await database.read { reader in
            try reader.rows(
                """
                WITH RECURSIVE above (id, client_id, parent_id, depth) AS (
                    SELECT id, client_id, parent_id, 0 FROM grants WHERE id = $1
                    UNION ALL SELECT g.id, g.client_id, g.parent_id, a.depth + 1
                    FROM grants AS g JOIN above AS a ON g.id = a.parent_id)
                SELECT client_id FROM above ORDER BY depth
                """,
                [.bytes(id.bytes)]
            ) { try $0.text(0) }
        }
    }

    /// Whether a grant was made, or refused, for that authorization request (RFC 9126 §4).
    package func isAnswered(requestID: UniqueID) async throws -> Bool {
        try await database.read { try $0.isAnswered(requestID) }
    }

    /// Whether a code that a login token led to was redeemed.
    package func isSpent(loginToken id: UniqueID) async throws -> Bool {
        try await database.read { try $0.isSpent(loginToken: id) }
    }

    /// Spends what is good once, and does nothing else.
    package func spend(_ used: [UsedAssertion], at now: Int64) async throws -> Spending {
        try await database.change { try $0.spend(used).map(Spending.spentBefore) ?? .spent }
    }
}

extension GrantStore {
    private static let redeem: SQLText = """
        INSERT INTO grants (\(GrantColumn.self), request_id, epoch, login_token_id, parent_id)
        SELECT \(valuesOf: GrantColumn.self), $23,
            COALESCE((SELECT epoch FROM people WHERE id = $4), 0), $24, $25
        WHERE ($4 IS NULL OR EXISTS (
                SELECT 1 FROM people AS p
                WHERE p.id = $4 AND p.realm_id = $2 AND p.is_enabled AND p.not_before <= $12))
            AND ($5 IS NULL OR EXISTS (
                SELECT 1 FROM live_browser_sessions AS s
                WHERE s.id = $5 AND s.realm_id = $2 AND s.person_id = $4 AND s.alive_until > $26))
            AND ($25 IS NULL OR EXISTS (
                SELECT 1 FROM live_grants AS l
                WHERE l.id = $25 AND l.person_id = $4 AND l.alive_until > $26))
            AND NOT EXISTS (
                SELECT 1 FROM removed_apps AS r
                WHERE r.person_id = $4 AND r.client_id = $3 AND r.removed_at >= $27)
        ON CONFLICT DO NOTHING RETURNING id
        """

    static let keep: SQLText = """
        INSERT INTO grants (\(GrantColumn.self), request_id, refused_at, epoch)
        SELECT \(valuesOf: GrantColumn.self), $23, $24,
            COALESCE((SELECT epoch FROM people WHERE id = $4), 0)
        WHERE ($25 IS NULL OR EXISTS (
            SELECT 1 FROM people AS p
            WHERE p.id = $4 AND p.realm_id = $2 AND p.is_enabled AND p.epoch = $25))
        ON CONFLICT DO NOTHING RETURNING id
        """
}

extension SQLReader {
    fileprivate func isAnswered(_ requestID: UniqueID) throws -> Bool {
        try hasRow("SELECT 1 FROM grants WHERE request_id = $1", [.bytes(requestID.bytes)])
    }

    fileprivate func isSpent(loginToken id: UniqueID) throws -> Bool {
        try hasRow("SELECT 1 FROM grants WHERE login_token_id = $1", [.bytes(id.bytes)])
    }
}
