import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Makes a login token for another client (RFC 8693 §2.1).
struct LoginTokenGrant: Sendable {
    let provider: Provider

    /// The refresh token that is presented is not rotated. One that was rotated already is refused
    /// and changes nothing: another process of the app has the new one. The security log has it.
    ///
    /// - Throws: ``ReplayRefusal`` for that one; `invalid_target` if the realm does not list the audience for this client,
    ///   `invalid_request` if the subject token is not one of this client's for a person who is
    ///   signed in (RFC 8693 §2.2.2), `invalid_scope`.
    func callAsFunction(_ exchange: TokenExchange, _ request: TokenRequest) async throws
        -> JSONObject
    {
        let (client, realm, moment) = (request.client, request.realm, request.moment)
        guard client.loginTokenTarget(exchange.audience) != nil,
            let target = try await realm.client(clientID: exchange.audience)
        else {
            throw OAuthError(.invalidTarget, "The client may not hand its sign-in on to that one.")
        }
        guard exchange.actor == nil else {
            throw OAuthError(.invalidRequest, "A login token has no actor.")
        }
        // RFC 8693 §2.2.1: what is issued never exceeds the subject token; this grants nothing.
        guard exchange.scope == nil else {
            throw OAuthError(.invalidScope, "A login token has no scope.")
        }
        let grant = try await subject(exchange.subject, of: request)
        // Even an offline grant hands nothing on after its session, which is no younger.
        guard let sessionID = grant.sessionID,
            let session = try await provider.sessions.live(
                id: sessionID,
                realmID: realm.id,
                at: moment.seconds,
                idle: .max
            ),
            session.session.authenticatedAt >= realm.notBefore
        else { throw Self.unknown }
        try await request.proven.spend(in: provider.grants, at: moment)
        let token = LoginToken(
            id: UniqueID(random: moment.random),
            grantID: grant.id,
            targetID: target.id
        )
        provider.events.note(
            .loginTokenMade,
            request.context,
            person: grant.personID,
            session: sessionID,
            grant: grant.id,
            client: client.clientID,
            details: ["target": .string(target.clientID)]
        )
        return [
            "access_token": .string(
                LoginTokenSeal(ring: provider.ring, realmID: realm.id).seal(token, at: moment)
            ),
            "issued_token_type": .string(TokenType.loginToken.rawValue),
            // RFC 8693 §2.2.1: it is no access token.
            "token_type": "N_A",
            "expires_in": .integer(LoginToken.lifetime),
        ]
    }

    private static let unknown = OAuthError(
        .invalidRequest,
        "subject_token is unknown, expired or revoked, or its session has ended."
    )

    /// The live grant of a token of this client.
    private func subject(_ token: TokenExchange.Token, of request: TokenRequest) async throws
        -> Grant
    {
        let (client, realm, moment) = (request.client, request.realm, request.moment)
        switch token.type {
        case .refreshToken:
            guard let refresh = RefreshToken(token.text),
                let reading = try await provider.grants.grant(
                    of: refresh,
                    from: client,
                    in: realm,
                    with: provider.ring,
                    at: moment
                ),
                reading.isLive
            else { throw Self.unknown }
            try request.proven.checkProof(of: reading.grant.dpopKey)
            guard refresh.generation == reading.grant.refresh?.generation else {
                throw ReplayRefusal(
                    subject: .subjectToken,
                    grant: reading.grant,
                    error: Self.unknown
                )
            }
            guard let grant = try await realm.left(of: reading, client, forRefresh: true) else {
                throw Self.unknown
            }
            return grant
        case .accessToken:
            // Every API holds bare access tokens, and anyone can name a public client.
            guard request.proven.isConfidential else {
                throw OAuthError(.invalidRequest, "A public client presents its refresh token.")
            }
            let verifier = AccessTokenVerifier(grants: provider.grants)
            guard let live = try await verifier.live(token.text, in: realm, at: moment),
                live.client.id == client.id,
                // The proof is for this request, which may have one whatever the token is.
                live.isPresented(with: live.isBound ? request.proven.proof : nil)
            else { throw Self.unknown }
            return live.reading.grant
        case .idToken, .deviceSecret, .loginToken:
            throw OAuthError(.invalidRequest, "subject_token_type is not served for this.")
        }
    }
}
