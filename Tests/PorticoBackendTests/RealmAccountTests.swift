import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// The account of a person of a realm: the backend's pages, below the realm.
@Suite("The account in a realm") struct RealmAccountTests {
    private static let base = "/realms/test/account"
    private static let cookie = "__Host-session-\(TestRealm.id.prefix(8))"

    private static func server(_ configure: @escaping (inout NewRealm) -> Void = { _ in })
        async throws -> BackendUnderTest
    {
        try await BackendUnderTest(realm: { new in
            new.people[0].person.email = "ann@example.com"
            new.people[0].person.givenName = "Alice"
            new.people[0].person.familyName = "Liddell"
            configure(&new)
        })
    }

    /// Alice signs in with her password for a page of her account.
    private static func open(
        _ page: String = "",
        _ visitor: TestVisitor
    ) async throws -> TestVisitor.Visited {
        try await visitor.submit(try await visitor.open(base + page), TestRealm.login())
    }

    /// The answer to the first form of a page, its redirect not followed.
    private static func answer(
        of page: TestVisitor.Visited,
        to fields: [(String, String)],
        _ visitor: TestVisitor
    ) async throws -> Reply {
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        return try await visitor.request(form.action, .post, form.hidden + fields, from: page.url)
    }

    private static func alice(_ server: BackendUnderTest) async throws -> Person? {
        try await server.database.people.credentials(
            realmID: TestRealm.id,
            login: "alice",
            byEmail: false
        )?.person
    }

    @Test(
        "a person who signs in comes to the page that they wanted",
        arguments: [
            "", "/details", "/devices", "/ways", "/delete",
        ]
    )
    func wanted(_ page: String) async throws {
        let visitor = TestVisitor(try await Self.server())
        #expect(try await Self.open(page, visitor).path == Self.base + page)
    }

    // MARK: Details

