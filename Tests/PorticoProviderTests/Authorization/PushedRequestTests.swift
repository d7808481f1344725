import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Pushed authorization requests (RFC 9126)") struct PushedRequestTests {
    private let prefix = "urn:ietf:params:oauth:request_uri:"

    private func requestURI(_ reply: Reply) throws -> String {
        try reply.requestURI
    }

    private func reference(_ uri: String, _ client: String = "native1") -> [(String, String)] {
        [("client_id", client), ("request_uri", uri)]
    }

    @Test("RFC 9126 §2.2: 201 with a reference that no one guesses and a short life, never cached")
    func pushed() async throws {
        let server = try await ProviderUnderTest()
        let first = try await server.push(TestFlow.request())
        let second = try await server.push(TestFlow.request())
        #expect(first.status == 201)
        #expect(first.headers[.contentType] == "application/json")
        #expect(first.headers[.cacheControl] == "no-store")
        let lifetime = try #require(first.json.int64("expires_in"))
        #expect((5...600).contains(lifetime))
        let uris = try [first, second].map(requestURI)
        #expect(uris[0] != uris[1])
        for uri in uris {
            #expect(uri.hasPrefix(prefix))
            // RFC 9126 §7.1: 256 random bits.
            #expect(uri.dropFirst(prefix.count).count == 43)
        }
        #expect(try await server.remains().pushedRequests == 2)
    }

    @Test("A copy of the database opens no pushed request, and none is taken that is not sealed")
    func sealed() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(
            try await server.push(TestFlow.request("native1", [("login_hint", "ann-of-the-hint")]))
        )
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let hash = Hash256(of: String(uri.dropFirst(prefix.count)))
        var row = try #require(
            try await server.database.pushedRequests.pushedRequest(hash, realmID: realm.id)
        )
        let kept = String(decoding: row.parameters, as: UTF8.self)
        #expect(!kept.contains("ann-of-the-hint") && !kept.contains("native1"))
        // One that the server did not write.
        row.hash = Hash256(of: "planted")
        row.parameters = FormEncoding.encode(TestFlow.request().map { (name: $0.0, value: $0.1) })
        _ = try await server.database.pushedRequests.push(
            row,
            spending: [],
            at: server.clock.seconds
        )
        let browser = TestBrowser(server)
        let refused = try await browser.authorize(reference(prefix + "planted"))
        #expect(refused.status == 400 && refused.location == nil)
        expectPage(try await browser.authorize(reference(uri)), "authenticate")
    }

    @Test("RFC 9126 §2: the metadata names the endpoint, which takes nothing but POST")
    func metadata() async throws {
        let server = try await ProviderUnderTest()
        let document = try await server.metadata()
        #expect(
            document.string("pushed_authorization_request_endpoint")
                == "https://op.example.com" + String.endpoint("ext/par/request")
        )
        #expect(document.bool("require_pushed_authorization_requests") == false)
        let get = try await server.send(.get, .endpoint("ext/par/request"))
        #expect(get.status == 405)
        #expect(get.headers[.allow] == "POST")
    }

    @Test("RFC 9126 §4: the pushed request is the whole request, and gives a code and tokens")
    func wholeFlow() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        let answer = try await TestBrowser(server).signIn("alice", reference(uri))
        let code = expectCode(answer)
        let tokens = try await server.redeem(code)
        #expect(tokens.status == 200)
        #expect(try tokens.claims.string("nonce") == "n-1")
    }

    @Test("RFC 9126 §2, RFC 9700 §2.5: the client proves itself as at the token endpoint")
    func authentication() async throws {
        let server = try await ProviderUnderTest()
        let path = String.endpoint("ext/par/request")
        let request = TestFlow.request("web1")
        let alone = try await server.post(path, request)
        #expect(alone.status == 401 && alone.error == "invalid_client")
        let wrong = try await server.post(path, request, headers: .basic("web1", "wrong"))
        #expect(wrong.status == 401 && wrong.error == "invalid_client")
        #expect(wrong.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
        let otherID = try await server.post(path, TestFlow.request("native1"), headers: .web1)
        #expect(otherID.status == 400)
        let wrongInBody = try await server.post(path, request + [("client_secret", "wrong")])
        #expect(wrongInBody.status == 401)
        let unknown = try await server.post(path, TestFlow.request("nobody"))
        #expect(unknown.status == 401)
        #expect(try await server.remains().pushedRequests == 0)
    }

    @Test("RFC 9126 §2, RFC 7523 §3: an assertion is for the issuer alone, and good once")
    func assertion() async throws {
        let server = try await ProviderUnderTest()
        func push(_ audience: String, _ id: String) async throws -> Reply {
            let claims: JSONObject = [
                "iss": "jwt1", "sub": "jwt1", "aud": .string(audience), "jti": .string(id),
                "iat": .integer(server.clock.seconds), "exp": .integer(server.clock.seconds + 60),
            ]
            return try await server.push(
                TestFlow.request("jwt1") + [
                    TestFlow.assertionType,
                    ("client_assertion", try TestRealm.clientKey.sign(claims: claims, type: .jwt)),
                ]
            )
        }
        let endpoint = "https://op.example.com" + String.endpoint("ext/par/request")
        for audience in [endpoint, "https://evil.example"] {
            let refused = try await push(audience, "j-0")
            #expect(refused.status == 401 && refused.error == "invalid_client")
        }
        let pushed = try await push(TestRealm.issuer, "j-1")
        #expect(pushed.status == 201)
        let again = try await push(TestRealm.issuer, "j-1")
        #expect(again.status == 401)
        #expect(try await server.remains().pushedRequests == 1)
        // RFC 9126 §2.1: the credentials are no part of the request.
        let uri = try requestURI(pushed)
        expectCode(
            try await TestBrowser(server).signIn("alice", reference(uri, "jwt1")),
            of: "jwt1"
        )
    }

    @Test("RFC 9126 §2.1: request_uri must not be pushed")
    func pushedReference() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        for value in [uri, "https://evil.example/request"] {
            let reply = try await server.push(TestFlow.request() + [("request_uri", value)])
            #expect(reply.status == 400 && reply.error == "invalid_request")
        }
        #expect(try await server.remains().pushedRequests == 1)
    }

    @Test("RFC 9126 §2.2: a reference is good for the client that pushed it and for no one else")
    func otherClient() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        for client in ["web1", "nobody", ""] {
            let reply = try await TestBrowser(server).authorize(
                client.isEmpty ? [("request_uri", uri)] : reference(uri, client)
            )
            expectErrorPage(reply)
        }
        let twice = reference(uri) + [("client_id", "web1")]
        expectErrorPage(try await TestBrowser(server).authorize(twice))
    }

    @Test("RFC 9126 §4: an expired reference is its app's error, and a page once forgotten")
    func expired() async throws {
        let server = try await ProviderUnderTest()
        let pushed = try await server.push(TestFlow.request())
        let uri = try requestURI(pushed)
        let answered = try requestURI(try await server.push(TestFlow.request()))
        expectCode(try await TestBrowser(server).signIn("alice", reference(answered)))
        server.clock.advance(by: Double(pushed.json.int64("expires_in") ?? 0) - 1)
        expectPage(try await TestBrowser(server).authorize(reference(uri)), "authenticate")
        server.clock.advance(by: 1)
        expectError(try await TestBrowser(server).authorize(reference(uri)), "invalid_request_uri")
        // Nobody else learns whose it was, and where an answer was given there is no second one.
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri, "web1")))
        expectErrorPage(try await TestBrowser(server).authorize(reference(answered)))
        try await server.database.pushedRequests.purgePushedRequests(
            before: server.clock.seconds + 1
        )
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
    }

    @Test("RFC 9126 §4, §7.1: an invented reference is a page, without a redirect")
    func invented() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        for invented in [
            prefix, prefix + String(repeating: "A", count: 43), uri + "A", uri.lowercased(),
        ] {
            let reply = try await TestBrowser(server).authorize(reference(invented))
            #expect(reply.status == 400)
            #expect(reply.location == nil)
        }
    }

    @Test("RFC 9126 §4: a reference may be opened again until it gave a code, and gives one grant")
    func once() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        let browser = TestBrowser(server)
        expectPage(try await browser.authorize(reference(uri)), "authenticate")
        expectPage(try await browser.authorize(reference(uri)), "authenticate")
        let code = expectCode(try await browser.signIn("alice", reference(uri)))
        // RFC 9126 §7.3: from the code on, redeemed or not, and in whichever browser.
        expectErrorPage(try await browser.authorize(reference(uri)))
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
        #expect(try await server.redeem(code).status == 200)
        expectErrorPage(try await browser.authorize(reference(uri)))
        #expect(try await server.remains().grants == 1)
    }

    @Test("RFC 9126 §7.3: what another process has answered gives one grant, and then no page")
    func otherProcess() async throws {
        let server = try await ProviderUnderTest()
        let other = try await ProviderUnderTest(database: server.database, clock: server.clock)
        let third = try await ProviderUnderTest(database: server.database, clock: server.clock)
        let uri = try requestURI(try await server.push(TestFlow.request()))
        let code = expectCode(try await TestBrowser(server).signIn("alice", reference(uri)))
        // It knows of no code, only of grants.
        let second = expectCode(try await TestBrowser(other).signIn("alice", reference(uri)))
        #expect(try await server.redeem(code).status == 200)
        #expect(try await other.redeem(second).error == "invalid_grant")
        expectErrorPage(try await TestBrowser(other).authorize(reference(uri)))
        expectErrorPage(try await TestBrowser(third).authorize(reference(uri)))
        #expect(try await server.remains().grants == 1)
    }

    @Test("RFC 9126 §7.3: once a pushed request was answered, it begins anew nowhere")
    func answered() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(
            try await server.push(TestFlow.request("third", [("prompt", "login")]))
        )
        let browser = TestBrowser(server)
        let signIn = try await browser.authorize(reference(uri, "third"))
        let alice = TestRealm.login()
        let request = try #require(signIn.hiddenFields.first { $0.name == "request" }).value
        let restart = "/realms/test/login-actions/restart?request=" + request
        // Before that, starting again does no harm.
        let page = try await browser.get(restart)
        expectPage(page, "authenticate")
        let consent = try await browser.submit(page, alice)
        expectPage(consent, "consent")
        let code = expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
        #expect(try await server.redeem(code, "third").status == 200)

        let before = try await server.remains()
        expectErrorPage(try await browser.get(restart))
        expectErrorPage(try await TestBrowser(server).get(restart))
        #expect(try await server.remains() == before)
        // The pages that this browser has open are its own (docs/decisions/0104).
        expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
    }

    @Test("RFC 9126 §7.3: a password is not asked for again, nor taken, for an answered request")
    func answeredElsewhere() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        let late = TestBrowser(server)
        let page = try await late.authorize(reference(uri))
        expectPage(page, "authenticate")
        let code = expectCode(try await TestBrowser(server).signIn("alice", reference(uri)))
        #expect(try await server.redeem(code).status == 200)
        let before = try await server.remains()
        let bob = TestRealm.login("bob")
        expectErrorPage(try await late.submit(page, bob))
        #expect(try await server.remains() == before)
    }

    @Test("attack C35, RFC 9126 §4: parameters beside request_uri do not override pushed ones")
    func beside() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request("web1", scope: "openid")))
        let added = [
            ("redirect_uri", "https://evil.example"), ("scope", "admin email offline_access"),
            ("state", "evil"), ("response_mode", "form_post"), ("code_challenge", ""),
            ("response_type", "token"), ("prompt", "none"),
        ]
        let answer = try await TestBrowser(server).signIn("alice", reference(uri, "web1") + added)
        let code = expectCode(answer, of: "web1")
        let tokens = try await server.redeem(code, "web1")
        #expect(tokens.json.string("scope")?.contains("email") == false)
    }

    @Test("RFC 9126 §4: what was pushed is checked again, with the registration as it is now")
    func checkedAgain() async throws {
        let server = try await ProviderUnderTest()
        let uri = try requestURI(try await server.push(TestFlow.request()))
        let realm = try #require(server.provider.realms.realm(named: "test"))
        var client = try await realm.client(clientID: "native1")
        client?.isEnabled = false
        _ = try await server.database.realms.update(try #require(client))
        try await server.provider.realms.refresh()
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
        client?.isEnabled = true
        client?.redirectURIs = [RedirectURI("https://elsewhere.example.com/cb")]
        _ = try await server.database.realms.update(try #require(client))
        try await server.provider.realms.refresh()
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
    }

    @Test("RFC 9126 §5, §6: a client that must push is refused a request in the URL")
    func required() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].requiresPushedRequests = true
        }
        let direct = try await TestBrowser(server).authorize(TestFlow.request())
        expectError(direct, "invalid_request")
        let uri = try requestURI(try await server.push(TestFlow.request()))
        expectCode(try await TestBrowser(server).signIn("alice", reference(uri)))
    }

    @Test(
        "RFC 9126 §7.3: of many that open a request_uri at once in a signed-in browser one has a code",
        arguments: [false, true]
    )
    func pushedTogether(isRestart: Bool) async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let elsewhere = TestBrowser(server)
        let before = try await server.remains().grants
        for round in 1...20 {
            let pushed = try await server.push(TestFlow.request())
            var path = TestBrowser.authorizationPath(reference(try requestURI(pushed)))
            if isRestart {
                // Its page, which was left open where no one is signed in, begins it again here.
                let page = try await elsewhere.get(path)
                let sealed = page.hiddenFields.first { $0.name == "request" }?.value ?? ""
                path = "/realms/test/login-actions/restart?request=" + sealed
            }
            let address = path
            let replies = try await atOnce(1...20) { _ in try await browser.get(address) }
            let answered = replies.filter { $0.redirected["code"] != nil }
            #expect(answered.count == 1)
            for reply in replies where reply.redirected["code"] == nil { expectErrorPage(reply) }
            #expect(try await server.redeem(answered.first?.redirected["code"] ?? "").status == 200)
            #expect(try await server.remains().grants == before + Int64(round))
        }
    }
}
