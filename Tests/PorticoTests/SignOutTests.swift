import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// A browser that only remembers, or does what it is told.
final class FakeBrowser: ExternalBrowser {
    private let opened = Locked<[String]>([])
    private let action: @Sendable (String) async throws -> Void

    init(_ action: @escaping @Sendable (String) async throws -> Void = { _ in }) {
        self.action = action
    }

    var addresses: [String] { opened.withLock { $0 } }

    func open(_ address: String) async throws {
        opened.withLock { $0.append(address) }
        try await action(address)
    }
}

@Suite("Sign-out")
struct SignOutTests {
    private let scene = Scene()

    @Test("Everything: tokens revoked, the browser on the provider's page, nothing left here")
    func everything() async throws {
        let session = try await scene.signIn()
        let idToken = try #require(try await session.credentials().idToken)
        var changes = session.changes.makeAsyncIterator()
        let browser = FakeBrowser()
        let report = await session.signOut(.everything, using: browser)
        #expect(report.revoked)
        #expect(report.browserSession == .pageOpened)
        #expect(!report.browserSessionEnded)
        #expect(report.localCleared)
        let request = try #require(scene.provider.requests("/revoke").first)
        #expect(request.method == "POST")
        #expect(request.form["token"] == "R0")
        #expect(request.form["token_type_hint"] == "refresh_token")
        #expect(request.form["client_id"] == "app")
        let address = try #require(browser.addresses.first)
        #expect(address.hasPrefix("https://op.example.com/logout?"))
        #expect(try parameter("id_token_hint", of: address) == idToken)
        #expect(try parameter("client_id", of: address) == "app")
        #expect(try parameter("post_logout_redirect_uri", of: address) == nil)
        #expect(try await scene.storage.read() == nil)
        #expect(!session.isActive)
        #expect(await changes.next() == .ended(.signedOut))
        #expect(await session.failure() == .interactionRequired(.signedOut))
    }

    @Test("OIDCRPL-X-1: the provider's page is opened in the browser, never fetched by us")
    func external() async throws {
        let session = try await scene.signIn()
        _ = await session.signOut(.everything, using: FakeBrowser())
        #expect(scene.provider.requests("/logout").isEmpty)
    }

