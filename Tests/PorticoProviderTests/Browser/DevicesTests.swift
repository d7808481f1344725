import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Devices (WEB-SESS-7)") struct DevicesTests {
    private static let path = "/realms/test/account/devices"
    private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"
    private static let safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605"

    /// A person's browser, and the tokens that an app got in it.
    private struct Device {
        let browser: TestBrowser
        let access: String
        let refresh: String
        let sessionID: String

        init(
            _ server: ProviderUnderTest,
            of name: String = "alice",
            _ userAgent: String? = nil,
            client: String = "native1",
            scope: String = "openid"
        ) async throws {
            browser = TestBrowser(server, userAgent: userAgent)
            let tokens = try await server.tokens(name, client, scope: scope, browser: browser)
            access = try tokens.accessToken
            refresh = try tokens.refreshToken
            let idToken = tokens.json.string("id_token")
            sessionID = try #require(try ProviderUnderTest.claims(idToken).string("sid"))
        }

        func page() async throws -> Reply { try await browser.open(DevicesTests.path) }

        func post(_ page: Reply, _ fields: [(String, String)], headers: HTTPFields = [:])
            async throws -> Reply
        {
            let proof = page.formProof
            let reply = try await browser.post(
                DevicesTests.path,
                fields.contains { $0.0 == "csrf" } ? fields : fields + proof,
                headers: headers
            )
            return try await browser.follow(reply)
        }

        func end(_ sessionID: String, _ page: Reply? = nil) async throws -> Reply {
            var shown = page
            if shown == nil { shown = try await self.page() }
            return try await post(try #require(shown), [("id", sessionID), ("action", "end")])
        }

        func endOthers() async throws -> Reply {
            try await post(try await page(), [("action", "end-others")])
        }

        /// Whether its person is signed in at the Provider, and its app's tokens are good.
        func isLive(_ server: ProviderUnderTest) async throws -> Bool {
            let isSignedIn = try await page().text.contains("This device")
            #expect(try await (server.userInfo(access).status == 200) == isSignedIn)
            return isSignedIn
        }
    }

    private static func server(telling receiver: LogoutReceiver) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(tellingBy: receiver.transport) { new in
            new.clients[client: "web1"].backchannelLogoutURI = receiver.uri()
        }
    }

    private static func sessions(toldTo receiver: LogoutReceiver) throws -> [String?] {
        try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims().string("sid") }
    }

    /// The session ids that a page offers to end.
    private func offered(_ page: Reply) -> [String] {
        page.hiddenFields.filter { $0.name == "id" }.map(\.value)
    }

    @Test("Without a session the sign-in comes first, and then this page; each leads to the other")
    func signIn() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let form = try await browser.open(Self.path)
        #expect(form.status == 200)
        #expect(form.formAction == "/realms/test/account/sign-in")
        #expect(try await browser.submit(form, TestRealm.login()).location == Self.path)
        let page = try await browser.get(Self.path)
        #expect(page.status == 200)
        #expect(page.text.contains("alice@example.com"))
        #expect(page.text.contains("not signed in anywhere else"))
        #expect(page.text.contains("Unknown device"), "it did not say what it is")
        #expect(offered(page).isEmpty)
        let apps = try await browser.get("/realms/test/account/apps")
        for (shown, here) in [(page, "devices"), (apps, "apps")] {
            let links = try Markup(page: shown.text).all("nav").flatMap { $0.all("a") }
            #expect(
                links.map { $0.attributes["href"] } == [
                    "/realms/test/account", "/realms/test/account/details",
                    "/realms/test/account/devices", "/realms/test/account/apps",
                    "/realms/test/account/password", "/realms/test/account/second-factor",
                ]
            )
            let open = links.filter { $0.attributes["aria-current"] == "page" }
            #expect(open.map { $0.attributes["href"] } == ["/realms/test/account/" + here])
        }
    }

    @Test("Where the sign-in leads is what its form was made for, and nothing else")
    func place() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let form = try await browser.open(Self.path)
        for other in ["apps", "", "https://evil.example", "//evil.example"] {
            let reply = try await browser.submit(form, TestRealm.login() + [("page", other)])
            #expect(reply.status == 403, "\(other)")
            #expect(reply.location == nil)
        }
        #expect(try await server.remains() == Remains())
        let blocked = try await TestBrowser(server).submit(form, TestRealm.login())
        #expect(blocked.text.contains("Cookies are blocked"))
        #expect(blocked.text.contains(Self.path))
    }

    @Test("WEB-SESS-7: a person's live sessions are listed, this one first, by their own names")
    func list() async throws {
        let server = try await ProviderUnderTest()
        let expired = try await Device(server, "curl/8")
        server.clock.advance(by: 3600)
        let phone = try await Device(server, Self.safari)
        _ = try await Device(server, of: "bob", "Epiphany")
        server.clock.advance(by: 1200)
        let this = try await Device(server, Self.firefox)
        let page = try await this.page()
        #expect(page.status == 200)
        #expect(offered(page) == [phone.sessionID])
        let rows = try Markup(page: page.text).all("main").flatMap { $0.all("li") }.map(\.text)
        #expect(rows.count == 2)
        let first = try #require(rows.first)
        let last = try #require(rows.last)
        #expect(first.contains("Firefox · Linux") && first.contains("This device"))
        #expect(last.contains("Safari · iPhone") && last.contains("Last seen 20 minutes ago"))
        for words in ["GNOME Web", "curl", expired.sessionID, this.sessionID, "Mozilla"] {
            #expect(!page.text.contains(words), "\(words)")
        }
    }

    @Test("WEB-SESS-7, OIDCBCL-2.3-1: one session ends with its tokens, and its clients are told")
    func end() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(telling: receiver)
        let phone = try await Device(server, Self.safari, client: "web1")
        let third = try await Device(server, client: "web1")
        let request = TestFlow.request("native1", scope: "openid offline_access")
        let code = expectCode(try await phone.browser.authorize(request))
        let offline = try await server.redeem(code)
        let this = try await Device(server, Self.firefox)
        let ended = try await this.end(phone.sessionID)
        #expect(ended.status == 200)
        #expect(ended.text.contains(#"role="status""#))
        #expect(offered(ended) == [third.sessionID])
        #expect(try await !phone.isLive(server))
        #expect(try await third.isLive(server))
        #expect(try await this.isLive(server))
        // What was to outlive its session does; it is removed under "Connected apps".
        #expect(try await server.refresh(offline.refreshToken).status == 200)
        try await server.logout.round()
        let told = try Self.sessions(toldTo: receiver)
        #expect(told == [phone.sessionID])
        #expect(server.log.contains("event=sign_out "))
        #expect(server.log.contains("sid=\(phone.sessionID)"))
    }

    @Test("WEB-SESS-7: everywhere else ends all but this one, and no one else's")
    func endOthers() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(telling: receiver)
        let others = [
            try await Device(server, Self.safari, client: "web1"),
            try await Device(server, client: "web1"),
        ]
        let bobs = try await Device(server, of: "bob", client: "web1")
        let this = try await Device(server, Self.firefox, client: "web1")
        let ended = try await this.endOthers()
        #expect(ended.text.contains(#"role="status""#))
        #expect(ended.text.contains("not signed in anywhere else"))
        for other in others { #expect(try await !other.isLive(server)) }
        #expect(try await this.isLive(server))
        #expect(try await bobs.isLive(server))
        try await server.logout.round()
        let told = try Self.sessions(toldTo: receiver)
        #expect(Set(told) == Set(others.map { $0.sessionID }))
        #expect(server.log.contains("event=sign_out.elsewhere "))
    }

    @Test("WEB-SESS-7: another person's session, or a made-up one, is not ended")
    func notTheirs() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(telling: receiver)
        let bobs = try await Device(server, of: "bob", client: "web1")
        let this = try await Device(server, client: "web1")
        let phone = try await Device(server, client: "web1")
        let madeUp = "00000000-0000-4000-8000-000000000000"
        for id in [bobs.sessionID, madeUp, "", "x' OR '1'='1"] {
            let reply = try await this.end(id)
            #expect(reply.status == 200)
            #expect(offered(reply) == [phone.sessionID])
            // Whether there is such a session cannot be read from the answer.
            #expect(reply.text.contains(#"role="status""#))
        }
        #expect(try await this.post(try await this.page(), [("action", "end")]).status == 200)
        for device in [bobs, this, phone] { #expect(try await device.isLive(server)) }
        try await server.logout.round()
        #expect(receiver.tokens.isEmpty)
        #expect(!server.log.contains("event=sign_out"))
    }

    @Test("WEB-CSRF-1, WEB-CSRF-5: no other site, no link and no page of before ends a session")
    func forged() async throws {
        let server = try await ProviderUnderTest()
        let phone = try await Device(server, Self.safari)
        let this = try await Device(server, Self.firefox)
        let page = try await this.page()
        for fields in [[("id", phone.sessionID), ("action", "end")], [("action", "end-others")]] {
            #expect(try await this.post(page, fields + [("csrf", "")]).status == 403)
            let cross = try await this.post(page, fields, headers: [.fetchSite: "cross-site"])
            #expect(cross.status == 403)
            let query = TestBrowser.authorizationPath(fields, at: Self.path)
            #expect(try await this.browser.get(query).status == 200)
        }
        // The form of the other page is not this one's.
        let apps = try await this.browser.get("/realms/test/account/apps")
        let all = apps.formProof + [("action", "end-others")]
        #expect(try await this.post(page, all).status == 403)
        #expect(try await phone.isLive(server))
        // The page of another person's session does nothing in the next one: it leads to how it is now.
        _ = try await this.browser.signIn("bob", TestFlow.again)
        let old = try await this.post(
            page,
            [("id", phone.sessionID), ("action", "end")],
            headers: [.fetchSite: "same-origin"]
        )
        #expect(old.text.contains("href=\"\(Self.path)"))
        #expect(try await phone.isLive(server))
    }

    @Test("Whose session was ended elsewhere ends nothing: they are asked to sign in")
    func endedElsewhere() async throws {
        let server = try await ProviderUnderTest()
        let phone = try await Device(server, Self.safari)
        let this = try await Device(server, Self.firefox)
        let stale = try await phone.page()
        let page = try await this.page()
        _ = try await this.end(phone.sessionID, page)
        let refused = try await phone.post(stale, [("action", "end-others")])
        #expect(refused.formAction == "/realms/test/account/sign-in")
        #expect(try await phone.end(this.sessionID, stale).formAction == refused.formAction)
        #expect(try await this.isLive(server))
        // A row that is gone is gone, without harm.
        #expect(try await this.end(phone.sessionID, page).status == 200)
        #expect(try await phone.browser.submit(refused, TestRealm.login()).location == Self.path)
        #expect(offered(try await phone.page()) == [this.sessionID])
    }
}
