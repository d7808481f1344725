import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Authorization at a host of the AT Protocol") struct ATAuthorizationTests {
    private let scene: ATScene

    init() async throws {
        scene = try await ATScene()
    }

    @Test("ATP-AR-2: a request that was not pushed is refused, on a page, and nothing is fetched")
    func unpushed() async throws {
        let page = try await TestBrowser(scene.server).authorize(scene.request())
        #expect(page.status == 400)
        #expect(page.location == nil)
        #expect(scene.sites.fetched.isEmpty)
        // Nor where the document is known.
        #expect(try await scene.push().status == 201)
        let known = try await TestBrowser(scene.server).authorize(scene.request())
        #expect(known.status == 400 && known.location == nil)
    }

    @Test("ATP-AR-2: a reference that another client pushed makes nothing be fetched")
    func foreignReference() async throws {
        let reference = try await scene.reference()
        let other = "https://other.example.com/client.json"
        let page = try await TestBrowser(scene.server)
            .authorize([("client_id", other), reference[1]])
        #expect(page.status == 400 && page.location == nil)
        #expect(scene.sites.fetched == [ATScene.url])
    }

    @Test("ATP-AR-3: the challenge is S256; plain, or none, is refused")
    func challenge() async throws {
        for changes in [
            [("code_challenge_method", "plain")], [("code_challenge_method", "")],
            [("code_challenge", ""), ("code_challenge_method", "")],
        ] {
            let reply = try await scene.push(changes)
            #expect(reply.status == 400 && reply.error == "invalid_request", "\(changes)")
        }
        #expect(try await scene.push().status == 201)
    }

    @Test("ATP-AR-5: a state that came before is taken, as real servers do")
    func state() async throws {
        for _ in 1...2 { #expect(try await scene.push([("state", "same")]).status == 201) }
    }

    @Test("ATP-AR-8: the scope is part of the document's, and includes atproto")
    func scope() async throws {
        for scope in [
            "transition:generic", "atproto transition:email", "atproto repo:*", "openid",
            "atproto include:com.example.full", "",
        ] {
            let reply = try await scene.push([("scope", scope)])
            #expect(reply.status == 400 && reply.error == "invalid_scope", "\(scope)")
        }
        #expect(try await scene.push([("scope", "atproto")]).status == 201)
    }

    @Test("ATP-AR-9: a redirect URI is one of the document's, byte for byte")
    func redirect() async throws {
        for uri in [
            "https://app.example.com/callback/", "https://app.example.com/callback?x=y",
            "https://APP.example.com/callback", "https://app.example.com:443/callback",
            "http://app.example.com/callback", "https://evil.example.com/callback", "",
        ] {
            let reply = try await scene.push([("redirect_uri", uri)])
            #expect(reply.status == 400 && reply.error == "invalid_request", "\(uri)")
        }
    }

    @Test("ATP-AR-9, CIMD-4.1-5: a native client has its origin's URIs and its reversed host")
    func native() async throws {
        for (uri, isAllowed) in [
            ("com.example.app:/callback", true), ("https://app.example.com/native", true),
            ("com.example.app://callback", false), ("com.evil.app:/cb", false),
            ("https://evil.example.com/native", false),
        ] {
            let scene = try await ATScene([
                "application_type": "native", "redirect_uris": [.string(uri)],
            ])
            let reply = try await scene.push([("redirect_uri", uri)])
            #expect(reply.status == (isAllowed ? 201 : 400), "\(uri) \(reply.text)")
            #expect(reply.error == (isAllowed ? nil : "invalid_redirect_uri"))
        }
    }

    @Test("decision 0064: what only OpenID Connect has is refused; a hint is a handle or a DID")
    func parameters() async throws {
        for changes in [
            ("nonce", "n"), ("claims", "{}"), ("id_token_hint", "x"), ("prompt", "none"),
            ("response_mode", "jwt"), ("login_hint", "alice"),
            ("login_hint", "alice@example.com"), ("login_hint", "did:key:z6Mk"),
            ("login_hint", "https://example.com"), ("login_hint", "did:plc:"),
        ] {
            let reply = try await scene.push([changes])
            #expect(reply.status == 400 && reply.error == "invalid_request", "\(changes)")
        }
        // Its clients in browsers read the fragment (docs/decisions/0041).
        #expect(try await scene.push([("response_mode", "fragment")]).status == 201)
        for hint in ["alice.example.com", "Alice.Example.com", ATScene.dids["alice"] ?? ""] {
            #expect(try await scene.push([("login_hint", hint)]).status == 201, "\(hint)")
        }
    }

    @Test(
        "ATP-AR-11: only the account that the request names may finish it",
        arguments: ["alice.example.com", "did:plc:ewvi7nxzyoun6zhxrhs64oiz"]
    )
    func named(hint: String) async throws {
        let other = try await scene.signIn([("login_hint", hint)], as: "bob")
        #expect(other.redirected["code"] == nil)
        #expect(other.redirected["error"] == "login_required", "\(other.status)")
        let browser = TestBrowser(scene.server)
        let page = try await scene.signIn([("login_hint", hint)], as: "alice", browser)
        let answer = try await browser.submit(page, [("action", "allow")])
        #expect(answer.redirected["code"] != nil)
        #expect(answer.redirected["iss"] == ATScene.issuer)
        #expect(answer.redirected["state"] == #"{"made":"by an app"}"#)
    }

    @Test("decision 0064: a handle or DID that an app names is not filled in as a user name")
    func unfilled() async throws {
        let did = try #require(ATScene.dids["alice"])
        for hint in ["alice.example.com", "nobody.example.com", did] {
            let reference = try await scene.reference([("login_hint", hint)])
            let page = try await TestBrowser(scene.server).authorize(reference)
            #expect(page.status == 200 && page.text.contains(#"type="password""#))
            #expect(!page.text.contains(hint))
        }
    }

    @Test("CIMD-4.3-1: without its document a pending request ends on a page, not at the client")
    func gone() async throws {
        let browser = TestBrowser(scene.server)
        let page = try await scene.signIn([], as: "alice", browser)
        scene.sites[ATScene.url] = nil
        scene.server.clock.advance(by: 600)
        let answer = try await browser.submit(page, [("action", "allow")])
        #expect(answer.status == 400 && answer.location == nil)
        scene.publish([:])
        let again = try await browser.submit(page, [("action", "allow")])
        #expect(again.redirected["code"] != nil, "\(again.status)")
    }

    @Test("decision 0064: an account without a DID lets no client in")
    func withoutDID() async throws {
        let scene = try await ATScene { new in
            for index in new.people.indices {
                new.people[index].person.attributes["did"] = nil
            }
        }
        let browser = TestBrowser(scene.server)
        let page = try await scene.signIn([], as: "alice", browser)
        // Who makes up a way to go on comes back to the page.
        let pages = [page, try await browser.submit(page, [("action", "continue")])]
        for page in pages {
            #expect(page.status == 403 && page.location == nil)
            #expect(page.text.contains("app.example.com"))
            #expect(page.text.contains(#"value="switch""#))
            #expect(page.text.contains(#"value="cancel""#))
            #expect(!page.text.contains(#"value="continue""#))
        }
        let other = try await browser.submit(page, [("action", "switch")])
        #expect(other.status == 200 && other.text.contains("type=\"password\""))
        let answer = try await browser.submit(page, [("action", "cancel")])
        #expect(answer.redirected["error"] == "access_denied")
        #expect(answer.redirected["code"] == nil)
        #expect(answer.redirected["iss"] == ATScene.issuer)
    }

    @Test("RFC9126-4-3: a reload after the code is a page, and the first code stays good")
    func reload() async throws {
        let browser = TestBrowser(scene.server)
        let verifier = RandomSource.system.text(32)
        let challenge = Base64URL.encode(Hash256(of: verifier).bytes)
        let reference = try await scene.reference([("code_challenge", challenge)])
        let page = try await browser.signIn("alice", reference)
        let answer = try await browser.submit(page, [("action", "allow")])
        let code = try #require(answer.redirected["code"])
        #expect(try await browser.authorize(reference).redirected["code"] == nil)
        let tokens = try await scene.redeem(code, [("code_verifier", verifier)])
        #expect(tokens.status == 200, "\(tokens.text)")
    }

    @Test("decision 0064: permissions may have 2,048 bytes, and the code holds them")
    func room() async throws {
        for (length, isTaken) in [(2048, true), (2049, false)] {
            var scope = "atproto"
            var number = 0
            while scope.utf8.count < length - 120 {
                number += 1
                scope += " repo:com.example.things.n\(number)?action=create"
            }
            scope += " rpc:com.example.x?aud=did:web:"
            scope += String(repeating: "h", count: length - scope.utf8.count - 2) + "#s"
            #expect(scope.utf8.count == length)
            let scene = try await ATScene(["scope": .string(scope)])
            let pushed = try await scene.push([("scope", scope)])
            #expect(pushed.status == (isTaken ? 201 : 400), "\(pushed.text)")
            guard isTaken else {
                #expect(pushed.error == "invalid_scope")
                continue
            }
            let code = try await scene.code([("scope", scope)])
            #expect(code.utf8.count <= 3600)
            #expect(try await scene.redeem(code).json.string("scope") == scope)
        }
    }

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
