import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

/// What is issued is taken back, wherever it may come (docs/decisions/0102).
@Suite("Long tokens") struct TokenLengthTests {
    private static let mapper = ClaimMapper(
        .attribute("groups", aggregates: false),
        "groups",
        isMultivalued: true
    )

    /// Alice is in so many groups, which stand in every token.
    private static func server(_ groups: Int) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            realm.realm.mappers = [mapper]
            put(alice: groups, in: &realm)
        }
    }

    private static func put(alice groups: Int, in realm: inout NewRealm) {
        for index in realm.people.indices where realm.people[index].person.username == "alice" {
            realm.people[index].person.attributes["groups"] = (0..<groups).map {
                "/departments/of-the-company/group-number-\($0)"
            }
        }
    }

    @Test(
        "decision 0102: a person in hundreds of groups has tokens that every endpoint takes",
        arguments: [150, 300, 420]
    )
    func taken(_ groups: Int) async throws {
        let server = try await Self.server(groups)
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let access = try tokens.accessToken
        let hint = try tokens.idToken
        #expect(hint.utf8.count > groups * 60 && hint.utf8.count <= JWS.standardLimit)
        #expect(try await server.userInfo(access).json.strings("groups")?.count == groups)
        let posted = try await server.post(.endpoint("userinfo"), [("access_token", access)])
        #expect(posted.status == 200)
        #expect(try await server.introspect(access).json.bool("active") == true)
        // As a hint, without a page and with all of them, by GET, by POST and pushed.
        let request = TestFlow.request("web1", [("id_token_hint", hint), ("prompt", "none")])
        expectCode(try await browser.authorize(request), of: "web1")
        expectCode(try await browser.post(.endpoint("auth"), request), of: "web1")
        let shown = TestFlow.request("web1", [("id_token_hint", hint), ("prompt", "login")])
        expectCode(try await browser.signIn("alice", shown), of: "web1")
        let pushed = try await server.push(shown)
        let uri = try pushed.requestURI
        let reference = [("client_id", "web1"), ("request_uri", uri)]
        expectCode(try await browser.signIn("alice", reference), of: "web1")
        let bob = try await TestBrowser(server).signIn("bob", shown)
        #expect(bob.redirected["error"] == "login_required", "the hint still says who")
        // Signing out, by a page of the client's that posts it, and by GET.
        let cross = try await browser.post(
            .endpoint("logout"),
            [("id_token_hint", hint)],
            headers: [.fetchSite: "cross-site"]
        )
        let carried = try #require(cross.location)
        #expect(carried.utf8.count < 1000, "what the token said is enough")
        let elsewhere = try await TestBrowser(server).get(carried, headers: [.accept: "text/html"])
        #expect(elsewhere.formAction == String.endpoint("logout/logout-confirm"))
        let out = try await browser.get(String.endpoint("logout") + "?id_token_hint=" + hint)
        #expect(out.status == 200)
        #expect(try await server.remains().liveSessions == 1, "bob's")
    }

    @Test("decision 0102: what would not be taken back is not issued, and the log names the claim")
    func notIssued() async throws {
        let server = try await Self.server(900)
        let answer = try await server.redeem(server.code("alice", "web1"), "web1")
        #expect(answer.status == 500 && answer.error == "server_error")
        #expect(answer.json.string("error_description")?.contains("32 KiB") == true)
        #expect(answer.json["access_token"] == nil)
        #expect(server.log.contains("token.too_long"))
        #expect(server.log.contains("claim=groups"))
        #expect(!server.log.contains("group-number"), "not what stands in it")
        // No one else notices.
        #expect(try await server.tokens("bob", "web1").status == 200)
    }

    @Test(
        "decision 0102: a claim that no one could read is not issued, and the log names it",
        arguments: [
            ("\u{e4}", 4_000, true), ("\u{e4}", 4_200, false), ("a", 4_200, true),
            ("a", 9_000, true),
        ]
    )
    func longText(_ start: String, _ length: Int, _ isIssued: Bool) async throws {
        let server = try await ProviderUnderTest { realm in
            realm.realm.mappers = [
                Self.mapper,
                ClaimMapper(.attribute("bio", aggregates: false), "bio"),
            ]
            // Longer than what cannot be read.
            Self.put(alice: 100, in: &realm)
            for index in realm.people.indices where realm.people[index].person.username == "alice" {
                let text = start + String(repeating: "x", count: length)
                realm.people[index].person.attributes["bio"] = [text]
            }
        }
        let tokens = try await server.tokens("alice", "web1")
        #expect(tokens.status == (isIssued ? 200 : 500))
        #expect(server.log.contains("claim=bio") == !isIssued)
        guard isIssued else { return }
        let info = try await server.userInfo(tokens.accessToken)
        #expect(info.status == 200)
        #expect(info.text.contains("x\"") && info.text.utf8.count > length)
        let hint = try tokens.idToken
        let realm = try #require(server.provider.realms.realm(named: "test"))
        #expect(IDTokenHint(hint, of: realm, at: server.clock.seconds) != nil)
    }

    @Test("decision 0102: where a token cannot be issued, code and refresh token stay good")
    func spendsNothing() async throws {
        let server = try await Self.server(900)
        try await server.changeRealm { $0.mappers = [] }
        let tokens = try await server.tokens("alice", "web1")
        let code = try await server.code("alice", "web1")
        let refresh = [("grant_type", "refresh_token"), ("refresh_token", try tokens.refreshToken)]
        func refreshed() async throws -> Reply {
            try await server.token(refresh, basic: TestRealm.web1)
        }
        try await server.changeRealm { $0.mappers = [Self.mapper] }
        let before = try await server.remains()
        for _ in 0..<2 {
            #expect(try await server.redeem(code, "web1").error == "server_error")
            #expect(try await refreshed().error == "server_error")
        }
        #expect(try await server.remains() == before)
        try await server.changeRealm { $0.mappers = [] }
        #expect(try await server.redeem(code, "web1").status == 200)
        // Later than a lost answer may be asked for again.
        server.clock.advance(by: 120)
        #expect(try await refreshed().status == 200)
    }

    @Test("decision 0102: an exchange of a device secret that cannot be issued writes no grant")
    func exchange() async throws {
        let apps = try await VendorApps { Self.put(alice: 900, in: &$0) }
        let server = apps.server
        let form = VendorApps.exchange(of: try await apps.tokens())
        try await server.changeRealm { $0.mappers = [Self.mapper] }
        let before = try await server.remains()
        #expect(try await server.token(form).error == "server_error")
        #expect(try await server.remains() == before)
        try await server.changeRealm { $0.mappers = [] }
        #expect(try await server.token(form).status == 200)
    }

    @Test("A hint of what it said counts only where we sealed it ourselves")
    func carried() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let now = server.clock.seconds
        let hint = try #require(IDTokenHint(try tokens.idToken, of: realm, at: now))
        #expect(IDTokenHint(hint.carried, of: realm, isCarried: true, at: now) == hint)
        #expect(IDTokenHint(hint.carried, of: realm, at: now) == nil)
        for text in [hint.carried, "read:", "read:AAAA"] {
            let request = TestFlow.request("web1", [("id_token_hint", text), ("prompt", "none")])
            expectError(try await browser.authorize(request), "invalid_request", of: "web1")
            #expect(try await server.push(request).error == "invalid_request")
            let out = try await browser.get(
                FormEncoding.appending([("id_token_hint", text)], to: String.endpoint("logout"))
            )
            #expect(out.status == 400)
        }
        #expect(try await server.remains().liveSessions == 1)
    }

    @Test("RFC 6750 §2.1: more than one space behind the scheme is taken, nothing else")
    func spaces() async throws {
        let server = try await ProviderUnderTest()
        let access = try await server.tokens().accessToken
        func status(_ field: String) async throws -> Int {
            try await server.userInfo(field, proofs: []).status
        }
        for field in ["Bearer  \(access)", "bearer    \(access)"] {
            #expect(try await status(field) == 200)
        }
        for field in ["Bearer\t\(access)", "Bearer \(access) x", "Bearer", "Bearer  "] {
            #expect(try await status(field) != 200, "\(field.prefix(9))")
        }
    }

    @Test("A client's Basic credentials may have more than one space before them, too")
    func basic() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code("alice", "web1")
        let field = ProviderUnderTest.basic("web1", TestRealm.secret)
            .replacing("Basic ", with: "basic   ")
        let reply = try await server.post(
            .endpoint("token"),
            TestFlow.redemption(code, "web1").filter { $0.0 != "client_id" },
            headers: [.authorization: field]
        )
        #expect(reply.status == 200)
    }
}
