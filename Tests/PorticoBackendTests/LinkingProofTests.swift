import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// WEB-ACC-1: both sides were recently proven by the person who links them.
@Suite("What it takes to link") struct LinkingProofTests {
    /// An unknown person with Ann's address, asked in a browser.
    private static func asked(
        _ server: BackendUnderTest,
        _ visitor: TestVisitor,
        at provider: String = "keycloak"
    ) async throws -> TestVisitor.Visited {
        let found = try await visitor.signIn(provider, as: .ann)
        #expect(found.path == "/login/account")
        return found
    }

    @Test(
        "WEB-ACC-1: a person signed in to an account other than the matching one adds nothing"
    )
    func otherAccount() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let ben = visitor.cookies["__Host-session"]
        let found = try await Self.asked(server, visitor)
        #expect(visitor.cookies["__Host-session"] == ben)
        let added = try await visitor.submit(found, [("action", "add")])
        #expect(added.reply.status == 400)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        #expect(try await server.accounts().count == 2)
    }

    @Test("WEB-ACC-1, WEB-SESS-8: a session that is older than ten minutes proves nothing any more")
    func stale() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let found = try await Self.asked(server, visitor)
        let added = try await visitor.submit(found, [("action", "add")])
        #expect(added.reply.status == 400)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        // The holder of the session and the mailbox is the account's person: no one else is removed.
        #expect(!found.reply.text.contains("signs it out everywhere"))
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        #expect(asked.path.hasPrefix("/account/confirm/code?for=adding"))
        let code = ("code", try #require(try await server.mailedCode()))
        let again = try await visitor.submit(asked, [("action", "confirm"), code])
        #expect(again.path == "/login/account")
        _ = try await visitor.submit(again, [("action", "add")])
        #expect(
            try await server.user(of: visitor).strings("providers") == ["google", "keycloak"]
        )
    }

    @Test(
        "WEB-ACC-1, WEB-SESS-8: a session that a person left at a provider proves no account, with an old auth_time or none"
    )
    func leftBehind() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("keycloak", as: .ann)
        let visitor = TestVisitor(server)
        let found = try await visitor.signIn("google", as: .ann)
        #expect(found.path == "/login/account")
        server.leaveSession()
        for faults in [[], [StandInFaults.IDTokenFault.withoutAuthTime]] {
            server.standIns.configure(.openID) { $0.idToken = faults }
            let back = try await visitor.submit(found, [("way", "keycloak")])
            let request = server.standIns.log.requests(to: .authorization, at: .openID).last
            #expect(request?["prompt"] == "login" && request?["max_age"] == "0")
            #expect(back.path.hasPrefix("/login/account?error=authentication_failed"))
            #expect(back.reply.text.contains("didn’t ask you to sign in again"))
            #expect(visitor.cookies["__Host-session"] == nil)
            let added = try await visitor.submit(back, [("action", "add")])
            #expect(added.reply.status == 400)
            let account = try #require(try await server.accounts().first)
            let identities = try await server.database.accounts.identities(of: account.id)
            #expect(identities.map(\.provider) == ["keycloak"])
        }
        // The person who is asked proves it.
        server.standIns.repair()
        let keycloak = try await visitor.submit(found, [("way", "keycloak")])
        let asked = try await visitor.choose(.ann, at: keycloak, "keycloak")
        #expect(asked.path == "/login/account")
        _ = try await visitor.submit(asked, [("action", "add")])
        let providers = try await server.user(of: visitor).strings("providers")
        #expect(providers == ["keycloak", "google"])
    }

    @Test("WEB-ACC-1: the answer to a link counts at the link's own address, and nowhere else")
    func address() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let link = try await visitor.program(.post, "/v1/account/link/facebook")
        let answer = try await Self.answer(visitor, link.json.string("authorizationUrl"))
        #expect(answer.contains("/v1/auth/facebook/callback/link?"))
        let page = try await visitor.open(answer.replacing("/callback/link?", with: "/callback?"))
        #expect(page.url.contains("error=invalid_state"))
        #expect(server.standIns.log.count(.token, at: .facebook) == 0)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        // And the answer to a sign-in is none to a link.
        let start = try await visitor.request("/v1/auth/facebook")
        let signIn = try await Self.answer(visitor, start.location)
        let other = try await visitor.open(signIn.replacing("/callback?", with: "/callback/link?"))
        #expect(other.url.contains("error=invalid_state"))
        #expect(try await server.accounts().count == 1)
    }

    @Test(
        "WEB-ACC-1: a link is completed by the session that began it, not by the next one in that browser"
    )
    func nextSession() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let begun = visitor.cookies["__Host-session"]
        let link = try await visitor.program(.post, "/v1/account/link/facebook")
        let answer = try await Self.answer(visitor, link.json.string("authorizationUrl"))
        let other = TestVisitor(server)
        _ = try await other.signIn("google", as: .layla)
        visitor.cookies["__Host-session"] = other.cookies["__Host-session"]
        _ = try await visitor.open(answer)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        visitor.cookies["__Host-session"] = begun
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
    }

    @Test(
        "decision 0020: the operator's rule links at once where the address is proven on both sides, and asks where a provider only says so",
        arguments: [AccountRules.Linking.ask, .auto],
        [true, false]
    )
    func rule(_ linking: AccountRules.Linking, isProven: Bool) async throws {
        let server = try await BackendUnderTest(rules: AccountRules(linking: linking))
        let owner = TestVisitor(server)
        _ = try await owner.signIn("keycloak", as: .ann)
        if isProven {
            let address = [("email", "ann@example.com")]
            _ = try await owner.program(.post, "/v1/account/email", address)
            let code = [("code", try #require(try await server.mailedCode()))]
            _ = try await owner.program(.post, "/v1/account/email/confirm", code)
        }
        let visitor = TestVisitor(server)
        // Google says that it is the owner of her domain (PRV-G-6).
        let end = try await visitor.signIn("google", as: .ann)
        let isLinked = linking == .auto && isProven
        #expect(end.path == (isLinked ? "/dashboard" : "/login/account"))
        let providers = try await server.user(of: owner).strings("providers")
        #expect(providers == (isLinked ? ["keycloak", "google"] : ["keycloak"]))
    }

    @Test(
        "decision 0020: an account that the mailbox's owner vouches for is linked to no provider that only says so"
    )
    func newcomerUnproven() async throws {
        let server = try await BackendUnderTest(rules: AccountRules(linking: .auto))
        let owner = TestVisitor(server)
        _ = try await owner.signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        #expect(try await visitor.signIn("keycloak", as: .ann).path == "/login/account")
        #expect(try await server.user(of: owner).strings("providers") == ["google"])
    }

    @Test(
        "decision 0030: five wrong codes spend the one that was mailed; the account opens to no one"
    )
    func mailboxTries() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        let found = try await Self.asked(server, visitor, at: "facebook")
        let page = try await visitor.submit(found, [("action", "mailbox")])
        let code = try #require(try await server.mailedCode())
        let wrong = BackendUnderTest.otherCode(than: code)
        for _ in 0..<5 {
            let told = try await visitor.submit(page, [("action", "confirm"), ("code", wrong)])
            #expect(told.path == "/login/code")
        }
        let late = try await visitor.submit(page, [("action", "confirm"), ("code", code)])
        #expect(late.path == "/login/code")
        #expect(visitor.cookies["__Host-session"] == nil)
        // The address is not told in full: the person at the page may not be its owner.
        #expect(!page.reply.text.contains("ann@example.com"))
    }

    @Test("WEB-SESS-8: the pages ask for a new proof, too, ten minutes after the sign-in")
    func pages() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        for (path, fields) in [
            ("/account/ways", [("way", "facebook")]),
            ("/account/ways", [("action", "remove"), ("id", "google")]),
            ("/account/delete", [("action", "delete"), ("sure", "1")]),
            ("/account/details", [("name", "Ben"), ("email", "new@example.org")]),
            ("/onboarding", [("name", "Ben"), ("email", "new@example.org")]),
        ] {
            let page = try await visitor.open(path)
            let end = try await visitor.submit(page, to: path, fields)
            #expect(end.path.hasPrefix("/account/confirm?for="), "\(path)")
        }
        #expect(try await server.accounts().count == 1)
        #expect(try await server.mailedCode() == nil)
    }

    @Test("An account is deleted by its page only with the box ticked")
    func box() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let page = try await visitor.open("/account/delete")
        _ = try await visitor.submit(page, to: "/account/delete", [("action", "delete")])
        #expect(try await server.accounts().count == 1)
        let sure = [("action", "delete"), ("sure", "1")]
        _ = try await visitor.submit(page, to: "/account/delete", sure)
        #expect(try await server.accounts().isEmpty)
    }

    @Test(
        "attack E11, PRV-A-5: Apple's user each time, malformed, or with another address, changes nothing that is known"
    )
    func appleUser() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("apple", as: .ann)
        let page = try await visitor.open("/account/details")
        _ = try await visitor.submit(
            page,
            to: "/account/details",
            [("name", "Annie"), ("email", "ann@example.com")]
        )
        #expect(try await server.user(of: visitor).string("name") == "Annie")
        for user in [
            #"{"name":{"firstName":"Eve","lastName":"Evil"},"email":"eve@evil.example"}"#,
            #"{"name":{"firstName":"<script>alert(1)</script>"}}"#, #"{"name":7}"#, "{", "[]",
            "null",
        ] {
            server.standIns.configure(.apple) { $0.appleUser = user }
            let again = TestVisitor(server)
            let end = try await again.signIn("apple", as: .ann)
            #expect(end.path == "/dashboard", "\(user)")
            #expect(!end.reply.text.contains("<script>alert"))
            let known = try await server.user(of: again)
            #expect(known.string("name") == "Annie")
            #expect(known.string("email") == "ann@example.com")
        }
        // A new person is let in with nonsense for a name, and with the token's address alone.
        let other = try await BackendUnderTest()
        other.standIns.configure(.apple) {
            $0.appleUser = #"{"name":{"firstName":"A"},"email":"eve@evil.example"}"#
        }
        let newcomer = TestVisitor(other)
        _ = try await newcomer.signIn("apple", as: .mia)
        #expect(try await other.user(of: newcomer).string("email") == "mia@example.net")
    }

    /// What the provider answers, as an address that was not opened yet.
    private static func answer(_ visitor: TestVisitor, _ address: String?) async throws -> String {
        let page = try await visitor.open(try #require(address))
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        let back = try await visitor.request(
            "http://localhost:9000" + form.action,
            .post,
            form.hidden + [("person", "paul")],
            from: page.url
        )
        return try #require(back.location)
    }
}
