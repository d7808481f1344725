import HTTPTypes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// `POST …/logout` with a refresh token, as sent by older adapters and apps: ends the
/// token's session, and offline access too, and answers 204.
struct LegacySignOut: Sendable {
    let authenticated: ClientAuthenticator
    let grants: GrantStore
    let sessions: SessionStore
    let ring: KeyRing
    let headers: SecurityHeaders
    let sessionEnded: @Sendable () -> Void

    func callAsFunction(_ form: FormParameters, _ context: RealmContext) async throws -> Response {
        try await authenticated(context, at: nil, form: form) { client, form in
            let token = try form.required("refresh_token")
            if let old = context.realm.oldToken(token, of: client.client) {
                return try await signOut(old, of: client, context)
            }
            guard let presented = RefreshToken(token),
                let grant = try await grants.grant(
                    of: presented,
                    from: client.client,
                    in: context.realm,
                    with: ring,
                    at: context.moment
                )?.grant
            else {
                throw OAuthError(.invalidGrant, "The refresh token is unknown.")
            }
            // Before anything ends: an assertion is accepted once (RFC 7523 §3).
            if grant.isOffline {
                try await revoke(grant, of: client, context)
            } else {
                try await authenticated.spend(client, context)
            }
            if let sessionID = grant.sessionID {
                let change = try await sessions.end(
                    id: sessionID,
                    realmID: context.realm.id,
                    at: context.now
                )
                if change == .changed {
                    authenticated.events.note(.signedOut, context, session: sessionID)
                    sessionEnded()
                }
            }
            return Response(empty: .noContent, headers: headers)
        }
    }

    /// The session of a token of the server before, swapped or not (docs/decisions/0051).
    private func signOut(
        _ token: MovedToken,
        of client: AuthenticatedClient,
        _ context: RealmContext
    ) async throws -> Response {
        let outcome = try await grants.signOut(token, spending: client.uses.take(), at: context.now)
        switch outcome {
        case .ended:
            authenticated.events.note(
                .oldTokenRevoked,
                context,
                session: token.sessionID,
                client: client.client.clientID
            )
        case .endedHere:
            authenticated.events.note(.signedOut, context, session: token.sessionID)
            sessionEnded()
        case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
        }
        return Response(empty: .noContent, headers: headers)
    }

    private func revoke(_ grant: Grant, of client: AuthenticatedClient, _ context: RealmContext)
        async throws
    {
        let uses = client.uses.take()
        switch try await grants.revoke(id: grant.id, spending: uses, at: context.now) {
        case .revoked:
            authenticated.events.note(
                .tokenRevoked,
                context,
                grant: grant.id,
                client: client.client.clientID
            )
        case .notFound: break
        case .spentBefore(let kind): throw client.refusal(ofRepeated: kind)
        }
    }
}
