import HTTPTypes
import Hummingbird
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/logout` with a refresh token, as Keycloak's older adapters and apps send it: ends the
/// session that the token hangs on, and what was to outlive it, and answers 204.
struct LegacySignOut: Sendable {
    let door: ClientDoor
    let grants: any GrantStore
    let sessions: any BrowserSessionStore
    let refreshTokens: TokenRevocation
    let headers: SecurityHeaders
    let sessionEnded: @Sendable () -> Void

    func callAsFunction(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        try await door(visit, form: form) { client, form in
            let token = try form.required("refresh_token")
            guard
                let grant = try await refreshTokens.grant(
                    ofRefreshToken: token,
                    client,
                    visit.realm,
                    visit.moment
                )
            else {
                throw OAuthError(.invalidGrant, "The refresh token is unknown.")
            }
            // Before anything ends: an assertion is good once (RFC 7523 §3).
            if grant.isOffline {
                try await revoke(grant, of: client, visit)
            } else {
                try await door.spend(client, visit)
            }
            if let sessionID = grant.sessionID {
                let change = try await sessions.end(
                    id: sessionID,
                    realmID: visit.realm.realm.id,
                    at: visit.now
                )
                if change == .changed {
                    door.events.signedOut(sessionID, visit)
                    sessionEnded()
                }
            }
            return Response(empty: .noContent, headers: headers)
        }
    }

    private func revoke(_ grant: Grant, of client: AuthenticatedClient, _ visit: RealmVisit)
        async throws
    {
        let assertion = client.assertion.take()
        switch try await grants.revoke(id: grant.id, spending: assertion, at: visit.now) {
        case .revoked: door.events.revoked(grant.id, client.client, visit)
        case .notFound: break
        case .assertionSpent: throw UnprovenClient(.replayed, client.client)
        }
    }
}
