import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

/// What was under way when they were disabled, too.
@Suite("Clients and realms that are disabled") struct DisabledClientTests {
    private static let bye = "https://app.example.com/bye"

    private static func server() async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            realm.clients[client: "third"].postLogoutRedirectURIs = [RedirectURI(bye)]
            realm.clients[client: "third"].webOrigins = ["https://third.example.org"]
        }
    }

    private func logout(_ browser: TestBrowser, _ parameters: [(String, String)]) async throws
        -> Reply
    {
        try await browser.get(
            TestBrowser.authorizationPath(parameters, at: String.endpoint("logout"))
        )
    }

    @Test("RFC 6749 §3.1.2.4: at the authorization endpoint it is unknown: a page, and no redirect")
    func authorization() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        let request = TestFlow.request("third")
        let signIn = try await browser.authorize(request)
        let other = TestBrowser(server)
        let consent = try await other.signIn("alice", request)
        expectPage(consent, "consent")
        let pushed = try await server.push(request)
        let uri = try pushed.requestURI
        let before = try await server.remains()
        try await server.change("third") { $0.isEnabled = false }

        expectErrorPage(try await browser.authorize(request))
        for changes in [[("prompt", "none")], [("response_type", "token")], [("scope", "\"")]] {
            expectErrorPage(try await browser.authorize(TestFlow.request("third", changes)))
        }
        expectErrorPage(try await server.post(.endpoint("auth"), request))
        expectErrorPage(
            try await browser.authorize([("client_id", "third"), ("request_uri", uri)])
        )
        // What was begun before goes no further, by no button.
        let password = TestRealm.login()
        for action in ["sign-in", "cancel", "switch"] {
            let form = password + [("action", action)]
            expectErrorPage(try await browser.submit(signIn, form))
        }
        for action in ["allow", "deny", "switch"] {
            expectErrorPage(try await other.submit(consent, [("action", action)]))
        }
        let sealed = try #require(signIn.hiddenFields.first { $0.name == "request" }).value
        expectErrorPage(
            try await browser.get("/realms/test/login-actions/restart?request=" + sealed)
        )
        #expect(try await server.remains() == before)

        try await server.change("third") { $0.isEnabled = true }
        expectCode(try await other.submit(consent, [("action", "allow")]), of: "third")
    }

    @Test("RFC 6749 §3.2.1: the endpoints for clients refuse it, and spend nothing")
    func programs() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let code = try await browser.authorize(TestFlow.request("web1")).redirected["code"] ?? ""
        let refresh = try tokens.refreshToken
        let access = try tokens.accessToken
        try await server.change("web1") { $0.isEnabled = false }

        for (path, form) in [
            ("token", TestFlow.redemption(code, "web1", [("client_id", "")])),
            ("token", [("grant_type", "refresh_token"), ("refresh_token", refresh)]),
            ("ext/par/request", TestFlow.request("web1", [("client_id", "")])),
            ("token/introspect", [("token", access)]), ("revoke", [("token", refresh)]),
            ("logout", [("refresh_token", refresh)]),
        ] {
            let reply = try await server.post(.endpoint(path), form, headers: .web1)
            #expect(reply.status == 401, "\(path)")
            #expect(reply.error == "invalid_client", "\(path)")
        }
        #expect(try await server.userInfo(access).status == 401)

        try await server.change("web1") { $0.isEnabled = true }
        #expect(try await server.userInfo(access).status == 200)
        #expect(try await server.redeem(code, "web1").status == 200)
    }

    @Test("RP-Initiated Logout §4: at the end session endpoint it is unknown, and nothing ends")
    func signOut() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let hint = try tokens.idToken
        let page = try await logout(
            browser,
            [("client_id", "web1"), ("post_logout_redirect_uri", Self.bye)]
        )
        #expect(page.formAction == String.endpoint("logout/logout-confirm"))
        try await server.change("web1") { $0.isEnabled = false }
        for parameters in [
            [("client_id", "web1")], [("id_token_hint", hint)],
            [("client_id", "web1"), ("post_logout_redirect_uri", Self.bye)],
            [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye)],
        ] {
            expectErrorPage(try await logout(browser, parameters))
            expectErrorPage(try await logout(TestBrowser(server), parameters))
        }
        for action in ["sign-out", "stay"] {
            expectErrorPage(try await browser.submit(page, [("action", action)]))
        }
        #expect(try await server.remains().liveSessions == 1)
        // The person gets out all the same.
        let own = try await logout(browser, [])
        #expect(try await browser.submit(own, [("action", "sign-out")]).status == 200)
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("RFC 9700 §2.6: its origins read nothing any more, those of the others do")
    func origins() async throws {
        let server = try await Self.server()
        func allowed(_ origin: String) async throws -> String? {
            let reply = try await server.send(.post, .endpoint("token"), headers: [.origin: origin])
            return reply.headers[.accessControlAllowOrigin]
        }
        let (third, web1) = ("https://third.example.org", "https://app.example.com")
        #expect(try await allowed(third) == third)
        try await server.change("third") { $0.isEnabled = false }
        #expect(try await allowed(third) == nil)
        #expect(try await allowed(web1) == web1)
        try await server.change("web1") { $0.isEnabled = false }
        #expect(try await allowed(web1) == nil)
    }

    private func expectNothing(_ reply: Reply, _ what: String) {
        #expect(reply.status == 404, "\(what)")
        #expect(reply.location == nil, "\(what)")
        #expect(reply.headers[values: .setCookie].isEmpty, "\(what)")
        #expect(reply.json["access_token"] == nil, "\(what)")
        #expect(reply.formAction == nil, "\(what)")
    }

    @Test(
        "a disabled realm answers at none of its addresses, for any client"
    )
    func everyAddress() async throws {
        let server = try await Self.disabled.value
        let browser = TestBrowser(server)
        let routes = try server.provider.service.routes.routes
        #expect(routes.count > 30)
        for route in routes {
            let method = route.method
            let path = route.path.description.replacing("{realm}", with: "test")
            let reply =
                method == .post ? try await browser.post(path, []) : try await browser.get(path)
            expectNothing(reply, "\(method) \(path)")
        }
    }

    @Test("a disabled realm has no metadata anywhere, and no page")
    func places() async throws {
        let server = try await Self.disabled.value
        for path in [
            "/realms/test", "/.well-known/openid-configuration/realms/test",
            "/.well-known/oauth-authorization-server/realms/test",
        ] {
            expectNothing(try await server.send(.get, path), path)
        }
    }

    @Test(
        "KC-P-3: programs are told of a realm that there is not, or that is disabled, as Keycloak tells them",
        arguments: ["test", "nowhere"]
    )
    func words(_ realm: String) async throws {
        let server = try await Self.disabled.value
        let routes = try server.provider.service.routes.routes
        for route in routes where route.audience == .programs {
            let reply = try await server.send(
                route.method,
                route.path.description.replacing("{realm}", with: realm),
                headers: [.accept: "text/html"]
            )
            #expect(reply.status == 404)
            #expect(reply.headers[.contentType] == "application/json")
            #expect(reply.json == ["error": "Realm does not exist"])
        }
    }

    private static let disabled = Task {
        try await ProviderUnderTest { $0.realm.isEnabled = false }
    }

    @Test("what a realm gave before it was disabled is refused, not spent, and good again later")
    func meanwhile() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens(browser: browser)
        let access = try tokens.accessToken
        let refresh = try tokens.refreshToken
        let hint = try tokens.idToken
        let answer = try await browser.authorize(TestFlow.request())
        let code = try #require(answer.redirected["code"])
        let stranger = TestBrowser(server)
        let page = try await stranger.authorize(TestFlow.request())
        let pushed = try await server.push(TestFlow.request())
        let reference = try pushed.requestURI
        #expect(page.status == 200)
        let before = try await server.remains()

        try await server.changeRealm { $0.isEnabled = false }
        expectNothing(try await server.redeem(code), "a code")
        expectNothing(try await server.refresh(refresh), "a refresh token")
        expectNothing(try await server.userInfo(access), "an access token")
        expectNothing(try await browser.authorize(TestFlow.request()), "a browser's session")
        let password = TestRealm.login()
        expectNothing(try await stranger.submit(page, password), "a right password")
        expectNothing(
            try await browser.authorize([("client_id", "native1"), ("request_uri", reference)]),
            "a pushed request"
        )
        expectNothing(
            try await browser.get(ProviderUnderTest.path("logout?id_token_hint=" + hint)),
            "a hint"
        )
        expectNothing(
            try await server.token(TestFlow.own, basic: TestRealm.machine),
            "a client's secret"
        )
        #expect(try await server.remains() == before)

        try await server.changeRealm { $0.isEnabled = true }
        #expect(try await server.userInfo(access).status == 200)
        #expect(try await server.redeem(code).status == 200)
        #expect(try await server.refresh(refresh).status == 200)
        #expect(try await stranger.submit(page, password).redirected["code"] != nil)
    }
}
