import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Makes a login token for another client (RFC 8693 §2.1).
struct LoginTokenGrant: Sendable {
    let grants: GrantStore
    let sessions: BrowserSessionStore
    let verifier: AccessTokenVerifier
    let ring: KeyRing

    /// The refresh token that is presented is not rotated. One that was rotated already is refused
    /// and changes nothing: another process of the app has the new one. The security log has it.
    ///
    /// - Throws: ``ReplayRefusal`` for that one; `invalid_target` if the realm does not list the audience for this client,
    ///   `invalid_request` if the subject token is not one of this client's for a person who is
    ///   signed in (RFC 8693 §2.2.2), `invalid_scope`.
    func callAsFunction(
        _ request: TokenExchange,
        from client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> TokenExchangeGrant.Answer {
        guard client.client.loginTokenTarget(request.audience) != nil,
            let target = realm.client(clientID: request.audience)
        else {
            throw OAuthError(.invalidTarget, "The client may not hand its sign-in on to that one.")
        }
        guard request.actor == nil else {
            throw OAuthError(.invalidRequest, "A login token has no actor.")
        }
        // RFC 8693 §2.2.1: what is issued never exceeds the subject token; this grants nothing.
        guard request.scope == nil else {
            throw OAuthError(.invalidScope, "A login token has no scope.")
        }
        let grant = try await subject(request.subject, of: client, in: realm, at: moment)
        // Even an offline grant hands nothing on after its session, which is no younger.
        guard let sessionID = grant.sessionID,
            let session = try await sessions.live(
                id: sessionID,
                realmID: realm.id,
                at: moment.seconds,
                idle: .max
            ),
            session.session.authenticatedAt >= realm.notBefore
        else { throw Self.unknown }
        try await client.spend(in: grants, at: moment)
        let token = LoginToken(
            id: UniqueID(random: moment.random),
            grantID: grant.id,
            targetID: target.id
        )
        let answer: JSONObject = [
            "access_token": .string(
                LoginTokenSeal(ring: ring, realmID: realm.id).seal(token, at: moment)
            ),
            "issued_token_type": .string(TokenType.loginToken.rawValue),
            // RFC 8693 §2.2.1: it is no access token.
            "token_type": "N_A",
            "expires_in": .integer(LoginToken.lifetime),
        ]
        return TokenExchangeGrant.Answer(
            json: answer,
            handedOn: HandedOn(
                step: .tokenMade,
                parentID: grant.id,
                personID: grant.personID,
                sessionID: sessionID,
                target: target.clientID
            )
        )
    }

    private static let unknown = OAuthError(
        .invalidRequest,
        "subject_token is unknown, expired or revoked, or its session has ended."
    )

    /// The live grant of a token of this client.
    private func subject(
        _ token: TokenExchange.Token,
        of client: AuthenticatedClient,
        in realm: LiveRealm,
        at moment: Moment
    ) async throws -> Grant {
        switch token.type {
        case .refreshToken:
            guard let refresh = RefreshToken(token.text),
                let reading = try await grants.grant(
                    id: refresh.grantID,
                    realmID: realm.id,
                    at: moment.seconds
                ),
                refresh.isGenuine(for: reading.grant, ring: ring),
                sameBytes(reading.grant.clientID, client.client.id),
                reading.isLive
            else { throw Self.unknown }
            try client.checkProof(of: reading.grant.dpopKey)
            guard refresh.generation == reading.grant.refresh?.generation else {
                throw ReplayRefusal(
                    subject: .subjectToken,
                    grant: reading.grant,
                    error: Self.unknown
                )
            }
            // `try?`: why it gives nothing any more is not said here.
            guard let grant = try? realm.refreshable(reading, of: client.client) else {
                throw Self.unknown
            }
            return grant
        case .accessToken:
            // Every API holds bare access tokens, and anyone can name a public client.
            guard client.isConfidential else {
                throw OAuthError(.invalidRequest, "A public client presents its refresh token.")
            }
            guard let live = try await verifier.live(token.text, in: realm, at: moment),
                live.client.id == client.client.id,
                // The proof is for this request, which may have one whatever the token is.
                live.isPresented(with: live.isBound ? client.proof : nil)
            else { throw Self.unknown }
            return live.reading.grant
        case .idToken, .deviceSecret, .loginToken:
            throw OAuthError(.invalidRequest, "subject_token_type is not served for this.")
        }
    }
}
