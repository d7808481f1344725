import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("What a client tells a log") struct ClientLogTests {
    private final class Log: Sendable {
        private let kept = Locked<[ClientEvent]>([])
        var events: [ClientEvent] { kept.withLock(\.self) }
        var lines: [String] {
            events.map { "\($0)".replacing(/after \d+ ms/, with: "after n ms") }
        }
        func tell(_ event: ClientEvent) { kept.withLock { $0.append(event) } }
    }

    private func scene() -> (Scene, Log) {
        let log = Log()
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        options.log = { log.tell($0) }
        return (Scene(options: options), log)
    }

    @Test("every request, with its status and without its query; nothing of tokens or people")
    func requests() async throws {
        let (scene, log) = scene()
        let attempt = try await scene.client.begin(SignInRequest(loginHint: "zoe@example.com"))
        let callback = try scene.provider.authorize(attempt.address)
        await #expect(throws: SignInError(.rejected(.state))) {
            try await attempt.complete(callback.replacing("state=", with: "state=x"))
        }
        let session = try await attempt.complete(callback)
        scene.provider.answer("/people/zoe") { _ in .text(200, nil, []) }
        _ = try await session.http.data(
            for: HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "api.example.com",
                path: "/people/zoe?name=Zoe"
            )
        )
        scene.clock.advance(by: 400)
        scene.provider.answer("/token") { _ throws(HTTPTransportError) in throw .unreachable }
        _ = await Task.failure { _ = try await session.token() }.value
        #expect(
            log.lines == [
                "GET https://op.example.com:443/.well-known/openid-configuration: 200 after n ms",
                "A callback was ignored: The response does not belong to this sign-in (state).",
                "POST https://op.example.com:443/token: 200 after n ms",
                "GET https://op.example.com:443/keys: 200 after n ms",
                "GET https://api.example.com:443: 200 after n ms",
                "POST https://op.example.com:443/token: The server cannot be reached. after n ms",
            ]
        )
        let code = try #require(callback.firstMatch(of: /code=([^&]+)/)).1
        let secrets = [String(code), "A2", "R0", "zoe", "name="]
        for line in log.lines {
            for secret in secrets { #expect(!line.contains(secret), "\(line)") }
        }
    }

    @Test("RFC 9110 §6.6.1: the provider's time is known by its last answer")
    func providerDate() async throws {
        let (scene, _) = scene()
        #expect(scene.client.providerDate == nil)
        let ours = scene.clock.now
        scene.provider.answer("/.well-known/openid-configuration") { _ in
            var reply = HTTPReply.json(FakeProvider.metadata)
            reply.response.headerFields[.date] = HTTPDate.text(
                NumericDate.seconds(ours) - 30
            )
            return reply
        }
        _ = try await scene.client.begin()
        scene.clock.advance(by: 10)
        let theirs = try #require(scene.client.providerDate)
        #expect(abs(theirs.timeIntervalSince(ours) + 20) <= 1)
    }
}
