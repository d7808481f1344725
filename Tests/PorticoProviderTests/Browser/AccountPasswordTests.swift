import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A person changes their password") struct AccountPasswordTests {
    private static let path = "/realms/test/account/password"
    private static let new = "seven rivers run to sea"

    private static func open(_ browser: TestBrowser) async throws -> Reply {
        #expect(try await browser.submit(browser.get(path), TestRealm.login()).location == path)
        return try await browser.get(path)
    }

    @Test("A new password: signed in here by a new cookie, and nowhere else")
    func changed() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let elsewhere = TestBrowser(server)
        let access =
            try await server.tokens("alice", "web1", browser: elsewhere).json
            .string("access_token") ?? ""
        server.clock.advance(by: 10)
        let browser = TestBrowser(server)
        let page = try await Self.open(browser)
        #expect(page.formAction == Self.path)
        #expect(page.text.contains(#"autocomplete="new-password""#))
        #expect(page.text.contains(#"aria-current="page">Password"#))
        let cookies = browser.cookies
        let weak = try await browser.submit(page, [("action", "save"), ("password", "short")])
        #expect(weak.text.contains("at least 8"))
        #expect(try await server.person().epoch == 0)
        let done = try await browser.submit(weak, [("action", "save"), ("password", Self.new)])
        #expect(done.text.contains("Your password has been changed"))
        #expect(try await server.person().epoch == 1)
        let still = try await browser.get("/realms/test/account/apps")
        #expect(!still.text.contains(#"name="password""#))
        let old = TestBrowser(server)
        old.cookies = cookies
        #expect(try await old.get(Self.path).text.contains(#"name="username""#))
        #expect(try await server.userInfo(access).status == 401)
        #expect(try await elsewhere.get(Self.path).text.contains(#"name="username""#))
        expectPage(
            try await TestBrowser(server).signIn("alice", TestFlow.request("web1")),
            "authenticate"
        )
        #expect(try await server.mails().map(\.draft.message) == [.passwordChanged])
        #expect(server.log.contains("event=password.changed "))
    }

    @Test("decision 0104: sent twice it is changed once, and the last sender is signed in")
    func twice() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser(sendsMail: true)
        let page = try await Self.open(browser)
        let early = browser.copy()
        let form = [("action", "save"), ("password", Self.new)]
        for sender in [browser, early] {
            let done = try await sender.submit(page, form)
            #expect(done.text.contains("Your password has been changed"))
        }
        #expect(try await server.person().epoch == 1)
        #expect(try await server.mails().count == 1)
        let still = try await early.get("/realms/test/account/apps")
        #expect(!still.text.contains(#"name="password""#))
        // Once signed out it is no sign-in.
        try await early.signOut()
        #expect(try await early.submit(page, form).status == 403)
        for one in [browser, early] {
            let apps = try await one.get("/realms/test/account/apps")
            #expect(apps.text.contains(#"name="password""#))
        }
    }

    @Test("decision 0081: it takes a sign-in of the last five minutes, when asked and when sent")
    func fresh() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await Self.open(browser)
        server.clock.advance(by: 301)
        let save = [("action", "save"), ("password", Self.new)]
        let late = try await browser.submit(page, save)
        #expect(late.formAction?.hasSuffix("/account/sign-in") == true)
        #expect(try await browser.get(Self.path).formAction?.hasSuffix("/account/sign-in") == true)
        #expect(try await server.person().epoch == 0)
        let again = try await browser.submit(
            late,
            [("username", "alice@example.com"), TestRealm.login()[1]]
        )
        #expect(again.location == Self.path)
        let done = try await browser.submit(try await browser.get(Self.path), save)
        #expect(done.text.contains("Your password has been changed"))
    }

    @Test("decision 0081: a session begun by the password alone sets none once there is an app")
    func weaker() async throws {
        let server = try await ProviderUnderTest()
        let thief = TestBrowser(server)
        let page = try await Self.open(thief)
        let alice = try await server.person().person
        let people = server.database.people
        #expect(try await people.add(.app(of: alice.id), realmID: alice.realmID) == .changed)
        let sent = try await thief.submit(page, [("action", "save"), ("password", Self.new)])
        #expect(sent.formAction?.hasSuffix("/account/sign-in") == true)
        #expect(try await thief.get(Self.path).formAction?.hasSuffix("/account/sign-in") == true)
        #expect(try await server.person().epoch == 0)
    }

    @Test("WEB-CSRF-1: no other site, session or browser changes it; cancelling changes nothing")
    func forged() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await Self.open(browser)
        let save = [("action", "save"), ("password", Self.new)]
        #expect(try await browser.submit(page, save + [("csrf", "x")]).status == 403)
        #expect(
            try await browser.submit(page, save, headers: [.fetchSite: "cross-site"]).status == 403
        )
        let cancelled = try await browser.submit(page, [("action", "cancel"), ("password", "x")])
        #expect(cancelled.location == "/realms/test/account")
        #expect(try await server.person().epoch == 0)
    }

    @Test("A program that knows only the host is led to the page, at a realm's own host too")
    func wellKnown() async throws {
        let address = "/.well-known/change-password"
        let server = try await ProviderUnderTest()
        let reply = try await TestBrowser(server).get(address)
        #expect(reply.status == 303 && reply.location == Self.path)
        func create(_ name: String, host: String? = nil) async throws {
            let new = try RealmCreation(ring: TestRealm.ring)(
                name: name,
                baseURL: "https://op.example.com",
                host: host,
                at: Moment(now: server.clock.now, random: .system)
            )
            #expect(try await server.database.realms.create(new) == .created)
            try await server.provider.realms.refresh()
        }
        // The administrators' realm, and one that is elsewhere, are not meant.
        try await create("master")
        try await create("hosted", host: "https://pds.example.com")
        #expect(try await TestBrowser(server).get(address).location == Self.path)
        let hosted = try await server.send(.get, address, host: "pds.example.com")
        #expect(hosted.status == 303 && hosted.location == "/realms/hosted/account/password")
        // Of several, the one that this browser knows.
        try await create("other")
        #expect(try await TestBrowser(server).get(address).status == 404)
        let browser = TestBrowser(server)
        _ = try await browser.signIn("alice", TestFlow.request())
        #expect(try await browser.get(address).location == Self.path)
        #expect(try await TestBrowser(server).get("/.well-known/no-such-thing").status == 404)
    }
}
