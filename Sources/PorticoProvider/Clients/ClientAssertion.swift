import PorticoBytes
import PorticoProtocol
import PorticoStores

/// A JWT that authenticates a client (RFC 7523 §3 with the rules of its update: the issuer is the
/// only audience, except for clients that are registered otherwise).
struct ClientAssertion: Sendable {
    private let text: String

    /// The allowed difference between a client's clock and ours, and the longest life, in seconds.
    static let skew: Int64 = 60
    static let longestLife: Int64 = 3600

    init(_ text: String) {
        self.text = text
    }

    /// Whom it claims to be of, unproven.
    var claimedClientID: String? {
        // `try?`: what is not a JWT names no client.
        guard let jwt = try? JWT(parsing: text) else { return nil }
        return try? jwt.uncheckedClaims().string("sub")
    }

    /// - Parameter clientID: The `client_id` of the request, if any.
    func prove(_ clientID: String?, in realm: LiveRealm, at moment: Moment)
        async throws -> AuthenticatedClient
    {
        // The unverified `sub` only selects the keys to try. `try?`: it is not a JWT, however it
        // fails.
        guard let jwt = try? JWT(parsing: text),
            let subject = try? jwt.uncheckedClaims().string("sub")
        else { throw UnprovenClient(.assertion) }
        guard let client = try await realm.client(clientID: subject) else {
            throw try await UnprovenClient(unknown: subject, in: realm)
        }
        guard clientID.map({ sameBytes($0, subject) }) ?? true else {
            throw UnprovenClient(.subject, client)
        }
        guard client.authentication == .privateKeyJWT, client.type == .confidential else {
            throw UnprovenClient(.method, client)
        }
        let rules = realm.realm.profile.assertions
        guard let verified = verified(jwt, by: client, rules) else {
            throw UnprovenClient(.signature, client)
        }
        let claims = verified.claims
        if let reason = wrong(claims, of: client, in: realm, at: moment.seconds) {
            throw UnprovenClient(reason, client)
        }
        if let reason = rules.wrong(claims, at: moment.seconds) {
            throw UnprovenClient(reason, client)
        }
        // (7): required, so that an assertion is accepted once.
        guard let id = claims.string("jti"), (1...256).contains(id.utf8.count),
            let expires = claims["exp"].flatMap(NumericDate.date).map(NumericDate.seconds)
        else { throw UnprovenClient(.jti, client) }
        return AuthenticatedClient(
            proven: client,
            assertion: SpentOnce(
                .assertion,
                hash: Hash256(of: "\(realm.id)\n\(client.id)\n\(id)"),
                expiresAt: expires + Self.skew
            ),
            forEndpoint: claims.string("aud").map { sameBytes($0, realm.urls.token) } ?? false,
            by: verified.key
        )
    }

    /// RFC 7523 §3 numbers 8 to 10: the client's registered keys only, or those of its document;
    /// headers that contain keys or addresses of keys are ignored.
    private func verified(_ jwt: JWT, by client: Client, _ rules: RealmProfile.Assertions)
        -> (claims: JSONObject, key: VerificationKey)?
    {
        guard let keys = client.assertionKeys, rules.isSigner(named: jwt.header, among: keys) else {
            return nil
        }
        // `try?`: every failure has the same refusal, including the explicit type of another kind
        // of JWT (RFC 8725 §3.11).
        let verified = try? jwt.verified(
            by: keys.keys,
            allowing: client.assertionAlgorithms,
            types: [.jwt, .clientAuthentication]
        )
        return verified.map { ($0.claims, $0.key) }
    }

