import PorticoAdministration
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

    /// `sub` where no mapper writes another: the person, or the client itself, under a name that cannot
    /// be a person's id (RFC 9700 §4.15).
    var subject: String {
        did ?? person?.person.id ?? "client:" + client.clientID
    }

    /// The person's DID, where that is what `sub` names: no app gets anything without one.
    var did: String? { realm.realm.profile.subject == .did ? person?.person.did : nil }

    var lifetime: Int64 {
        client.accessTokenLifetime ?? realm.realm.lifetimes.accessToken
    }

    /// The name of the level that was reached; the client's own names come first.
    fileprivate var acr: String? {
        guard let reached = grant.acr else { return nil }
        let levels = realm.acrLevels(of: client)
        guard !levels.isEmpty, let level = Int64(reached) else { return reached }
        return levels.filter { $0.value == level }.keys.min() ?? reached
    }

    /// `typ` of the access token's header (RFC 9068 §2.1).
    var tokenType: JWTType {
        switch client.accessTokenType ?? realm.realm.accessTokenType {
        case .atJWT: .accessToken
        case .jwt: .jwt
        }
    }
}

/// Writes the claims of access tokens, ID Tokens and UserInfo answers: few of its own (``TokenForm``), the rest
/// by the mappers of the granted scopes, the client and the realm.
struct TokenClaims: Sendable {
    let subject: TokenSubject
    let view: TokenView
    /// Seconds since 1970.
    private let now: Int64
    /// The person's roles, with all that they contain.
    private let roles: Set<RoleName>
    /// The name of the level that was reached.
    private let acr: String?
    /// What mappers know, besides what a request brought.
    private let input: MapperInput

    /// The claim `typ`: it distinguishes the two kinds if their headers do not.
    static let accessTokenKind = "Bearer"
    static let idTokenKind = "ID"
    /// ``Compatibility/lowercaseBearer``
    private static let accessTokenKindInLowerCase = "bearer"
    /// Of a token that is bound to a key: an API that does not read `cnf` does not take it for another.
    static let boundTokenKind = "DPoP"
    static let accessTokenKinds = [accessTokenKind, accessTokenKindInLowerCase, boundTokenKind]

    /// - Parameter now: Seconds since 1970.
    init(subject: TokenSubject, now: Int64) async throws {
        self.subject = subject
        self.now = now
        roles = subject.person.map(subject.realm.graph.roles) ?? []
        view = try await subject.realm.view(of: subject.client, scope: subject.scope, roles: roles)
        acr = subject.acr
        input = MapperInput(
            person: subject.person?.person,
            roles: view.visible(roles),
            groups: subject.person?.groupIDs.map(subject.realm.graph.membership) ?? [],
            clientID: subject.client.clientID,
            sector: view.client.sector,
            allowedOrigins: view.client.origins.claim,
            acr: acr,
            amr: subject.grant.amr,
            nonce: nil,
            sessionID: subject.grant.sessionID,
            authTime: subject.grant.authenticatedAt,
            notes: subject.notes,
            requested: nil
        )
    }

    /// RFC 9068 §2.2, with the members that clients read besides.
    ///
    /// - Parameters:
    ///   - id: `jti`; see ``AccessTokenID``.
    ///   - nonce: Only for a mapper that writes it.
    func accessToken(id: AccessTokenID, nonce: String?) -> JSONObject {
        let isLightweight = subject.client.tokenForm == .lightweight
        var claims = token(
            isLightweight ? .lightweightAccessToken : .accessToken,
            kind: tokenType,
            nonce: nonce
        )
        claims["jti"] = .string(id.text)
        if isStandard { claims["client_id"] = .string(subject.client.clientID) }
        claims["scope"] = .string(scopeText)
        // RFC 9449 §6.1.
        if let key = subject.dpopKey {
            claims["typ"] = .string(Self.boundTokenKind)
            claims["cnf"] = ["jkt": .string(key.text)]
        }
        return claims
    }

    /// OpenID Connect Core §2, §3.1.3.6.
    ///
    /// - Parameters:
    ///   - nonce: Copied unchanged from the request; never invented.
    ///   - accessTokenHash: `at_hash` of the access token in the same answer.
    func idToken(nonce: String?, accessTokenHash: String, requested: ClaimsRequest?) -> JSONObject {
        var claims = token(.idToken, kind: Self.idTokenKind, nonce: nonce, requested: requested)
        let clientID = subject.client.clientID
        let others = claims.strings("aud") ?? claims.string("aud").map { [$0] } ?? []
        claims["aud"] = Self.audience(
            // RFC 9068 §5: that of no access token.
            [clientID] + (isStandard ? [] : others.filter { !sameBytes($0, clientID) })
        )
        if let nonce { claims["nonce"] = .string(nonce) }
        claims["at_hash"] = .string(accessTokenHash)
        if isStandard, !subject.grant.amr.isEmpty {
            claims["amr"] = .array(subject.grant.amr.map(JSONValue.string))
        }
        return claims
    }

    /// OpenID Connect Core §5.3.2: `sub` is always present.
    func userInfo(requested: ClaimsRequest?) -> JSONObject {
        let mapped = mapped(for: .userInfo, requested: requested)
        var claims: JSONObject = ["sub": .string(sub(mapped) ?? subject.subject)]
        for (name, value) in mapped.claims { claims[name] = value }
        return claims
    }

