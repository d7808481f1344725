import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Issues a confidential client a token for itself (RFC 6749 §4.4).
struct ClientCredentialsGrant: Sendable {
    let grants: GrantStore
    let people: PersonStore
    let issuer: TokenIssuer

    /// - Throws: `unauthorized_client` if the client is public or not registered for this grant
    ///   type; `invalid_scope` if it requests what it may not have.
    func callAsFunction(
        scope requested: Scope?,
        from client: AuthenticatedClient,
        at address: String,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> TokenAnswer {
        guard client.isConfidential, client.client.grantTypes.contains(.clientCredentials) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        let registered = client.client
        // A client may have an account of its own, with roles.
        let account = try await people.serviceAccount(of: registered.id, realmID: realm.id)
        guard account?.person.isEnabled ?? true else {
            throw OAuthError(.unauthorizedClient, "The client's own account is disabled.")
        }
        let scope = try Self.granted(requested, to: registered, hasAccount: account != nil)
        let grant = Grant(
            id: moment.id(),
            realmID: realm.id,
            clientID: registered.id,
            personID: account?.person.id,
            sessionID: nil,
            scope: scope,
            isOffline: false,
            authenticatedAt: nil,
            acr: nil,
            amr: [],
            claims: nil,
            createdAt: moment.seconds,
            idleSeconds: 0,
            expiresAt: moment.seconds
                + (registered.accessTokenLifetime ?? realm.lifetimes.accessToken),
            // RFC 6749 §4.4.3: no refresh token.
            refresh: nil
        )
        let answer = try issuer.issue(
            TokenSubject(
                realm: realm,
                client: registered,
                grant: grant,
                person: account,
                scope: grant.scope,
                dpopKey: client.proof?.thumbprint,
                notes: [
                    "client_id": registered.clientID, "clientId": registered.clientID,
                    "clientHost": address, "clientAddress": address,
                ]
            ),
            nonce: nil,
            generation: nil,
            at: moment
        )
        let uses = client.uses.take()
        if case .spentBefore(let kind) =
            try await grants.insert(grant, spending: uses, at: moment.seconds)
        {
            throw client.refusal(ofRepeated: kind)
        }
        return answer
    }

    /// RFC 6749 §3.3: without what has no meaning where no one is signed in. An ID Token is only for
    /// a client with an account.
    private static func granted(_ requested: Scope?, to client: Client, hasAccount: Bool)
        throws(OAuthError) -> Scope
    {
        let requested = (requested?.tokens ?? []).filter { $0 != "openid" || hasAccount }
        let allowed = Scope(tokens: client.defaultScopes + client.optionalScopes + ["openid"])
        guard Scope(tokens: requested).isSubset(of: allowed) else {
            throw OAuthError(.invalidScope, "scope has a token that the client may not have.")
        }
        return Scope(
            tokens: (client.defaultScopes + requested).filter {
                $0 != "offline_access" && ($0 != "openid" || hasAccount)
            }
        )
    }
}
