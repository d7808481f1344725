import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/token` (RFC 6749 §3.2).
struct TokenEndpoint: Sendable {
    let door: ClientDoor
    let headers: SecurityHeaders
    let authorizationCode: AuthorizationCodeGrant
    let refreshToken: RefreshTokenGrant
    let clientCredentials: ClientCredentialsGrant
    /// Which challenges were redeemed lately.
    let challenges: SeenLately

    func post(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        // RFC 6749 §5.2: a grant type that nobody is served is so for everybody, whatever else the
        // request brings. Nothing is proven, spent or counted for it.
        try TokenRequest.refuseUnserved(form)
        let answer = try await door(visit, form: form) { client, form in
            do {
                return try await grant(try TokenRequest(form), client, visit)
            } catch let replay as ReplayRefusal {
                door.events.replayed(replay, client.client, visit)
                throw replay.error
            }
        }
        return Response(json: .object(answer.json), headers: headers, adding: [.pragma: "no-cache"])
    }

    private func grant(
        _ request: TokenRequest,
        _ client: AuthenticatedClient,
        _ visit: RealmVisit
    ) async throws -> TokenAnswer {
        switch request {
        case .authorizationCode(let request):
            let answer = try await authorizationCode(
                request,
                from: client,
                in: visit.realm,
                at: visit.moment
            )
            noteRepetition(of: request.codeVerifier, by: client.client, visit)
            return answer
        case .refreshToken(let request):
            return try await refreshToken(
                request,
                idempotencyKey: try visit.request.headers.idempotencyKey(
                    or: OAuthError(
                        .invalidRequest,
                        "Idempotency-Key is not one text of 1 to 255 bytes."
                    )
                ),
                from: client,
                in: visit.realm,
                at: visit.moment
            )
        case .clientCredentials(let scope):
            return try await clientCredentials(
                scope: scope,
                from: client,
                in: visit.realm,
                at: visit.moment
            )
        }
    }

    /// A challenge that is met twice is constant, and protects nobody (RFC 9700 §2.1.1). The maker
    /// of the client must hear of it; the person did nothing wrong, so that it is not refused.
    private func noteRepetition(
        of verifier: TokenRequest.Verifier,
        by client: Client,
        _ visit: RealmVisit
    ) {
        guard case .given(let verifier) = verifier else { return }
        let key = LimitKey("challenge", client.id, verifier.challenge.text)
        if !challenges.isFirst(key) {
            door.events.challengeRepeated(client, visit)
        }
    }
}

extension HTTPField.Name {
    /// RFC 6749 §5.1 asks for it beside `Cache-Control`.
    static let pragma = known("Pragma")
}
