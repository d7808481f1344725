import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a client is told when a session is over (OpenID Connect Back-Channel Logout §2.4).
struct LogoutToken: Sendable {
    let realm: LiveRealm
    let client: Client
    let delivery: LogoutDelivery

    /// How long a client may take it, in seconds: not more than two minutes.
    static let lifetime: Int64 = 120
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Signed as the client's ID Tokens are; a new `jti` each time, because an attempt whose answer
    /// was lost must not look like a replay.
    ///
    /// - Throws: where the realm has no active key of the client's algorithm.
    func signed(at moment: Moment) throws -> String {
        guard let key = realm.idTokenKey(for: client, at: moment.seconds) else {
            throw OAuthError(.serverError, "The realm has no active key of this algorithm.")
        }
        // No `nonce`: nothing may take it for an ID Token, nor an ID Token for it.
        let claims: JSONObject = [
            "iss": .string(realm.realm.issuer),
            "sub": .string(delivery.personID),
            "aud": .string(client.clientID),
            "iat": .integer(moment.seconds),
            "exp": .integer(moment.seconds + Self.lifetime),
            "jti": .string(moment.random.text(16)),
            "events": .object([Self.event: .object([:])]),
            "sid": .string(delivery.sessionID),
        ]
        return try key.sign(claims: claims, type: .logoutToken)
    }
}
