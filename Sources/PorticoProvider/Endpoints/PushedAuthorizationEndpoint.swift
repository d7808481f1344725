import Hummingbird
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/ext/par/request` (RFC 9126 §2).
struct PushedAuthorizationEndpoint: Sendable {
    let door: ClientDoor
    let headers: SecurityHeaders
    let push: PushedAuthorization
    /// For an address, of clients that prove nothing: each request is a row (WEB-BRUTE-2).
    let unproven: RateLimiter

    func post(_ visit: RealmVisit) async throws -> Response {
        let answer = try await door(visit) { client, form in
            let isUnproven = client.client.type == .public
            if isUnproven { try expectRoom(visit) }
            try form.refuseRepeats()
            let answer = try await push(form, from: client, in: visit.realm, at: visit.moment)
            // What was refused has left nothing behind.
            if isUnproven { _ = unproven.take(key(visit), at: visit.moment.now) }
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

    private func expectRoom(_ visit: RealmVisit) throws(TooManyRequests) {
        if case .wait(let seconds) = unproven.check(key(visit), at: visit.moment.now) {
            throw TooManyRequests(seconds: seconds)
        }
    }

    private func key(_ visit: RealmVisit) -> LimitKey {
        LimitKey("pushed", visit.realm.realm.id, visit.visit.address)
    }
}
