import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The columns of a grant in the order in which every query selects them:
/// `id, realm_id, client_id, person_id, session_id, scope, is_offline, authenticated_at, acr, amr,
/// claims, created_at, idle_seconds, expires_at, generation, refresh_secret, refresh_key_id,
/// rotated_at, idempotency_key`.
enum GrantRow {
    static let width = 19

    static func grant(_ row: any SQLRow) throws -> Grant {
        Grant(
            id: try row.uniqueID(0),
            realmID: try row.text(1),
            clientID: try row.text(2),
            personID: try row.optionalText(3),
            sessionID: try row.optionalText(4),
            scope: Scope(tokens: try row.words(5)),
            isOffline: try row.bool(6),
            authenticatedAt: try row.optionalInt64(7),
            acr: try row.optionalText(8),
            amr: try row.words(9),
            claims: try row.optionalText(10),
            createdAt: try row.int64(11),
            idleSeconds: try row.int64(12),
            expiresAt: try row.optionalInt64(13),
            refresh: try refresh(row)
        )
    }

    private static func refresh(_ row: any SQLRow) throws -> RefreshState? {
        guard let generation = try row.optionalInt64(14) else { return nil }
        guard let generation = UInt32(exactly: generation) else {
            throw SQLDecodingError.outOfRange(column: 14)
        }
        return RefreshState(
            generation: generation,
            secret: try row.bytes(15),
            keyID: try row.bytes(16),
            rotatedAt: try row.int64(17),
            idempotencyKey: try row.optionalHash(18)
        )
    }

    static func values(_ grant: Grant) -> [SQLValue] {
        [
            .bytes(grant.id.bytes), .text(grant.realmID), .text(grant.clientID),
            SQLValue(grant.personID), SQLValue(grant.sessionID),
            SQLValue(words: grant.scope.tokens), .bool(grant.isOffline),
            SQLValue(grant.authenticatedAt), SQLValue(grant.acr), SQLValue(words: grant.amr),
            SQLValue(grant.claims), .int64(grant.createdAt), .int64(grant.idleSeconds),
            SQLValue(grant.expiresAt), SQLValue(grant.refresh.map { Int64($0.generation) }),
            grant.refresh.map { .bytes($0.secret) } ?? .null,
            grant.refresh.map { .bytes($0.keyID) } ?? .null,
            SQLValue(grant.refresh?.rotatedAt), SQLValue(grant.refresh?.idempotencyKey),
        ]
    }
}
