import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Requests to an app's own servers")
struct AuthorizedHTTPTests {
    private func scene() async throws -> (Scene, Session) {
        var options = SignInClient.Options()
        // The last is there by mistake: no token goes over plain HTTP.
        options.apiOrigins = [
            "https://api.example.com", "https://op.example.com/", "http://127.0.0.1",
        ]
        let scene = Scene(options: options)
        return (scene, try await scene.signIn())
    }

    private func request(_ path: String, _ authority: String = "api.example.com") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
    }

    private func refreshes(_ scene: Scene) -> Int {
        scene.provider.requests("/token").filter { $0.form["grant_type"] == "refresh_token" }.count
    }

    @Test("RFC 6750 §2.1: the token goes into the Authorization field, once")
    func bearer() async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in .text(200, "text/plain", Array("hello".utf8)) }
        var request = request("/notes?x=1")
        request.headerFields[.authorization] = "Basic own"
        let (data, response) = try await session.http.data(for: request, body: Array("b=1".utf8))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect(response.status == .ok)
        let sent = try #require(scene.provider.requests("/notes").first)
        #expect(sent.fields[values: .authorization] == ["Bearer A2"])
        #expect(sent.form["b"] == "1")
        #expect(!sent.address.contains("A2"))
    }

    @Test(
        "RFC 9700 §4.10: the token goes to the origins on the list and nowhere else",
        arguments: [
            ("https", "evil.example"), ("https", "api.example.com:8443"),
            ("https", "api.example.com.evil.example"), ("http", "api.example.com"),
            ("https", "sub.api.example.com"), ("http", "127.0.0.1"),
            ("https", "api.example.com@evil.example"),
        ]
    )
    func otherOrigins(scheme: String, authority: String) async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in .text(200, nil, []) }
        let request = HTTPRequest(
            method: .get,
            scheme: scheme,
            authority: authority,
            path: "/notes"
        )
        await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
            try await session.http.data(for: request)
        }
        #expect(scene.provider.requests("/notes").isEmpty)
        _ = try await session.http.data(for: self.request("/notes", "API.example.com:443"))
    }

    @Test("RFC 6750 §2.3: a token in the query is refused before anything is sent")
    func tokenInQuery() async throws {
        let (scene, session) = try await scene()
        for query in ["access_token=x", "a=b&access_token=", "access_token"] {
            await #expect(throws: SignInError(.misconfigured(.tokenInQuery))) {
                try await session.http.data(for: request("/notes?\(query)"))
            }
        }
        #expect(scene.provider.requests("/notes").isEmpty)
    }

    @Test("RFC 9700 §4.10: a redirect is handed back, and the token goes no further")
    func redirect() async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in
            .text(307, nil, [], [.location: "https://evil.example/notes"])
        }
        let (_, response) = try await session.http.data(for: request("/notes"))
        #expect(response.status.code == 307)
        #expect(scene.provider.requests("/notes").count == 1)
    }

    @Test("RFC 6750 §3.1: invalid_token causes one refresh and one more try, with the same body")
    func retry() async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { request in
            request.fields[.authorization] == "Bearer A2" ? .unauthorized : .text(200, nil, [])
        }
        let (_, response) = try await session.http.data(
            for: request("/notes"),
            body: Array("b=1".utf8)
        )
        #expect(response.status == .ok)
        #expect(refreshes(scene) == 1)
        let sent = scene.provider.requests("/notes")
        #expect(sent.map { $0.form["b"] } == ["1", "1"])
        #expect(sent.last?.fields[.authorization] == "Bearer A3")
    }

    @Test("A server that always says invalid_token is asked twice, not for ever")
    func oneRetry() async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in .unauthorized }
        let (_, response) = try await session.http.data(for: request("/notes"))
        #expect(response.status.code == 401)
        #expect(scene.provider.requests("/notes").count == 2)
        #expect(refreshes(scene) == 1)
    }

    @Test(
        "Another 401 or challenge is the caller's, and causes no refresh",
        arguments: [
            nil, "Bearer", "Bearer error=\"insufficient_scope\"", "Basic realm=\"invalid_token\"",
            "Bearer realm=\"x\", Basic error=\"invalid_token\"",
        ]
    )
    func otherChallenges(challenge: String?) async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in
            var fields = HTTPFields()
            fields[.wwwAuthenticate] = challenge
            return .text(401, nil, [], fields)
        }
        scene.clock.advance(by: 31)
        let (_, response) = try await session.http.data(for: request("/notes"))
        #expect(response.status.code == 401)
        #expect(refreshes(scene) == 0)
    }

    @Test("An app may take every 401 as a refused token: one refresh, one more try")
    func anyUnauthorized() async throws {
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        options.refreshesOnAnyUnauthorized = true
        let scene = Scene(options: options)
        let session = try await scene.signIn()
        for status in [401, 403, 400] {
            scene.clock.advance(by: 31)
            let before = (scene.provider.requests("/notes").count, refreshes(scene))
            scene.provider.answer("/notes") { _ in .text(status, nil, []) }
            let (_, response) = try await session.http.data(for: request("/notes"))
            #expect(response.status.code == status)
            let again = status == 401 ? 1 : 0
            #expect(scene.provider.requests("/notes").count == before.0 + 1 + again)
            #expect(refreshes(scene) == before.1 + again)
        }
        // An API that refuses for another reason does not cause a refresh each time.
        scene.provider.answer("/notes") { _ in .text(401, nil, []) }
        let before = refreshes(scene)
        scene.clock.advance(by: 31)
        for _ in 0..<3 { _ = try await session.http.data(for: request("/notes")) }
        #expect(refreshes(scene) == before + 1)
    }

    @Test("RFC 9700 §4.10: a request that the app sends itself gets the token by the same rules")
    func authorize() async throws {
        let (scene, session) = try await scene()
        var request = request("/notes")
        request.headerFields[.authorization] = "Basic own"
        try await session.http.authorize(&request)
        #expect(request.headerFields[values: .authorization] == ["Bearer A2"])
        for (path, authority, hint) in [
            ("/notes", "evil.example", .originNotAllowed),
            ("/notes?access_token=x", "api.example.com", .tokenInQuery),
        ] as [(String, String, SignInError.Hint)] {
            var other = self.request(path, authority)
            await #expect(throws: SignInError(.misconfigured(hint))) {
                try await session.http.authorize(&other)
            }
            #expect(other.headerFields[.authorization] == nil)
        }
        scene.clock.advance(by: 400)
        try await session.http.authorize(&request)
        #expect(request.headerFields[.authorization] == "Bearer A3")
    }

    @Test("A session that shares another's tokens has a refused one renewed there")
    func shared() async throws {
        let (scene, first) = try await scene()
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        let other = Scene.client(scene.provider, storage: InMemory(), options: options)
        let session = try await Session(adopting: first.credentials(), by: other)
        scene.provider.answer("/notes") { request in
            request.fields[.authorization] == "Bearer A2" ? .unauthorized : .text(200, nil, [])
        }
        let (_, response) = try await session.http.data(for: request("/notes"))
        #expect(response.status == .ok)
        #expect(refreshes(scene) == 1)
        #expect(try await first.token() == session.token())
    }

    @Test("A query with brackets and bars goes out as given")
    func query() async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in .text(200, nil, []) }
        let path = "/notes?filter[tag]=a|b&c=%7C"
        _ = try await session.http.data(for: request(path))
        let sent = scene.provider.requests("/notes").map(\.address)
        #expect(sent == ["https://api.example.com\(path)"])
        await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
            try await session.http.data(for: request("/no|tes"))
        }
    }

    @Test("A token that was replaced meanwhile is not refreshed again")
    func replacedMeanwhile() async throws {
        let (scene, session) = try await scene()
        let gate = Gate()
        scene.provider.answer("/notes") { request in
            guard request.fields[.authorization] == "Bearer A2" else { return .text(200, nil, []) }
            await gate.pass()
            return .unauthorized
        }
        let callers = (0..<10).map { _ in
            Task { try await session.http.data(for: request("/notes")).1.status.code }
        }
        await gate.arrival(10)
        gate.open()
        for caller in callers { #expect(try await caller.value == 200) }
        #expect(refreshes(scene) == 1)
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("A forced refresh does not join an older one that may find the refused token")
    func noJoining() async throws {
        let (scene, session) = try await scene()
        let used = SecretText(try await session.token())
        let lock = try #require(try scene.storage.tryLock())
        // Waits for the lock, and will find the stored token fresh enough.
        let ordinary = Task.immediate {
            try await session.refresher.record(of: session, for: .freshness(.lasting(0)))
                .accessToken
        }
        // The ordinary one is first at the refresher, and the forced one finds it under way.
        await session.refresher.turn()
        let forced = Task.immediate {
            try await session.refresher.record(of: session, for: .replacement(of: used)).accessToken
        }
        await session.refresher.turn()
        lock.release()
        #expect(try await ordinary.value == used)
        #expect(try await forced.value != used)
        #expect(refreshes(scene) == 1)
    }

    @Test("attack E19: an answer that is too large is given up")
    func large() async throws {
        let (scene, session) = try await scene()
        scene.provider.answer("/notes") { _ in .text(200, nil, [UInt8](repeating: 1, count: 101)) }
        await #expect(throws: SignInError(.rejected(.answerTooLarge))) {
            try await session.http.data(
                for: request("/notes"),
                limits: HTTPLimits(bytes: 100, seconds: 1)
            )
        }
    }
}

extension Refresher {
    /// Returns when the earlier callers have had a turn.
    func turn() {}
}
