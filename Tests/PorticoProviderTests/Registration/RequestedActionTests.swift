import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What an app asks a person to do (kc_action)") struct RequestedActionTests {
    private let server: ProviderUnderTest
    private let browser: TestBrowser

    init() async throws {
        server = try await Self.server()
        browser = TestBrowser(server)
    }

    private static let password = "seven rivers run to sea"

    /// Where the apps came from Keycloak.
    private static func server(
        sendsMail: Bool = true,
        configure: @escaping (inout NewRealm) -> Void = { _ in }
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(sendsMail: sendsMail) { new in
            for index in new.clients.indices where new.clients[index].clientID != "web1" {
                new.clients[index].becomeImported()
            }
            configure(&new)
        }
    }

    private static func request(
        _ action: String,
        _ changes: [(String, String)] = [],
        client: String = "native1"
    ) -> [(String, String)] {
        TestFlow.request(client, scope: "openid", [("kc_action", action)] + changes)
    }

    private static func expect(
        _ reply: Reply,
        _ status: String,
        _ action: String = "UPDATE_PASSWORD",
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(reply.redirected["code"] != nil, "\(reply.text)", sourceLocation: location)
        #expect(reply.redirected["kc_action_status"] == status, sourceLocation: location)
        #expect(reply.redirected["kc_action"] == action, sourceLocation: location)
        #expect(reply.redirected["state"] == "s-1", sourceLocation: location)
    }

    @Test("decision 0049: UPDATE_PASSWORD: a new one is chosen, and ends all other sessions")
    func updatePassword() async throws {
        let elsewhere = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: elsewhere)
        let access = try tokens.accessToken
        #expect(try await server.userInfo(access).status == 200)
        server.clock.advance(by: 10)
        let page = try await browser.signIn("alice", Self.request("UPDATE_PASSWORD"))
        expectPage(page, "required-action")
        #expect(
            page.text.contains("Choose a new password") && page.text.contains(#"value="cancel""#)
        )
        let cookies = browser.cookies
        server.clock.advance(by: 10)
        let reply = try await browser.submit(page, [("password", Self.password)])
        Self.expect(reply, "success")
        let redeemed = try await server.redeem(reply.redirected["code"] ?? "")
        #expect(redeemed.status == 200)
        // Here the person is signed in, by another cookie; elsewhere no more.
        expectCode(try await browser.authorize(TestFlow.request("native1", scope: "openid")))
        let old = TestBrowser(server)
        old.cookies = cookies
        expectPage(try await old.authorize(TestFlow.request("web1")), "authenticate")
        #expect(try await server.userInfo(access).status == 401)
        expectPage(try await elsewhere.authorize(TestFlow.request("web1")), "authenticate")
        expectPage(
            try await TestBrowser(server).signIn("alice", TestFlow.request("web1")),
            "authenticate"
        )
        let form = [("username", "alice"), ("password", Self.password)]
        let another = TestBrowser(server)
        let signIn = try await another.authorize(TestFlow.request("web1"))
        expectCode(try await another.submit(signIn, form), of: "web1")
        let mail = try #require(try await server.mails().first)
        #expect(mail.draft.message == .passwordChanged && mail.draft.to == "alice@example.com")
        #expect(server.log.contains("event=password.changed "))
    }

    @Test("decision 0049: auth_time stays, and the new session ends like any other")
    func session() async throws {
        let signedIn = server.clock.seconds
        let page = try await browser.signIn("alice", Self.request("UPDATE_PASSWORD"))
        server.clock.advance(by: 60)
        let reply = try await browser.submit(page, [("password", Self.password)])
        let tokens = try await server.redeem(reply.redirected["code"] ?? "")
        #expect(try ProviderUnderTest.claims(tokens.idToken).int64("auth_time") == signedIn)
        #expect(try await server.remains().liveSessions == 2)
        let people = server.database.people
        let id = try await server.person().person.id
        _ = try await people.setPassword(PasswordHash(encoded: "x"), of: id, at: signedIn)
        expectPage(try await browser.authorize(TestFlow.request("web1")), "authenticate")
    }

    @Test("decision 0049: cancelling changes nothing, and the app is told")
    func cancelled() async throws {
        let page = try await browser.signIn("alice", Self.request("UPDATE_PASSWORD"))
        Self.expect(try await browser.submit(page, [("action", "cancel")]), "cancelled")
        #expect(try await server.person().epoch == 0)
        expectCode(
            try await TestBrowser(server).signIn("alice", TestFlow.request("web1")),
            of: "web1"
        )
        #expect(try await server.mails().isEmpty)
    }

    @Test("decision 0049: it takes a sign-in of the last five minutes, when asked and when sent")
    func fresh() async throws {
        _ = try await browser.signIn("alice", TestFlow.request("web1"))
        server.clock.advance(by: 301)
        let again = try await browser.authorize(Self.request("UPDATE_PASSWORD"))
        expectPage(again, "authenticate")
        let form = TestRealm.login()
        let page = try await browser.submit(again, form)
        expectPage(page, "required-action")
        server.clock.advance(by: 301)
        // Nothing is said of the new password before.
        expectPage(try await browser.submit(page, [("password", "")]), "authenticate")
        let late = try await browser.submit(page, [("password", Self.password)])
        expectPage(late, "authenticate")
        #expect(try await server.person().epoch == 0)
        let anew = try await browser.submit(late, form)
        expectPage(anew, "required-action")
        Self.expect(try await browser.submit(anew, [("password", Self.password)]), "success")
    }

    @Test("decision 0081: a session begun by the password alone sets none once there is an app")
    func weaker() async throws {
        let thief = TestBrowser(server)
        let open = try await thief.signIn("alice", Self.request("UPDATE_PASSWORD"))
        expectPage(open, "required-action")
        let sent = try await browser.signIn("alice", Self.request("CONFIGURE_TOTP"))
        _ = try await Self.add(try await browser.get(try #require(sent.location)), browser, server)
        expectPage(try await thief.submit(open, [("password", Self.password)]), "authenticate")
        expectPage(try await thief.authorize(Self.request("UPDATE_PASSWORD")), "authenticate")
        #expect(try await server.person().epoch == 0)
        // The session that has added it is one with a code.
        expectPage(try await browser.authorize(Self.request("UPDATE_PASSWORD")), "required-action")
    }

    @Test(
        "What is wrong with a new password is said, and nothing changes",
        arguments: [
            ("", "Enter a new password"), ("short", "at least 8"), ("password123", "easy to guess"),
            ("alice2026", "made of your name"),
        ]
    )
    func wrong(_ password: String, _ words: String) async throws {
        let page = try await browser.signIn("alice", Self.request("UPDATE_PASSWORD"))
        let reply = try await browser.submit(page, [("password", password)])
        expectPage(reply, "required-action")
        #expect(reply.text.contains(words))
        #expect(try await server.person().epoch == 0)
        Self.expect(try await browser.submit(reply, [("password", Self.password)]), "success")
    }

    @Test("WEB-CSRF-1: no other site, session or browser changes a password")
    func forged() async throws {
        let page = try await browser.signIn("alice", Self.request("UPDATE_PASSWORD"))
        let form = [("password", Self.password)]
        #expect(try await browser.submit(page, form + [("csrf", "x")]).status == 403)
        let other = TestBrowser(server)
        _ = try await other.signIn("bob", TestFlow.request("web1"))
        #expect(try await other.submit(page, form).status == 403)
        #expect(
            try await browser.submit(page, form, headers: [.fetchSite: "cross-site"]).status == 403
        )
        let out = TestBrowser(server)
        out.cookies = browser.cookies.filter { !$0.key.contains("session") }
        #expect(try await out.submit(page, form).status == 403)
        #expect(try await server.person().epoch == 0)
        Self.expect(try await browser.submit(page, form), "success")
        // Of a page that was sent before, nothing counts.
        let twice = try await browser.submit(page, [("password", "another river to sea")])
        #expect(twice.status == 403)
        #expect(try await server.person().epoch == 1)
    }

    @Test("decision 0049: an action that is not known asks nothing, and the answer says so")
    func unknown() async throws {
        for action in ["delete_account", "VERIFY_EMAIL", "x:y"] {
            let reply = try await browser.signIn(
                "alice",
                Self.request(action, [("prompt", "login")])
            )
            Self.expect(reply, "error", action)
        }
        for action in [String(repeating: "A", count: 256), "a\u{301}b", "a b"] {
            let reply = try await browser.authorize(Self.request(action))
            expectCode(reply)
            #expect(reply.redirected["kc_action"] == nil)
        }
    }

    @Test("decision 0049: a client that did not come from Keycloak asks for nothing by it")
    func ownClient() async throws {
        let reply = try await TestBrowser(Self.server())
            .signIn("alice", Self.request("UPDATE_PASSWORD", client: "web1"))
        expectCode(reply, of: "web1")
        #expect(reply.redirected["kc_action"] == nil && reply.redirected["kc_action_status"] == nil)
    }

    @Test("OpenID Connect Core §3.1.2.6: prompt=none with an action is interaction_required")
    func silent() async throws {
        _ = try await browser.signIn("alice", TestFlow.request("web1"))
        let none = [("prompt", "none")]
        for action in ["UPDATE_PASSWORD", "CONFIGURE_TOTP"] {
            expectError(
                try await browser.authorize(Self.request(action, none)),
                "interaction_required"
            )
        }
        Self.expect(try await browser.authorize(Self.request("other", none)), "error", "other")
    }

    private static func link(_ page: Reply) -> String {
        ResetWalk.restart(page).replacing("&amp;", with: "&")
    }

    /// Adds an app on the page.
    private static func add(_ page: Reply, _ browser: TestBrowser, _ server: ProviderUnderTest)
        async throws -> Reply
    {
        let setup = try await browser.press(page, [("action", "add")])
        let key = setup.text.firstMatch(of: /secret=([A-Z2-7]{32})/).map { String($0.1) }
        let bytes = try #require(key.flatMap { Base32.decode($0) })
        let app = OneTimePassword(key: bytes, digest: .sha1, digits: 6, period: 30)
        let code = try #require(app).code(at: server.clock.seconds / 30)
        return try await browser.press(setup, [("action", "confirm"), ("code", code)])
    }

    @Test("decision 0049: CONFIGURE_TOTP: success with an app that was added, otherwise cancelled")
    func configureTOTP() async throws {
        let sent = try await browser.signIn("alice", Self.request("CONFIGURE_TOTP"))
        let path = try #require(sent.location)
        #expect(path.hasPrefix("/realms/test/account/second-factor?request="))
        let page = try await browser.get(path)
        Self.expect(try await browser.get(Self.link(page)), "cancelled", "CONFIGURE_TOTP")
        let again = try await browser.authorize(Self.request("CONFIGURE_TOTP"))
        let done = try await Self.add(browser.get(try #require(again.location)), browser, server)
        // By way of other pages of the account, too.
        let codes = try await browser.press(done, [("action", "codes")])
        let back = codes.text.firstMatch(of: /href="([^"]*second-factor[^"]*)"/)?.1 ?? ""
        let after = try await browser.get(String(back).replacing("&amp;", with: "&"))
        Self.expect(try await browser.get(Self.link(after)), "success", "CONFIGURE_TOTP")
    }

    @Test("decision 0049: what became of an action counts in the browser that it was done in")
    func otherBrowser() async throws {
        let sent = try await browser.signIn("alice", Self.request("CONFIGURE_TOTP"))
        let list = try await browser.get(try #require(sent.location))
        let links = [Self.link(list), Self.link(try await Self.add(list, browser, server))]
        for link in links {
            let elsewhere = TestBrowser(server)
            _ = try await elsewhere.signIn("bob", TestFlow.request("web1"))
            let reply = try await elsewhere.get(link)
            #expect(reply.redirected["kc_action_status"] == nil)
            let place = "/realms/test/account/second-factor?request="
            #expect(reply.location?.hasPrefix(place) == true, "\(reply.text)")
        }
        Self.expect(try await browser.get(links[1]), "success", "CONFIGURE_TOTP")
    }

    @Test("decision 0049: an app that is added for another reason is no answer to UPDATE_PASSWORD")
    func both() async throws {
        let server = try await Self.server { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
        }
        let browser = TestBrowser(server)
        let sent = try await browser.signIn("alice", Self.request("UPDATE_PASSWORD"))
        let done = try await Self.add(browser.get(try #require(sent.location)), browser, server)
        let page = try await browser.get(Self.link(done))
        expectPage(page, "required-action")
        Self.expect(try await browser.submit(page, [("password", Self.password)]), "success")
    }

    @Test(
        "decision 0052: whoever signed in for this very request goes on from the page of the account, once",
        arguments: ["login", "create"]
    )
    func goesOn(_ prompt: String) async throws {
        let server = try await Self.server(sendsMail: false) { new in
            new.realm.registration = .username
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
            new.parts = [
                RealmPart(
                    realmID: new.realm.id,
                    kind: "requiredActions",
                    id: RequiredAction.configureTOTP,
                    document: ["enabled": true, "defaultAction": true]
                )
            ]
        }
        let browser = TestBrowser(server)
        let begin = try await browser.authorize(
            TestFlow.request("native1", scope: "openid", [("prompt", prompt)])
        )
        let form =
            prompt == "create"
            ? RegistrationScene.form
            : TestRealm.login()
        let list = try await browser.get(try #require(browser.submit(begin, form).location))
        let done = try await Self.add(list, browser, server)
        let link = Self.link(done)
        // In another browser it is as any restart.
        let elsewhere = TestBrowser(server)
        let other = try await elsewhere.get(link)
        #expect(other.text.contains(#"name="password""#))
        #expect(try await elsewhere.submit(other, form).status == 200)
        expectCode(try await browser.get(link))
        // And once it is answered.
        let again = try await browser.get(link)
        #expect(again.redirected["code"] == nil && again.text.contains(#"name="password""#))
    }

    @Test("KC-P-1: forgot-credentials takes what auth takes, and leads to the page for a link")
    func forgotCredentials() async throws {
        func get(_ request: [(String, String)], _ server: ProviderUnderTest) async throws
            -> (TestBrowser, Reply)
        {
            let browser = TestBrowser(server)
            let path = TestBrowser.authorizationPath(
                request,
                at: String.endpoint("forgot-credentials")
            )
            return (browser, try await browser.get(path))
        }
        let (browser, sent) = try await get(TestFlow.request("web1"), server)
        let path = try #require(sent.location)
        #expect(path.hasPrefix("/realms/test/login-actions/reset-credentials?request="))
        let page = try await browser.get(path)
        expectPage(page, "reset-credentials")
        let back = try await browser.submit(page, [("action", "cancel")])
        expectPage(try await browser.get(try #require(back.location)), "authenticate")
        let wrong = TestFlow.request("web1", [("redirect_uri", "https://elsewhere.example")])
        #expect(try await get(wrong, server).1.status == 400)
        #expect(try await get([("client_id", "web1")], server).1.status == 400)
        for (mail, isAllowed) in [(false, true), (true, false)] {
            let shut = try await Self.server(sendsMail: mail) {
                $0.realm.allowsPasswordReset = isAllowed
            }
            #expect(try await get(TestFlow.request("web1"), shut).1.status == 404)
        }
    }
}
