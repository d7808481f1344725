import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The claims about the person of an access token (OpenID Connect Core §5.3).
struct UserInfo: Sendable {
    let verifier: AccessTokenVerifier

    struct Answer: Sendable {
        let claims: JSONObject
        let client: Client
    }

    /// - Throws: `invalid_token` if the token is not ours, no longer valid, bound to another key
    ///   than the proof's, bound and without a proof, or meant only for others;
    ///   `insufficient_scope` if `openid` was not granted (§5.3.1, RFC 6750 §3.1).
    func callAsFunction(
        _ token: String,
        with proof: DPoPProof?,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> Answer {
        guard let live = try await verifier.live(token, with: proof, in: realm, at: moment) else {
            throw OAuthError(
                .invalidToken,
                "The access token is unknown, expired, revoked, or bound to a key that is not proved."
            )
        }
        // RFC 9700 §2.3: a token meant for other resource servers is refused. Those that mappers write do
        // not name the issuer; a lightweight one is not meant for UserInfo.
        let isMeant =
            switch live.client.tokenForm {
            case .standard: live.audiences.contains { sameBytes($0, realm.issuer) }
            case .mapped: true
            case .lightweight: false
            }
        guard isMeant else {
            throw OAuthError(.invalidToken, "The access token is not meant for UserInfo.")
        }
        guard live.scope.contains("openid") else {
            throw OAuthError(.insufficientScope, "The access token was not granted scope openid.")
        }
        guard live.reading.person != nil else {
            throw OAuthError(.invalidToken, "The access token belongs to no person.")
        }
        let subject = TokenSubject(
            realm: realm,
            client: live.client,
            grant: live.reading.grant,
            person: live.reading.person,
            scope: live.scope
        )
        let requested = try live.reading.grant.claims.map { text in try ClaimsRequest(text) }
        let claims = try await TokenClaims(subject: subject, now: moment.seconds)
        return Answer(claims: claims.userInfo(requested: requested), client: live.client)
    }
}
