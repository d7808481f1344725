import Foundation
import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("A second sign-in method") struct LinkingTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    @Test("decision 0030: a known address at a second provider asks; the old way proves and links")
    func askThenProve() async throws {
        let owner = try await server.signedIn("google", as: .ann)
        let id = try await server.user(of: owner).string("id")

        let found = try await visitor.signIn("apple", as: .ann)
        #expect(found.path == "/login/account")
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().count == 1)

        // Google cannot be made to ask: a code is the proof.
        let google = try await visitor.submit(found, [("way", "google")])
        let unproven = try await visitor.choose(.ann, at: google, "google")
        #expect(unproven.path.hasPrefix("/account/confirm?for=adding"))
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        let asked = try await visitor.proveByCode(unproven)
        #expect(asked.path == "/login/account")
        let linked = try await visitor.submit(asked, [("action", "add")])
        #expect(linked.path == "/dashboard")
        let user = try await server.user(of: visitor)
        #expect(user.string("id") == id)
        #expect(user.strings("providers") == ["google", "apple"])
        // From now on Apple leads to the same account.
        let apple = try await server.signedIn("apple", as: .ann)
        #expect(try await server.user(of: apple).string("id") == id)
    }

    @Test("WEB-ACC-1: an address alone never opens an account; a separate one has no claim to it")
    func separate() async throws {
        let owner = try await server.signedIn("google", as: .ann)
        let found = try await visitor.signIn("keycloak", as: .ann)
        let done = try await visitor.submit(found, [("action", "separate")])
        #expect(done.path == "/onboarding")
        let user = try await server.user(of: visitor)
        let ownerID = try await server.user(of: owner).string("id")
        #expect(user.string("id") != ownerID)
        #expect(user.bool("email_verified") == false)
    }

    @Test("decision 0030: the mailbox proves an account, by a code of six digits that was mailed")
    func mailbox() async throws {
        let owner = try await server.signedIn("google", as: .ann)
        let found = try await visitor.signIn("facebook", as: .ann)
        #expect(found.path == "/login/account")
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        #expect(asked.path == "/login/code")
        let code = try #require(try await server.mailedCode())
        let wrong = try await visitor.submit(asked, [("action", "confirm"), ("code", "000000")])
        #expect(wrong.path == "/login/code")
        let done = try await visitor.submit(wrong, [("action", "confirm"), ("code", code)])
        #expect(done.path == "/dashboard")
        let ownerID = try await server.user(of: owner).string("id")
        #expect(try await server.user(of: visitor).string("id") == ownerID)
        // The owner proved the mailbox at Google before: their session stays.
        #expect(try await owner.session().status == 200)
    }

    @Test(
        "decision 0030: who registered an address first without proving it loses it to its owner, whatever their provider says",
        arguments: [("facebook", false), ("keycloak", true)]
    )
    func preRegistration(_ provider: String, isVerified: Bool) async throws {
        let attacker = try await server.signedIn(provider, as: .ann)
        #expect(try await server.user(of: attacker).bool("email_verified") == isVerified)
        let owner = TestVisitor(server)
        let found = try await owner.signIn("google", as: .ann)
        #expect(found.path == "/login/account")
        let asked = try await owner.submit(found, [("action", "mailbox")])
        let code = try #require(try await server.mailedCode())
        let done = try await owner.submit(asked, [("action", "confirm"), ("code", code)])
        #expect(done.path == "/dashboard")
        // No credential of the previous owner opens the account any more.
        #expect(try await attacker.session().status == 401)
        _ = try await attacker.signIn(provider, as: .ann)
        let ownerID = try await server.user(of: owner).string("id")
        #expect(try await server.user(of: attacker).string("id") != ownerID)
        #expect(try await server.user(of: owner).strings("providers") == ["google"])
    }

    @Test(
        "decision 0030: an unverified address, or none, matches no one",
        arguments: [("keycloak", StandInPerson.uma), ("facebook", .paul)]
    )
    func unmatched(_ provider: String, _ person: StandInPerson) async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let welcome = try await TestVisitor(server).signIn(provider, as: person)
        #expect(welcome.path == "/onboarding")
        #expect(try await server.accounts().count == 2)
    }

    @Test("decision 0030: a relay's address is asked about before an account is made")
    func relay() async throws {
        let asked = try await visitor.signIn("apple", as: .rea)
        #expect(asked.path == "/login/account")
        #expect(try await server.accounts().isEmpty)
        let made = try await visitor.submit(asked, [("action", "create")])
        #expect(made.path == "/onboarding")
        #expect(try await server.accounts().first?.mailbox?.isRelay == true)
        // Once is enough.
        let back = try await TestVisitor(server).signIn("apple", as: .rea)
        #expect(back.path == "/dashboard")
    }

    @Test("WEB-ACC-1: explicit linking from the account; another account's identity stays there")
    func explicit() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let begun = try await visitor.program(.post, "/v1/account/link/facebook")
        let address = try #require(begun.json.string("authorizationUrl"))
        #expect(address.contains("callback%2Flink"))
        let page = try await visitor.open(address)
        let linked = try await visitor.choose(.paul, at: page, "facebook")
        #expect(linked.path.hasPrefix("/account/ways"))
        #expect(try await server.user(of: visitor).strings("providers") == ["google", "facebook"])

        let other = try await server.signedIn("google", as: .layla)
        try await server.proveSessions()
        let taken = try await other.link("facebook", as: .paul)
        #expect(taken.reply.status == 409)
        #expect(try await server.user(of: other).strings("providers") == ["google"])
    }

    @Test("WEB-ACC-1: a link begun in one browser is not completed in another")
    func planted() async throws {
        let attacker = try await server.signedIn("google", as: .ben)
        try await server.proveSessions()
        let begun = try await attacker.program(.post, "/v1/account/link/facebook")
        let victim = try await server.signedIn("google", as: .layla)
        let page = try await victim.open(try #require(begun.json.string("authorizationUrl")))
        _ = try await victim.choose(.paul, at: page, "facebook")
        #expect(try await server.user(of: attacker).strings("providers") == ["google"])
        #expect(try await server.user(of: victim).strings("providers") == ["google"])
    }

    @Test("WEB-ACC-4: the last sign-in method is never removed; another one is, with its sessions")
    func unlink() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let refused = try await visitor.program(.delete, "/v1/account/unlink/google")
        #expect(refused.refusal == "409 last_way")
        #expect(try await visitor.session().status == 200)

        _ = try await visitor.link("facebook", as: .paul)
        let phone = try await server.signedIn("facebook", as: .paul)
        #expect(try await server.user(of: phone).strings("providers") == ["google", "facebook"])
        #expect(try await visitor.program(.delete, "/v1/account/unlink/facebook").status == 200)
        #expect(try await phone.session().status == 401)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        let gone = try await visitor.program(.delete, "/v1/account/unlink/facebook")
        #expect(gone.status == 404)
    }

    @Test(
        "WEB-ACC-4: a way whose provider is disabled, gone or cannot be used is none to fall back on",
        arguments: Absence.allCases
    )
    func lastUsable(_ absence: Absence) async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        _ = try await visitor.link("facebook", as: .paul)
        let configuration = server.database.configuration
        switch absence {
        case .disabled: try await server.setUp("facebook") { $0.isEnabled = false }
        case .unusable: try await server.setUp("facebook") { $0.sealedSecret = nil }
        case .removed:
            #expect(
                try await configuration.deleteProvider(name: "facebook", realmID: "home")
                    == .changed
            )
            try await server.backend.signIn.directory.refresh()
        }
        let refused = try await visitor.program(.delete, "/v1/account/unlink/google")
        #expect(refused.json.string("error") == "last_way")
        #expect(try await server.user(of: visitor).strings("providers") == ["google", "facebook"])
        let shown = try await visitor.open("/account/ways")
        let kept = try await visitor.submit(shown, [("action", "remove"), ("id", "google")])
        #expect(kept.reply.status == 409)
        // The one that is of no use can go.
        #expect(try await visitor.program(.delete, "/v1/account/unlink/facebook").status == 200)
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
    }

    enum Absence: CaseIterable {
        case disabled, unusable, removed
    }

    @Test(
        "decision 0030: neither the method that was just used proves the account, nor the mailbox of one that has another of it",
        arguments: ["google", "facebook"]
    )
    func justUsed(_ provider: String) async throws {
        let first = try await server.signedIn(provider, as: .ann)
        // Another account there, with the address of the first.
        var other = StandInPerson.ann
        other.id = "annie"
        server.standIns.setPeople([other], at: provider == "google" ? .google : .facebook)
        let found = try await visitor.signIn(provider, as: other)
        #expect(found.path == "/login/account")
        #expect(!found.reply.text.contains("value=\"\(provider)\""))
        #expect(found.reply.text.contains(#"value="mailbox""#) == (provider == "facebook"))
        guard provider == "facebook" else {
            #expect(found.reply.text.contains("is already connected to this account"))
            let made = try await visitor.submit(found, [("action", "separate")])
            #expect(made.path == "/onboarding")
            #expect(try await server.accounts().count == 2)
            return
        }
        // The address was never proven: its owner takes the account, and the other loses it.
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        let code = try #require(try await server.mailedCode())
        let done = try await visitor.submit(asked, [("action", "confirm"), ("code", code)])
        #expect(done.path == "/dashboard")
        #expect(try await first.session().status == 401)
        #expect(try await server.user(of: visitor).strings("providers") == ["facebook"])
    }

    @Test("PRV-F-7, WEB-ACC-2: 50 concurrent first callbacks of one person make one account")
    func concurrent() async throws {
        let ids = try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    let visitor = try await server.signedIn("google", as: .ann)
                    return try await server.user(of: visitor).string("id")
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && ids.first != .some(nil))
        #expect(try await server.accounts().count == 1)
    }
}

