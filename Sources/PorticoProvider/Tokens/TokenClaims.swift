import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The source of all tokens of one grant.
struct TokenSubject: Sendable {
    let realm: LiveRealm
    let client: Client
    let grant: Grant
    /// `nil` for client_credentials.
    let person: PersonWithRoles?
    /// The scope of this token: the grant's, or less (RFC 6749 §6).
    let scope: Scope
    /// The key that the access token is bound to (RFC 9449 §6).
    var dpopKey: JWKThumbprint?
    /// What is known of the request besides, for mappers of a client that came from Keycloak.
    var notes: [String: String] = [:]

    /// `sub`: the person, or the client itself, under a name that cannot be a person's id (RFC 9700
    /// §4.15).
    var subject: String {
        did ?? person?.person.id ?? "client:" + client.clientID
    }

    /// The person's DID, for a client with a document: no token of it is issued without one.
    var did: String? { client.documented == nil ? nil : person?.person.did }

    var lifetime: Int64 {
        client.accessTokenLifetime ?? realm.realm.lifetimes.accessToken
    }

    /// `typ` of the access token (RFC 9068 §2.1).
    var tokenType: JWTType {
        switch client.accessTokenType ?? realm.realm.accessTokenType {
        case .atJWT: .accessToken
        case .jwt: .jwt
        }
    }

    /// The person's roles, with all that they contain.
    var allRoles: Set<RoleName> { person.map(realm.graph.roles) ?? [] }

    /// The roles that the client sees.
    var roles: RoleClaims {
        RoleClaims(allRoles, seenBy: client)
    }

    /// The form of a client's tokens that came from Keycloak; `nil` for another client.
    ///
    /// - Parameter now: Seconds since 1970.
    func keycloak(at now: Int64) -> KeycloakClaims? {
        realm.keycloakView(of: client, scope: scope, roles: allRoles).map {
            KeycloakClaims(subject: self, view: $0, now: now)
        }
    }

    /// A scope that shows roles is only for people with one of them.
    func isPermitted(_ scope: KeycloakScope) -> Bool {
        scope.isPermitted(to: allRoles)
    }

    /// Says in an access token which key it is bound to (RFC 9449 §6.1).
    func bind(_ claims: inout JSONObject) {
        guard let dpopKey else { return }
        claims["typ"] = .string(TokenClaims.boundTokenKind)
        claims["cnf"] = ["jkt": .string(dpopKey.text)]
    }

    var mapped: MappedClaims {
        MappedClaims(mappers: realm.mappers(for: client), person: person, roles: roles)
    }
}

/// Writes the claims of access tokens, ID Tokens and UserInfo answers.
struct TokenClaims: Sendable {
    let subject: TokenSubject
    /// Seconds since 1970.
    let now: Int64

    /// The claim `typ`, from Keycloak: it distinguishes the two kinds if their headers do not.
    static let accessTokenKind = "Bearer"
    static let idTokenKind = "ID"
    /// Keycloak writes it so for some clients.
    static let accessTokenKindInLowerCase = "bearer"
    /// Of a token that is bound to a key, as there: who reads no `cnf` does not take it for
    /// another.
    static let boundTokenKind = "DPoP"
    static let accessTokenKinds = [accessTokenKind, accessTokenKindInLowerCase, boundTokenKind]

    /// RFC 9068 §2.2, with the members that Keycloak's clients read.
    ///
    /// - Parameter id: `jti`; see ``AccessTokenID``.
    func accessToken(id: AccessTokenID) -> JSONObject {
        var claims = common()
        claims["jti"] = .string(id.text)
        claims["aud"] = audience
        claims["typ"] = .string(Self.accessTokenKind)
        claims["client_id"] = .string(subject.client.clientID)
        claims["scope"] = .string(subject.scope.text)
        addSession(to: &claims)
        addRoles(for: .accessToken, to: &claims)
        subject.bind(&claims)
        return claims
    }

