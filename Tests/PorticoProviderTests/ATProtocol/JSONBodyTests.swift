import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Clients in browsers send their requests so.
@Suite("A host of the AT Protocol: requests in JSON") struct JSONBodyTests {
    private func post(
        _ server: ProviderUnderTest,
        _ endpoint: String,
        _ members: JSONObject,
        type: String? = "application/json",
        proof: String? = nil
    ) async throws -> Reply {
        var headers = HTTPFields()
        headers[.contentType] = type
        headers[.proof] = proof
        return try await server.send(
            .post,
            server.path(of: endpoint),
            headers: headers,
            body: members.serialized()
        )
    }

    private func object(_ form: [(String, String)]) -> JSONObject {
        var object = JSONObject()
        for (name, value) in form { object[name] = .string(value) }
        return object
    }

    @Test("Every request of a sign-in may be JSON: pushed, redeemed, refreshed, revoked")
    func signIn() async throws {
        let scene = try await ATScene()
        let server = scene.server
        let pushed = try await post(server, "ext/par/request", object(scene.request()))
        #expect(pushed.status == 201, "\(pushed.text)")
        let uri = try pushed.requestURI
        let browser = TestBrowser(server)
        let page = try await browser.signIn(
            "alice",
            [("client_id", ATScene.url), ("request_uri", uri)]
        )
        let answer = try await browser.submit(page, [("action", "allow")]).redirected
        #expect(answer["state"] == #"{"made":"by an app"}"#)
        let code = try #require(answer["code"])
        let redemption: JSONObject = [
            "grant_type": "authorization_code", "client_id": .string(ATScene.url),
            "code": .string(code), "redirect_uri": .string(ATScene.redirect),
            "code_verifier": .string(TestFlow.verifier),
        ]
        let bare = try await post(server, "token", redemption)
        #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
        let tokens = try await post(
            server,
            "token",
            redemption,
            proof: try await scene.app.proof(.post, "token")
        )
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(tokens.json.string("sub") == ATScene.dids["alice"])
        let first = try tokens.refreshToken
        let refreshed = try await post(
            server,
            "token",
            [
                "grant_type": "refresh_token", "client_id": .string(ATScene.url),
                "refresh_token": .string(first),
            ],
            type: "application/json; charset=utf-8",
            proof: try await scene.app.proof(.post, "token")
        )
        #expect(refreshed.status == 200, "\(refreshed.text)")
        let refresh = try refreshed.refreshToken
        let revoked = try await post(
            server,
            "revoke",
            ["client_id": .string(ATScene.url), "token": .string(refresh)]
        )
        #expect(revoked.status == 200 && revoked.text == "{}")
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
    }

    @Test("A client proves itself in JSON as in a form, once")
    func assertion() async throws {
        let scene = try await ATScene(isConfidential: true)
        let members = try object(scene.request() + scene.assertion())
        let pushed = try await post(scene.server, "ext/par/request", members)
        #expect(pushed.status == 201, "\(pushed.text)")
        let again = try await post(scene.server, "ext/par/request", members)
        #expect(again.status == 400 && again.error == "invalid_client")
        let unproven = try await post(scene.server, "ext/par/request", object(scene.request()))
        #expect(unproven.status == 400 && unproven.error == "invalid_client")
    }

    @Test("A member that is no text is refused by its name, and nothing is kept")
    func otherMembers() async throws {
        let scene = try await ATScene()
        for value in [.integer(1), .null, ["x"], ["a": "b"]] as [JSONValue] {
            var members = object(scene.request())
            members["state"] = value
            let reply = try await post(scene.server, "ext/par/request", members)
            #expect(reply.status == 400 && reply.error == "invalid_request", "\(value)")
            #expect(reply.json.string("error_description")?.contains("state") == true)
        }
        #expect(try await scene.server.remains().pushedRequests == 0)
    }

    @Test(
        "RFC 9110 §15.5.16: neither a form nor JSON is 415",
        arguments: ["token", "ext/par/request", "revoke"]
    )
    func mediaType(endpoint: String) async throws {
        let scene = try await ATScene()
        for type in ["text/plain", "application/jsonp", "application/json; charset=utf-16", nil] {
            let reply = try await post(
                scene.server,
                endpoint,
                object(scene.request()),
                type: type,
                proof: try await scene.app.proof(.post, endpoint)
            )
            #expect(reply.status == 415 && reply.error == "invalid_request", "\(type ?? "none")")
        }
        #expect(scene.sites.fetched.isEmpty)
        #expect(try await scene.server.remains().pushedRequests == 0)
    }

    static let elsewhere: [(String, [(String, String)])] = [
        (
            "token",
            [
                ("grant_type", "client_credentials"), ("client_id", "other1"),
                ("client_secret", TestRealm.otherSecret),
            ]
        ),
        ("ext/par/request", TestFlow.request()),
        ("revoke", [("client_id", "native1"), ("token", "x")]),
    ]

    @Test("attack C13, RFC 6749 §3.2: other realms take forms alone", arguments: elsewhere)
    func otherRealms(endpoint: String, form: [(String, String)]) async throws {
        let server = try await ProviderUnderTest()
        let reply = try await post(server, endpoint, object(form))
        #expect(reply.status == 400 && reply.error == "invalid_request", "\(reply.text)")
        #expect(reply.json.string("error_description")?.contains("Content-Type") == true)
        let posted = try await server.post(server.path(of: endpoint), form)
        #expect(posted.error != "invalid_request", "the same as a form: \(posted.text)")
    }
}
