import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// Identity providers of a realm that is not the backend's, at the realm's own addresses
/// (docs/decisions/0168).
@Suite("Identity providers of a realm") struct RealmProviderTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor
    private static let base = "https://app.example.com/realms/test"

    init() async throws {
        server = try await BackendUnderTest(realm: { new in
            new.people[0].person.email = "ann@example.com"
        })
        visitor = TestVisitor(server)
    }

    private static func authorization(_ changes: [(String, String)] = []) -> String {
        FormEncoding.appending(
            TestFlow.request("native1", changes).map { (name: $0.0, value: $0.1) },
            to: "\(base)/protocol/openid-connect/auth"
        )
    }

    /// From the realm's sign-in page to a provider's page and back.
    private func signIn(
        _ way: String = "google",
        as person: StandInPerson = .ben,
        at address: String = authorization(),
        in visitor: TestVisitor? = nil
    ) async throws -> TestVisitor.Visited {
        let visitor = visitor ?? self.visitor
        let page = try await visitor.open(address)
        let there = try await visitor.submit(page, [("way", way)])
        return try await visitor.choose(person, at: there, way)
    }

    private func people() async throws -> [Person] {
        try await server.database.people.people(realmID: TestRealm.id, after: nil, limit: 9)
    }

    @Test("a person comes by a button of the realm's page, and the app gets its code")
    func signsIn() async throws {
        let back = try await signIn()
        #expect(back.reply.location?.hasPrefix("com.example.app:/cb?code=") == true)
        #expect(back.url.contains("/realms/test/login-actions/signed-in?request="))
        let made = try #require(try await people().first { $0.email == "ben@example.org" })
        #expect(made.isEmailVerified)
        // A second app needs nothing more, and the backend knows no one.
        let again = try await visitor.open(Self.authorization([("prompt", "none")]))
        #expect(again.reply.location?.contains("code=") == true)
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await visitor.request("/v1/auth/session").status == 401)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("the address at the provider is Keycloak's, for linking too")
    func callback() async throws {
        let page = try await visitor.open(Self.authorization())
        let there = try await visitor.submit(page, [("way", "google")])
        #expect(there.url.contains("redirect_uri="))
        let query = try FormParameters(
            decoding: Array((there.url.split(separator: "?").last ?? "").utf8)
        )
        #expect(query["redirect_uri"] == "\(Self.base)/broker/google/endpoint")
    }

    @Test("kc_idp_hint leads there at once, and not to a provider that is disabled")
    func hint() async throws {
        let hinted = Self.authorization([("kc_idp_hint", "google")])
        let page = try await visitor.open(hinted)
        #expect(page.url.hasPrefix("http://localhost:9000/"))
        var google = try #require(
            try await server.database.configuration.providers(realmID: TestRealm.id)
                .first { $0.name == "google" }
        )
        google.isEnabled = false
        try await server.database.configuration.put(google)
        try await server.backend.signIn.directory.refresh()
        let other = TestVisitor(server)
        let shown = try await other.open(hinted)
        #expect(shown.path.contains("/protocol/openid-connect/auth"))
        #expect(!shown.reply.text.contains(#"value="google""#))
        #expect(shown.reply.text.contains(#"value="keycloak""#))
        // Nor does its address, or an answer that was under way.
        #expect(try await other.request("\(Self.base)/broker/google/login").status == 404)
        let late = try await visitor.choose(.ben, at: page, "google")
        #expect(late.reply.status == 404)
        #expect(try await people().count == 2)
    }

    @Test("who stops at the provider is told on the realm's sign-in page")
    func stopped() async throws {
        let page = try await visitor.open(Self.authorization())
        let there = try await visitor.submit(page, [("way", "google")])
        let back = try await visitor.submit(there, [("cancel", "1")])
        #expect(back.reply.text.contains("You stopped signing in"))
        #expect(back.reply.text.contains(#"name="password""#))
        // The request goes on from there.
        let done = try await visitor.submit(back, TestRealm.login())
        #expect(done.reply.location?.contains("code=") == true)
    }

    @Test("with passwords off, the only provider is asked at once, and no password is taken")
    func withoutPasswords() async throws {
        let server = try await BackendUnderTest(realm: { $0.realm.signsInWithPassword = false })
        let visitor = TestVisitor(server)
        let page = try await visitor.open(Self.authorization())
        #expect(!page.reply.text.contains(#"name="password""#))
        #expect(page.reply.text.contains(#"value="google""#))
        // A form of before, or of someone who makes one up.
        let typed = try await visitor.submit(page, TestRealm.login())
        #expect(typed.reply.status == 200 && typed.reply.text.contains(#"value="google""#))
        #expect(visitor.cookies.keys.allSatisfy { !$0.hasPrefix("__Host-session") })
        for path in ["login-actions/reset-credentials", "account/password"] {
            #expect(try await visitor.request("\(Self.base)/\(path)").status == 404, "\(path)")
        }
        for var record in try await server.database.configuration.providers(realmID: TestRealm.id)
        where record.name != "keycloak" {
            record.isEnabled = false
            try await server.database.configuration.put(record)
        }
        try await server.backend.signIn.directory.refresh()
        let other = TestVisitor(server)
        let there = try await other.open(Self.authorization())
        #expect(there.url.hasPrefix("http://localhost:9000/"))
        // Who stops there comes to the page, and not to the provider once more.
        let back = try await other.submit(there, [("cancel", "1")])
        #expect(back.path.hasPrefix("/realms/test/login-actions/signed-in"))
        let third = TestVisitor(server)
        let page3 = try await third.open(Self.authorization())
        let done = try await third.choose(.ben, at: page3, "keycloak")
        #expect(done.reply.location?.contains("code=") == true)
    }

    // MARK: Whose account

    @Test(
        "KC-I-2, WEB-ACC-1: the address of a password person is asked about, and their password proves it"
    )
    func linksByPassword() async throws {
        let asked = try await signIn(as: .ann)
        #expect(asked.path == "/realms/test/login/account")
        #expect(asked.reply.text.contains("You already have an account"))
        #expect(try await people().count == 2)
        let page = try await visitor.submit(asked, [("action", "link")])
        #expect(page.path == "/realms/test/login-actions/signed-in?page=joining")
        let proven = try await visitor.submit(page, TestRealm.login())
        #expect(proven.path == "/realms/test/login/account")
        #expect(proven.reply.text.contains("Add Google to this account?"))
        let done = try await visitor.submit(proven, [("action", "add")])
        #expect(done.reply.location?.contains("code=") == true)
        let alice = try #require(try await people().first { $0.username == "alice" })
        let identities = try await server.database.accounts.identities(of: alice.id)
        #expect(identities.map(\.provider) == ["google"])
        // Next time Google is enough.
        let other = TestVisitor(server)
        let back = try await signIn(as: .ann, in: other)
        #expect(back.reply.location?.contains("code=") == true)
        #expect(try await people().count == 2)
    }

    @Test("attack: another person's password adds nothing to that account, nor to theirs")
    func othersPassword() async throws {
        let asked = try await signIn(as: .ann)
        let page = try await visitor.submit(asked, [("action", "link")])
        let proven = try await visitor.submit(page, TestRealm.login("bob"))
        #expect(!proven.reply.text.contains("Add Google to this account?"))
        for person in try await people() {
            #expect(try await server.database.accounts.identities(of: person.id).isEmpty)
        }
    }

    @Test("attack: an identity that waits is gone where someone signs in for something else")
    func waitingIdentity() async throws {
        _ = try await signIn(as: .ann)
        #expect(visitor.cookies.keys.contains { $0.hasPrefix("__Host-pending-") })
        let page = try await visitor.open(Self.authorization())
        _ = try await visitor.submit(page, TestRealm.login())
        #expect(!visitor.cookies.keys.contains { $0.hasPrefix("__Host-pending-") })
        let gone = try await visitor.open("\(Self.base)/login/account")
        #expect(!gone.reply.text.contains("Add Google"))
    }

    @Test("a person adds a provider and removes it, with a password left")
    func methods() async throws {
        let page = try await visitor.open("\(Self.base)/account/ways")
        #expect(page.reply.text.contains(#"name="password""#))
        let ways = try await visitor.submit(page, TestRealm.login())
        #expect(ways.path == "/realms/test/account/ways")
        for link in ["apps", "devices", "ways", "password", "second-factor"] {
            #expect(ways.reply.text.contains("/realms/test/account/\(link)\""))
        }
        let there = try await visitor.submit(ways, [("way", "keycloak")])
        let added = try await visitor.choose(.ben, at: there, "keycloak")
        #expect(added.path == "/realms/test/account/ways?added=keycloak")
        #expect(added.reply.text.contains(#"value="remove""#))
        let removed = try await visitor.submit(
            added,
            [("action", "remove"), ("id", "keycloak")]
        )
        #expect(removed.path == "/realms/test/account/ways?removed=keycloak")
        let alice = try #require(try await people().first { $0.username == "alice" })
        #expect(try await server.database.accounts.identities(of: alice.id).isEmpty)
    }

    @Test("attack: the only method of a person without a password stays")
    func lastMethod() async throws {
        _ = try await signIn()
        try await server.proveSessions()
        let ways = try await visitor.open("\(Self.base)/account/ways")
        let refused = try await visitor.submit(ways, [("action", "remove"), ("id", "google")])
        #expect(refused.reply.status == 409)
        let ben = try #require(try await people().first { $0.email == "ben@example.org" })
        #expect(try await server.database.accounts.identities(of: ben.id).count == 1)
    }

    // MARK: Another place

    @Test(
        "attack: an answer for a realm's attempt is worth nothing at the backend, and the reverse"
    )
    func otherPlace() async throws {
        let page = try await visitor.open(Self.authorization())
        let there = try await visitor.submit(page, [("way", "google")])
        let answer = try #require(
            try await visitor.request(
                there.url,
                .post,
                [("person", StandInPerson.ben.id)]
                    + Self.hidden(there),
                from: there.url
            ).location
        )
        let moved = answer.replacing(
            "/realms/test/broker/google/endpoint",
            with: "/v1/auth/google/callback"
        )
        #expect(moved != answer)
        let refused = try await visitor.request(moved)
        #expect(refused.location?.contains("code=") != true)
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().isEmpty)

        let back = try await visitor.open("/v1/auth/google")
        let own = try #require(
            try await visitor.request(
                back.url,
                .post,
                [("person", StandInPerson.ben.id)]
                    + Self.hidden(back),
                from: back.url
            ).location
        )
        let elsewhere = own.replacing(
            "/v1/auth/google/callback",
            with: "/realms/test/broker/google/endpoint"
        )
        #expect(elsewhere != own)
        _ = try await visitor.request(elsewhere)
        #expect(try await people().count == 2)
    }

    private static func hidden(_ page: TestVisitor.Visited) -> [(String, String)] {
        HTMLForm.all(in: page.reply.text).first?.hidden ?? []
    }

    @Test("attack: a session of the backend opens no page of the realm, and the reverse")
    func otherSession() async throws {
        _ = try await visitor.signIn("google")
        #expect(visitor.cookies["__Host-session"] != nil)
        let page = try await visitor.open("\(Self.base)/account/ways")
        #expect(page.reply.text.contains(#"name="password""#))
        // By the value, under the realm's name.
        let name = "__Host-session-\(TestRealm.id.prefix(8))"
        visitor.cookies[name] = visitor.cookies["__Host-session"]
        let again = try await visitor.open("\(Self.base)/account/ways")
        #expect(again.reply.text.contains(#"name="password""#))
        let other = TestVisitor(server)
        _ = try await signIn(as: .ben, in: other)
        other.cookies["__Host-session"] = other.cookies[name]
        #expect(try await other.request("/v1/auth/session").status == 401)
    }

    @Test(
        "attack: a sign-in returns to pages of its realm only",
        arguments: [
            "https://evil.example", "//evil.example", "/dashboard", "/broker/google/login",
            "/protocol/openid-connect/logout", "/login-actions/restart", "/realms/other/account",
        ]
    )
    func returns(_ path: String) async throws {
        let start = FormEncoding.appending(
            [(name: "return_to", value: path)],
            to: "\(Self.base)/broker/google/login"
        )
        let back = try await visitor.choose(.ben, at: try await visitor.open(start), "google")
        #expect(back.path == "/realms/test/account")
    }

    @Test("a realm that is not there, and an unknown provider, have none of these addresses")
    func addresses() async throws {
        let nowhere = "https://app.example.com/realms/nowhere/broker/google/login"
        #expect(try await visitor.request(nowhere).status == 404)
        let unknown = "\(Self.base)/broker/github/login"
        #expect(try await visitor.request(unknown).status == 404)
    }

    @Test("a second factor is asked for after the provider, and no account page is open before")
    func secondStep() async throws {
        _ = try await signIn()
        let ben = try #require(try await people().first { $0.email == "ben@example.org" })
        _ = try await server.database.people.add(.app(of: ben.id), realmID: TestRealm.id)
        let other = TestVisitor(server)
        let asked = try await signIn(in: other)
        #expect(asked.reply.text.contains("one-time-code"))
        let ways = try await other.open("\(Self.base)/account/ways")
        #expect(!ways.reply.text.contains("Your sign-in methods"))
    }
}
