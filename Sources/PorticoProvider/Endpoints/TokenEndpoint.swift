import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/token` (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    private let authorizationCode: AuthorizationCodeGrant
    private let refreshToken: RefreshTokenGrant
    private let clientCredentials: ClientCredentialsGrant
    private let tokenExchange: TokenExchangeGrant
    private let tokenSwap: TokenSwapGrant
    private let swaps: SwapCounter
    private let password: PasswordGrant
    /// The recently redeemed challenges.
    private let challenges = SeenLately<LimitKey>()

    init(
        _ provider: Provider,
        issuer: TokenIssuer,
        authenticated: ClientAuthenticator,
        headers: SecurityHeaders
    ) {
        self.authenticated = authenticated
        self.headers = headers
        authorizationCode = AuthorizationCodeGrant(
            grants: provider.grants,
            people: provider.people,
            issuer: issuer,
            ring: provider.ring
        )
        refreshToken = RefreshTokenGrant(
            grants: provider.grants,
            issuer: issuer,
            ring: provider.ring
        )
        clientCredentials = ClientCredentialsGrant(
            grants: provider.grants,
            people: provider.people,
            issuer: issuer
        )
        tokenExchange = TokenExchangeGrant(provider, issuer: issuer)
        tokenSwap = TokenSwapGrant(
            grants: provider.grants,
            people: provider.people,
            issuer: issuer,
            ring: provider.ring
        )
        swaps = provider.swaps
        password = PasswordGrant(provider, issuer: issuer)
    }

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.programForm()
        // RFC 6749 §5.2: an unsupported grant type is refused for every client, whatever else the
        // request contains. Nothing is proven, spent or counted for it.
        let isPassword = password.serves(form, context)
        if !isPassword { try TokenRequest.refuseUnserved(form) }
        // At a host of the AT Protocol every client proves a key (RFC 9449 §5.2). Without a proof no
        // document is fetched.
        guard context.realm.realm.atProtocol == nil || !context.headers[values: .dpop].isEmpty
        else { throw ProofCheck.missing }
        let address = context.realm.urls.token
        let answer = try await authenticated(context, at: address, form: form) { client, form in
            guard client.proof != nil || !client.client.dpopBoundAccessTokens else {
                throw ProofCheck.missing
            }
            if isPassword { return try await password(form, from: client, context).json }
            do {
                return try await grant(try TokenRequest(form), client, context)
            } catch let replay as ReplayRefusal {
                authenticated.events.replayed(replay, client.client, context)
                if replay.subject == .oldRefreshToken { note(.usedAgain, client, context) }
                throw replay.error
            } catch let refusal as SwapRefusal {
                authenticated.events.swapRefused(refusal, client.client, context)
                swaps.note(refusal.reason.rawValue, of: client.client, at: context.now)
                throw refusal.error
            }
        }
        return Response(json: .object(answer), headers: headers, adding: [.pragma: "no-cache"])
    }

    private func grant(
        _ request: TokenRequest,
        _ client: AuthenticatedClient,
        _ context: RealmContext
    ) async throws -> JSONObject {
        switch request {
        case .authorizationCode(let request):
            let answer = try await authorizationCode(
                request,
                from: client,
                in: context.realm,
                at: context.moment
            )
            noteRepetition(of: request.codeVerifier, by: client.client, context)
            if let handedOn = answer.handedOn {
                authenticated.events.handedOn(handedOn, client.client, context)
            }
            return answer.tokens.json
        case .refreshToken(let request):
            return try await refresh(request, client, context).json
        case .clientCredentials(let scope):
            return try await clientCredentials(
                scope: scope,
                from: client,
                at: context.address,
                in: context.realm,
                at: context.moment
            ).json
        case .tokenExchange(let request):
            let answer = try await tokenExchange(
                request,
                from: client,
                in: context.realm,
                at: context.moment
            )
            authenticated.events.handedOn(answer.handedOn, client.client, context)
            return answer.json
        }
    }

    private func refresh(
        _ request: TokenRequest.Refresh,
        _ client: AuthenticatedClient,
        _ context: RealmContext
    ) async throws -> TokenAnswer {
        let key = try context.headers.idempotencyKey(
            or: OAuthError(
                .invalidRequest,
                "Idempotency-Key is not one text of 1 to 255 bytes."
            )
        )
        let swapped = try await tokenSwap(
            request,
            idempotencyKey: key,
            from: client,
            in: context.realm,
            at: context.moment
        )
        if let swapped {
            authenticated.events.swapped(swapped, client.client, context)
            note(swapped.isRepeated ? .repeated : .swapped, client, context)
            return swapped.tokens
        }
        return try await refreshToken(
            request,
            idempotencyKey: key,
            from: client,
            in: context.realm,
            at: context.moment
        )
    }

    private func note(
        _ outcome: SwapCounter.Outcome,
        _ client: AuthenticatedClient,
        _ context: RealmContext
    ) {
        swaps.note(outcome.rawValue, of: client.client, at: context.now)
    }

    /// A repeated challenge is a constant and gives no protection (RFC 9700 §2.1.1). The client's
    /// developer must be told; the person did nothing wrong, so it is not refused.
    private func noteRepetition(
        of verifier: TokenRequest.Verifier,
        by client: Client,
        _ context: RealmContext
    ) {
        guard case .given(let verifier) = verifier else { return }
        let key = LimitKey("challenge", client.id, verifier.challenge.text)
        if !challenges.isFirst(key) {
            authenticated.events.challengeRepeated(client, context)
        }
    }
}