    /// What is wrong with the claims that the client's key signed, if anything.
    private func wrong(
        _ claims: JSONObject,
        of client: Client,
        in realm: LiveRealm,
        at now: Int64
    ) -> UnprovenClient.Reason? {
        // RFC 7523 §3 (1), (2); `sub` names the client with the verifying keys.
        guard let issuer = claims.string("iss"), sameBytes(issuer, client.clientID) else {
            return .issuer
        }
        // (3), with the update: this server's issuer only.
        guard Self.isFor(realm, claims["aud"], from: client) else { return .audience }
        // (4): required, and soon enough.
        guard let expires = claims["exp"].flatMap(NumericDate.date).map(NumericDate.seconds),
            expires <= now + Self.longestLife + Self.skew
        else { return .expiry }
        guard expires > now - Self.skew else { return .expired }
        // (5), (6).
        for (name, isNotBefore) in [("nbf", true), ("iat", false)] {
            guard let value = claims[name] else { continue }
            guard let time = NumericDate.date(value).map(NumericDate.seconds),
                time <= now + Self.skew
            else { return .notYetValid }
            guard isNotBefore || time >= now - Self.longestLife - Self.skew else { return .tooOld }
        }
        return nil
    }

    /// Whether the assertion is for this server only. The token endpoint's URL, at any of our
    /// endpoints, is the audience in OpenID Connect Core §9 before the update of RFC 7523: accepted
    /// as one text, and for clients that are registered for it.
    private static func isFor(_ realm: LiveRealm, _ audience: JSONValue?, from client: Client)
        -> Bool
    {
        guard let sole = soleAudience(audience, from: client) else { return false }
        if sameBytes(sole, realm.issuer) { return true }
        return client.takesTokenEndpointAudience && audience?.string != nil
            && sameBytes(sole, realm.urls.token)
    }

    /// The audience if there is exactly one: a string, or an array of one, which means the same (RFC
    /// 7519 §4.1.3).
    private static func soleAudience(_ value: JSONValue?, from client: Client) -> String? {
        if let text = value?.string { return text }
        guard client.mayListAudience, let values = value?.strings, values.count == 1 else {
            return nil
        }
        return values[0]
    }
}

extension Client {
    /// Whether it may write its only audience as an array of one. One that is registered as FAPI 2.0
    /// asks (Security Profile §5.3.2) may not (§5.3.2.1): it pushes every request, and its tokens are
    /// bound to a key.
    fileprivate var mayListAudience: Bool {
        compatibility.contains(.listedAudience) || !requiresPushedRequests
            || !dpopBoundAccessTokens
    }
}

/// What a realm asks of a client's assertion besides RFC 7523 §3.
extension RealmProfile.Assertions {
    /// How old one may be, in seconds.
    static let oldest: Int64 = 60

    /// What is wrong with claims that are right otherwise, if anything.
    func wrong(_ claims: JSONObject, at now: Int64) -> UnprovenClient.Reason? {
        guard self == .fresh else { return nil }
        guard let expires = claims["exp"].flatMap(NumericDate.date).map(NumericDate.seconds),
            expires > now
        else { return .expired }
        guard let issued = claims["iat"].flatMap(NumericDate.date).map(NumericDate.seconds),
            issued <= now
        else { return .notYetValid }
        return issued >= now - Self.oldest ? nil : .tooOld
    }

    /// Whether it is said which key has signed, if the algorithm fits several.
    func isSigner(named header: JWSHeader, among keys: JWKSet) -> Bool {
        self == .ordinary || header.keyID != nil || keys.keys(fitting: header).count <= 1
    }
}

extension Client {
    /// The public keys that the client authenticates with, if it has any.
    var assertionKeys: JWKSet? {
        let rsa: SignatureAlgorithm = assertionAlgorithm == .ps256 ? .ps256 : .rs256
        // `try?`: a key set that cannot be read contains no key.
        return keySet?.object.flatMap { try? JWKSet($0, unlabelledRSA: [rsa]) }
    }

    /// The algorithms that it may sign with.
    var assertionAlgorithms: Set<SignatureAlgorithm> {
        assertionAlgorithm.map { [$0] } ?? Set(SignatureAlgorithm.allCases)
    }
}

extension VerificationKey {
    /// What a session of the AT Protocol is bound to: a key under its name, for its algorithm.
    var binding: String {
        "\(keyID ?? "") \(algorithm.rawValue) \(JWKThumbprint(jwk).text)"
    }
}
