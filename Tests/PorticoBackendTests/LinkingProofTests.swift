import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// WEB-ACC-1: both sides were recently proven by the person who links them.
@Suite("What it takes to link") struct LinkingProofTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    /// An unknown person with Ann's address, asked in a browser.
    private func asked(
        _ visitor: TestVisitor,
        at provider: String = "keycloak"
    ) async throws -> TestVisitor.Visited {
        let found = try await visitor.signIn(provider, as: .ann)
        #expect(found.path == "/login/account")
        return found
    }

    @Test("WEB-ACC-1: a person signed in to an account other than the matching one adds nothing")
    func otherAccount() async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let ben = visitor.cookies["__Host-session"]
        let found = try await asked(visitor)
        #expect(visitor.cookies["__Host-session"] == ben)
        let added = try await visitor.submit(found, [("action", "add")])
        #expect(added.reply.status == 400)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        #expect(try await server.accounts().count == 2)
    }

    @Test("WEB-ACC-1, WEB-SESS-8: a session that is older than ten minutes proves nothing any more")
    func stale() async throws {
        _ = try await visitor.signIn("google", as: .ann)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let found = try await self.asked(visitor)
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
        #expect(try await server.user(of: visitor).strings("providers") == ["google", "keycloak"])
    }

    @Test("WEB-ACC-1, WEB-SESS-8: a session left at a provider proves no account")
    func leftBehind() async throws {
        _ = try await TestVisitor(server).signIn("keycloak", as: .ann)
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

    @Test("WEB-ACC-1: a link is completed by the session that began it, and by no later one")
    func nextSession() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let begun = visitor.cookies["__Host-session"]
        let link = try await visitor.program(.post, "/v1/account/link/facebook")
        let answer = try await Self.answer(visitor, link.json.string("authorizationUrl"))
        let other = try await server.signedIn("google", as: .layla)
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
        let owner = try await server.signedIn("keycloak", as: .ann)
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

    @Test("decision 0020: an account by mailbox is linked to no provider that only says so")
    func newcomerUnproven() async throws {
        let server = try await BackendUnderTest(rules: AccountRules(linking: .auto))
        let owner = try await server.signedIn("google", as: .ann)
        let visitor = TestVisitor(server)
        #expect(try await visitor.signIn("keycloak", as: .ann).path == "/login/account")
        #expect(try await server.user(of: owner).strings("providers") == ["google"])
    }

    @Test("decision 0030: five wrong codes spend the mailed one; the account opens to no one")
    func mailboxTries() async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let found = try await asked(visitor, at: "facebook")
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
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let page = try await visitor.open("/account/delete")
        _ = try await visitor.submit(page, to: "/account/delete", [("action", "delete")])
        #expect(try await server.accounts().count == 1)
        let sure = [("action", "delete"), ("sure", "1")]
        _ = try await visitor.submit(page, to: "/account/delete", sure)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("attack E11, PRV-A-5: Apple's user, malformed or with another address, changes nothing")
    func appleUser() async throws {
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
        let back = try await visitor.answered(page, [("person", "paul")])
        return try #require(back.location)
    }
}

@Suite("A code that proves a mailbox") struct EmailCodeTests {
    private let server: BackendUnderTest

    init() async throws {
        server = try await BackendUnderTest()
    }

    private func started(
        as person: StandInPerson = .ben,
        _ address: String = "new@example.org"
    ) async throws -> (visitor: TestVisitor, code: String) {
        let visitor = try await server.signedIn("google", as: person)
        try await server.proveSessions()
        let reply = try await visitor.program(.post, "/v1/account/email", [("email", address)])
        #expect(reply.status == 200)
        #expect(reply.json.int64("expires_in") == 600)
        return (visitor, try #require(try await server.mailedCode()))
    }

    private static func confirm(_ visitor: TestVisitor, _ code: String) async throws -> Reply {
        try await visitor.program(.post, "/v1/account/email/confirm", [("code", code)])
    }

    @Test("The code that was mailed makes the address the account's, verified, and counts once")
    func confirmed() async throws {
        let (visitor, code) = try await started()
        // Blanks that were copied along do no harm.
        #expect(
            try await Self.confirm(visitor, " \(code.prefix(3)) \(code.suffix(3))").status == 200
        )
        let user = try await server.user(of: visitor)
        #expect(user.string("email") == "new@example.org")
        #expect(user.bool("email_verified") == true)
        #expect(try await Self.confirm(visitor, code).json.string("error") == "invalid_grant")
    }

    @Test("Five wrong codes spend it, and every refusal is the same answer")
    func tries() async throws {
        let (visitor, code) = try await started()
        let wrong = BackendUnderTest.otherCode(than: code)
        var answers: Set<String> = []
        for _ in 0..<5 { answers.insert(try await Self.confirm(visitor, wrong).text) }
        answers.insert(try await Self.confirm(visitor, code).text)
        answers.insert(try await Self.confirm(visitor, "not a code").text)
        #expect(answers.count == 1)
        #expect(try await server.user(of: visitor).string("email") == "ben@example.org")
    }

    @Test("The fourth wrong code leaves one try")
    func fourTries() async throws {
        let (visitor, code) = try await started()
        for _ in 0..<4 {
            _ = try await Self.confirm(visitor, BackendUnderTest.otherCode(than: code))
        }
        #expect(try await Self.confirm(visitor, code).status == 200)
    }

    @Test("A code is good for ten minutes")
    func late() async throws {
        let (visitor, code) = try await started()
        server.clock.advance(by: 601)
        #expect(try await Self.confirm(visitor, code).status == 400)
        #expect(try await server.user(of: visitor).string("email") == "ben@example.org")
    }

    @Test("A code is good for the account it was asked for, and for no other")
    func otherAccount() async throws {
        let (_, code) = try await started()
        let other = try await server.signedIn("google", as: .layla)
        #expect(try await Self.confirm(other, code).status == 400)
        #expect(try await server.user(of: other).string("email") == "layla@example.com")
    }

    @Test("An address that another account has verified stays there, and only its owner is told")
    func taken() async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let (visitor, code) = try await started("ann@example.com")
        #expect(try await Self.confirm(visitor, code).status == 409)
        #expect(try await server.user(of: visitor).string("email") == "ben@example.org")
    }

    @Test(
        "What is no address that mail can be sent to is refused, and nothing is mailed",
        arguments: ["", "ben", "ben@example.org\r\nBcc: eve@example.org", "a b@example.org"]
    )
    func noAddress(_ address: String) async throws {
        let visitor = try await server.signedIn("google", as: .ben)
        try await server.proveSessions()
        let reply = try await visitor.program(.post, "/v1/account/email", [("email", address)])
        #expect(reply.status == 400)
        #expect(try await server.mailedCode() == nil)
    }

    @Test("WEB-CRYPT-2: of a mailed code the database keeps nothing that gives it away")
    func kept() async throws {
        let (_, code) = try await started()
        let kept = try server.database.keptConfirmations()
        #expect(kept.count == 1)
        #expect(code.utf8.count == 6 && kept[0].hash.count == 32)
        #expect(!kept[0].isPlain(code))
    }
}
