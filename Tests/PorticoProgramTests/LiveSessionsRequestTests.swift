import HTTPTypes
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoProgram

@Suite("Asking a Keycloak which sessions are alive") struct LiveSessionsRequestTests {
    /// A Keycloak with so many sessions of the client `app`.
    private final class Keycloak: HTTPTransport {
        let count: Int
        let stats: String
        let asked = Locked<[String]>([])

        init(count: Int, stats: String = #"[{"id": "c-1", "clientId": "app"}]"#) {
            self.count = count
            self.stats = stats
        }

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            let path = request.path ?? ""
            asked.withLock { $0.append(path) }
            guard request.headerFields[.authorization] == "Bearer secret token" else {
                return HTTPReply(response: HTTPResponse(status: .unauthorized), body: [])
            }
            let text =
                path.hasSuffix("/client-session-stats")
                ? stats : path.contains("/user-sessions") ? page(path) : "[]"
            return HTTPReply(response: HTTPResponse(status: .ok), body: Array(text.utf8))
        }

        private func page(_ path: String) -> String {
            let first = path.firstMatch(of: #/first=(\d+)/#).flatMap { Int($0.1) } ?? 0
            let sessions = (first..<max(first, min(count, first + 100))).map {
                """
                {"id": "s\($0)", "userId": "ann", "start": 1700000000000,
                 "lastAccess": 1700000100000, "clients": {"c-1": "app"}}
                """
            }
            return "[" + sessions.joined(separator: ",") + "]"
        }
    }

    private func ask(
        _ keycloak: Keycloak,
        at address: String = "https://id.example.com/admin/realms/acme",
        token: String = "secret token"
    ) async throws -> [ListedSession] {
        let request = LiveSessionsRequest(
            realm: try #require(HTTPAddress(address)),
            token: SecretText(token),
            transport: keycloak
        )
        let found = Locked<[ListedSession]>([])
        let sessions = try await request { some in found.withLock { $0 += some } }
        #expect(sessions.count == found.withLock { $0.count })
        return found.withLock { $0 }
    }

    @Test(
        "decision 0051: every page is read, of each client that has sessions",
        arguments: [0, 1, 99, 100, 250]
    )
    func pages(_ count: Int) async throws {
        let keycloak = Keycloak(count: count)
        let sessions = try await ask(keycloak)
        #expect(sessions.map(\.sessionID) == (0..<count).map { "s\($0)" })
        #expect(sessions.allSatisfy { $0.clientID == "app" && !$0.isOffline })
        let asked = keycloak.asked.withLock { $0 }
        #expect(asked.first == "/admin/realms/acme/client-session-stats")
        #expect(asked.last == "/admin/realms/acme/clients/c-1/offline-sessions?first=0&max=100")
        #expect(asked.count == 3 + count / 100)
    }

    @Test(
        "decision 0051: what is no Keycloak, or refuses, is said, and nothing is sent in the clear"
    )
    func refused() async throws {
        for stats in ["{}", "x", "[5]", #"[{"id": "../users"}]"#, #"[{"id": ""}]"#] {
            await #expect(throws: LiveSessionsError.self) {
                try await ask(Keycloak(count: 1, stats: stats))
            }
        }
        let why =
            "it answers 401: the access token is not good, or over. Those of admin-cli live for a minute."
        await #expect(throws: LiveSessionsError(reason: why)) {
            try await ask(Keycloak(count: 1), token: "another")
        }
        let keycloak = Keycloak(count: 1)
        await #expect(throws: LiveSessionsError.self) {
            try await ask(keycloak, at: "http://id.example.com/admin/realms/acme")
        }
        #expect(keycloak.asked.withLock { $0.isEmpty })
        #expect(try await ask(keycloak, at: "http://127.0.0.1:8080/admin/realms/acme").count == 1)
    }
}
