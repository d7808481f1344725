import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

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
        let failed = await Task.failure { _ = try await session.loginToken(for: "shop") }.value
        #expect(failed == kind)
        #expect(scene.provider.generation == refreshes)
        #expect(exchanges(scene).count == 1 + refreshes)
        #expect(session.isActive)
        let (other, bare) = try await self.scene(tokens: ["refresh_token": .null]) { reply }
        _ = await Task.failure { _ = try await bare.loginToken(for: "shop") }.value
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
