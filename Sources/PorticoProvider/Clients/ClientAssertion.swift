import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A JWT by which a client proves itself (RFC 7523 §3 with the rules of its update: the issuer is
/// the only audience).
struct ClientAssertion: Sendable {
    private let text: String

    /// How far the clocks of a client and ours may differ, and the longest life, in seconds.
    static let skew: Int64 = 60
    static let longestLife: Int64 = 3600

    init(_ text: String) {
        self.text = text
    }

    /// - Parameter clientID: The `client_id` of the request, where it has one.
    /// - Throws: `invalid_client` where any check fails.
    func prove(_ clientID: String?, in realm: LiveRealm, at moment: Moment) throws(OAuthError)
        -> AuthenticatedClient
    {
        // The unverified `sub` only says whose keys to try. `try?`: every failure is one refusal.
        guard let jwt = try? JWT(parsing: text),
            let subject = try? jwt.uncheckedClaims().string("sub"),
            clientID.map({ sameBytes($0, subject) }) ?? true,
            let client = realm.client(clientID: subject),
            client.authentication == .privateKeyJWT, client.type == .confidential,
            let claims = verified(jwt, by: client)
        else { throw ClientAuthentication.refusal }
        try checkClaims(claims, of: client, in: realm, at: moment.seconds)
        // (7): required here, so that an assertion is good once.
        guard let id = claims.string("jti"), (1...256).contains(id.utf8.count),
            let expires = claims["exp"].flatMap(NumericDate.date).map(NumericDate.seconds)
        else { throw ClientAuthentication.refusal }
        return AuthenticatedClient(
            proven: client,
            assertion: UsedAssertion(
                hash: Hash256(of: "\(realm.realm.id)\n\(client.id)\n\(id)"),
                expiresAt: expires + Self.skew
            )
        )
    }

    /// RFC 7523 §3 numbers 8 to 10: the client's registered keys only; headers that carry keys or
    /// addresses of keys are not read.
    private func verified(_ jwt: JWT, by client: Client) -> JSONObject? {
        // `try?`: a registered key set that cannot be read has no key in it.
        guard let registered = client.keySet?.object, let set = try? JWKSet(registered) else {
            return nil
        }
        // `try?`: every way to fail is the same refusal. An explicit type of another kind of JWT is
        // one of them (RFC 8725 §3.11).
        return try? jwt.verified(
            by: set.keys,
            allowing: Set(SignatureAlgorithm.allCases),
            types: [.jwt, .clientAuthentication]
        ).claims
    }

    private func checkClaims(
        _ claims: JSONObject,
        of client: Client,
        in realm: LiveRealm,
        at now: Int64
    ) throws(OAuthError) {
        // RFC 7523 §3 (1), (2); `sub` is whose keys verified it.
        guard let issuer = claims.string("iss"), sameBytes(issuer, client.clientID) else {
            throw ClientAuthentication.refusal
        }
        // (3), with the update: this server's issuer and nobody else.
        guard let audience = Self.soleAudience(claims["aud"]),
            sameBytes(audience, realm.realm.issuer)
        else { throw ClientAuthentication.refusal }
        // (4): required, and soon.
        guard let expires = claims["exp"].flatMap(NumericDate.date).map(NumericDate.seconds),
            expires > now - Self.skew, expires <= now + Self.longestLife + Self.skew
        else { throw ClientAuthentication.refusal }
        // (5), (6).
        for (name, isNotBefore) in [("nbf", true), ("iat", false)] {
            guard let value = claims[name] else { continue }
            guard let time = NumericDate.date(value).map(NumericDate.seconds),
                time <= now + Self.skew,
                isNotBefore || time >= now - Self.longestLife - Self.skew
            else { throw ClientAuthentication.refusal }
        }
    }

    /// The audience where there is exactly one: a string, or an array of one.
    private static func soleAudience(_ value: JSONValue?) -> String? {
        if let text = value?.string { return text }
        guard let values = value?.strings, values.count == 1 else { return nil }
        return values[0]
    }
}
