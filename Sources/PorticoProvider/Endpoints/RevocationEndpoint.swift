import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/revoke` (RFC 7009 §2).
struct RevocationEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    let revoke: TokenRevocation

    /// Success even for an unknown token; what is in the body means nothing (RFC 7009 §2.2), and an
    /// empty object has a type, without which some clients fail.
    func post(_ context: RealmContext) async throws -> Response {
        try await authenticated(context, at: context.realm.urls.revocation) { client, form in
            try form.refuseRepeats()
            let token = try form.required("token")
            if let old = context.realm.oldToken(token, of: client.client) {
                try await revoke(old, from: client, at: context.moment)
                authenticated.events.note(
                    .oldTokenRevoked,
                    context,
                    session: old.sessionID,
                    client: client.client.clientID
                )
                return
            }
            let revoked = try await revoke(
                token,
                from: client,
                in: context.realm,
                at: context.moment
            )
            if let revoked {
                authenticated.events.note(
                    .tokenRevoked,
                    context,
                    grant: revoked,
                    client: client.client.clientID
                )
            }
        }
        return Response(json: [:], headers: headers)
    }
}