    /// OpenID Connect Core §2, §3.1.3.6.
    ///
    /// - Parameters:
    ///   - nonce: Copied unchanged from the request; never invented.
    ///   - accessTokenHash: `at_hash` of the access token in the same answer.
    func idToken(nonce: String?, accessTokenHash: String, requested: [ClaimsRequest.Claim])
        -> JSONObject
    {
        var claims = common()
        claims["aud"] = .string(subject.client.clientID)
        claims["typ"] = .string(Self.idTokenKind)
        if let nonce { claims["nonce"] = .string(nonce) }
        claims["at_hash"] = .string(accessTokenHash)
        addSession(to: &claims)
        if !subject.grant.amr.isEmpty {
            claims["amr"] = .array(subject.grant.amr.map(JSONValue.string))
        }
        addPerson(requested, to: &claims)
        addRoles(for: .idToken, to: &claims)
        return claims
    }

    /// OpenID Connect Core §5.3.2: `sub` is always present.
    func userInfo(requested: [ClaimsRequest.Claim]) -> JSONObject {
        var claims: JSONObject = ["sub": .string(subject.subject)]
        addPerson(requested, to: &claims)
        addRoles(for: .userInfo, to: &claims)
        return claims
    }

    private func common() -> JSONObject {
        [
            "exp": .integer(now + subject.lifetime),
            "iat": .integer(now),
            "iss": .string(subject.realm.realm.issuer),
            "sub": .string(subject.subject),
            "azp": .string(subject.client.clientID),
        ]
    }

    /// A single audience is a plain string. Tokens for UserInfo are meant for the issuer too.
    private var audience: JSONValue {
        if subject.client.documented != nil, let host = subject.realm.realm.atProtocol {
            return .string(host.resource)
        }
        var audiences = subject.mapped.audiences
        if subject.scope.contains("openid") || audiences.isEmpty {
            audiences.append(subject.realm.realm.issuer)
        }
        return audiences.count == 1
            ? .string(audiences[0]) : .array(audiences.map(JSONValue.string))
    }

    /// `auth_time` is the time of the last authentication, however often tokens were refreshed
    /// since (OpenID Connect Core §12.2).
    private func addSession(to claims: inout JSONObject) {
        if let time = subject.grant.authenticatedAt { claims["auth_time"] = .integer(time) }
        if let sessionID = subject.grant.sessionID { claims["sid"] = .string(sessionID) }
        if let acr = subject.grant.acr { claims["acr"] = .string(acr) }
    }

    private func addPerson(_ requested: [ClaimsRequest.Claim], to claims: inout JSONObject) {
        guard let person = subject.person?.person else { return }
        let standard = StandardClaims(person: person)
        standard.add(for: subject.scope, to: &claims)
        standard.add(requested, to: &claims)
    }

    private func addRoles(for target: ClaimMapper.Target, to claims: inout JSONObject) {
        if subject.scope.contains(RoleClaims.scope) { subject.roles.add(to: &claims) }
        if subject.scope.contains(RoleClaims.flat), subject.person != nil {
            claims[RoleClaims.flat] = .array(subject.roles.flatNames)
        }
        subject.mapped.add(for: target, to: &claims)
    }
}

/// `jti` of an access token: its grant and 64 random bits, so that revocation and introspection
/// find the grant without a table of tokens (RFC 7519 §4.1.7).
struct AccessTokenID: Sendable, Equatable {
    let grantID: UniqueID
    private let distinction: [UInt8]

    init(grantID: UniqueID, random: RandomSource) {
        self.grantID = grantID
        distinction = random.bytes(8)
    }

    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 24,
            let grantID = UniqueID(bytes: Array(bytes.prefix(16)))
        else { return nil }
        self.grantID = grantID
        distinction = Array(bytes.suffix(8))
    }

    var text: String { Base64URL.encode(grantID.bytes + distinction) }
}
