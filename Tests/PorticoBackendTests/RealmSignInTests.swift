import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoUpstream
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// What the addresses of a realm have of their own: lifetimes, proofs, notices, seals
/// (docs/decisions/0168).
@Suite("Signing in with identity providers, in a realm") struct RealmSignInTests {
    private static let base = "https://app.example.com/realms/test"
    private static let cookie = "__Host-session-\(TestRealm.id.prefix(8))"

    private static func server(_ configure: @escaping (inout NewRealm) -> Void = { _ in })
        async throws
        -> BackendUnderTest
    {
        try await BackendUnderTest(realm: { new in
            new.people[0].person.email = "ann@example.com"
            configure(&new)
        })
    }

    private static func authorization(_ changes: [(String, String)] = []) -> String {
        FormEncoding.appending(
            TestFlow.request("native1", changes).map { (name: $0.0, value: $0.1) },
            to: "\(base)/protocol/openid-connect/auth"
        )
    }

    private static func signIn(
        _ visitor: TestVisitor,
        _ way: String = "google",
        as person: StandInPerson = .ben,
        at address: String = authorization()
    ) async throws -> TestVisitor.Visited {
        let there = try await visitor.submit(try await visitor.open(address), [("way", way)])
        return try await visitor.choose(person, at: there, way)
    }

    private static func hasCode(_ visited: TestVisitor.Visited) -> Bool {
        visited.reply.location?.contains("code=") ?? false
    }

    // MARK: Lifetimes

