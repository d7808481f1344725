import Hummingbird
import PorticoProtocol
import PorticoWeb

/// `POST …/ext/par/request` (RFC 9126 §2).
struct PushedAuthorizationEndpoint: Sendable {
    let door: ClientDoor
    let headers: SecurityHeaders
    let push: PushedAuthorization

    func post(_ visit: RealmVisit) async throws -> Response {
        let answer = try await door(visit) { client, form in
            try form.refuseRepeats()
            return try await push(form, from: client, in: visit.realm, at: visit.moment)
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
}
