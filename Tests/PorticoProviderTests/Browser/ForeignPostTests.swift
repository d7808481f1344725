import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// Posts that a page of another site sends: the browser keeps back its `SameSite=Lax` cookies, and would
/// take new ones in their place.
@Suite("Requests from other sites") struct ForeignPostTests {
    /// What tells that a post is not from a page of ours.
    private static let foreign: [HTTPFields] = [
        [.fetchSite: "cross-site"], [.fetchSite: "same-site"], [.origin: "https://evil.example"],
        [.origin: "null"], [.fetchSite: "cross-site", .origin: "https://op.example.com"],
        [.origin: "https://op.example.com:8443"], [.origin: "http://op.example.com"],
    ]

    /// Without what the browser keeps back; what it gets, it keeps.
    private func post(
        _ browser: TestBrowser,
        _ path: String,
        _ form: [(String, String)],
        _ headers: HTTPFields
    ) async throws -> Reply {
        let own = browser.cookies
        browser.cookies = [:]
        let reply = try await browser.post(path, form, headers: headers)
        #expect(reply.headers[values: .setCookie].isEmpty)
        #expect(browser.cookies.isEmpty)
        browser.cookies = own
        return reply
    }

    @Test(
        "WEB-CSRF-1, OpenID Connect Core §3.1.2.1: a request that another site posts replaces no cookie",
        arguments: foreign
    )
    func authorization(_ headers: HTTPFields) async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let first = try await browser.authorize(TestFlow.request("web1"))
        expectPage(first, "authenticate")
        let reply = try await post(browser, String.endpoint("auth"), TestFlow.request(), headers)
        #expect(reply.status == 303)
        let location = try #require(reply.location)
        #expect(location.hasPrefix("/realms/test/login-actions/restart?request="))
        #expect(reply.headers[.cacheControl] == "no-store")
        expectPage(try await browser.get(location), "authenticate")
        // Both forms are good: the cookie of the first is that of the second.
        expectCode(try await browser.submit(first, TestRealm.login()), of: "web1")
        expectCode(try await browser.get(location))
    }

    @Test("OpenID Connect Core §3.1.2.1: what another site posts finds the person signed in")
    func signedIn() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        _ = try await browser.signIn("alice", TestFlow.request("web1"))
        let path = String.endpoint("auth")
        let reply = try await post(browser, path, TestFlow.silent, [.fetchSite: "cross-site"])
        expectCode(try await browser.get(try #require(reply.location)))
        let pushed = try await server.push(TestFlow.request())
        let reference = [("client_id", "native1"), ("request_uri", try pushed.requestURI)]
        let second = try await post(browser, path, reference, [.fetchSite: "cross-site"])
        expectCode(try await browser.get(try #require(second.location)))
        expectErrorPage(try await browser.get(try #require(second.location)))
    }

    @Test("RFC 6749 §4.1.2.1: what is wrong with a request is said at once, without a cookie")
    func refused() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let path = String.endpoint("auth")
        let headers: HTTPFields = [.fetchSite: "cross-site"]
        let unknown = TestFlow.request("native1", [("client_id", "nobody")])
        expectErrorPage(try await post(browser, path, unknown, headers))
        let plain = TestFlow.request("native1", [("code_challenge_method", "plain")])
        expectError(try await post(browser, path, plain, headers), "invalid_request")
    }

    @Test(
        "a post of our own origin, or of no browser, is answered as a get",
        arguments: [
            [.fetchSite: "same-origin"], [.fetchSite: "same-origin", .origin: "null"],
            [.origin: "https://op.example.com"], [:],
        ] as [HTTPFields]
    )
    func own(_ headers: HTTPFields) async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.post(.endpoint("auth"), TestFlow.request(), headers: headers)
        expectPage(page, "authenticate")
        expectCode(try await browser.submit(page, TestRealm.login()))
    }

    @Test(
        "RP-Initiated Logout §2: a client's page posts the sign-out, and the session's cookie comes along",
        arguments: foreign
    )
    func signOut(_ headers: HTTPFields) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let hint = try tokens.idToken
        let (path, bye) = (String.endpoint("logout"), "https://app.example.com/bye")
        let form = [("id_token_hint", hint), ("post_logout_redirect_uri", bye), ("state", "s-3")]
        let reply = try await post(browser, path, form, headers)
        #expect(reply.status == 303)
        let location = try #require(reply.location)
        #expect(location.hasPrefix(path + "?request="))
        #expect(!location.contains(hint), "the hint stays out of logs")
        #expect(try await server.remains().liveSessions == 1)
        // In another browser it asks, as the hint itself would.
        let page: HTTPFields = [.accept: "text/html"]
        let stranger = try await TestBrowser(server).get(location, headers: page)
        #expect(stranger.formAction == path + "/logout-confirm")
        #expect(try await browser.get(location).location == bye + "?state=s-3")
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("RP-Initiated Logout §4: a posted sign-out that is wrong, or too long, is a page")
    func refusedSignOut() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let path = String.endpoint("logout")
        let long = [("ui_locales", String(repeating: "a", count: 20_000))]
        expectErrorPage(try await post(browser, path, long, [.fetchSite: "cross-site"]))
        for form in [[("id_token_hint", "x")], [("client_id", "nobody")]] {
            // Only with its cookies does the browser show who is still signed in.
            let reply = try await post(browser, path, form, [.fetchSite: "cross-site"])
            let location = try #require(reply.location)
            #expect(location.hasPrefix(path + "?request="))
            let page = try await browser.get(location)
            expectErrorPage(page)
            #expect(page.formAction == path + "/logout-confirm")
        }
        // What is no seal of ours says nothing: the page asks.
        for request in ["", "x", String(repeating: "A", count: 5000)] {
            let reply = try await browser.get(path + "?request=" + request)
            #expect(reply.formAction == path + "/logout-confirm")
        }
        #expect(try await server.remains().liveSessions == 1)
    }

    @Test(
        "attack E30: a hint in the words that only we carry, posted by another site, is no hint",
        arguments: [false, true]
    )
    func forgedHint(isEnough: Bool) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser {
            $0.realm.signsOutByHintAlone = isEnough
        }
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let claims = try tokens.claims
        var writer = ByteWriter()
        writer.text(claims.string("sub") ?? "")
        writer.text("web1")
        // Every answer to an app has it, as session_state.
        writer.optionalText(claims.string("sid"))
        writer.optionalText(nil)
        let forged = "read:" + Base64URL.encode(writer.bytes)
        let path = String.endpoint("logout")
        let form = [("id_token_hint", forged)]
        let reply = try await post(browser, path, form, [.fetchSite: "cross-site"])
        let location = try #require(reply.location)
        for visitor in [TestBrowser(server), browser] {
            expectErrorPage(try await visitor.get(location, headers: [.accept: "text/html"]))
            #expect(try await server.remains().liveSessions == 1)
        }
        // The person may sign out all the same.
        let page = try await browser.get(location)
        #expect(page.formAction == path + "/logout-confirm")
        #expect(try await browser.submit(page, [("action", "sign-out")]).status == 200)
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("WEB-CSRF-3: an account page's form from another site is refused, and sets no cookie")
    func accountPages() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        _ = try await browser.authorize(TestFlow.request())
        for page in ["apps", "devices"] {
            for headers in Self.foreign {
                let path = "/realms/test/account/" + page
                let reply = try await post(browser, path, [("action", "end-others")], headers)
                #expect(reply.status == 403)
            }
        }
    }

    private static let restart = "/realms/test/login-actions/restart"

    private func fields(_ site: String, _ mode: String, _ place: String) -> HTTPFields {
        var fields: HTTPFields = [.accept: "*/*"]
        fields[.fetchSite] = site
        fields[.fetchMode] = mode
        fields[.fetchDestination] = place
        return fields
    }

    @Test(
        "decision 0093: a picture or a frame begins no authorization request; a link and prompt=none do",
        arguments: ["auth", "registrations", "forgot-credentials", "restart"]
    )
    func begins(_ name: String) async throws {
        let server = try await ProviderUnderTest(sendsMail: true) {
            $0.realm.registration = .email
        }
        let path = name == "restart" ? Self.restart : server.path(of: name)
        func ask(_ fields: HTTPFields, _ changes: [(String, String)] = []) async throws -> Reply {
            let request = TestFlow.request("native1", changes)
            return try await server.send(
                .get,
                TestBrowser.authorizationPath(request, at: path),
                headers: fields
            )
        }
        // Of restart nothing has begun that could begin again, which is 403 too.
        func isTaken(_ reply: Reply) -> Bool {
            name == "restart"
                ? reply.text.contains("couldn’t match this sign-in") : reply.status != 403
        }
        for (mode, place) in [("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty")] {
            let reply = try await ask(fields("cross-site", mode, place))
            #expect(reply.status == 403 && reply.location == nil && !isTaken(reply))
            #expect(reply.headers[values: .setCookie].isEmpty)
        }
        #expect(isTaken(try await ask(fields("cross-site", "navigate", "document"))))
        #expect(isTaken(try await ask(fields("same-origin", "navigate", "iframe"))))
        if name == "restart" {
            // What goes on may be a silent one.
            let silent = fields("cross-site", "navigate", "iframe")
            #expect(isTaken(try await ask(silent, [("request", "x")])))
        }
        guard name == "auth" else { return }
        let silent = try await ask(fields("cross-site", "navigate", "iframe"), [("prompt", "none")])
        #expect(silent.redirected["error"] == "login_required")
    }

    @Test(
        "decision 0093: what other sites lead a person to uses up nothing of their address",
        arguments: ["get", "post", "forgot-credentials", "restart"]
    )
    func apart(_ way: String) async throws {
        let scene = try await ATScene(sendsMail: true)
        let browser = TestBrowser(scene.server)
        let page = try await browser.authorize(try await scene.reference())
        let sealed = try #require(page.hiddenFields.first { $0.name == "request" }).value
        scene.server.clock.advance(by: 550)
        let reference = try await scene.reference()
        scene.server.clock.advance(by: 50)
        // From now on each request has the document fetched.
        scene.sites[ATScene.url] = nil
        let auth = scene.server.path(of: "auth")
        func ask(_ fields: HTTPFields) async throws -> Int {
            guard way != "post" else {
                return try await browser.post(auth, reference, headers: fields).status
            }
            let path =
                switch way {
                case "get": TestBrowser.authorizationPath(reference, at: auth)
                case "restart":
                    TestBrowser.authorizationPath([("request", sealed)], at: Self.restart)
                default:
                    TestBrowser.authorizationPath(reference, at: String.endpoint(way))
                }
            return try await browser.get(path, headers: fields).status
        }
        var statuses: [Int] = []
        for _ in 1...25 {
            statuses.append(try await ask(fields("cross-site", "navigate", "document")))
        }
        #expect(statuses == [Int](repeating: 400, count: 20) + [Int](repeating: 429, count: 5))
        #expect(scene.sites.fetched.count == 1 + 20)
        #expect(try await ask([.accept: "text/html"]) == 400)
        #expect(scene.sites.fetched.count == 1 + 21)
    }

    @Test("decision 0093: what another site's page pushes uses up nothing of its visitor's")
    func pushed() async throws {
        let server = try await ProviderUnderTest()
        let path = server.path(of: "ext/par/request")
        let form = TestFlow.request("native1")
        func push(_ fields: HTTPFields) async throws -> Int {
            try await server.post(path, form, headers: fields).status
        }
        for (mode, place) in [("no-cors", "empty"), ("navigate", "iframe")] {
            for _ in 1...61 {
                #expect(try await push(fields("cross-site", mode, place)) == 403)
            }
        }
        #expect(try await server.remains().pushedRequests == 0)
        // A browser app's script may.
        for number in 1...62 {
            let status = try await push(fields("cross-site", "cors", "empty"))
            #expect(status == (number > 60 ? 429 : 201), "\(number)")
        }
        #expect(try await push([:]) == 201)
    }

    @Test(
        "decision 0093: documents that other sites' pages have fetched use up nothing of a visitor's",
        arguments: ["ext/par/request", "token", "revoke"]
    )
    func documents(_ name: String) async throws {
        let scene = try await ATScene()
        // Each request has it fetched.
        scene.sites[ATScene.url] = nil
        let form = [("client_id", ATScene.url), ("grant_type", "refresh_token")]
        func ask(_ fields: HTTPFields) async throws -> Int {
            let proof: String? =
                if name == "token" { try await scene.app.proof(.post, name) } else { nil }
            return try await scene.server.post(name, form, proof: proof, headers: fields).status
        }
        let unread = fields("cross-site", "no-cors", "empty")
        if name != "revoke" {
            #expect(try await ask(unread) == 403)
            #expect(scene.sites.fetched.isEmpty)
        }
        let sent = name == "revoke" ? unread : fields("cross-site", "cors", "empty")
        var statuses: [Int] = []
        for _ in 1...25 { statuses.append(try await ask(sent)) }
        #expect(statuses == [Int](repeating: 400, count: 20) + [Int](repeating: 429, count: 5))
        #expect(scene.sites.fetched.count == 20)
        #expect(try await ask([:]) == 400)
        #expect(scene.sites.fetched.count == 21)
    }

    @Test("decision 0093: another site's page asks for no introspection, and uses up no guesses")
    func introspection() async throws {
        let server = try await ProviderUnderTest()
        let path = server.path(of: "token/introspect")
        let form = [("client_id", "web1"), ("client_secret", "wrong"), ("token", "x")]
        for site in ["cross-site", "same-site"] {
            for _ in 1...25 {
                let reply = try await server.post(
                    path,
                    form,
                    headers: fields(site, "no-cors", "empty")
                )
                #expect(reply.status == 403 && reply.error == "forbidden")
            }
        }
        #expect(try await server.post(path, form).status == 401)
    }
}
