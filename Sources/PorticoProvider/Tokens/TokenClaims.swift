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
    /// What is known of the request besides, for mappers.
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

    var view: TokenView { realm.view(of: client, scope: scope, roles: allRoles) }

    /// What writes the claims of a client whose tokens have what mappers write; `nil` for another one.
    ///
    /// - Parameter now: Seconds since 1970.
    func mapped(at now: Int64) -> MappedClaims? {
        client.tokenForm == .standard
            ? nil : MappedClaims(subject: self, view: view, now: now)
    }

    /// A scope that shows roles is only for people with one of them.
    func isPermitted(_ scope: LiveScope) -> Bool {
        scope.isPermitted(to: allRoles)
    }

    /// Says in an access token which key it is bound to (RFC 9449 §6.1).
    func bind(_ claims: inout JSONObject) {
        guard let dpopKey else { return }
        claims["typ"] = .string(TokenClaims.boundTokenKind)
        claims["cnf"] = ["jkt": .string(dpopKey.text)]
    }

    /// What mappers add to a token of the standard form; `nil` if there are none.
    func additions(for target: ClaimMapper.Target) -> MappedToken? {
        let mappers = realm.live(client).mappers
        guard !mappers.isEmpty else { return nil }
        let input = MapperInput(
            person: person?.person,
            roles: Set(roles.roles),
            clientID: client.clientID
        )
        return MappedToken(mappers.inOrder, for: target, input: input)
    }
}

/// Writes the claims of access tokens, ID Tokens and UserInfo answers.
struct TokenClaims: Sendable {
    let subject: TokenSubject
    /// Seconds since 1970.
    let now: Int64

    /// The claim `typ`: it distinguishes the two kinds if their headers do not.
    static let accessTokenKind = "Bearer"
    static let idTokenKind = "ID"
    /// ``Compatibility/lowercaseBearer``
    static let accessTokenKindInLowerCase = "bearer"
    /// Of a token that is bound to a key, as there: who reads no `cnf` does not take it for
    /// another.
    static let boundTokenKind = "DPoP"
    static let accessTokenKinds = [accessTokenKind, accessTokenKindInLowerCase, boundTokenKind]

    /// RFC 9068 §2.2, with the members that clients read besides.
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
        var audiences = subject.additions(for: .accessToken)?.audiences ?? []
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
        guard let additions = subject.additions(for: target) else { return }
        for (name, value) in additions.claims { claims[name] = value }
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
