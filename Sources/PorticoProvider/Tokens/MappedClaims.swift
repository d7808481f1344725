import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Writes the claims of tokens and answers for a client whose tokens have what mappers write (``TokenForm``;
/// docs/decisions/0049).
struct MappedClaims: Sendable {
    let subject: TokenSubject
    let view: TokenView
    /// Seconds since 1970.
    let now: Int64

    /// `typ` of the header says that it is a JWT; the claim says which.
    ///
    /// - Parameter nonce: Only for a mapper that writes it.
    func accessToken(id: AccessTokenID, nonce: String?) -> JSONObject {
        var claims = token(
            subject.client.tokenForm == .lightweight ? .lightweightAccessToken : .accessToken,
            kind: TokenClaims.accessTokenKind,
            nonce: nonce
        )
        claims["jti"] = .string(id.text)
        claims["scope"] = .string(scopeText)
        subject.bind(&claims)
        return claims
    }

    /// OpenID Connect Core §2, §3.1.3.6.
    func idToken(nonce: String?, accessTokenHash: String, requested: ClaimsRequest?) -> JSONObject {
        var claims = token(
            .idToken,
            kind: TokenClaims.idTokenKind,
            nonce: nonce,
            requested: requested
        )
        let clientID = subject.client.clientID
        let others = claims.strings("aud") ?? claims.string("aud").map { [$0] } ?? []
        claims["aud"] = Self.audience(
            [clientID] + others.filter { !sameBytes($0, clientID) }
        )
        if let nonce { claims["nonce"] = .string(nonce) }
        claims["at_hash"] = .string(accessTokenHash)
        return claims
    }

    /// OpenID Connect Core §5.3.2: `sub` is always present.
    func userInfo(requested: ClaimsRequest?) -> JSONObject {
        let mapped = mapped(for: .userInfo, requested: requested)
        var claims: JSONObject = ["sub": .string(mapped.subject ?? subject.subject)]
        for (name, value) in mapped.claims { claims[name] = value }
        return claims
    }

    /// What an API learns of a token (RFC 7662 §2.2): all of it, also where the token says less.
    func introspection() -> JSONObject {
        token(.introspection, kind: TokenClaims.accessTokenKind)
    }

    /// Members that mappers add to the token response.
    var tokenResponse: JSONObject { mapped(for: .tokenResponse).claims }

    /// `scope`: without the scopes that are not to be shown.
    var scopeText: String {
        subject.scope.tokens.filter { name in
            guard let scope = view.scopes[name] else { return true }
            return scope.isShown && subject.isPermitted(scope)
        }.joined(separator: " ")
    }

    /// RFC 6750 §2.1 compares it without case; some clients do not.
    var tokenType: String {
        subject.client.compatibility.contains(.lowercaseBearer)
            ? TokenClaims.accessTokenKindInLowerCase : TokenClaims.accessTokenKind
    }

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
        claims["aud"] = Self.audience(mapped.audiences)
        claims["sub"] = mapped.subject.map(JSONValue.string)
        claims["typ"] = .string(kind == TokenClaims.accessTokenKind ? tokenType : kind)
        claims["azp"] = .string(subject.client.clientID)
        if let sessionID = subject.grant.sessionID { claims["sid"] = .string(sessionID) }
        if target != .lightweightAccessToken { addFormerDefaults(to: &claims, nonce: nonce) }
        for (name, value) in mapped.claims { claims[name] = value }
        return claims
    }

    /// What was in every token before there was a mapper for it.
    private func addFormerDefaults(to claims: inout JSONObject, nonce: String?) {
        if !view.scopes.hasBasicScope {
            claims["session_state"] = subject.grant.sessionID.map(JSONValue.string)
            claims["nonce"] = nonce.map(JSONValue.string)
            claims["sub"] = claims["sub"] ?? .string(subject.subject)
            if let time = subject.grant.authenticatedAt { claims["auth_time"] = .integer(time) }
        }
        if !view.scopes.hasACRScope, let acr { claims["acr"] = .string(acr) }
    }

    private func mapped(
        for target: ClaimMapper.Target,
        nonce: String? = nil,
        requested: ClaimsRequest? = nil
    ) -> MappedToken {
        var input = MapperInput(
            person: subject.person?.person,
            roles: view.visible(subject.allRoles),
            clientID: subject.client.clientID
        )
        input.groups = subject.person?.groupIDs.map(subject.realm.graph.membership) ?? []
        input.sector = view.client.sector
        input.allowedOrigins = view.client.origins.claim
        input.acr = acr
        input.amr = subject.grant.amr
        input.nonce = nonce
        input.sessionID = subject.grant.sessionID
        input.authTime = subject.grant.authenticatedAt
        input.notes = subject.notes
        input.requested = requested
        return MappedToken(view.mappers, for: target, input: input)
    }

    /// The name of the level that was reached; the client's own names come first.
    private var acr: String? {
        guard let reached = subject.grant.acr else { return nil }
        let levels = subject.realm.acrLevels(of: subject.client)
        guard let level = Int64(reached) else { return reached }
        return levels.filter { $0.value == level }.keys.min() ?? reached
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