/// Someone comes back from a provider, is asked whether they have an account, and walks away.
@Suite("An identity that waits in a browser for a decision") struct WaitingIdentityTests {
    private static let name = "__Host-pending"

    /// Rea, whose address Apple hides, so that it may join any account, is asked.
    private static func asked(_ visitor: TestVisitor) async throws -> TestVisitor.Visited {
        let asked = try await visitor.signIn("apple", as: .rea)
        #expect(asked.path == "/login/account")
        #expect(visitor.cookies[name] != nil)
        return asked
    }

    /// Nothing that the page of before offers is done, and Rea's identity is no one's.
    private static func expectOver(
        _ asked: TestVisitor.Visited,
        _ visitor: TestVisitor,
        _ server: BackendUnderTest
    ) async throws {
        #expect(visitor.cookies[name] == nil)
        let before = try await server.accounts().count
        let session = visitor.cookies["__Host-session"]
        for action in ["add", "create", "separate", "link"] {
            let sent = try await visitor.submit(asked, [("action", action)])
            #expect(sent.path != "/onboarding", "\(action)")
        }
        #expect(try await server.accounts().count == before)
        #expect(visitor.cookies["__Host-session"] == session)
        let home = try await TestVisitor(server).signIn("apple", as: .rea)
        #expect(home.path == "/login/account", "she has no account, and is asked")
    }

