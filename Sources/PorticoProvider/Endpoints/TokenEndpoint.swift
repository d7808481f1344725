import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/token` (RFC 6749 §3.2): the steps that every grant type shares, in order.
struct TokenEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    private let grants: [any TokenGrant]

    init(_ provider: Provider, authenticated: ClientAuthenticator, headers: SecurityHeaders) {
        self.authenticated = authenticated
        self.headers = headers
        grants = [
            AuthorizationCodeGrant(provider: provider),
            // A swap is a refresh with a token of the server before.
            TokenSwapGrant(provider: provider),
            RefreshTokenGrant(provider: provider),
            ClientCredentialsGrant(provider: provider),
            TokenExchangeGrant(provider: provider),
            PasswordGrant(provider),
        ]
    }

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.programForm()
        try form.refuseRepeats()
        // RFC 6749 §5.2: an unsupported grant type is refused for every client, whatever else the
        // request contains. Nothing is proven, spent or counted for it.
        let grant = try form["grant_type"].map { type throws(OAuthError) in
            try served(type, for: form, in: context.realm)
        }
        // RFC 9449 §5.2: where every client proves a key, no document is fetched without a proof.
        guard !context.realm.realm.profile.requiresProofs || !context.headers[values: .dpop].isEmpty
        else { throw ProofCheck.missing }
        let address = context.realm.urls.token
        let answer = try await authenticated(context, at: address, form: form) { client, form in
            // In every realm a client that is to prove one does.
            guard client.proof != nil || !client.client.dpopBoundAccessTokens else {
                throw ProofCheck.missing
            }
            guard let grant else {
                throw OAuthError(.invalidRequest, parameter: "grant_type", "is missing.")
            }
            guard grant.admits(client, in: context.realm) else {
                throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
            }
            do {
                return try await grant(TokenRequest(form: form, proven: client, context: context))
            } catch let replay as ReplayRefusal {
                authenticated.events.replayed(replay, client.client, context)
                throw replay.error
            } catch let refusal as SwapRefusal {
                authenticated.events.note(
                    .swapRefused,
                    context,
                    client: client.client.clientID,
                    reason: refusal.reason.rawValue
                )
                throw refusal.error
            }
        }
        // RFC 6749 §5.1.
        return Response(json: .object(answer), headers: headers, adding: [.pragma: "no-cache"])
    }

    private func served(_ type: String, for form: FormParameters, in realm: LiveRealm)
        throws(OAuthError) -> any TokenGrant
    {
        let grant = grants.first { grant in
            sameBytes(Swift.type(of: grant).type, type) && grant.takes(form, in: realm)
        }
        guard let grant else {
            throw OAuthError(.unsupportedGrantType, "grant_type is not one that is served here.")
        }
        return grant
    }
}
