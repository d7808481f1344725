import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Issues a confidential client a token for itself (RFC 6749 §4.4).
struct ClientCredentialsGrant: TokenGrant {
    static let type = GrantType.clientCredentials.rawValue

    let provider: Provider

    func admits(_ client: AuthenticatedClient, in realm: LiveRealm) -> Bool {
        client.isConfidential && client.client.grantTypes.contains(.clientCredentials)
    }

    /// - Throws: `unauthorized_client` if the client's account is disabled; `invalid_scope` if it
    ///   requests what it may not have.
    func callAsFunction(_ request: TokenRequest) async throws -> JSONObject {
        let (client, realm, now) = (request.client, request.realm, request.moment.seconds)
        let requested = try request.scope
        // A client may have an account of its own, with roles.
        let account = try await provider.people.serviceAccount(of: client.id, realmID: realm.id)
        guard account?.person.isEnabled ?? true else {
            throw OAuthError(.unauthorizedClient, "The client's own account is disabled.")
        }
        let grant = Grant(
            id: request.moment.id(),
            realmID: realm.id,
            clientID: client.id,
            personID: account?.person.id,
            sessionID: nil,
            scope: try Self.granted(requested, to: client, hasAccount: account != nil),
            isOffline: false,
            authenticatedAt: nil,
            acr: nil,
            amr: [],
            claims: nil,
            createdAt: now,
            idleSeconds: 0,
            expiresAt: now + (client.accessTokenLifetime ?? realm.lifetimes.accessToken),
            // RFC 6749 §4.4.3: no refresh token.
            refresh: nil
        )
        let address = request.context.address
        let answer = try await provider.issue(
            grant,
            to: account,
            notes: [
                "client_id": client.clientID, "clientId": client.clientID,
                "clientHost": address, "clientAddress": address,
            ],
            for: request
        )
        let uses = request.proven.uses.take()
        if case .spentBefore(let kind) =
            try await provider.grants.insert(grant, spending: uses, at: now)
        {
            throw request.proven.refusal(ofRepeated: kind)
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