    @Test("OIDCRPL-6-2: without a network the session is over here all the same")
    func offline() async throws {
        let session = try await scene.signIn()
        scene.provider.answer("/revoke") { _ throws(HTTPTransportError) in throw .unreachable }
        let browser = FakeBrowser { _ in throw SignInError(.misconfigured(.noBrowser)) }
        let report = await session.signOut(.everything, using: browser)
        #expect(report.localCleared)
        #expect(
            report.revocation == .failed(SignInError(.transient(.unreachable, retryAfter: nil)))
        )
        #expect(report.browserSession == .failed(SignInError(.misconfigured(.noBrowser))))
        #expect(try await scene.storage.read() == nil)
        #expect(!session.isActive)
        #expect(await scene.client.restore().isSignedOut)
    }

    @Test("OIDCRPL-6-2: the local session is gone before the browser opens")
    func order() async throws {
        let session = try await scene.signIn()
        let storage = scene.storage
        let leftover = Locked<Bool?>(nil)
        let browser = FakeBrowser { _ in
            let isLeft = try await storage.read() != nil || session.isActive
            leftover.withLock { $0 = isLeft }
        }
        _ = await session.signOut(.everything, using: browser)
        #expect(leftover.withLock { $0 } == false)
    }

    @Test("The scopes of a sign-out do what they say")
    func scopes() async throws {
        for (scope, revocations) in [(SignOutScope.local, 0), (.tokens, 1)] {
            let scene = Scene()
            let session = try await scene.signIn()
            let browser = FakeBrowser()
            let report = await session.signOut(scope, using: browser)
            #expect(scene.provider.requests("/revoke").count == revocations)
            #expect(browser.addresses.isEmpty)
            #expect(report.browserSession == .notAsked)
            #expect(report.localCleared)
        }
    }

    @Test("The refresh token that is revoked is the one that another process got last")
    func latest() async throws {
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        _ = try await scene.neighbour().token()
        _ = await session.signOut(.tokens)
        #expect(scene.provider.revoked == ["R1"])
    }

    @Test("RFC 7009 §2.1: without a refresh token the access token is revoked")
    func accessToken() async throws {
        scene.provider.change { $0.tokens = { $0.with("refresh_token", nil) } }
        let session = try await scene.signIn()
        _ = await session.signOut(.tokens)
        #expect(scene.provider.revoked == ["A2"])
        #expect(scene.provider.requests("/revoke").first?.form["token_type_hint"] == "access_token")
    }

    @Test("RFC 7009 §2.2.1: a 503 with a short pause is tried once more, any other failure is told")
    func unavailable() async throws {
        let session = try await scene.signIn()
        let provider = scene.provider
        provider.answer("/revoke") { _ in
            provider.answerAsUsual("/revoke")
            return .text(503, nil, [], [.retryAfter: "0"])
        }
        #expect(await session.signOut(.tokens).revoked)
        #expect(provider.requests("/revoke").count == 2)
        let other = Scene()
        let second = try await other.signIn()
        other.provider.answer("/revoke") { _ in .text(503, nil, [], [.retryAfter: "3600"]) }
        let failure = SignInError(.transient(.serverError, retryAfter: .seconds(3600)))
        #expect(await second.signOut(.tokens).revocation == .failed(failure))
        #expect(other.provider.requests("/revoke").count == 1)
    }

    @Test("A provider that offers neither says so in the report")
    func notOffered() async throws {
        scene.provider.change {
            $0.metadata["revocation_endpoint"] = nil
            $0.metadata["end_session_endpoint"] = nil
        }
        let session = try await scene.signIn()
        let report = await session.signOut(.everything, using: FakeBrowser())
        #expect(report.revocation == .notOffered)
        #expect(report.browserSession == .notOffered)
    }

    @Test("What is left in the storage is told")
    func storage() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        storage.failsWriting = true
        let report = await session.signOut(.tokens)
        #expect(!report.localCleared)
        #expect(report.storageError == SignInError(.storage(.unwritable)))
        #expect(report.revoked)
        #expect(!session.isActive)
    }

    @Test("A sign-in that another process is about to store is not removed, twenty rounds")
    func overtaken() async throws {
        for _ in 0..<20 {
            let storage = FaultyStorage()
            let scene = Scene(storage: storage)
            let session = try await scene.signIn()
            let (next, stored) = (Locked<Task<Session, any Error>?>(nil), Locked(false))
            storage.onRemove {
                let task = Task {
                    defer { stored.withLock { $0 = true } }
                    return try await scene.signIn()
                }
                next.withLock { $0 = task }
                do {
                    try await waitUntil("it has the lock, or waits for it") {
                        storage.lockRefusals > 0 || stored.withLock { $0 }
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(await session.signOut(.local).localCleared)
            let other = try #require(try await next.withLock { $0 }?.value)
            #expect(try await scene.storedRecord?.accessToken.reveal() == other.token())
            #expect(other.isActive && !session.isActive)
        }
    }

    @Test("The record is gone at once, though a refresh of another process has the lock")
    func whileRefreshing() async throws {
        let session = try await scene.signIn()
        let lock = try #require(try scene.storage.tryLock())
        let record = try #require(try await scene.storage.read())
        let report = Task { await session.signOut(.local) }
        let storage = scene.storage
        for _ in 0..<200 where try await storage.read() != nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await storage.read() == nil)
        // The refresh has read before, and writes the key of its request.
        try await storage.write(record)
        lock.release()
        #expect(await report.value.localCleared)
        #expect(try await storage.read() == nil)
    }

    @Test("0xdead10cc: a lock that is lost does not keep the session here")
    func lostLock() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        storage.loseLocks(after: 0)
        #expect(await session.signOut(.local).localCleared)
        #expect(try await storage.read() == nil)
    }

    @Test("OIDCRPL-3-5: with a return path the browser's return is waited for, by its state")
    func returning() async throws {
        let session = try await scene.signIn()
        let statuses = Locked<[Int?]>([])
        let browser = FakeBrowser { address in
            let uri = try #require(try parameter("post_logout_redirect_uri", of: address))
            let state = try #require(try parameter("state", of: address))
            let redirect = try #require(HTTPAddress(uri))
            #expect(redirect.isLoopback && redirect.path == "/signed-out")
            Task {
                for query in ["", "?state=wrong", "?state=\(state)"] {
                    let reply = await RawExchange.run {
                        RawExchange.get(
                            "/signed-out\(query)",
                            port: UInt16(exactly: redirect.port) ?? 0
                        )
                    }
                    statuses.withLock { $0.append(reply?.status) }
                }
                _ = await RawExchange.run {
                    RawExchange.get("/signed-out/done", port: UInt16(exactly: redirect.port) ?? 0)
                }
            }
        }
        let report = await session.signOut(.everything, using: browser, returnPath: "/signed-out")
        #expect(report.browserSession == .ended)
        #expect(report.browserSessionEnded)
        #expect(statuses.withLock { $0.prefix(2) } == [400, 400], "nothing else ends the wait")
    }

    @Test("A browser that never returns does not hold the sign-out for ever")
    func neverReturning() async throws {
        let session = try await scene.signIn()
        let report = await session.signOut(
            .everything,
            using: FakeBrowser(),
            returnPath: "/signed-out",
            timeout: .milliseconds(300)
        )
        #expect(report.browserSession == .failed(SignInError(.cancelled(.timedOut))))
        #expect(report.localCleared)
    }

    @Test("Signing out twice does nothing the second time")
    func twice() async throws {
        let session = try await scene.signIn()
        _ = await session.signOut(.tokens)
        let report = await session.signOut(.tokens)
        #expect(report.revocation == .notAsked)
        #expect(report.localCleared)
        #expect(scene.provider.requests("/revoke").count == 1)
    }
}

