import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/token` (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    let authorizationCode: AuthorizationCodeGrant
    let refreshToken: RefreshTokenGrant
    let clientCredentials: ClientCredentialsGrant
    /// Which challenges were redeemed lately.
    let challenges: SeenLately

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        // RFC 6749 §5.2: a grant type that nobody is served is so for everybody, whatever else the
        // request brings. Nothing is proven, spent or counted for it.
        try TokenRequest.refuseUnserved(form)
        let answer = try await authenticated(context, form: form) { client, form in
            do {
                return try await grant(try TokenRequest(form), client, context)
            } catch let replay as ReplayRefusal {
                authenticated.events.replayed(replay, client.client, context)
                throw replay.error
            }
        }
        return Response(json: .object(answer.json), headers: headers, adding: [.pragma: "no-cache"])
    }

    private func grant(
        _ request: TokenRequest,
        _ client: AuthenticatedClient,
        _ context: RealmContext
    ) async throws -> TokenAnswer {
        switch request {
        case .authorizationCode(let request):
            let answer = try await authorizationCode(
                request,
                from: client,
                in: context.realm,
                at: context.moment
            )
            noteRepetition(of: request.codeVerifier, by: client.client, context)
            return answer
        case .refreshToken(let request):
            return try await refreshToken(
                request,
                idempotencyKey: try context.headers.idempotencyKey(
                    or: OAuthError(
                        .invalidRequest,
                        "Idempotency-Key is not one text of 1 to 255 bytes."
                    )
                ),
                from: client,
                in: context.realm,
                at: context.moment
            )
        case .clientCredentials(let scope):
            return try await clientCredentials(
                scope: scope,
                from: client,
                in: context.realm,
                at: context.moment
            )
        }
    }

    /// A challenge that is met twice is constant, and protects nobody (RFC 9700 §2.1.1). The maker
    /// of the client must hear of it; the person did nothing wrong, so that it is not refused.
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

extension HTTPField.Name {
    /// RFC 6749 §5.1 asks for it beside `Cache-Control`.
    static let pragma = known("Pragma")
}
