package import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Who sends an access token of a realm to the realm's administration.
package struct Bearer: Sendable {
    package let realm: LiveRealm
    package let client: Client
    /// A person, or the account that a client has for itself.
    package let person: Person
    /// The roles that the person has now, with all that they contain, as far as the token's client
    /// sees them by the token's scope.
    package let roles: Set<RoleName>
}

/// Finds who sends an access token (RFC 6750 §2.1).
package struct BearerReader: Sendable {
    private let verifier: AccessTokenVerifier

    package init(grants: GrantStore) {
        verifier = AccessTokenVerifier(grants: grants)
    }

    /// - Returns: `nil` if the realm did not sign the token, its grant is not live, or it belongs to
    ///   no one.
    package func callAsFunction(_ token: String, in realm: LiveRealm, at moment: Moment)
        async throws -> Bearer?
    {
        guard let live = try await verifier.live(token, in: realm, at: moment),
            let person = live.reading.person, person.person.isEnabled
        else { return nil }
        let all = realm.graph.roles(of: person)
        let seen =
            realm.keycloakView(of: live.client, scope: live.scope, roles: all)?.visible(all)
            ?? (live.scope.contains(RoleClaims.scope)
                ? Set(RoleClaims(all, seenBy: live.client).roles) : [])
        return Bearer(realm: realm, client: live.client, person: person.person, roles: seen)
    }
}