@Suite("Login tokens, as an app asks for and uses them")
struct LoginTokenTests {
    private static let loginToken = "urn:portico:token-type:login-token"
    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    private static let refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// A provider that answers an exchange like this, and everything else as usual.
    private func scene(
        tokens: JSONObject = [:],
        _ answer: @escaping @Sendable () -> HTTPReply = { good }
    ) async throws -> (Scene, Session) {
        let scene = Scene()
        scene.provider.change {
            $0.tokens = { usual in
                var all = usual
                for (name, value) in tokens { all[name] = value }
                return all
            }
        }
        let session = try await scene.signIn()
        scene.provider.answer("/token") { request in
            request.form["grant_type"] == Self.exchange ? answer() : nil
        }
        return (scene, session)
    }

    private static let good = HTTPReply.json([
        "access_token": "login-token.x", "issued_token_type": .string(loginToken),
        "token_type": "N_A", "expires_in": 60,
    ])

    private func exchanges(_ scene: Scene) -> [FakeProvider.Request] {
        scene.provider.requests("/token").filter { $0.form["grant_type"] == Self.exchange }
    }

    @Test("RFC 8693 §2.1: a public client shows its refresh token, and renews and stores nothing")
    func request() async throws {
        let (scene, session) = try await scene()
        let before = try await scene.storage.read()
        let token = try await session.loginToken(for: "shop")
        #expect(token.reveal() == "login-token.x")
        let form = try #require(exchanges(scene).first).form
        #expect(form["requested_token_type"] == Self.loginToken)
        #expect(form["audience"] == "shop" && form["client_id"] == "app")
        #expect(form["subject_token"] == "R0")
        #expect(form["subject_token_type"] == Self.refreshToken)
        #expect(form["actor_token"] == nil && form["scope"] == nil)
        #expect(try await scene.storage.read() == before)
        #expect(scene.provider.generation == 0)
    }

    @Test("RFC 8693 §2.1: without a refresh token it shows its access token, and says so")
    func withoutRefreshToken() async throws {
        let (scene, session) = try await scene(tokens: ["refresh_token": ""])
        _ = try await session.loginToken(for: "shop")
        let form = try #require(exchanges(scene).first).form
        #expect(form["subject_token"] == "A2")
        #expect(form["subject_token_type"] == Self.accessToken)
    }

