import PorticoBytes
import PorticoStores

/// The columns of a browser session in the order in which every query selects them:
/// `id, realm_id, person_id, cookie_hash, authenticated_at, acr, amr, device, created_at,
/// last_seen_at, expires_at, epoch`.
enum BrowserSessionRow {
    static let width = 12

    static func session(_ row: any SQLRow) throws -> BrowserSession {
        BrowserSession(
            id: try row.text(0),
            realmID: try row.text(1),
            personID: try row.text(2),
            cookieHash: try row.hash(3),
            authenticatedAt: try row.int64(4),
            acr: try row.text(5),
            amr: try row.words(6),
            device: try row.text(7),
            createdAt: try row.int64(8),
            lastSeenAt: try row.int64(9),
            expiresAt: try row.int64(10),
            epoch: try row.int64(11)
        )
    }

    static func live(_ row: any SQLRow) throws -> LiveBrowserSession {
        LiveBrowserSession(
            session: try session(row),
            person: try PersonRow.person(row, from: width)
        )
    }

    static func values(_ session: BrowserSession) -> [SQLValue] {
        [
            .text(session.id), .text(session.realmID), .text(session.personID),
            .bytes(session.cookieHash.bytes), .int64(session.authenticatedAt),
            .text(session.acr), SQLValue(words: session.amr), .text(session.device),
            .int64(session.createdAt), .int64(session.lastSeenAt), .int64(session.expiresAt),
            .int64(session.epoch),
        ]
    }
}
