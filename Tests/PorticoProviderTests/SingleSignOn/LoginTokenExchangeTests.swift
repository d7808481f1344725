import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Login tokens are made (RFC 8693)") struct LoginTokenExchangeTests {
    private let scene: LoginTokenScene

    init() async throws {
        scene = try await LoginTokenScene()
    }

    @Test("RFC 8693 §2.2.1: a login token is no access token, lives a minute, rotates nothing")
    func made() async throws {
        let before = try await scene.server.remains()
        let answer = try await scene.exchange()
        #expect(answer.status == 200)
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.json.string("issued_token_type") == LoginTokenScene.loginToken)
        #expect(answer.json.string("token_type") == "N_A")
        #expect(answer.json.int64("expires_in") == 60)
        #expect(answer.json.string("access_token")?.isEmpty == false)
        for name in ["refresh_token", "id_token", "scope"] { #expect(answer.json[name] == nil) }
        #expect(try await scene.exchange().status == 200)
        #expect(try await scene.server.remains() == before)
        #expect(try await scene.server.refresh(scene.refresh).status == 200)
    }

    /// Each differs from a working request by one thing.
    private static let refused: [([(String, String)], String)] = [
        ([("audience", "")], "invalid_request"),
        ([("audience", "web1")], "invalid_target"),
        ([("audience", "nobody")], "invalid_target"),
        ([("audience", "native1")], "invalid_target"),
        ([("audience", "Plain")], "invalid_target"),
        ([("subject_token", "")], "invalid_request"),
        ([("subject_token", "x")], "invalid_request"),
        ([("subject_token_type", "")], "invalid_request"),
        ([("subject_token_type", "urn:x")], "invalid_request"),
        ([("subject_token_type", "urn:ietf:params:oauth:token-type:id_token")], "invalid_request"),
        (
            [("subject_token_type", "urn:ietf:params:oauth:token-type:access_token")],
            "invalid_request"
        ),
        ([("requested_token_type", "")], "invalid_request"),
        ([("requested_token_type", "urn:x")], "invalid_request"),
        (
            [("requested_token_type", "urn:ietf:params:oauth:token-type:access_token")],
            "invalid_request"
        ),
        ([("actor_token", "x")], "invalid_request"),
        ([("actor_token_type", LoginTokenScene.refreshToken)], "invalid_request"),
        (
            [("actor_token", "x"), ("actor_token_type", LoginTokenScene.refreshToken)],
            "invalid_request"
        ),
        ([("scope", "openid")], "invalid_scope"),
        ([("resource", "https://other-api")], "invalid_target"),
        ([("resource", "foo")], "invalid_target"),
        ([("resource", "https://a#f")], "invalid_target"),
        ([("client_id", "nobody")], "invalid_client"),
        ([("client_id", "third"), ("audience", "plain")], "invalid_target"),
    ]

    @Test(
        "RFC 8693 §2.1, §2.2.2, attack C32: each fault of an exchange has its error, and changes nothing",
        arguments: refused.indices
    )
    func refusals(_ index: Int) async throws {
        let (changes, error) = Self.refused[index]
        let before = try await scene.server.remains()
        let answer = try await scene.exchange(changes)
        #expect(answer.status == (error == "invalid_client" ? 401 : 400))
        #expect(answer.error == error, "\(changes)")
        #expect(answer.json.string("access_token") == nil)
        #expect(try await scene.server.remains() == before)
        #expect(try await scene.exchange().status == 200)
    }

    @Test("RFC8693-LT-1: nothing is made after sign-out, however it happened, offline or not")
    func signedOut() async throws {
        for scope in ["openid", "openid offline_access"] {
            let scene = try await LoginTokenScene(scope: scope)
            try await scene.endSession()
            #expect(try await scene.exchange().error == "invalid_request", "\(scope)")
        }
        let revoked = try await scene.server.post(
            .endpoint("revoke"),
            [("client_id", "native1"), ("token", scene.refresh)]
        )
        #expect(revoked.status == 200)
        #expect(try await scene.exchange().error == "invalid_request")
    }

    @Test("RFC 8693 §2.1: a rotated refresh token makes nothing, and signs no one out")
    func rotated() async throws {
        let next = try await scene.server.refresh(scene.refresh, key: "one")
        let refresh = try next.refreshToken
        #expect(try await scene.exchange().error == "invalid_request")
        #expect(try await scene.exchange([("subject_token", refresh)]).status == 200)
        #expect(try await scene.server.refresh(refresh).status == 200)
    }

    @Test("RFC 8693 §2.1: another client's token makes nothing")
    func others() async throws {
        let scene = try await LoginTokenScene { new in
            new.clients[client: "third"].loginTokenTargets = [.init(clientID: "plain")]
        }
        #expect(try await scene.exchange([("client_id", "third")]).error == "invalid_request")
    }

    @Test("RFC 8693 §2.1: a client that authenticates may present its own access token")
    func accessToken() async throws {
        let scene = try await LoginTokenScene { new in
            new.clients[client: "web1"].loginTokenTargets = [.init(clientID: "plain")]
        }
        let tokens = try await scene.server.tokens("alice", "web1")
        let type = "urn:ietf:params:oauth:token-type:access_token"
        func exchange(_ token: String?) async throws -> Reply {
            try await scene.exchange(
                [
                    ("client_id", ""), ("subject_token", try #require(token)),
                    ("subject_token_type", type),
                ],
                basic: TestRealm.web1
            )
        }
        #expect(try await exchange(tokens.json.string("access_token")).status == 200)
        let another = try await exchange(scene.tokens.json.string("access_token"))
        #expect(another.error == "invalid_request")
    }

    @Test("RFC 8693 §2.1: a public client's access token is none, because every API holds it")
    func publicAccessToken() async throws {
        let access = try scene.tokens.accessToken
        let type = "urn:ietf:params:oauth:token-type:access_token"
        let answer = try await scene.exchange([
            ("subject_token", access), ("subject_token_type", type),
        ])
        #expect(answer.error == "invalid_request")
        #expect(answer.json.string("access_token") == nil)
    }

    @Test("RFC8693-LT-2, attack C30: a login token opens nothing, and is refreshed by nothing")
    func noAccessToken() async throws {
        let token = try await scene.token()
        #expect(try await scene.server.userInfo(token).status == 401)
        #expect(try await scene.server.refresh(token).error == "invalid_grant")
        #expect(try await scene.server.redeem(token).error == "invalid_grant")
        #expect(try await scene.exchange([("subject_token", token)]).error == "invalid_request")
    }
}
