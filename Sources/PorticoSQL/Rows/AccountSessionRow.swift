import PorticoBytes
import PorticoStores

/// The columns of an account's session in the order in which every query selects them:
/// `id, account_id, cookie_hash, app, generation, refresh_secret, refresh_key_id, rotated_at,
/// idempotency_key, issuer, subject, provider_session_id, device, address, proven_at,
/// created_at, last_seen_at, idle_seconds, expires_at`.
enum AccountSessionRow {
    static let width = 19

    /// A session that does not wait for its app.
    static func session(_ row: any SQLRow) throws -> AccountSession {
        AccountSession(
            id: try row.uniqueID(0),
            accountID: try row.uniqueID(1),
            form: try form(row),
            identity: IdentityKey(issuer: try row.text(9), subject: try row.text(10)),
            providerSessionID: try row.optionalText(11),
            device: try row.text(12),
            address: try row.optionalText(13),
            provenAt: try row.optionalInt64(14),
            createdAt: try row.int64(15),
            lastSeenAt: try row.int64(16),
            idleSeconds: try row.int64(17),
            expiresAt: try row.int64(18)
        )
    }

    private static func form(_ row: any SQLRow) throws -> AccountSession.Form {
        if let cookieHash = try row.optionalHash(2) { return .browser(cookieHash: cookieHash) }
        guard let generation = UInt32(exactly: try row.int64(4)) else {
            throw SQLDecodingError.outOfRange(column: 4)
        }
        let refresh = RefreshState(
            generation: generation,
            secret: try row.bytes(5),
            keyID: try row.bytes(6),
            rotatedAt: try row.int64(7),
            idempotencyKey: try row.optionalHash(8)
        )
        return .app(name: try row.text(3), refresh: refresh)
    }

    /// With the account behind it, and no providers yet.
    static func live(_ row: any SQLRow) throws -> LiveAccountSession {
        LiveAccountSession(
            session: try session(row),
            account: try AccountRow.account(row, from: width),
            providers: []
        )
    }
}
