import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Exchanges a token for another one (RFC 8693 §2).
struct TokenExchangeGrant: Sendable {
    let loginToken: LoginTokenGrant
    let nativeSSO: NativeSSOGrant

    init(_ provider: Provider, issuer: TokenIssuer) {
        loginToken = LoginTokenGrant(
            grants: provider.grants,
            sessions: provider.sessions,
            verifier: AccessTokenVerifier(grants: provider.grants),
            ring: provider.ring
        )
        nativeSSO = NativeSSOGrant(
            grants: provider.grants,
            people: provider.people,
            issuer: issuer,
            ring: provider.ring
        )
    }

    struct Answer: Sendable {
        let json: JSONObject
        let handedOn: HandedOn
    }

    /// - Throws: `invalid_request` for an exchange that is not served here.
    func callAsFunction(
        _ request: TokenExchange,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> Answer {
        switch request.requestedType {
        case .loginToken: try await loginToken(request, from: client, in: realm, at: moment)
        default: try await nativeSSO(request, from: client, in: realm, at: moment)
        }
    }
}
