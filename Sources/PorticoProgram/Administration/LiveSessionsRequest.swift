import HTTPTypes
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

/// Asks the admin REST interface of a running Keycloak which sessions are alive, page by page.
struct LiveSessionsRequest {
    /// Of the realm there: `https://id.example.com/admin/realms/acme`.
    let realm: HTTPAddress
    /// An access token with the roles `view-realm`, `view-clients` and `view-users` of `realm-management`.
    let token: SecretText
    let transport: any HTTPTransport

    private static let page = 100
    private static let limits = HTTPLimits(bytes: 4 << 20, seconds: 30)

    /// - Parameter take: Gets some of them at a time.
    func callAsFunction(take: ([ListedSession]) async throws -> Void) async throws -> LiveSessions {
        // The token must not be readable on its way.
        guard realm.isSecure || realm.isThisMachine else {
            throw LiveSessionsError(reason: "its address must be https.")
        }
        var sessions = LiveSessions()
        // Names the clients that have sessions, and no others.
        for client in try await array("client-session-stats") {
            guard let id = client.object?.string("id"), Self.isID(id) else {
                throw LiveSessionsError(reason: "it does not answer like Keycloak.")
            }
            for kind in LiveSessions.Kind.allCases {
                var first = 0
                while true {
                    let path = "clients/\(id)/\(kind.rawValue)?first=\(first)&max=\(Self.page)"
                    let found = try await array(path)
                    for session in found where !sessions.add(session, of: id, kind) {
                        throw LiveSessionsError(reason: "it does not answer like Keycloak.")
                    }
                    try await sessions.hand(on: take)
                    guard found.count >= Self.page else { break }
                    first += found.count
                }
            }
        }
        return sessions
    }

    /// It becomes part of a path.
    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }

    private func array(_ path: String) async throws -> [JSONValue] {
        guard let address = HTTPAddress(realm.text + "/" + path) else {
            throw LiveSessionsError(reason: "its address is none.")
        }
        var request = HTTPRequest(.get, to: address)
        request.headerFields[.authorization] = "Bearer " + token.reveal()
        request.headerFields[.accept] = "application/json"
        let reply: HTTPReply
        do {
            reply = try await transport.send(request, body: [], limits: Self.limits)
        } catch {
            throw LiveSessionsError(reason: "it does not answer.")
        }
        guard reply.response.status == .ok else {
            let status = reply.response.status.code
            guard reply.response.status != .unauthorized else {
                throw LiveSessionsError(
                    reason: "it answers 401: the access token is not good, or over. "
                        + "Those of admin-cli live for a minute."
                )
            }
            throw LiveSessionsError(reason: "it answers \(status).")
        }
        // `try?`: whatever is wrong with it, it is no answer of Keycloak's.
        let value = try? JSONValue(
            parsing: reply.body,
            limits: .foreign(size: Self.limits.bytes)
        )
        guard let array = value?.array else {
            throw LiveSessionsError(reason: "it does not answer like Keycloak.")
        }
        return array
    }
}
