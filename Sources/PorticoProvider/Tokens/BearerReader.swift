package import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Who sends an access token of a realm to the realm's administration.
package struct Bearer: Sendable {
    package let realm: LiveRealm
    package let client: Client
    /// The clients that the sign-in was handed on by, the last one first.
    package let sources: [Client]
    /// A person, or the account that a client has for itself.
    package let person: Person
    /// The roles that the person has now, with all that they contain, as far as the token's client
    /// sees them by the token's scope.
    package let roles: Set<RoleName>
}

/// Finds who sends an access token (RFC 6750 §2.1).
package struct BearerReader: Sendable {
    private let grants: GrantStore
    private let verifier: AccessTokenVerifier

    package init(grants: GrantStore) {
        self.grants = grants
        verifier = AccessTokenVerifier(grants: grants)
    }

    /// - Returns: `nil` if the realm did not sign the token, its grant is not live, it belongs to
    ///   no one, or it is bound to a key: no proofs are taken there.
    package func callAsFunction(_ token: String, in realm: LiveRealm, at moment: Moment)
        async throws -> Bearer?
    {
        guard let live = try await verifier.live(token, with: nil, in: realm, at: moment),
            let person = live.reading.person, person.person.isEnabled
        else { return nil }
        let behind = try await grants.clients(behind: live.reading.grant.id)
        let clients = behind.compactMap { realm.client(uuid: $0) }
        guard clients.count == behind.count, let client = clients.first else { return nil }
        let all = realm.graph.roles(of: person)
        let seen =
            realm.keycloakView(of: live.client, scope: live.scope, roles: all)?.visible(all)
            ?? Self.seen(all, by: live, in: realm)
        return Bearer(
            realm: realm,
            client: client,
            sources: Array(clients.dropFirst()),
            person: person.person,
            roles: seen
        )
    }

    /// Whether the realm signed the token and its time is not over. Nothing is read for it.
    package func isSigned(_ token: String, by realm: LiveRealm, at moment: Moment) -> Bool {
        guard let (claims, _) = verifier.signed(token, by: realm, at: moment),
            let end = claims.int64("exp")
        else { return false }
        return moment.seconds < end
    }

    /// The roles in a token of Portico's own form: none where it is meant for other servers only (RFC
    /// 9700 §2.3), or has not the scope. Keycloak's tokens do not name the issuer.
    private static func seen(
        _ roles: Set<RoleName>,
        by live: LiveAccessToken,
        in realm: LiveRealm
    ) -> Set<RoleName> {
        guard live.scope.contains(RoleClaims.scope),
            live.audiences.contains(where: { sameBytes($0, realm.issuer) })
        else { return [] }
        return Set(RoleClaims(roles, seenBy: live.client).roles)
    }
}
