import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// XRPCTests and XRPCRefreshTests have answers of their own of each kind.
@Suite(
    "Calls of a real host",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedHostTests {
    private static let path = "/xrpc/com.atproto.server.getSession"

    /// The answers to calls of methods, errors too.
    private func answers() throws -> [(number: Int64, reply: HTTPReply)] {
        try RecordedExchange.all()
            .filter { $0.method != .options && $0.path.hasPrefix("/xrpc/") }
            .map { ($0.number, $0.reply) }
    }

    @Test("A nonce is used, a refused token is refreshed, and all else passes as it came")
    func played() async throws {
        let answers = try answers()
        var (nonces, refreshes) = (0, 0)
        for (number, answer) in answers {
            let what: Comment = "n=\(number)"
            let server = try await HostedBackend()
            let (session, seal) = try await server.signedIn()
            server.network.answer(.success(answer))
            let reply = try await server.call(Self.path, seal)
            let error = answer.challenges.first { $0.scheme == "dpop" }?.parameters["error"]
            let calls = server.network.calls
            switch error {
            case "use_dpop_nonce":
                nonces += 1
                let given = answer.response.headerFields[.known("DPoP-Nonce")]
                #expect(reply.status == 200 && calls.count == 2, what)
                #expect(calls.last?.claims.string("nonce") == given, what)
                #expect(server.network.refreshes.isEmpty, what)
            case "invalid_token":
                refreshes += 1
                #expect(reply.status == 200 && calls.count == 2, what)
                #expect(server.network.refreshes.count == 1, what)
                #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"], what)
            default:
                #expect(reply.status == answer.response.status.code && calls.count == 1, what)
                #expect(reply.body == answer.body, what)
                #expect(server.network.refreshes.isEmpty, what)
                #expect(try await server.scene.stored(session.sessionID) == ["A1", "R1"], what)
            }
            #expect(reply.headers[.wwwAuthenticate] == nil, what)
            #expect(reply.headers[.accessControlAllowOrigin] == nil, what)
            #expect(reply.headers[.known("DPoP-Nonce")] == nil, what)
            #expect(try await server.call("/api/auth/session", seal).status == 200, what)
        }
        #expect(answers.count > 40 && nonces > 5 && refreshes > 5)
    }

    @Test(
        "ATP-TL-5, ATP-TL-7: of the recorded refusals of tokens invalid_grant alone ends a session"
    )
    func refusals() async throws {
        var (ended, kept) = (0, 0)
        for exchange in try RecordedExchange.all() where exchange.path == "/oauth/token" {
            guard exchange.method == .post, exchange.status >= 400 else { continue }
            let what: Comment = "n=\(exchange.number)"
            let server = try await HostedBackend()
            let (session, seal) = try await server.signedIn(accessLives: 0)
            server.network.state.withLock { $0.refusal = exchange.reply }
            let reply = try await server.call(Self.path, seal)
            let isOver = exchange.error == "invalid_grant"
            #expect(reply.status == (isOver ? 401 : 503), what)
            #expect(server.network.calls.isEmpty, what)
            let read = try await server.call("/api/auth/session", seal)
            #expect(read.status == (isOver ? 401 : 200), what)
            guard !isOver else {
                ended += 1
                continue
            }
            kept += 1
            server.network.state.withLock { $0.refusal = nil }
            server.clock.advance(by: 60)
            #expect(try await server.call(Self.path, seal).status == 200, what)
            #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"], what)
        }
        #expect(ended == 29 && kept > 1)
    }

    @Test(
        "/oauth/callback: of the recorded ends of a sign-in the person's word alone is told as such"
    )
    func ends() async throws {
        var (told, untold) = (0, 0)
        var isRejected = false
        for exchange in try RecordedExchange.all() {
            // What the button on the host's page asks.
            if exchange.path.hasSuffix("/reject") { isRejected = true }
            if exchange.path == "/oauth/par" { isRejected = false }
            let location = exchange.reply.response.headerFields[.location] ?? ""
            let answer = Reply(status: 303, headers: [.location: location], body: []).redirected
            guard let error = answer["error"] else { continue }
            let server = try await BackendUnderTest.withHandles()
            let visitor = TestVisitor(server)
            let begun = try await visitor.begin("ann.example.com", TestApp().start)
            let reply = try await visitor.request(
                server.hosts.refuse(begun.location, error, answer["error_description"] ?? "")
            )
            #expect((reply.redirected["error"] == "access_denied") == isRejected)
            #expect((reply.status == 403) != isRejected, "n=\(exchange.number)")
            if isRejected { told += 1 } else { untold += 1 }
        }
        #expect(told > 1 && untold > 1)
    }
}