    @Test("given and family name are changed apart; an address only by the code that is sent to it")
    func details() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        let page = try await Self.open("/details", visitor)
        let typed = [("given_name", " Ann "), ("family_name", ""), ("email", "ann@example.com")]
        let saved = try await visitor.press("save", on: page, typed)
        #expect(saved.path == Self.base + "/details?saved=1")
        var alice = try #require(try await Self.alice(server))
        #expect(alice.givenName == "Ann" && alice.familyName == nil && alice.fullName == "Ann")
        let asked = try await visitor.press(
            "save",
            on: saved,
            [("given_name", "Ann"), ("email", "new@example.com")]
        )
        #expect(try await Self.alice(server)?.email == "ann@example.com")
        let code = try #require(try await server.mailedCode())
        let done = try await visitor.press("confirm", on: asked, [("code", code)])
        #expect(done.path == Self.base + "/details?saved=1")
        alice = try #require(try await Self.alice(server))
        #expect(alice.email == "new@example.com" && alice.isEmailVerified)
    }

    // MARK: Proof

    @Test("WEB-SESS-8: the password proves who they are, and they come back to the page")
    func password() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        let page = try await Self.open("/delete", visitor)
        server.clock.advance(by: 601)
        let asked = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(asked.path.hasPrefix(Self.base + "/confirm?"))
        #expect(try await Self.alice(server) != nil)
        let signIn = try await visitor.press("password", on: asked)
        #expect(signIn.path == "/realms/test/login-actions/signed-in?page=deletion&prompt=login")
        #expect(signIn.reply.text.contains("ann@example.com"))
        let back = try await visitor.submit(signIn, TestRealm.login())
        #expect(back.path == Self.base + "/delete")
        _ = try await visitor.press("delete", on: back, [("sure", "1")])
        #expect(try await Self.alice(server) == nil)
    }

    @Test("who has no password is not asked for one")
    func noPassword() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        let page = try await visitor.open(Self.base + "/delete")
        let google = try await visitor.submit(page, [("way", "google")])
        let account = try await visitor.choose(.ben, at: google, "google")
        server.clock.advance(by: 601)
        let asked = try await visitor.press("delete", on: account, [("sure", "1")])
        #expect(asked.path.hasPrefix(Self.base + "/confirm?"))
        #expect(!asked.reply.text.contains(#"value="password""#))
    }

    @Test(
        "a provider that is to prove it for deletion, or for the data, is told to ask",
        arguments: [
            "deletion", "export", "devices",
        ]
    )
    func asksAnew(_ page: String) async throws {
        let visitor = TestVisitor(try await Self.server())
        let signIn = try await visitor.open("/realms/test/login-actions/signed-in?page=\(page)")
        let reply = try await Self.answer(of: signIn, to: [("way", "google")], visitor)
        let asks = reply.location?.contains("prompt=login") ?? false
        #expect(asks == (page != "devices"))
    }

    // MARK: Deletion

    @Test("a person deletes themselves: sessions end, and their browser forgets them")
    func deletion() async throws {
        let server = try await Self.server()
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        _ = try await Self.open("/devices", other)
        let page = try await Self.open("/delete", visitor)
        let unsure = try await visitor.press("delete", on: page)
        #expect(unsure.reply.text.contains(#"aria-invalid="true""#))
        #expect(try await Self.alice(server) != nil)
        let gone = try await visitor.press("delete", on: unsure, [("sure", "1")])
        #expect(gone.reply.status == 200)
        let cookies = gone.reply.headers[values: .setCookie]
        #expect(cookies.contains { $0.hasPrefix(Self.cookie) && $0.contains("Max-Age=0") })
        #expect(try await Self.alice(server) == nil)
        for browser in [visitor, other] {
            #expect(try await browser.open(Self.base).path.contains("signed-in?page=overview"))
        }
        let event = try await server.database.events.events(EventQuery(), limit: 1).first
        #expect(event?.kind == .deleted && event?.realm == "test")
    }

    @Test("attack: where the realm does not let them, no page and no request deletes anyone")
    func notAllowed() async throws {
        let server = try await Self.server { $0.realm.allowsDeletion = false }
        let visitor = TestVisitor(server)
        let overview = try await Self.open("", visitor)
        #expect(!overview.reply.text.contains("/account/delete"))
        let refused = try await visitor.open(Self.base + "/delete")
        #expect(refused.reply.status == 403)
        #expect(refused.reply.text.contains("href=\"\(Self.base)\""))
        #expect(try await Self.alice(server) != nil)
    }

    @Test("the administrators of all realms do not delete themselves, unless someone lets them")
    func master() {
        for (name, isAllowed) in [("master", false), ("acme", true)] {
            let realm = Realm(id: "1", name: name, displayName: "", issuer: "")
            #expect(realm.allowsDeletion == isAllowed)
        }
    }

    @Test("attack: nor does a page that was opened before, or a program, at the backend")
    func notAllowedByNow() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google")
        let page = try await visitor.open("/account/delete")
        var realm = try #require(try await server.database.realms.realm(named: "home"))
        realm.allowsDeletion = false
        #expect(try await server.database.realms.update(realm) == .changed)
        try await server.backend.signIn.directory.refresh()
        let refused = try await visitor.submit(page, [("action", "delete"), ("sure", "1")])
        #expect(refused.reply.status == 403)
        let ours: HTTPFields = [.accept: "application/json", .fetchSite: "same-origin"]
        let reply = try await visitor.request("/v1/account", .delete, [], from: nil, ours)
        #expect(reply.error == "forbidden")
        #expect(try await visitor.open("/account").path == "/account")
    }

    // MARK: Data

    @Test("a person downloads what is known of them, and nothing of anyone else")
    func data() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await Self.open("/details", visitor)
        let reply = try await visitor.request(Self.base + "/data")
        #expect(reply.status == 200)
        #expect(reply.headers[.contentDisposition] == #"attachment; filename="account.json""#)
        let account = try #require(reply.json.object("account"))
        #expect(account.string("email") == "ann@example.com")
        #expect(account.string("given_name") == "Alice")
        #expect(reply.json.bool("password") == true)
        #expect(reply.json["sessions"]?.array?.count == 1)
        for foreign in ["bob", "argon2", "hash", "token"] {
            #expect(!reply.text.contains(foreign), "\(foreign)")
        }
    }

    @Test(
        "what they sign in with, their apps and what happened are in it; another person's are not"
    )
    func wholeData() async throws {
        let server = try await Self.server()
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        let ways = try await Self.open("/ways", visitor)
        let there = try await visitor.submit(ways, [("way", "keycloak")])
        _ = try await visitor.choose(.ann, at: there, "keycloak")
        let page = try await other.open(Self.base + "/ways")
        let google = try await other.submit(page, [("way", "google")])
        _ = try await other.choose(.ben, at: google, "google")
        let alice = try #require(try await Self.alice(server))
        let client = try #require(
            try await server.database.realms.client(.clientID("third"), realmID: TestRealm.id)
        )
        try await server.database.people.allow(
            Consent(scope: Scope(tokens: ["openid"])),
            to: client,
            by: alice.id,
            in: nil,
            notBefore: 0,
            at: server.clock.seconds
        )
        let data = try await visitor.request(Self.base + "/data").json
        #expect(data["providers"]?.array?.count == 1)
        #expect(data["apps"]?.array?.first?.object?.string("scope") == "openid")
        let events = data["events"]?.array?.compactMap { $0.object?.string("event") } ?? []
        #expect(events.contains("way.added") && !events.contains("account.registered"))
    }

    @Test("WEB-SESS-8: not without a proof of now, nor without a session")
    func dataUnproven() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await Self.open("/details", visitor)
        server.clock.advance(by: 601)
        let asked = try await visitor.open(Self.base + "/data")
        #expect(asked.path == Self.base + "/confirm?for=downloading&return_to=%2Faccount%2Fdata")
        #expect(!asked.reply.text.contains("Liddell\","))
        let signedOut = try await TestVisitor(server).request(Self.base + "/data")
        #expect(signedOut.status == 303)
    }

    // MARK: What clients and the log are told

    @Test("signing out a device, and deleting oneself, is told at once, and logged")
    func told() async throws {
        let server = try await Self.server()
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        _ = try await Self.open("/devices", other)
        let page = try await Self.open("/devices", visitor)
        _ = try await visitor.submit(page, [("action", "end")])
        #expect(server.log.contains("event=sign_out "))
        #expect(server.log.contains("realm=test"))
        #expect(server.endings == 1)
        let delete = try await visitor.open(Self.base + "/delete")
        _ = try await visitor.press("delete", on: delete, [("sure", "1")])
        #expect(server.endings == 2)
    }

    @Test("where the backend's last provider was removed, its people still have their account")
    func withoutProviders() async throws {
        let server = try await BackendUnderTest(apps: [], realm: { _ in })
        try await server.shareRealm()
        let visitor = TestVisitor(server)
        _ = try await Self.open("/devices", visitor)
        try await server.setUp("google", "facebook", "apple", "keycloak") { $0.isEnabled = false }
        #expect(try await visitor.request("/login").status == 404)
        #expect(try await visitor.open("/account").path == "/account")
    }

    // MARK: One host for both

    /// Whose backend has the people of the realm `test`.
    private static func shared() async throws -> BackendUnderTest {
        let server = try await server()
        try await server.shareRealm()
        return server
    }

    @Test("the realm's addresses lead to the backend's, and those to the realm's sign-in and back")
    func sharedPages() async throws {
        let visitor = TestVisitor(try await Self.shared())
        for (path, page) in [
            (Self.base, "/account"), (Self.base + "/devices", "/account/devices"),
            ("/account/delete", "/account/delete"),
        ] {
            let signIn = try await TestVisitor(visitor.server).open(path)
            #expect(signIn.path.hasPrefix("/realms/test/login-actions/signed-in?return_to="))
            let asked = try await visitor.open(path)
            if asked.path == page { continue }
            #expect(try await visitor.submit(asked, TestRealm.login()).path == page)
        }
    }

    @Test("a person with a password signs in to the web app, and comes back to its page")
    func webApp() async throws {
        let visitor = TestVisitor(try await Self.shared())
        let choice = try await visitor.open("/login?return_to=/account/ways?x=1")
        let link = try #require(
            try Markup(page: choice.reply.text).all("a").compactMap { $0.attributes["href"] }
                .first { $0.hasPrefix("/realms/test/login-actions/") }
        )
        let signIn = try await visitor.open(link)
        let wrong = try await visitor.submit(signIn, [("username", "alice"), ("password", "no")])
        let back = try await visitor.submit(wrong, TestRealm.login())
        #expect(back.path == "/account/ways?x=1")
        // By Google from the same page, too.
        let other = TestVisitor(visitor.server)
        let google = try await other.submit(try await other.open(link), [("way", "google")])
        let new = try await other.choose(.ben, at: google, "google")
        #expect(new.path.hasPrefix("/onboarding?return_to="))
    }

    @Test(
        "attack E12: a sign-in with a password leads to no other site, and begins and ends no sign-in",
        arguments: [
            "https://evil.example", "//evil.example", "/\\evil.example", "/v1/auth/google",
            "/logout",
        ]
    )
    func elsewhere(_ path: String) async throws {
        let visitor = TestVisitor(try await Self.shared())
        let address = FormEncoding.appending(
            [(name: "return_to", value: path)],
            to: "/realms/test/login-actions/signed-in"
        )
        let back = try await visitor.submit(try await visitor.open(address), TestRealm.login())
        #expect(["/", "/dashboard"].contains(back.path))
    }

    @Test("attack: where the backend is another realm's, a sign-in leads to none of its pages")
    func unshared() async throws {
        let visitor = TestVisitor(try await Self.server())
        let address = "/realms/test/login-actions/signed-in?return_to=%2Forders"
        let back = try await visitor.submit(try await visitor.open(address), TestRealm.login())
        #expect(back.path == Self.base)
        #expect(try await !visitor.open("/login").reply.text.contains("/realms/test/"))
    }

    @Test("attack: a provider's sign-in opens no page of an account that has a second step")
    func secondStep() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        let ways = try await Self.open("/ways", visitor)
        let there = try await visitor.submit(ways, [("way", "keycloak")])
        _ = try await visitor.choose(.ann, at: there, "keycloak")
        let alice = try #require(try await Self.alice(server))
        #expect(
            try await server.database.people.add(
                .app(of: alice.id),
                realmID: TestRealm.id
            ) == .changed
        )
        try await server.shareRealm()
        let thief = TestVisitor(server)
        _ = try await thief.signIn("keycloak", as: .ann)
        for page in ["", "/details", "/devices", "/ways", "/data", "/delete"] {
            let asked = try await thief.open("/account" + page)
            #expect(asked.path.hasPrefix("/realms/test/login-actions/signed-in?return_to="))
            #expect(asked.reply.text.contains("one-time-code"))
        }
        let json: HTTPFields = [.accept: "application/json"]
        let data = try await thief.request("/account/data", .get, [], from: nil, json)
        #expect(data.status == 401 && data.error == "unauthorized")
        let form = [("action", "delete"), ("sure", "1")]
        let confirm = try await thief.open("/account/confirm")
        _ = try await thief.submit(confirm, to: "/account/delete", form)
        #expect(try await Self.alice(server) != nil)
    }

    @Test("a page is opened by the cookie, whatever a proxy adds; a token opens none")
    func authorization() async throws {
        let server = try await Self.shared()
        let visitor = TestVisitor(server)
        _ = try await Self.open("/devices", visitor)
        for value in ["Basic dXNlcjpwYXNz", "Bearer nothing"] {
            let fields: HTTPFields = [.authorization: value]
            let reply = try await visitor.request("/account", .get, [], from: nil, fields)
            #expect(reply.status == 200)
            let other = TestVisitor(server)
            #expect(try await other.request("/account", .get, [], from: nil, fields).status == 303)
        }
    }

    @Test("the overview of a realm's account names the providers that it has")
    func providers() async throws {
        let visitor = TestVisitor(try await Self.server())
        let ways = try await Self.open("/ways", visitor)
        let there = try await visitor.submit(ways, [("way", "keycloak")])
        _ = try await visitor.choose(.ann, at: there, "keycloak")
        let facts = try Markup(page: try await visitor.open(Self.base).reply.text).all("dd")
        #expect(facts.first?.text.contains("Password") == true)
        #expect(facts.first?.text.split(separator: ",").count == 2)
    }

    @Test("the form of deletion sent twice says twice that the person is gone")
    func twice() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        let page = try await Self.open("/delete", visitor)
        let first = try await visitor.press("delete", on: page, [("sure", "1")])
        let second = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(first.reply.status == 200 && second.reply.text == first.reply.text)
    }

    @Test("where its realm is disabled, the backend leads to none of the realm's pages")
    func disabled() async throws {
        let server = try await Self.shared()
        var realm = try #require(try await server.database.realms.realm(id: TestRealm.id))
        realm.isEnabled = false
        #expect(try await server.database.realms.update(realm) == .changed)
        try await server.backend.signIn.directory.refresh()
        let visitor = TestVisitor(server)
        #expect(try await visitor.open("/account").path.hasPrefix("/login"))
        #expect(try await !visitor.open("/login").reply.text.contains("/realms/test/"))
    }

    @Test("who must prove themselves anew, and changes to a provider, is asked there")
    func promptIsKept() async throws {
        let visitor = TestVisitor(try await Self.shared())
        let address = "/realms/test/login-actions/signed-in?return_to=%2Fpay&prompt=login"
        let signIn = try await visitor.open(address)
        let reply = try await Self.answer(of: signIn, to: [("way", "google")], visitor)
        #expect(reply.location?.contains("prompt=login") == true)
    }
}