    @Test(
        "decision 0091: what a person has proven waits for no one who signs in after them",
        arguments: ["google", "handle"]
    )
    func nextPerson(_ way: String) async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let asked = try await Self.asked(visitor)
        if way == "google" {
            _ = try await visitor.signIn("google", as: .layla)
        } else {
            _ = try await visitor.byHandle(.bob)
        }
        // She proves herself, for whatever reason: nothing offers her Rea's identity.
        try await server.proveSessions()
        let user = try await server.user(of: visitor)
        try await Self.expectOver(asked, visitor, server)
        #expect(try await server.user(of: visitor).string("id") == user.string("id"))
        #expect(try await server.user(of: visitor).strings("providers")?.count == 1)
    }

    /// How a browser is signed out.
    enum Way: CaseIterable, Sendable {
        case page, program
        /// No one is signed in, and the page says so.
        case nobody
    }

    @Test(
        "decision 0091: what a person has proven ends with a sign-out in the browser",
        arguments: Way.allCases
    )
    func signOut(_ way: Way) async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("google", as: .layla)
        let asked = try await Self.asked(visitor)
        switch way {
        case .page:
            let page = try await visitor.open("/logout")
            _ = try await visitor.submit(page, to: "/logout", [("action", "here")])
        case .program:
            #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
        case .nobody:
            visitor.cookies["__Host-session"] = nil
            _ = try await visitor.open("/logout")
        }
        #expect(visitor.cookies["__Host-session"] == nil)
        try await Self.expectOver(asked, visitor, server)
        #expect(try await visitor.session().status == 401)
    }

    @Test("decision 0030: it waits for the sign-in that its page asks for, which says whose it is")
    func proving() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .layla)
        let visitor = TestVisitor(server)
        let asked = try await Self.asked(visitor)
        let choice = try await visitor.submit(asked, [("action", "link")])
        #expect(choice.path.hasPrefix("/login?return_to="))
        let proof = "/account/confirm?for=adding&return_to=%2Flogin%2Faccount"
        let back = try await visitor.signIn("google", as: .layla, [("return_to", proof)])
        #expect(back.path.hasPrefix("/account/confirm?for=adding"))
        #expect(visitor.cookies[Self.name] != nil)
        let page = try await visitor.proveByCode(back)
        #expect(page.path == "/login/account")
        // Her account is named, and who was signed in at Apple, who may be another: not in full.
        #expect(page.reply.text.contains("layla@example.com"))
        #expect(page.reply.text.contains("Rea Relay (") && page.reply.text.contains("…@"))
        let added = try await visitor.submit(page, [("action", "add")])
        #expect(added.reply.status == 200 && visitor.cookies[Self.name] == nil)
        #expect(try await server.user(of: visitor).strings("providers") == ["google", "apple"])
    }
}

/// A method that is removed gives back what its provider gave us (PRV-A-19, OIDCRPL-6-3).
@Suite("What removing a sign-in method gives back") struct UnlinkedTokenTests {
    @Test(
        "OIDCRPL-6-3: an unlinked method's token is revoked at its provider, and that of no other",
        arguments: ["program", "page"]
    )
    func revoked(_ way: String) async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("keycloak", as: .ann)
        try await server.proveSessions()
        _ = try await visitor.link("google", as: .ben)
        let token = try #require(try await server.openedToken(at: "google"))
        try await server.proveSessions()
        if way == "program" {
            let done = try await visitor.program(.delete, "/v1/account/unlink/google")
            #expect(done.status == 200)
        } else {
            let ways = try await visitor.open("/account/ways")
            _ = try await visitor.submit(
                ways,
                to: "/account/ways",
                [("action", "remove"), ("id", "google")]
            )
        }
        let asked = server.standIns.log.requests(to: .revocation, at: .google)
        #expect(asked.count == 1 && asked.first?["token"] == token)
        #expect(server.standIns.log.count(.revocation, at: .openID) == 0)
    }
}
