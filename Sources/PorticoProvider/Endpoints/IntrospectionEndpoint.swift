import PorticoProtocol
import PorticoWeb

/// `POST …/token/introspect` (RFC 7662 §2).
struct IntrospectionEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    let introspect: TokenIntrospection

    func post(_ context: RealmContext) async throws -> Response {
        let address = context.realm.urls.introspection
        let answer = try await authenticated(context, at: address) { client, form in
            // RFC 7662 §2.1: a public client only identifies itself, so it may not introspect.
            guard client.isConfidential else { throw UnprovenClient(.method, client.client) }
            try form.refuseRepeats()
            return try await introspect(
                try form.required("token"),
                from: client,
                in: context.realm,
                at: context.moment
            )
        }
        return Response(json: .object(answer), headers: headers)
    }
}
