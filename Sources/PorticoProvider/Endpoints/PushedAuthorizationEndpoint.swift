import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/ext/par/request` (RFC 9126 §2).
struct PushedAuthorizationEndpoint: Sendable {
    let authenticated: ClientAuthenticator
    let headers: SecurityHeaders
    let push: PushedAuthorization
    /// For an address, of clients that do not authenticate: each request is a row (WEB-BRUTE-2).
    let unproven: RateLimiter

    func post(_ context: RealmContext) async throws -> Response {
        let address = context.realm.urls.pushedAuthorizationRequest
        let answer = try await authenticated(context, at: address) { client, form in
            try form.refuseRepeats()
            let answer = try await push(form, from: client, in: context.realm, at: context.moment) {
                if client.client.type == .public { try takePlace(context) }
                try authenticated.takePlace(of: client, context)
            }
            if !answer.leftOut.isEmpty {
                authenticated.events.scopeLeftOut(answer.leftOut, client.client, context)
            }
            return answer
        }
        // RFC 9126 §2.2.
        return Response(
            json: [
                "request_uri": .string(answer.requestURI),
                "expires_in": .integer(answer.expiresIn),
            ],
            status: .created,
            headers: headers
        )
    }

    private func takePlace(_ context: RealmContext) throws(TooManyRequests) {
        let key = LimitKey("pushed", context.realm.id, context.sender)
        if case .wait(let seconds) = unproven.take(key, at: context.moment.now) {
            throw TooManyRequests(seconds: seconds)
        }
    }
}