    @Test(
        "RFC 8693 §2.2.1: what is not a login token is handed to no app",
        arguments: [
            ["access_token": "A9", "issued_token_type": .string(accessToken)],
            ["access_token": "R9", "issued_token_type": .string(refreshToken)],
            ["access_token": "x"], ["access_token": "x", "issued_token_type": .null],
            ["issued_token_type": .string(loginToken)],
            ["access_token": "", "issued_token_type": .string(loginToken)],
            ["access_token": "a b", "issued_token_type": .string(loginToken)],
            ["access_token": "a\r\nb", "issued_token_type": .string(loginToken)],
            ["access_token": 7, "issued_token_type": .string(loginToken)],
            ["refresh_token": "x", "issued_token_type": .string(loginToken)],
        ] as [JSONObject]
    )
    func otherAnswers(answer: JSONObject) async throws {
        let (scene, session) = try await scene { .json(answer) }
        await #expect(throws: SignInError(.rejected(.tokenResponse))) {
            try await session.loginToken(for: "shop")
        }
        #expect(session.isActive && exchanges(scene).count == 1)
    }

    @Test(
        "Only a refused subject token causes a refresh, one, and only where there is one to renew",
        arguments: [
            (.error(400, "invalid_target"), .misconfigured(.targetRefused), 0),
            (.error(401, "invalid_client"), .misconfigured(.clientRefused), 0),
            (.error(400, "invalid_grant"), .rejected(.codeRefused), 0),
            (.text(503, nil, []), .transient(.serverError, retryAfter: nil), 0),
            (.error(400, "invalid_request"), .interactionRequired(.loginRequired), 1),
        ] as [(HTTPReply, SignInError.Kind, Int)]
    )
    func refused(reply: HTTPReply, kind: SignInError.Kind, refreshes: Int) async throws {
        let (scene, session) = try await scene { reply }
        let failed = await thrown { try await session.loginToken(for: "shop") }
        #expect(failed == kind)
        #expect(scene.provider.generation == refreshes)
        #expect(exchanges(scene).count == 1 + refreshes)
        #expect(session.isActive)
        let (other, bare) = try await self.scene(tokens: ["refresh_token": .null]) { reply }
        _ = await thrown { try await bare.loginToken(for: "shop") }
        #expect(exchanges(other).count == 1 && other.provider.generation == 0)
    }

    @Test("A client that no one is called asks nothing, and a token shows nothing of itself")
    func nothing() async throws {
        let (scene, session) = try await scene()
        await #expect(throws: SignInError(.misconfigured(.targetRefused))) {
            try await session.loginToken(for: "")
        }
        #expect(exchanges(scene).isEmpty)
        let token = LoginToken("login-token.SECRET")
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains("SECRET"))
        }
        #expect(token == LoginToken("login-token.SECRET") && token != LoginToken("login-token.X"))
    }

    // MARK: Using one

    private static let pushing = "/par"

    /// A provider that takes pushed requests.
    private func pushingScene(
        _ metadata: JSONObject = [:],
        _ reply: HTTPReply = .json(["request_uri": "urn:x:1", "expires_in": 60], status: 201)
    ) -> Scene {
        let scene = Scene()
        scene.provider.change {
            $0.metadata["pushed_authorization_request_endpoint"] =
                .string(FakeProvider.issuer + Self.pushing)
            for (name, value) in metadata { $0.metadata[name] = value }
        }
        scene.provider.answer(Self.pushing) { _ in reply }
        return scene
    }

    @Test("RFC 9126 §2: a login token is pushed, and stands in no address; client_id goes once")
    func pushed() async throws {
        let scene = pushingScene()
        let request = SignInRequest(loginToken: LoginToken("login-token.SECRET"))
        let address = try await scene.client.begin(request).address
        #expect(!address.contains("SECRET") && !address.contains("login_hint"))
        #expect(try parameter("request_uri", of: address) == "urn:x:1")
        #expect(try parameter("client_id", of: address) == "app")
        #expect(try parameter("code_challenge", of: address) == nil)
        let sent = try #require(scene.provider.requests(Self.pushing).first)
        #expect(sent.form["login_hint"] == "login-token.SECRET")
        #expect(sent.form["code_challenge_method"] == "S256")
        #expect(sent.form.all.count { $0.name == "client_id" } == 1)
        #expect(scene.provider.requests(Self.pushing).count == 1)
    }

    @Test("RFC 9126 §5: a plain request goes in the address, unless the provider takes no other")
    func plain() async throws {
        let scene = pushingScene()
        let plain = try await scene.client.begin(SignInRequest(loginHint: "ann")).address
        #expect(try parameter("login_hint", of: plain) == "ann")
        #expect(scene.provider.requests(Self.pushing).isEmpty)
        for value in [true, "true"] as [JSONValue] {
            let strict = pushingScene(["require_pushed_authorization_requests": value])
            let address = try await strict.client.begin(SignInRequest(loginHint: "ann")).address
            #expect(try parameter("request_uri", of: address) == "urn:x:1")
            #expect(strict.provider.requests(Self.pushing).count == 1)
        }
    }

    @Test(
        "RFC 9126 §2.3: an answer without a reference opens no browser",
        arguments: [
            (.json(["request_uri": ""], status: 201), .rejected(.response)),
            (.json([:], status: 201), .rejected(.response)),
            (.json(["request_uri": 7], status: 201), .rejected(.response)),
            (
                .text(201, "text/html", Array(#"{"request_uri":"urn:x"}"#.utf8)),
                .rejected(.response)
            ),
            (
                .json(["request_uri": "urn:x"], status: 202),
                .transient(.serverError, retryAfter: nil)
            ),
            (.error(400, "invalid_request"), .misconfigured(.requestRefused)),
            (.text(302, nil, [], [.location: "https://evil.example"]), .rejected(.redirected)),
            (.error(429, "slow_down"), .transient(.tooManyRequests, retryAfter: nil)),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func unusable(reply: HTTPReply, kind: SignInError.Kind) async throws {
        let scene = pushingScene([:], reply)
        let request = SignInRequest(loginToken: LoginToken("login-token.x"))
        let error = await #expect(throws: SignInError.self) {
            _ = try await scene.client.begin(request)
        }
        #expect(error?.kind == kind)
        #expect(error?.description.contains("login-token") == false)
    }
}
