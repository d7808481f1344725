import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Issues a confidential client a token for itself (RFC 6749 §4.4).
struct ClientCredentialsGrant: Sendable {
    let grants: GrantStore
    let issuer: TokenIssuer

    /// - Throws: `unauthorized_client` if the client is public or not registered for this grant
    ///   type; `invalid_scope` if it requests what it may not have.
    func callAsFunction(
        scope requested: Scope?,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> TokenAnswer {
        guard client.isConfidential, client.client.grantTypes.contains(.clientCredentials) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        let registered = client.client
        // RFC 6749 §3.3: granted without it. There is no person for an ID Token.
        let requested = requested.map { Scope(tokens: $0.tokens.filter { $0 != "openid" }) }
        let allowed = Scope(tokens: registered.defaultScopes + registered.optionalScopes)
        if let requested, !requested.isSubset(of: allowed) {
            throw OAuthError(.invalidScope, "scope has a token that the client may not have.")
        }
        let scope = Scope(tokens: registered.defaultScopes + (requested?.tokens ?? []))
        let grant = Grant(
            id: moment.id(),
            realmID: realm.realm.id,
            clientID: registered.id,
            personID: nil,
            sessionID: nil,
            // No one is signed in: these have no meaning.
            scope: Scope(tokens: scope.tokens.filter { $0 != "openid" && $0 != "offline_access" }),
            isOffline: false,
            authenticatedAt: nil,
            acr: nil,
            amr: [],
            claims: nil,
            createdAt: moment.seconds,
            idleSeconds: 0,
            expiresAt: moment.seconds
                + (registered.accessTokenLifetime ?? realm.realm.lifetimes.accessToken),
            // RFC 6749 §4.4.3: no refresh token.
            refresh: nil
        )
        let assertion = client.assertion.take()
        guard
            try await grants.insert(grant, spending: assertion, at: moment.seconds)
                != .assertionSpent
        else { throw UnprovenClient(.replayed, client.client) }
        return try issuer.issue(
            TokenSubject(
                realm: realm,
                client: registered,
                grant: grant,
                person: nil,
                scope: grant.scope
            ),
            nonce: nil,
            generation: nil,
            at: moment
        )
    }
}
