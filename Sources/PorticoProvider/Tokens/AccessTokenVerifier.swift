import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// An access token that this realm signed, and that is neither expired nor without a live grant.
struct LiveAccessToken: Sendable {
    let id: AccessTokenID
    let claims: JSONObject
    let client: Client
    /// The grant is what is left of it (``LiveRealm/standing(_:of:)``).
    let reading: GrantReading
    /// What the token says, as far as it is left.
    let scope: Scope
    /// Whether all that it says is left.
    let isWhole: Bool
    /// The audiences it is meant for.
    let audiences: [String]

    /// Whether it is bound to a key (RFC 9449 §6.1).
    var isBound: Bool { claims["cnf"] != nil }

    /// Whether the client that presents it may use it: with a proof of the key that it is bound to,
    /// or, if it is bound to none, without one (RFC 9449 §7.1, §7.2).
    func isPresented(with proof: DPoPProof?) -> Bool {
        guard let proof else { return !isBound }
        return claims.object("cnf")?.string("jkt").map { sameBytes($0, proof.thumbprint.text) }
            ?? false
    }
}

/// Checks access tokens that come back to their own issuer (RFC 6750 §3.1, RFC 7662 §2.2).
struct AccessTokenVerifier: Sendable {
    let grants: GrantStore

    /// The claims of the token, if this realm signed it, expired or not.
    ///
    /// - Returns: `nil` if it is not an access token of this realm.
    func signed(_ text: String, by realm: LiveRealm, at moment: Moment)
        -> (claims: JSONObject, id: AccessTokenID)?
    {
        let published = realm.keys.published(at: moment.seconds)
        // `try?`: whatever is wrong, it is not a token of ours. Other kinds of JWT are refused by
        // their type (RFC 8725 §3.12); if that is `JWT` for access tokens too, by the claim that
        // distinguishes them from ID Tokens.
        guard let jwt = try? JWT(parsing: text),
            let claims = try? jwt.verified(
                by: published.verificationKeys,
                allowing: Set(published.algorithms),
                types: [.accessToken, .jwt]
            ).claims,
            let kind = claims.string("typ"),
            TokenClaims.accessTokenKinds.contains(kind),
            let issuer = claims.string("iss"), sameBytes(issuer, realm.realm.issuer),
            let id = claims.string("jti").flatMap(AccessTokenID.init)
        else { return nil }
        return (claims, id)
    }

    /// What the token says, which our own signature covers. It does not name scopes that are not to be shown:
    /// those are among the client's defaults.
    private static func scope(_ named: [String], of client: Client, in realm: LiveRealm) -> Scope {
        let isStandard = client.tokenForm == .standard
        let others = isStandard ? realm.unshownDefaults(of: client) : client.defaultScopes
        return Scope(tokens: named + others)
    }

    /// - Returns: `nil` if the token is not ours, has expired, or its grant is no longer valid:
    ///   signed out, revoked, its person or its client disabled (docs/decisions/0035), or over
    ///   (docs/decisions/0072).
    func live(_ text: String, in realm: LiveRealm, at moment: Moment) async throws
        -> LiveAccessToken?
    {
        guard let (claims, id) = signed(text, by: realm, at: moment),
            let expires = claims.int64("exp"), moment.seconds < expires,
            let issued = claims.int64("iat"), issued >= realm.realm.notBefore,
            let reading = try await grants.grant(
                id: id.grantID,
                realmID: realm.realm.id,
                at: moment.seconds
            ),
            reading.isLive,
            let client = try await grants.client(id: reading.grant.clientID, in: realm),
            client.isEnabled, let left = try await realm.left(of: reading, client)
        else { return nil }
        let named = (claims.string("scope") ?? "").utf8.split(separator: UInt8(ascii: " "))
            .map { String(Substring($0)) }
        let said = Self.scope(named, of: client, in: realm)
        var standing = reading
        standing.grant = left
        return LiveAccessToken(
            id: id,
            claims: claims,
            client: client,
            reading: standing,
            scope: Scope(tokens: said.tokens.filter(left.scope.contains)),
            isWhole: left.scope == reading.grant.scope && named.allSatisfy(left.scope.contains),
            audiences: claims.strings("aud") ?? claims.string("aud").map { [$0] } ?? []
        )
    }

    /// The same for who acts by the token.
    ///
    /// - Parameter proof: What came with it.
    /// - Returns: `nil` also if the token needs another proof, or none.
    func live(
        _ text: String,
        with proof: DPoPProof?,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> LiveAccessToken? {
        let live = try await live(text, in: realm, at: moment)
        return live.flatMap { $0.isPresented(with: proof) ? $0 : nil }
    }
}

/// The roles that an access token stands for at this server itself.
extension LiveAccessToken {
    /// Those that the person has now, the client sees, and the token says: no one has more by it than
    /// its bearer was told (RFC 9700 §2.3).
    ///
    /// - Parameter roles: The person's, with all that they contain.
    func said(of roles: Set<RoleName>, in realm: LiveRealm) async throws -> Set<RoleName> {
        try await seen(of: roles, in: realm).filter { says($0) && isMeant(for: $0, in: realm) }
    }

    /// Those that the client sees. A token of the standard form shows none where it is meant for
    /// other servers only, or has not the scope.
    func seen(of roles: Set<RoleName>, in realm: LiveRealm) async throws -> Set<RoleName> {
        let isForRoles = scope.contains(StandardScopes.roles) && names(realm.issuer)
        guard client.tokenForm != .standard || isForRoles else { return [] }
        return try await realm.view(of: client, scope: scope, roles: roles).visible(roles)
    }

    private func says(_ role: RoleName) -> Bool {
        let owner =
            role.clientID.map { claims.object("resource_access")?.object($0) }
            ?? claims.object("realm_access")
        return owner?.strings("roles")?.contains { sameBytes($0, role.name) } ?? false
    }

    /// Tokens that mappers write do not name the issuer, but the clients whose roles they have; a role of the
    /// realm is for all of it, unless the token is for others only.
    private func isMeant(for role: RoleName, in realm: LiveRealm) -> Bool {
        if names(realm.issuer) { return true }
        if let clientID = role.clientID { return names(clientID) }
        return audiences.isEmpty
            || audiences.contains { Client.isBuiltIn($0, in: realm.name) }
    }

    private func names(_ audience: String) -> Bool {
        audiences.contains { sameBytes($0, audience) }
    }
}