    @Test("a session lasts as the realm says, and its cookie until the browser is closed")
    func lifetime() async throws {
        let server = try await Self.server {
            $0.realm.lifetimes.sessionMaximum = 3600
            $0.realm.lifetimes.sessionIdle = 3000
        }
        let visitor = TestVisitor(server)
        let there = try await visitor.submit(
            try await visitor.open(Self.authorization()),
            [("way", "google")]
        )
        let answer = try await visitor.answered(there, [("person", "ben")])
        let response = try await visitor.request(try #require(answer.location))
        let set = response.headers[values: .setCookie].first { $0.hasPrefix(Self.cookie) }
        #expect(try #require(set).contains("Max-Age") == false)
        let silent = Self.authorization([("prompt", "none")])
        #expect(Self.hasCode(try await visitor.open(silent)))
        server.clock.advance(by: 2900)
        #expect(Self.hasCode(try await visitor.open(silent)))
        server.clock.advance(by: 800)
        let over = try await visitor.open(silent)
        #expect(over.reply.location?.contains("error=login_required") == true)
    }

    @Test("max_age: a provider that answers by a session of its own proves nothing anew")
    func maxAge() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        // Google does not say when it asked.
        #expect(Self.hasCode(try await Self.signIn(visitor)))
        let asked = try await visitor.open(Self.authorization([("max_age", "600")]))
        #expect(!Self.hasCode(asked))
        #expect(asked.reply.text.contains(#"value="google""#))
        // The password of Alice was typed now.
        let other = TestVisitor(server)
        let page = try await other.open(Self.authorization())
        _ = try await other.submit(page, TestRealm.login())
        #expect(
            Self.hasCode(try await other.open(Self.authorization([("max_age", "600")])))
        )
    }

    // MARK: Proofs

    @Test("a page that needs a proof leads to a mailed code, and back")
    func proof() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await Self.signIn(visitor)
        server.clock.advance(by: 900)
        let asked = try await visitor.open("\(Self.base)/account/password")
        #expect(
            asked.path == "/realms/test/account/confirm?return_to=%2Faccount%2Fpassword"
        )
        let mailed = try await visitor.submit(asked, [("action", "code")])
        #expect(mailed.path.hasPrefix("/realms/test/account/confirm/code"))
        let code = try #require(try await server.mailedCode())
        let back = try await visitor.submit(mailed, [("code", code)])
        #expect(back.path == "/realms/test/account/password")
        #expect(try await server.database.outbox.latest(limit: 9).map(\.draft.service) == ["Test"])
    }

    // MARK: Joining

    @Test("the password is offered where the account has one")
    func offersPassword() async throws {
        let server = try await Self.server()
        let asked = try await Self.signIn(TestVisitor(server), as: .ann)
        #expect(asked.reply.text.contains(#"value="link""#))
        // Ben has no password: another identity of his is not proven by one.
        let visitor = TestVisitor(server)
        _ = try await Self.signIn(visitor)
        let other = try await Self.signIn(TestVisitor(server), "facebook")
        #expect(other.path == "/realms/test/login/account")
        #expect(!other.reply.text.contains(#"value="link""#))
    }

    @Test("another provider of the account proves it on the realm's page")
    func joinsByProvider() async throws {
        let server = try await Self.server()
        let owner = TestVisitor(server)
        let ways = try await owner.submit(
            try await owner.open("\(Self.base)/account/ways"),
            TestRealm.login()
        )
        let there = try await owner.submit(ways, [("way", "keycloak")])
        _ = try await owner.choose(.ann, at: there, "keycloak")
        let visitor = TestVisitor(server)
        let asked = try await Self.signIn(visitor, as: .ann)
        let page = try await visitor.submit(asked, [("action", "link")])
        let again = try await visitor.submit(page, [("way", "keycloak")])
        let proven = try await visitor.choose(.ann, at: again, "keycloak")
        #expect(proven.reply.text.contains("Add Google to this account?"))
        #expect(Self.hasCode(try await visitor.submit(proven, [("action", "add")])))
    }

    @Test("attack: who signs out, or someone else who signs in, leaves no identity that waits")
    func othersIdentity() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        let asked = try await Self.signIn(visitor, as: .ann)
        // Bob signs in where Ann was asked for her password, a little later.
        server.clock.advance(by: 5)
        let page = try await visitor.submit(asked, [("action", "link")])
        _ = try await visitor.submit(page, TestRealm.login("bob"))
        let shown = try await visitor.open("\(Self.base)/login/account")
        #expect(!shown.reply.text.contains(#"value="separate""#))
        let pending = "__Host-pending-\(TestRealm.id.prefix(8))"
        #expect(visitor.cookies[pending] != nil)
        let leaving = try await visitor.open("\(Self.base)/protocol/openid-connect/logout")
        _ = try await visitor.submit(leaving, [("action", "sign-out")])
        #expect(visitor.cookies[pending] == nil)
    }

    // MARK: Other addresses

    @Test("Apple's answer is posted to the realm's address")
    func apple() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        // Rea's address is a relay's: she is asked whether she has an account.
        let asked = try await Self.signIn(visitor, "apple", as: .rea)
        #expect(asked.path.hasPrefix("/realms/test/login/account"))
        #expect(Self.hasCode(try await visitor.submit(asked, [("action", "create")])))
    }

    @Test(
        "OIDCBCL-2.7-1: a logout token ends the realm's session, and counts at the backend as well"
    )
    func logoutToken() async throws {
        let server = try await Self.server()
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        _ = try await Self.signIn(visitor, "keycloak")
        _ = try await other.signIn("keycloak", as: .ben)
        let token = try #require(
            try server.standIns.logoutToken(about: .ben, sessionID: nil)
        )
        let path = "/realms/test/broker/keycloak/backchannel-logout"
        #expect(try await server.post(path, [("logout_token", token)]).status == 200)
        let silent = try await visitor.open(Self.authorization([("prompt", "none")]))
        #expect(silent.reply.location?.contains("login_required") == true)
        #expect(try await other.session().status == 200)
        let there = "/v1/auth/keycloak/backchannel-logout"
        #expect(try await server.post(there, [("logout_token", token)]).status == 200)
        #expect(try await other.session().status == 401)
        #expect(try await server.post(path, [("logout_token", token)]).status == 400)
    }

    @Test(
        "PRV-F-14: a notice is taken at the address of its vendor's provider, for its realm alone"
    )
    func notices() async throws {
        let server = try await Self.server()
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        _ = try await Self.signIn(visitor, "facebook", as: .paul)
        _ = try await other.signIn("facebook", as: .paul)
        let signed = try #require(server.standIns.signedRequest(about: .paul))
        let base = "/realms/test/broker"
        for (path, status) in [
            ("\(base)/google/deauthorize", 404), ("\(base)/facebook/notifications", 404),
            ("\(base)/facebook/data-deletion", 200),
        ] {
            let reply = try await server.post(path, [("signed_request", signed)])
            #expect(reply.status == status, "\(path)")
        }
        let silent = try await visitor.open(Self.authorization([("prompt", "none")]))
        #expect(silent.reply.location?.contains("login_required") == true)
        #expect(try await other.session().status == 200)
        #expect(try await server.accounts().count == 1)
    }

    @Test("who cannot reach the provider gets links into the realm, and no button without one")
    func down() async throws {
        let server = try await Self.server()
        server.standIns.configure(.openID) { $0.isDown = true }
        let visitor = TestVisitor(server)
        let page = try await visitor.open(Self.authorization())
        let down = try await visitor.submit(page, [("way", "keycloak")])
        #expect(down.reply.status == 503)
        #expect(down.reply.text.contains(#"href="/realms/test/broker/keycloak/login?"#))
        #expect(!down.reply.text.contains(#"href="/login"#))
    }

    @Test("another person can sign in from the page of sign-in methods")
    func switchPerson() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await Self.signIn(visitor)
        let page = try await visitor.open(
            "\(Self.base)/login-actions/signed-in?page=methods&prompt=login"
        )
        #expect(page.reply.text.contains(#"name="password""#))
        let plain = try await visitor.open("\(Self.base)/login-actions/signed-in?page=methods")
        #expect(plain.path == "/realms/test/account/ways")
    }

    @Test("a provider of a file keeps its callback where its realm is the backend's")
    func callbackOfFile() async throws {
        let files = ProviderFiles(kind: "identityProviders") { part in
            var record = ProviderRecord(
                realmID: part.realmID,
                name: part.id,
                kind: "keycloak",
                place: 9,
                isEnabled: true,
                settings: [
                    "clientID": "c", "issuer": "http://localhost:9000/openid",
                    "standIn": "http://localhost:9000/openid",
                ],
                sealedSecret: nil
            )
            record.source = .file(obstacle: nil)
            return record
        }
        let server = try await BackendUnderTest(apps: [], files: files, realm: { _ in })
        let realms = server.database.realms
        let issuer = "https://app.example.com/realms/" + "home"
        #expect(try await realms.readdress("home", to: issuer) == .changed)
        try await realms.put(
            RealmPart(realmID: "home", kind: "identityProviders", id: "corp", document: [:])
        )
        try await server.backend.signIn.directory.refresh()
        let visitor = TestVisitor(server)
        #expect(try await visitor.open("/login").reply.text.contains("/v1/auth/corp"))
        let base = "/realms/" + "home" + "/broker"
        for (path, status) in [
            ("\(base)/corp/endpoint?state=s&code=c", 303), ("\(base)/corp/login", 404),
            ("\(base)/google/endpoint?state=s&code=c", 404),
            ("\(base)/corp/backchannel-logout", 404),
        ] {
            let reply = try await visitor.request("https://app.example.com\(path)")
            #expect(reply.status == status, "\(path)")
        }
        let directory = server.backend.signIn.directory
        let corp = try #require(directory.provider(named: "corp"))
        let google = try #require(directory.provider(named: "google"))
        #expect(directory.callback(of: corp, isLink: true) == "\(base)/corp/endpoint")
        #expect(directory.callback(of: google, isLink: true) == "/v1/auth/google/callback/link")
    }

    // MARK: Seals

    @Test("attack: what is sealed for one realm opens in no other, nor at the backend")
    func seals() async throws {
        let server = try await Self.server()
        let realms = server.database.realms
        let realm = try #require(try await realms.realm(named: "test"))
        var other = realm
        other.id = UniqueID(random: .system).text
        other.name = "other"
        let directory = server.backend.signIn.directory
        let places = [directory, directory.at(realm), directory.at(other)]
        let policy = CookiePolicy(try PublicURL("https://app.example.com"))
        let moment = Moment(now: server.clock.now, random: .system)
        let signInReturn = SignInReturn(
            provider: "google",
            destination: .web(.account, isRemembered: false)
        )
        for (index, place) in places.enumerated() {
            let posted = PostedAnswer(ring: server.ring, place: place.place)
            let form = try FormParameters(decoding: Array("state=s&code=c".utf8))
            let answer = posted.seal(form, at: moment)
            let cookies = AttemptCookies(policy, ring: server.ring, directory: place)
            let begun = try await directory.providers[0].client.begin(
                redirectURI: "https://app.example.com/x",
                UpstreamRequest(),
                at: moment
            )
            let fields = try cookies.begin(begun.attempt, signInReturn, [:], at: moment)
            let jar = fields.map { $0.value.prefix { $0 != ";" } }.joined(separator: "; ")
            for (reader, place) in places.enumerated() {
                let opened = PostedAnswer(ring: server.ring, place: place.place)
                    .open(answer, at: moment)
                #expect((opened != nil) == (reader == index))
                guard !(place.providers.isEmpty) else { continue }
                let found = try AttemptCookies(policy, ring: server.ring, directory: place).find(
                    Attempt.self,
                    state: begun.attempt.state.reveal(),
                    [.cookie: jar],
                    at: moment
                )
                #expect((found.attemptID != nil) == (reader == index))
            }
        }
    }
}
