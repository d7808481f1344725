import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A refresh or offline token of the server that a realm comes from, with its signature verified
/// (docs/decisions/0051).
///
/// Its header names one of the realm's kept keys, which no token of our own does.
struct OldRefreshToken: Sendable {
    /// `jti`
    let id: String
    /// `typ`: Offline, not Refresh.
    let isOffline: Bool
    /// `sid`
    let sessionID: String
    /// `azp`
    let clientID: String
    /// `sub`; lightweight tokens have none, and of some clients it is no person's id.
    let subject: String?
    /// Seconds since 1970.
    let issuedAt: Int64
    let expiresAt: Int64?
    let scope: Scope
    /// The key that it is bound to (`cnf`, RFC 9449 §6.1).
    let dpopKey: JWKThumbprint?
    /// It is bound to something that is not proved here (`cnf`, RFC 7800 §3.1), such as a
    /// certificate.
    let isBound: Bool

    /// The longest name or id in one, in bytes.
    private static let longest = 255

    /// What a text is that names a key of the server before, good or not; `nil` for any other.
    private static func keyed(_ text: String, by former: FormerTokens) -> (HMACToken, HMACKey)? {
        // `try?`: what cannot be read is no token of the server before.
        guard let token = try? HMACToken(parsing: text.utf8), let keyID = token.header.keyID,
            let key = former.key(named: keyID)
        else { return nil }
        return (token, key)
    }

    static func isMeant(by text: String, of former: FormerTokens) -> Bool {
        keyed(text, by: former) != nil
    }

    /// - Returns: `nil` for a text that is no such token, whatever else it is.
    /// - Throws: for one that names a key of the realm and is not good.
    static func parse(_ text: String, by former: FormerTokens) throws(SwapRefusal) -> Self? {
        guard let (token, key) = keyed(text, by: former) else { return nil }
        do {
            // The key's own algorithm, and no other (RFC 8725 §3.1).
            return try Self(try token.claims(verifiedBy: key), issuer: former.swap.issuer)
        } catch let error as SwapRefusal {
            throw error
        } catch {
            throw SwapRefusal(.signature)
        }
    }

    private init(_ claims: JSONObject, issuer: String) throws(SwapRefusal) {
        guard let own = claims.string("iss"), sameBytes(own, issuer),
            let audience = claims.string("aud") ?? claims.strings("aud")?.only,
            sameBytes(audience, issuer)
        else { throw SwapRefusal(.issuer) }
        switch claims.string("typ").flatMap(Kind.init(wire:)) {
        case .refresh?: isOffline = false
        case .offline?: isOffline = true
        case nil: throw SwapRefusal(.kind)
        }
        guard let id = Self.name(claims, "jti"),
            // Before version 25 it had the second name as well, and long before only that.
            let sessionID = Self.name(claims, "sid") ?? Self.name(claims, "session_state"),
            let clientID = Self.name(claims, "azp"), let issuedAt = Self.time(claims, "iat"),
            claims["sub"] == nil || Self.name(claims, "sub") != nil,
            claims["exp"] == nil || Self.time(claims, "exp") != nil
        else { throw SwapRefusal(.malformed) }
        do {
            scope = try Scope(claims.string("scope") ?? "")
        } catch {
            throw SwapRefusal(.malformed)
        }
        self.id = id
        self.sessionID = sessionID
        self.clientID = clientID
        self.issuedAt = issuedAt
        subject = Self.name(claims, "sub")
        expiresAt = Self.time(claims, "exp")
        let confirmation = claims.object("cnf")
        dpopKey = confirmation?.string("jkt").flatMap(JWKThumbprint.init)
        isBound = claims["cnf"] != nil && (dpopKey == nil || confirmation?.count != 1)
    }

    private enum Kind: String, CaseIterable {
        case refresh = "Refresh"
        case offline = "Offline"
    }

    private static func name(_ claims: JSONObject, _ member: String) -> String? {
        claims.string(member).flatMap { (1...longest).contains($0.utf8.count) ? $0 : nil }
    }

    private static func time(_ claims: JSONObject, _ member: String) -> Int64? {
        claims[member].flatMap(NumericDate.date).map(NumericDate.seconds)
    }
}

extension OldRefreshToken {
    /// What it is used up by. Where the server before took each token once, all those of a client's
    /// part of a session are one: who comes with another of them has an old one.
    func moved(in realm: Realm) -> MovedToken {
        // As it was when the swap was turned on: another answer later would be another use.
        let isLinear = realm.tokenSwap?.isLinear ?? false
        let what =
            isLinear
            ? "session\n\(isOffline)\n\(sessionID)\n\(clientID)" : "token\n\(id)"
        return MovedToken(
            hash: Hash256(of: "\(realm.id)\n\(what)"),
            realmID: realm.id,
            sessionID: sessionID,
            isOffline: isOffline,
            clientID: clientID
        )
    }
}

extension LiveRealm {
    /// A token of the server before that was issued to that client, whether or not it may still be
    /// swapped: its own client may end what it stands for.
    func oldToken(_ text: String, of client: Client) -> MovedToken? {
        // `try?`: one that is not good is like one that is unknown.
        guard let former, let token = try? OldRefreshToken.parse(text, by: former),
            sameBytes(token.clientID, client.clientID), client.isMoved
        else { return nil }
        return token.moved(in: realm)
    }
}

extension [String] {
    fileprivate var only: String? { count == 1 ? self[0] : nil }
}
