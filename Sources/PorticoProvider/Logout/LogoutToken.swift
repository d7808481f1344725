import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The token that notifies a client that a session is over (OpenID Connect Back-Channel Logout
/// §2.4).
struct LogoutToken: Sendable {
    let realm: LiveRealm
    let client: Client
    let delivery: LogoutDelivery

    /// How long a client may accept it, in seconds: at most two minutes.
    static let lifetime: Int64 = 120
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Signed like the client's ID Tokens; with a new `jti` each time, because an attempt that got
    /// no answer must not look like a replay.
    ///
    /// - Throws: if the realm has no active key for the client's algorithm.
    func signed(at moment: Moment) throws -> String {
        guard let key = realm.idTokenKey(for: client, at: moment.seconds) else {
            throw OAuthError(.serverError, "The realm has no active key of this algorithm.")
        }
        // No `nonce`: neither must be mistaken for the other, this or an ID Token.
        let claims: JSONObject = [
            "iss": .string(realm.realm.issuer),
            "sub": .string(realm.subject(of: delivery.personID, for: client)),
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