    /// What an API learns of a token (RFC 7662 §2.2): all of it, also where the token says less.
    func introspection() -> JSONObject {
        token(.introspection, kind: tokenType)
    }

    /// Members that mappers add to the token response.
    var tokenResponse: JSONObject { mapped(for: .tokenResponse).claims }

    /// `scope`: without the scopes that are not to be shown.
    var scopeText: String {
        subject.scope.tokens.filter { name in
            guard let scope = view.scopes[name] else { return true }
            return scope.isShown && scope.isPermitted(to: roles)
        }.joined(separator: " ")
    }

    /// RFC 6750 §2.1 compares it without case; some clients do not.
    var tokenType: String {
        subject.client.compatibility.contains(.lowercaseBearer)
            ? Self.accessTokenKindInLowerCase : Self.accessTokenKind
    }

    private var isStandard: Bool { subject.client.tokenForm == .standard }

    private func token(
        _ target: ClaimMapper.Target,
        kind: String,
        nonce: String? = nil,
        requested: ClaimsRequest? = nil
    ) -> JSONObject {
        let mapped = mapped(for: target, nonce: nonce, requested: requested)
        var claims: JSONObject = [
            "exp": .integer(now + subject.lifetime),
            "iat": .integer(now),
            "iss": .string(subject.realm.realm.issuer),
        ]
        claims["aud"] = Self.audience(audiences(mapped, target))
        claims["sub"] = sub(mapped).map(JSONValue.string)
        claims["typ"] = .string(kind)
        claims["azp"] = .string(subject.client.clientID)
        if let sessionID = subject.grant.sessionID { claims["sid"] = .string(sessionID) }
        addDefaults(to: &claims, target, nonce: nonce)
        for (name, value) in mapped.claims { claims[name] = value }
        return claims
    }

    private func sub(_ mapped: MappedToken) -> String? {
        subject.did ?? mapped.subject ?? (isStandard ? subject.subject : nil)
    }

    /// What is in a token without a mapper. `auth_time` is the time of the last authentication, however
    /// often tokens were refreshed since (OpenID Connect Core §12.2).
    private func addDefaults(
        to claims: inout JSONObject,
        _ target: ClaimMapper.Target,
        nonce: String?
    ) {
        guard target != .lightweightAccessToken else { return }
        let isOlder = !isStandard && !view.scopes.hasBasicScope
        if isOlder {
            claims["session_state"] = subject.grant.sessionID.map(JSONValue.string)
            claims["nonce"] = nonce.map(JSONValue.string)
            claims["sub"] = claims["sub"] ?? .string(subject.subject)
        }
        if isStandard || isOlder, let time = subject.grant.authenticatedAt {
            claims["auth_time"] = .integer(time)
        }
        if isStandard || !view.scopes.hasACRScope, let acr { claims["acr"] = .string(acr) }
    }

    private func mapped(
        for target: ClaimMapper.Target,
        nonce: String? = nil,
        requested: ClaimsRequest? = nil
    ) -> MappedToken {
        var input = input
        (input.nonce, input.requested) = (nonce, requested)
        let added = added(requested, target)
        let mappers = added.isEmpty ? view.mappers : view.mappers + added
        return MappedToken(mappers, for: target, input: input)
    }

    /// The mappers of the individual claims that the parameter `claims` asks for (OpenID Connect Core §5.5):
    /// those of the scope that requests the claim, if it is for this person. Claims without a value, and
    /// unknown ones, are left out: that is not an error (§5.5.1).
    private func added(_ requested: ClaimsRequest?, _ target: ClaimMapper.Target) -> [ClaimMapper] {
        guard isStandard, let requested else { return [] }
        let claims = target == .idToken ? requested.idToken : requested.userInfo
        return claims.compactMap { claim in
            guard let name = StandardClaims.scope(of: claim.name), let scope = view.scopes[name],
                scope.isPermitted(to: roles)
            else { return nil }
            return scope.mapper(writing: claim.name)
        }
    }

    /// Tokens of the standard form that are for UserInfo are meant for the issuer too, and so are those for
    /// which no mapper names an API.
    private func audiences(_ mapped: MappedToken, _ target: ClaimMapper.Target) -> [String] {
        guard isStandard, target != .idToken else { return mapped.audiences }
        let realm = subject.realm.realm
        let isForIssuer = subject.scope.contains("openid")
        let own = isForIssuer ? realm.issuer : realm.profile.tokenResource ?? realm.issuer
        return mapped.audiences + (isForIssuer || mapped.audiences.isEmpty ? [own] : [])
    }

    /// A single audience is a plain string, none is no claim.
    private static func audience(_ audiences: [String]) -> JSONValue? {
        switch audiences.count {
        case 0: nil
        case 1: .string(audiences[0])
        default: .array(audiences.map(JSONValue.string))
        }
    }
}

extension RoleGraph {
    fileprivate func membership(of groupID: String) -> MemberGroup {
        let lineage = lineage(of: groupID).map(\.group)
        return MemberGroup(
            names: lineage.reversed().map(\.name),
            attributes: lineage.map(\.attributes)
        )
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
