import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("Sessions by internet handle, whose token is a cookie")
struct CookieSessionTests {
    private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    private static let seal = "Fe26.2*1*a*b*c**d*e~2"

    /// A backend that signs people in by handle.
    private func scene(
        storage: any SessionStorage = InMemory(),
        _ change: @escaping @Sendable (JSONObject) -> JSONObject = { $0 }
    ) -> BackendScene {
        var options = BackendClient.Options()
        options.apiOrigins = ["https://files.notes.example.com"]
        let scene = BackendScene(storage: storage, options: options)
        scene.backend.change { state in
            state.tokens = { _ in
                change([
                    "session_token": .string(Self.seal), "token_type": "Cookie",
                    "cookie_name": "sid", "did": .string(Self.did),
                    "handle": "alice.example.com", "expires_in": 1_209_600,
                ])
            }
        }
        scene.backend.answer("/api/auth/session") { _ in .signedIn }
        scene.backend.answer("/api/auth/logout") { _ in .json(["success": true]) }
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in .json(["feed": []]) }
        return scene
    }

    private func signIn(_ scene: BackendScene) async throws -> BackendSession {
        let attempt = try scene.client.begin(byHandle: "alice.example.com")
        return try await attempt.complete(try scene.backend.authorize(attempt.address))
    }

    private let timeline = HTTPRequest(
        method: .get,
        scheme: "https",
        authority: "api.notes.example.com",
        path: "/xrpc/app.bsky.feed.getTimeline"
    )

    private func failure(_ action: () async throws -> Void) async -> SignInError? {
        do {
            try await action()
            return nil
        } catch {
            return error as? SignInError
        }
    }

    @Test("A sign-in by handle begins at the backend's addresses for it, and brings DID and handle")
    func signIn() async throws {
        let scene = scene()
        let address = try scene.client.begin(byHandle: "@Alice Example").address
        #expect(address.hasPrefix("\(FakeBackend.address)/login?"))
        #expect(try parameter("handle", of: address) == "@Alice Example")
        #expect(try parameter("mobile", of: address) == "true")
        for handle in [nil, ""] {
            let page = try scene.client.begin(byHandle: handle).address
            #expect(page.hasPrefix("\(FakeBackend.address)/mobile-auth?"))
            for name in ["app", "redirect_uri", "state", "code_challenge"] {
                #expect(try parameter(name, of: page) != nil)
            }
        }
        let session = try await signIn(scene)
        #expect(session.user.did == Self.did && session.user.id == Self.did)
        #expect(session.user.handle == "alice.example.com")
        #expect(session.user.displayName == "alice.example.com")
        #expect(try await session.token() == Self.seal)
        #expect(!"\(session)".contains(Self.seal))
        // To an earlier library it would be a Bearer token.
        let stored = try #require(try await scene.storage.read())
        #expect(try JSONObject(parsing: stored).int64("version") == 2)
        #expect(try await scene.storedRecord?.serialized() == stored)
    }

    @Test(
        "An answer with a cookie that could not be sent, or without a person, is refused",
        arguments: [
            ("session_token", "a;b"), ("session_token", "a\"b"), ("session_token", "a b"),
            ("session_token", ""), ("cookie_name", "si d"), ("cookie_name", ""),
            ("cookie_name", "sid="), ("did", ""), ("did", .null), ("handle", 1),
            ("token_type", "Bearer"), ("user", ["id": ""]),
        ] as [(String, JSONValue)]
    )
    func badAnswers(member: String, value: JSONValue) async throws {
        let scene = scene { $0.with(member, value) }
        let error = await failure { _ = try await signIn(scene) }
        let expected: SignInError.Check = member == "token_type" ? .tokenType : .tokenResponse
        #expect(error?.kind == .rejected(expected))
        #expect(try await scene.storage.read() == nil)
    }

    @Test("WEB-BFF-5: the cookie goes with X-Portico, without Authorization, in no URL")
    func request() async throws {
        let scene = scene()
        let session = try await signIn(scene)
        var own = timeline
        own.headerFields[.cookie] = "theirs=1"
        own.headerFields[.authorization] = "Bearer own"
        _ = try await session.http.data(for: own)
        try await session.check()
        let report = await session.signOut()
        #expect(report.revoked && report.localCleared)
        for path in ["/xrpc/app.bsky.feed.getTimeline", "/api/auth/session", "/api/auth/logout"] {
            let request = try #require(scene.backend.requests(path).first)
            #expect(request.fields[values: .cookie] == ["sid=\(Self.seal)"])
            #expect(request.fields[values: .portico] == ["1"])
            #expect(request.fields[.authorization] == nil)
            #expect(!request.address.contains("Fe26"))
        }
        #expect(scene.backend.requests("/api/auth/logout").first?.method == "POST")
        #expect(try await scene.storage.read() == nil)
    }

    @Test("By its cookie a session ends itself only, and says so where everything was to end")
    func everywhere() async throws {
        let scene = scene()
        let report = await (try await signIn(scene)).signOut(everywhere: true)
        #expect(report.revocation == .notOffered && report.localCleared)
        #expect(scene.backend.requests("/api/auth/logout").count == 1)
        scene.backend.answer("/api/auth/logout") { _ throws(HTTPTransportError) in
            throw .unreachable
        }
        let offline = await (try await signIn(scene)).signOut()
        #expect(
            offline.revocation == .failed(SignInError(.transient(.unreachable, retryAfter: nil)))
        )
        #expect(offline.localCleared)
    }

    @Test(
        "RFC 9700 §4.10: the cookie goes to the backend's own origin, and nowhere else",
        arguments: [
            ("https", "files.notes.example.com"), ("https", "api.notes.example.com:8443"),
            ("http", "api.notes.example.com"), ("https", "notes.example.com"),
            ("https", "sub.api.notes.example.com"), ("https", "api.notes.example.com.evil.example"),
        ]
    )
    func otherOrigins(scheme: String, authority: String) async throws {
        let scene = scene()
        let session = try await signIn(scene)
        let before = scene.backend.requests.count
        var request = timeline
        request.scheme = scheme
        request.authority = authority
        await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
            try await session.http.data(for: request)
        }
        await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
            try await session.http.authorize(&request)
        }
        #expect(request.headerFields[.cookie] == nil)
        #expect(scene.backend.requests.count == before)
    }

    @Test("RFC 9700 §4.10: a redirect to another host or port is handed back, and not followed")
    func redirect() async throws {
        let scene = scene()
        let session = try await signIn(scene)
        for target in ["https://evil.example/x", "https://api.notes.example.com:8443/x"] {
            scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in
                .text(307, nil, [], [.location: target])
            }
            let before = scene.backend.requests.count
            let (_, response) = try await session.http.data(for: timeline)
            #expect(response.status.code == 307)
            #expect(scene.backend.requests.count == before + 1)
        }
    }

    @Test("A cookie that an answer sets is stored before it is sent, and outlives a restart")
    func rolling() async throws {
        let storage = FaultyStorage()
        let scene = scene(storage: storage)
        let session = try await signIn(scene)
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { request in
            request.fields[.cookie] == "sid=\(Self.seal)" ? .rolled("NEW~2") : .json([:])
        }
        let gate = Gate()
        storage.onWrite { await gate.pass() }
        let first = Task { try await session.http.data(for: timeline) }
        await gate.arrival()
        #expect(try await scene.storedRecord?.accessToken.reveal() == Self.seal)
        var other = timeline
        other.path = "/xrpc/com.example.other"
        scene.backend.answer("/xrpc/com.example.other") { _ in .json([:]) }
        _ = try await session.http.data(for: other)
        #expect(
            scene.backend.requests("/xrpc/com.example.other").first?.fields[.cookie]
                == "sid=\(Self.seal)"
        )
        gate.open()
        _ = try await first.value
        storage.onWrite(nil)
        #expect(try await scene.storedRecord?.accessToken.reveal() == "NEW~2")
        _ = try await session.http.data(for: timeline)
        let requests = scene.backend.requests("/xrpc/app.bsky.feed.getTimeline")
        #expect(requests.map { $0.fields[.cookie] } == ["sid=\(Self.seal)", "sid=NEW~2"])
        let restarted = try await scene.neighbour()
        #expect(try await restarted.token() == "NEW~2")
        let day = try #require(session.tokenExpiry).timeIntervalSince(scene.clock.now) / 86_400
        #expect(day == 14)
    }

    @Test("A new cookie that cannot be stored is not sent; the answer that brought it is there")
    func unwritable() async throws {
        let storage = FaultyStorage()
        let scene = scene(storage: storage)
        let session = try await signIn(scene)
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in .rolled("NEW~2") }
        storage.failsWriting = true
        let (_, response) = try await session.http.data(for: timeline)
        #expect(response.status == .ok)
        _ = try await session.http.data(for: timeline)
        #expect(
            scene.backend.requests("/xrpc/app.bsky.feed.getTimeline")
                .allSatisfy { $0.fields[.cookie] == "sid=\(Self.seal)" }
        )
        storage.failsWriting = false
        _ = try await session.http.data(for: timeline)
        #expect(try await session.token() == "NEW~2")
    }

    @Test(
        "RFC 6265 §5.2: other cookies, cookies taken back, and what is none, change nothing",
        arguments: [
            ["other=NEW"], ["SID=NEW"], ["sid="], ["sid"], ["sid=NEW; Max-Age=0"],
            ["sid=NEW; max-age=-5"], ["sid=A", "sid=B"], ["sid=\"NEW\""], ["sid=N E W"],
            ["sid=" + String(repeating: "x", count: 8193)], [" sid=é"],
        ]
    )
    func otherCookies(fields: [String]) async throws {
        let scene = scene()
        let session = try await signIn(scene)
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in
            var reply = HTTPReply.json([:])
            reply.response.headerFields[values: .setCookie] = fields
            return reply
        }
        _ = try await session.http.data(for: timeline)
        #expect(try await session.token() == Self.seal)
        #expect(try await scene.storedRecord?.accessToken.reveal() == Self.seal)
    }

    @Test(
        "SEED-TIJS-8: a 401 that says that there is no session ends it, here and in the storage",
        arguments: ["NO_COOKIE", "INVALID_COOKIE", "SESSION_EXPIRED"],
        [true, false]
    )
    func ended(reason: String, isCheck: Bool) async throws {
        let scene = scene()
        let session = try await signIn(scene)
        var changes = session.changes.makeAsyncIterator()
        for path in ["/api/auth/session", "/xrpc/app.bsky.feed.getTimeline"] {
            scene.backend.answer(path) { _ in .absent(reason) }
        }
        let error = await failure {
            if isCheck {
                try await session.check()
            } else {
                _ = try await session.http.data(for: timeline)
            }
        }
        #expect(error?.kind == .interactionRequired(.sessionEnded))
        #expect(error?.providerError?.code == reason)
        try #require(!session.isActive)
        #expect(await changes.next() == .ended(.sessionEnded))
        #expect(try await scene.storage.read() == nil)
        let before = scene.backend.requests.count
        #expect(
            await failure { _ = try await session.http.data(for: timeline) }?.kind
                == .interactionRequired(.sessionEnded)
        )
        #expect(scene.backend.requests.count == before)
        #expect(await scene.client.currentSession().isSignedOut)
    }

    @Test(
        "SEED-TIJS-8: a host's 401 that reads as the backend's ends nothing",
        arguments: ["NO_COOKIE", "INVALID_COOKIE", "SESSION_EXPIRED"]
    )
    func imitated(reason: String) async throws {
        let scene = scene()
        let session = try await signIn(scene)
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in
            .absent(reason, isOwn: false)
        }
        let (_, response) = try await session.http.data(for: timeline)
        #expect(response.status.code == 401 && session.isActive)
        #expect(try await scene.storedRecord?.accessToken.reveal() == Self.seal)
    }

    @Test("SEED-TIJS-8: without a network, and at every other refusal, the session stays")
    func kept() async throws {
        let scene = scene()
        let session = try await signIn(scene)
        let failures: [Result<HTTPReply, HTTPTransportError>] = [
            .failure(.unreachable), .failure(.timedOut), .success(.text(503, nil, [])),
            .success(.text(200, "text/html", Array("<p>".utf8))),
            .success(.text(429, nil, [])), .success(.absent("OAUTH_ERROR")),
            .success(.absent("UNKNOWN")),
        ]
        for failure in failures {
            for path in ["/api/auth/session", "/xrpc/app.bsky.feed.getTimeline"] {
                scene.backend.answer(path) { _ throws(HTTPTransportError) in try failure.get() }
            }
            #expect(await scene.client.currentSession().session != nil)
            #expect(await self.failure { try await session.check() } != nil)
            // `try?`: answered or not, it is what comes after that counts.
            _ = try? await session.http.data(for: timeline)
            #expect(session.isActive)
            #expect(try await scene.storedRecord?.accessToken.reveal() == Self.seal)
        }
        // An API's own refusal is the caller's.
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in
            .json(["error": "AuthMissing", "message": "x"], status: 401)
        }
        let (_, response) = try await session.http.data(for: timeline)
        #expect(response.status.code == 401 && session.isActive)
    }

    @Test("A session that another process has a newer cookie of is checked by that one")
    func neighbour() async throws {
        let scene = scene()
        let session = try await signIn(scene)
        let other = try await scene.neighbour()
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in .rolled("NEW~2") }
        _ = try await other.http.data(for: timeline)
        try await session.refresh()
        #expect(scene.backend.requests("/api/auth/session").last?.fields[.cookie] == "sid=NEW~2")
        #expect(try await session.token() == "NEW~2")
        // What is refused is not the newest: the newest decides.
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in .rolled("NEWER~2") }
        _ = try await other.http.data(for: timeline)
        scene.backend.answer("/xrpc/app.bsky.feed.getTimeline") { _ in .absent("INVALID_COOKIE") }
        #expect(
            await failure { _ = try await session.http.data(for: timeline) }?.kind
                == .transient(.busy, retryAfter: nil)
        )
        #expect(session.isActive)
        #expect(try await scene.storedRecord?.accessToken.reveal() == "NEWER~2")
    }

    @Test("A check brings the handle of now, and refuses another person's DID")
    func person() async throws {
        let scene = scene()
        let session = try await signIn(scene)
        scene.backend.answer("/api/auth/session") { _ in .signedIn(handle: "alice.example.org") }
        try await session.check()
        #expect(session.user.handle == "alice.example.org")
        #expect(try await scene.neighbour().user.handle == "alice.example.org")
        scene.backend.answer("/api/auth/session") { _ in .signedIn(did: "did:plc:other") }
        #expect(await failure { try await session.check() }?.kind == .rejected(.subject))
        scene.backend.answer("/api/auth/session") { _ in .json(["authenticated": true]) }
        #expect(await failure { try await session.check() }?.kind == .rejected(.backendAnswer))
        #expect(session.isActive)
    }

    @Test("A request that the app sends itself carries the cookie, and its answer is taken")
    func otherMeans() async throws {
        let scene = scene()
        let session = try await signIn(scene)
        var request = timeline
        try await session.http.authorize(&request)
        #expect(request.headerFields[.cookie] == "sid=\(Self.seal)")
        #expect(request.headerFields[.portico] == "1")
        let answer = HTTPReply.rolled("NEW~2").response
        #expect(try await !session.http.reauthorize(&request, after: answer))
        #expect(try await session.token() == "NEW~2")
    }

    @Test("A session with a Bearer token does not become one with a cookie")
    func noChange() async throws {
        let plain = BackendScene()
        let session = try await plain.signIn()
        plain.clock.advance(by: 1000)
        plain.backend.change { state in
            state.tokens = {
                $0.with("token_type", "Cookie").with("cookie_name", "sid").with("did", "did:plc:x")
                    .with("handle", "x.example.com")
            }
        }
        #expect(await failure { _ = try await session.token() }?.kind == .rejected(.tokenType))
        #expect(session.isActive)
    }
}

extension HTTPReply {
    fileprivate static var signedIn: HTTPReply { signedIn() }

    fileprivate static func signedIn(
        did: String = "did:plc:ewvi7nxzyoun6zhxrhs64oiz",
        handle: String = "alice.example.com"
    ) -> HTTPReply {
        .json([
            "authenticated": true, "did": .string(did), "handle": .string(handle),
            "userHandle": .string(handle),
        ])
    }

    /// A good answer that replaces the cookie.
    fileprivate static func rolled(_ seal: String) -> HTTPReply {
        var reply = HTTPReply.json(["feed": []])
        reply.response.headerFields[values: .setCookie] = [
            "other=1; Path=/",
            "sid=\(seal); Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=1209600",
        ]
        return reply
    }

    /// - Parameter isOwn: Whether the backend says it, not a host that it passes the answer of on.
    fileprivate static func absent(_ reason: String, isOwn: Bool = true) -> HTTPReply {
        var reply = HTTPReply.json(
            [
                "authenticated": false, "error": "unauthorized", "reason": .string(reason),
                "message": "x",
            ],
            status: 401
        )
        if isOwn { reply.response.headerFields[.wwwAuthenticate] = "Bearer" }
        return reply
    }
}
