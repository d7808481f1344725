import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Refresh of a session at a backend")
struct BackendRefreshTests {
    private static let key = HTTPField.Name("Idempotency-Key") ?? .accept

    private func refreshes(_ scene: BackendScene) -> [FakeBackend.Request] {
        scene.backend.requests("/v1/auth/refresh")
    }

    @Test("Decision 0029: a session token that has expired is renewed, and what the request says")
    func request() async throws {
        let (scene, session) = try await BackendScene.expired()
        let old = try #require(try await scene.storedRecord)
        scene.backend.change { $0.user["name"] = "Ann B." }
        let token = try await session.token()
        let request = try #require(refreshes(scene).first)
        #expect(request.method == "POST")
        #expect(request.form.all.map(\.name) == ["refresh_token"])
        #expect(request.form["refresh_token"] == "R0")
        #expect(request.fields[Self.key] != nil)
        // The session token has no part in it.
        #expect(request.fields[.authorization] == nil)
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.accessToken.reveal() == token)
        #expect(stored.refreshToken?.reveal() == "R1")
        #expect(stored.pending == nil)
        #expect(stored.isOf(old))
        #expect(session.user.name == "Ann B.")
        #expect(!String(decoding: stored.serialized(), as: UTF8.self).contains("\"R0\""))
    }

    @Test("A session token that is good for long enough is handed out without a request")
    func fresh() async throws {
        let scene = BackendScene()
        let session = try await scene.signIn()
        let token = try await session.token()
        scene.clock.advance(by: 800)
        #expect(try await session.token() == token)
        #expect(refreshes(scene).isEmpty)
        #expect(try await session.token(validFor: .seconds(200)) != token)
    }

    @Test("Forced refreshes in processes that share a file never replay a token, twenty rounds")
    func files() async throws {
        let folder = NSTemporaryDirectory() + "backend-\(RandomSource.system.text(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for round in 0..<20 {
            let path = "\(folder)/session-\(round)"
            let scene = BackendScene(storage: PrivateFile(path))
            let session = try await scene.signIn()
            let other = BackendScene.client(scene.backend, storage: PrivateFile(path))
            let neighbour = try #require(await other.restore().session)
            async let ours: Void = session.refresh()
            async let theirs: Void = neighbour.refresh()
            _ = try await (ours, theirs)
            #expect(!scene.backend.isOver)
            // The second finds the token that the first has stored, or renews that.
            #expect((1...2).contains(scene.backend.generation))
            let stored = try #require(try await scene.storedRecord)
            #expect(stored.refreshToken?.reveal() == "R\(scene.backend.generation)")
        }
    }

    @Test("Decision 0035: a lost answer signs no one out; the repetition has the same key")
    func lostAnswer() async throws {
        let (scene, session) = try await BackendScene.expired()
        let backend = scene.backend
        backend.loseAnswer("/v1/auth/refresh")
        #expect(await session.failure() == .transient(.unreachable, retryAfter: nil))
        #expect(session.isActive)
        let pending = try #require(try await scene.storedRecord?.pending)
        scene.clock.advance(by: 3600)
        let neighbour = try await scene.neighbour()
        _ = try await neighbour.token()
        #expect(refreshes(scene).last?.fields[Self.key] == "\"\(pending.idempotencyKey)\"")
        #expect(backend.generation == 1)
        #expect(!backend.isOver)
        // The next one is another.
        try await neighbour.refresh()
        #expect(refreshes(scene).last?.fields[Self.key] != "\"\(pending.idempotencyKey)\"")
        // And this process has what the other has stored.
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R2")
        _ = try await session.token()
        #expect(!backend.isOver)
    }

    @Test("Decision 0035: an answer that is repeated too late for its token is renewed once more")
    func lateAnswer() async throws {
        let (scene, session) = try await BackendScene.expired()
        let backend = scene.backend
        backend.change {
            $0.tokens = { tokens in
                var tokens = tokens
                if tokens.string("refresh_token") == "R1" { tokens["expires_in"] = 0 }
                return tokens
            }
        }
        let token = try await session.token()
        #expect(refreshes(scene).map { $0.form["refresh_token"] } == ["R0", "R1"])
        #expect(Set(refreshes(scene).map { $0.fields[Self.key] }).count == 2)
        #expect(try await scene.storedRecord?.accessToken.reveal() == token)
        #expect(try await session.token() == token)
        // A backend whose tokens never live is not asked for ever.
        backend.change { $0.tokens = { $0.with("expires_in", 0) } }
        scene.clock.advance(by: 1000)
        _ = try await session.token()
        #expect(refreshes(scene).count == 4)
        #expect(!backend.isOver)
    }

    @Test(
        "Nothing but invalid_grant ends a session",
        arguments: [
            (.text(500, nil, []), .transient(.serverError, retryAfter: nil)),
            (.refusal(500, "invalid_grant"), .transient(.serverError, retryAfter: nil)),
            (
                .text(400, "text/html", Array("<html>".utf8)),
                .transient(.serverError, retryAfter: nil)
            ),
            (.refusal(400, "invalid_request"), .misconfigured(.requestRefused)),
            (.refusal(401, "unauthorized"), .rejected(.errorResponse)),
            (.noSession, .rejected(.errorResponse)),
            (
                .text(429, nil, [], [.retryAfter: "3"]),
                .transient(.tooManyRequests, retryAfter: .seconds(3))
            ),
            (.text(302, nil, [], [.location: "https://evil.example"]), .rejected(.redirected)),
            (.text(200, "application/json", Array("{}".utf8)), .rejected(.tokenResponse)),
            (
                .json([
                    "session_token": "S9", "token_type": "Bearer", "refresh_token": "R9",
                    "user": ["id": "u-2"],
                ]), .rejected(.subject)
            ),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func transient(reply: HTTPReply, kind: SignInError.Kind) async throws {
        let (scene, session) = try await BackendScene.expired()
        scene.backend.answer("/v1/auth/refresh") { _ in reply }
        #expect(await session.failure() == kind)
        #expect(session.isActive)
        #expect(session.user.id == "u-1")
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        scene.backend.answerAsUsual("/v1/auth/refresh")
        _ = try await session.token()
        #expect(scene.backend.generation == 1)
    }

    @Test("invalid_grant for the current refresh token ends the session and forgets its tokens")
    func invalidGrant() async throws {
        let (scene, session) = try await BackendScene.expired()
        var changes = session.changes.makeAsyncIterator()
        scene.backend.endSession()
        for _ in 0..<2 {
            #expect(await session.failure() == .interactionRequired(.sessionEnded))
        }
        #expect(refreshes(scene).count == 1)
        #expect(!session.isActive)
        #expect(session.user.id == "u-1")
        #expect(try await scene.storage.read() == nil)
        #expect(await changes.next() == .ended(.sessionEnded))
        #expect(await changes.next() == nil)
    }

    @Test("The backend's words for the end of a session reach the app")
    func words() async throws {
        let (scene, session) = try await BackendScene.expired()
        scene.backend.endSession()
        let error = await #expect(throws: SignInError.self) { try await session.token() }
        #expect(error?.kind == .interactionRequired(.sessionEnded))
        #expect(error?.providerError?.code == "invalid_grant")
    }
}

@Suite("Requests with a session at a backend")
struct BackendHTTPTests {
    private let scene = BackendScene()

    private func request(_ path: String, _ authority: String = "api.notes.example.com")
        -> HTTPRequest
    {
        HTTPRequest(method: .post, scheme: "https", authority: authority, path: path)
    }

    @Test("RFC 6750 §2.1: the session token goes to the backend, in the header field")
    func own() async throws {
        let session = try await scene.signIn()
        let (data, response) = try await session.http.data(for: request("/v1/notes"))
        #expect(response.status == .ok)
        #expect(!data.isEmpty)
        let sent = try #require(scene.backend.requests("/v1/notes").first)
        #expect(sent.fields[.authorization] == "Bearer S2")
        #expect(!sent.address.contains("S2"))
    }

    @Test(
        "RFC 9700 §4.10: it goes to no other origin",
        arguments: [
            ("https", "evil.example"), ("http", "api.notes.example.com"),
            ("https", "api.notes.example.com:8443"),
            ("https", "api.notes.example.com.evil.example"), ("https", "notes.example.com"),
            ("http", "127.0.0.1:8080"),
        ]
    )
    func elsewhere(scheme: String, authority: String) async throws {
        let session = try await scene.signIn()
        let request = HTTPRequest(
            method: .get,
            scheme: scheme,
            authority: authority,
            path: "/v1/notes"
        )
        await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
            try await session.http.data(for: request)
        }
        #expect(scene.backend.requests("/v1/notes").isEmpty)
    }

    @Test("It goes to an origin that is named, and not along a redirect")
    func named() async throws {
        var options = BackendClient.Options()
        options.apiOrigins = ["https://files.notes.example.com"]
        let scene = BackendScene(options: options)
        let session = try await scene.signIn()
        scene.backend.answer("/file") { _ in
            .text(307, nil, [], [.location: "https://evil.example/file"])
        }
        let (_, response) = try await session.http.data(
            for: request("/file", "files.notes.example.com")
        )
        #expect(response.status.code == 307)
        #expect(scene.backend.requests("/file").count == 1)
    }

    @Test("A 401 of whatever form renews the token once, and sends the request once more")
    func retry() async throws {
        let session = try await scene.signIn()
        scene.backend.expireTokens()
        let (_, response) = try await session.http.data(
            for: request("/v1/notes"),
            body: Array("b=1".utf8)
        )
        #expect(response.status == .ok)
        let sent = scene.backend.requests("/v1/notes")
        #expect(sent.map { $0.fields[.authorization] } == ["Bearer S2", "Bearer S3"])
        #expect(sent.map { $0.form["b"] } == ["1", "1"])
        #expect(scene.backend.generation == 1)
    }

    @Test("A server that always answers 401 is asked twice, not for ever")
    func oneRetry() async throws {
        let session = try await scene.signIn()
        scene.backend.answer("/v1/notes") { _ in .text(401, "text/html", Array("<html>".utf8)) }
        let (_, response) = try await session.http.data(for: request("/v1/notes"))
        #expect(response.status.code == 401)
        #expect(scene.backend.requests("/v1/notes").count == 2)
        #expect(scene.backend.generation == 1)
        #expect(session.isActive)
    }
}
