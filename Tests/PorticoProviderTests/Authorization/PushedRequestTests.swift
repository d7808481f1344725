import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Pushed authorization requests (RFC 9126)") struct PushedRequestTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private let prefix = "urn:ietf:params:oauth:request_uri:"

    private func reference(_ uri: String, _ client: String = "native1") -> [(String, String)] {
        [("client_id", client), ("request_uri", uri)]
    }

    @Test("RFC 9126 §2.2: 201 with a reference that no one guesses and a short life, never cached")
    func pushed() async throws {
        let first = try await server.push(TestFlow.request())
        let second = try await server.push(TestFlow.request())
        #expect(first.status == 201)
        #expect(first.headers[.contentType] == "application/json")
        #expect(first.headers[.cacheControl] == "no-store")
        let lifetime = try #require(first.json.int64("expires_in"))
        #expect((5...600).contains(lifetime))
        let uris = try [first, second].map { try $0.requestURI }
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
        let uri = try await server.push(
            TestFlow.request("native1", [("login_hint", "ann-of-the-hint")])
        ).requestURI
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

    @Test("RFC 9126 §2, RFC 9700 §2.5: the client proves itself as at the token endpoint")
    func authentication() async throws {
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
        #expect(try await server.post(path, TestFlow.request("nobody")).status == 401)
        #expect(try await server.remains().pushedRequests == 0)
    }

    @Test("RFC 9126 §2, RFC 7523 §3: an assertion is for the issuer alone, and good once")
    func assertion() async throws {
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
        #expect(try await push(TestRealm.issuer, "j-1").status == 401)
        #expect(try await server.remains().pushedRequests == 1)
        // RFC 9126 §2.1: the credentials are no part of the request.
        expectCode(
            try await TestBrowser(server).signIn("alice", reference(pushed.requestURI, "jwt1")),
            of: "jwt1"
        )
    }

    @Test("RFC 9126 §2.1: request_uri must not be pushed")
    func pushedReference() async throws {
        let uri = try await server.push(TestFlow.request()).requestURI
        for value in [uri, "https://evil.example/request"] {
            let reply = try await server.push(TestFlow.request() + [("request_uri", value)])
            #expect(reply.status == 400 && reply.error == "invalid_request")
        }
        #expect(try await server.remains().pushedRequests == 1)
    }

    @Test("RFC 9126 §2.2: a reference is good for the client that pushed it and for no one else")
    func otherClient() async throws {
        let uri = try await server.push(TestFlow.request()).requestURI
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
        let pushed = try await server.push(TestFlow.request())
        let uri = try pushed.requestURI
        let answered = try await server.push(TestFlow.request()).requestURI
        expectCode(try await TestBrowser(server).signIn("alice", reference(answered)))
        server.clock.advance(by: Double(pushed.json.int64("expires_in") ?? 0) - 1)
        expectPage(try await TestBrowser(server).authorize(reference(uri)), "authenticate")
        server.clock.advance(by: 1)
        expectError(try await TestBrowser(server).authorize(reference(uri)), "invalid_request_uri")
        // No one else learns whose it was, and where an answer was given there is no second one.
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri, "web1")))
        expectErrorPage(try await TestBrowser(server).authorize(reference(answered)))
        try await server.database.pushedRequests.purgePushedRequests(
            before: server.clock.seconds + 1
        )
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
    }

    @Test("RFC 9126 §4, §7.1: an invented reference is a page, without a redirect")
    func invented() async throws {
        let uri = try await server.push(TestFlow.request()).requestURI
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
        let uri = try await server.push(TestFlow.request()).requestURI
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
        let other = try await ProviderUnderTest(database: server.database, clock: server.clock)
        let third = try await ProviderUnderTest(database: server.database, clock: server.clock)
        let uri = try await server.push(TestFlow.request()).requestURI
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
        let uri = try await server.push(TestFlow.request("third", [("prompt", "login")])).requestURI
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

    @Test("attack C35, RFC 9126 §4: parameters beside request_uri do not override pushed ones")
    func beside() async throws {
        let uri = try await server.push(TestFlow.request("web1", scope: "openid")).requestURI
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
        let uri = try await server.push(TestFlow.request()).requestURI
        try await server.change("native1") { $0.isEnabled = false }
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
        try await server.change("native1") {
            $0.isEnabled = true
            $0.redirectURIs = [RedirectURI("https://elsewhere.example.com/cb")]
        }
        expectErrorPage(try await TestBrowser(server).authorize(reference(uri)))
    }

    @Test("RFC 9126 §5, §6: a client that must push is refused a request in the URL")
    func required() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].requiresPushedRequests = true
        }
        expectError(try await TestBrowser(server).authorize(TestFlow.request()), "invalid_request")
        let uri = try await server.push(TestFlow.request()).requestURI
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
            var path = TestBrowser.authorizationPath(reference(try pushed.requestURI))
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

    @Test("WEB-BRUTE-2: pushed requests of public clients are limited for one network address")
    func publicClients() async throws {
        let server = try await ProviderUnderTest()
        for _ in 1...60 {
            #expect(try await server.push(TestFlow.request()).status == 201)
        }
        let refused = try await server.push(TestFlow.request())
        #expect(refused.status == 429)
        #expect(refused.json["request_uri"] == nil)
        // The name of another client costs no one anything.
        #expect(try await server.push(TestFlow.request("third")).status == 429)
        #expect(try await server.remains().pushedRequests == 60)
        let elsewhere = try await server.post(
            .endpoint("ext/par/request"),
            TestFlow.request(),
            from: "192.0.2.2"
        )
        #expect(elsewhere.status == 201)
        #expect(try await server.push(TestFlow.request("web1")).status == 201, "it proves itself")
        server.clock.advance(by: try #require(refused.headers[.retryAfter].flatMap { Double($0) }))
        #expect(try await server.push(TestFlow.request()).status == 201)
        #expect(try await server.push(TestFlow.request()).status == 429)
        #expect(try await server.remains().pushedRequests == 63)
    }

    @Test("WEB-BRUTE-2: a client with a document is a stranger, also if it proves itself")
    func documented() async throws {
        let scene = try await ATScene(isConfidential: true)
        for _ in 1...599 { #expect(try await scene.push().status == 201) }
        let path = scene.server.path(of: "ext/par/request")
        let wrong = [("redirect_uri", "https://x.example")]
        // What is refused is a row, too: its assertion is spent.
        #expect(try await scene.push(wrong).status == 400)
        let spent = try await scene.server.spentAssertions()
        let refused = try await scene.push()
        #expect(refused.status == 429)
        #expect(refused.headers[.retryAfter] != nil)
        #expect(try await scene.push(wrong).status == 429)
        #expect(try await scene.refresh("none").status == 429)
        #expect(try await scene.server.remains().pushedRequests == 599)
        #expect(try await scene.server.spentAssertions() == spent)
        let elsewhere = try await scene.server.post(
            path,
            scene.request() + scene.proof(),
            from: "192.0.2.99"
        )
        #expect(elsewhere.status == 201)
        scene.server.clock.advance(by: 60)
        #expect(try await scene.push().status == 201)
        #expect(try await scene.refresh("none").error == "invalid_grant")
    }

    @Test("WEB-BRUTE-2: as many as come at once are limited as those that come one by one")
    func limitTogether() async throws {
        for _ in 0..<5 {
            let server = try await ProviderUnderTest()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await server.push(TestFlow.request()).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 60, 429: 40])
            #expect(try await server.remains().pushedRequests == 60)
        }
    }

    @Test("WEB-BRUTE-2: a request that is refused takes no one's place")
    func refused() async throws {
        let server = try await ProviderUnderTest()
        for _ in 1...70 {
            let wrong = TestFlow.change(TestFlow.request(), [("redirect_uri", "https://x.example")])
            #expect(try await server.push(wrong).status == 400)
        }
        #expect(try await server.push(TestFlow.request()).status == 201)
    }

    /// A good request, as many bytes long as it is kept. What no one knows is not read
    /// (RFC 6749 §3.1).
    private func request(ofLength length: Int) -> [(String, String)] {
        let request = TestFlow.request("third", [("prompt", "login")])
        let bare = FormEncoding.encode((request + [("x", "")]).map { (name: $0.0, value: $0.1) })
        return request + [("x", String(repeating: "x", count: length - bare.count))]
    }

    @Test("RFC 9126 §2.3: a request that no page could carry is refused when it is pushed")
    func length() async throws {
        let server = try await ProviderUnderTest()
        let long = try await server.push(request(ofLength: 16_385))
        #expect(long.status == 400 && long.error == "invalid_request")
        #expect(try await server.remains().pushedRequests == 0)
        // The longest goes through every page.
        let pushed = try await server.push(request(ofLength: 16_384))
        #expect(pushed.status == 201)
        let uri = try pushed.requestURI
        let reference = [("client_id", "third"), ("request_uri", uri)]
        let browser = TestBrowser(server)
        let consent = try await browser.signIn("alice", reference)
        expectPage(consent, "consent")
        expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
    }

    @Test("RFC 9126 §2.3: a request that is too large is 413, one that is no form 400")
    func size() async throws {
        let server = try await ProviderUnderTest()
        let large = TestFlow.request("native1", [("nonce", String(repeating: "n", count: 70_000))])
        #expect(try await server.push(large).status == 413)
        let json = try await server.send(
            .post,
            .endpoint("ext/par/request"),
            headers: [.contentType: "application/json"],
            body: Array("{}".utf8)
        )
        #expect(json.status == 400 && json.error == "invalid_request")
    }
}
