import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Tells a confidential client about a token (RFC 7662 §2.2).
struct TokenIntrospection: Sendable {
    let grants: GrantStore
    let ring: KeyRing
    let verifier: AccessTokenVerifier

    /// The whole answer for a token that is not active, whatever the reason (RFC 7662 §2.2).
    static let inactive: JSONObject = ["active": false]

    func callAsFunction(
        _ token: String,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> JSONObject {
        if let refresh = RefreshToken(token) {
            return try await describe(refresh, of: client.client, in: realm, at: moment)
        }
        guard let live = try await verifier.live(token, in: realm, at: moment),
            Self.mayUse(live, client.client)
        else { return Self.inactive }
        var answer: JSONObject = ["active": true]
        for (name, value) in try await described(live, realm, moment) where name != "typ" {
            answer[name] = value
        }
        // RFC 9449 §6.2: `cnf` is among the claims.
        answer["token_type"] = .string(live.isBound ? TokenClaims.boundTokenKind : "Bearer")
        answer["username"] = Self.username(live.reading.person, live.scope)
        return answer
    }

    /// It is a claim about the person, and for those who may have such (OpenID Connect Core §5.4).
    private static func username(_ person: PersonWithRoles?, _ scope: Scope) -> JSONValue? {
        guard let person, scope.contains(StandardClaims.profile) else { return nil }
        return .string(person.person.username)
    }

    /// What a token says by what the protocol defines, whatever is left of its scope.
    private static let defined: Set = [
        "exp", "nbf", "iat", "iss", "sub", "aud", "jti", "typ", "azp", "client_id", "sid",
        "session_state", "auth_time", "acr", "amr", "nonce", "cnf",
    ]

    /// The token's own claims; for a client whose tokens have what mappers write, all that these say of it,
    /// whatever the token itself says. Where not all of its scope is left, what is left says what
    /// else it has.
    private func described(_ live: LiveAccessToken, _ realm: LiveRealm, _ moment: Moment)
        async throws -> JSONObject
    {
        if live.isWhole, live.client.tokenForm == .standard { return live.claims }
        let subject = TokenSubject(
            realm: realm,
            client: live.client,
            grant: live.reading.grant,
            person: live.reading.person,
            scope: live.scope
        )
        let own = try await TokenClaims(subject: subject, now: moment.seconds)
        var claims = own.introspection()
        for (name, value) in live.claims where live.isWhole || Self.defined.contains(name) {
            claims[name] = value
        }
        if !live.isWhole { claims["scope"] = .string(own.scopeText) }
        claims["client_id"] = .string(live.client.clientID)
        return claims
    }

    /// The caller is an audience of the token, or the client it was issued to (RFC 7662 §2.2).
    private static func mayUse(_ token: LiveAccessToken, _ client: Client) -> Bool {
        token.audiences.contains { sameBytes($0, client.clientID) }
            || token.client.id == client.id
    }

    /// A refresh token may be introspected only by its own client (RFC 7662 §4), and only its
    /// current generation is active.
    private func describe(
        _ token: RefreshToken,
        of client: Client,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> JSONObject {
        let reading = try await grants.grant(
            of: token,
            from: client,
            in: realm,
            with: ring,
            at: moment
        )
        guard let reading, reading.isLive,
            token.generation == reading.grant.refresh?.generation,
            reading.grant.createdAt >= realm.notBefore,
            let grant = try await realm.left(of: reading, client, forRefresh: true)
        else { return Self.inactive }
        var answer: JSONObject = [
            "active": true,
            "client_id": .string(client.clientID),
            "iss": .string(realm.issuer),
            "scope": .string(grant.scope.text),
            "typ": "Refresh",
        ]
        if let person = reading.person?.person {
            answer["sub"] = .string(realm.subject(of: person.id, for: client))
        }
        answer["username"] = Self.username(reading.person, grant.scope)
        if let expires = reading.grant.expiresAt { answer["exp"] = .integer(expires) }
        return answer
    }
}
