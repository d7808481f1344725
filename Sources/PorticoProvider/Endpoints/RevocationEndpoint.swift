import HTTPTypes
import PorticoProtocol
import PorticoWeb

/// `POST …/revoke` (RFC 7009 §2).
struct RevocationEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    let revoke: TokenRevocation

    /// Success has an empty body, even for an unknown token (RFC 7009 §2.2).
    func post(_ context: RealmContext) async throws -> Response {
        try await authenticated(context) { client, form in
            try form.refuseRepeats()
            let revoked = try await revoke(
                try form.required("token"),
                from: client,
                in: context.realm,
                at: context.moment
            )
            if let revoked { authenticated.events.revoked(revoked, client.client, context) }
        }
        return Response(empty: .ok, headers: headers)
    }
}
