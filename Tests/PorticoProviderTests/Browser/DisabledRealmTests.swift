import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("A realm that is disabled") struct DisabledRealmTests {
    private func expectNothing(_ reply: Reply, _ what: String) {
        #expect(reply.status == 404, "\(what)")
        #expect(reply.location == nil, "\(what)")
        #expect(reply.headers[values: .setCookie].isEmpty, "\(what)")
        #expect(reply.json["access_token"] == nil, "\(what)")
        #expect(reply.formAction == nil, "\(what)")
    }

    @Test(
        "none of its addresses answers any method, for any client"
    )
    func everyAddress() async throws {
        let server = try await Self.server.value
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

    @Test("its metadata is at none of its places, and its own address is no page")
    func places() async throws {
        let server = try await Self.server.value
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
        let server = try await Self.server.value
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

    private static let server = Task {
        try await ProviderUnderTest { $0.realm.isEnabled = false }
    }

    @Test("what was good before is refused and not spent: enabled again, it is good again")
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
