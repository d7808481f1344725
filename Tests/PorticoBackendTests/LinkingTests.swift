import Foundation
import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("A second sign-in method") struct LinkingTests {
    private static let programs: HTTPFields = {
        var fields: HTTPFields = [.accept: "application/json"]
        fields[.portico] = "1"
        return fields
    }()

    /// The six digits that were mailed last.
    private static func mailedCode(_ server: BackendUnderTest) async throws -> String {
        let mails = try await server.database.outbox.latest(limit: 10)
        let vault = SealedAtRest(ring: server.ring, purpose: "mailed code")
        for mail in mails {
            guard case .confirmationCode(let sealed, _, _) = mail.draft.message,
                let bytes = Base64URL.decode(sealed)
            else { continue }
            return String(
                decoding: try vault.open(bytes, for: mail.draft.id.text),
                as: UTF8.self
            )
        }
        throw NoMail()
    }

    struct NoMail: Error {}

    @Test(
        "decision 0030: the same verified address at a second provider asks; proving the old way links it"
    )
    func askThenProve() async throws {
        let server = try await BackendUnderTest()
        let owner = TestVisitor(server)
        _ = try await owner.signIn("google", as: .ann)
        let id = try await server.user(of: owner).string("id")

        let visitor = TestVisitor(server)
        let found = try await visitor.signIn("apple", as: .ann)
        #expect(found.path == "/login/account")
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().count == 1)

        // Google cannot be made to ask: a code is the proof.
        let google = try await visitor.submit(found, [("way", "google")])
        let unproven = try await visitor.choose(.ann, at: google, "google")
        #expect(unproven.path.hasPrefix("/account/confirm?for=adding"))
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
        let asked = try await visitor.proveByCode(unproven, at: server)
        #expect(asked.path == "/login/account")
        let linked = try await visitor.submit(asked, [("action", "add")])
        #expect(linked.path == "/dashboard")
        let user = try await server.user(of: visitor)
        #expect(user.string("id") == id)
        #expect(user.strings("providers") == ["google", "apple"])
        // From now on Apple leads to the same account.
        let apple = TestVisitor(server)
        _ = try await apple.signIn("apple", as: .ann)
        #expect(try await server.user(of: apple).string("id") == id)
    }

    @Test("WEB-ACC-1: an address alone never opens an account; a separate one has no claim to it")
    func separate() async throws {
        let server = try await BackendUnderTest()
        let owner = TestVisitor(server)
        _ = try await owner.signIn("google", as: .ann)
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
        let owner = TestVisitor(server)
        _ = try await owner.signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        let found = try await visitor.signIn("facebook", as: .ann)
        #expect(found.path == "/login/account")
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        #expect(asked.path == "/login/code")
        let code = try await Self.mailedCode(server)
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
        let server = try await BackendUnderTest()
        let attacker = TestVisitor(server)
        _ = try await attacker.signIn(provider, as: .ann)
        #expect(try await server.user(of: attacker).bool("email_verified") == isVerified)
        let owner = TestVisitor(server)
        let found = try await owner.signIn("google", as: .ann)
        #expect(found.path == "/login/account")
        let asked = try await owner.submit(found, [("action", "mailbox")])
        let code = try await Self.mailedCode(server)
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
        arguments: [
            ("keycloak", StandInPerson.uma), ("facebook", .paul),
        ]
    )
    func unmatched(_ provider: String, _ person: StandInPerson) async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let welcome = try await TestVisitor(server).signIn(provider, as: person)
        #expect(welcome.path == "/onboarding")
        #expect(try await server.accounts().count == 2)
    }

    @Test("decision 0030: a relay's address is asked about before an account is made")
    func relay() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let asked = try await visitor.signIn("apple", as: .rea)
        #expect(asked.path == "/login/account")
        #expect(try await server.accounts().isEmpty)
        let made = try await visitor.submit(asked, [("action", "create")])
        #expect(made.path == "/onboarding")
        #expect(try await server.accounts().first?.email?.isRelay == true)
        // Once is enough.
        let back = try await TestVisitor(server).signIn("apple", as: .rea)
        #expect(back.path == "/dashboard")
    }

    @Test(
        "WEB-ACC-1: explicit linking from the account; an identity of another account stays there"
    )
    func explicit() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let begun = try await visitor.request(
            "/v1/account/link/facebook",
            .post,
            [],
            from: "https://app.example.com/",
            Self.programs
        )
        let address = try #require(begun.json.string("authorizationUrl"))
        #expect(address.contains("callback%2Flink"))
        let page = try await visitor.open(address)
        let linked = try await visitor.choose(.paul, at: page, "facebook")
        #expect(linked.path.hasPrefix("/account/ways"))
        #expect(try await server.user(of: visitor).strings("providers") == ["google", "facebook"])

        let other = TestVisitor(server)
        _ = try await other.signIn("google", as: .layla)
        try await server.proveSessions()
        let second = try await other.request(
            "/v1/account/link/facebook",
            .post,
            [],
            from: "https://app.example.com/",
            Self.programs
        )
        let foreign = try await other.open(try #require(second.json.string("authorizationUrl")))
        let taken = try await other.choose(.paul, at: foreign, "facebook")
        #expect(taken.reply.status == 409)
        #expect(try await server.user(of: other).strings("providers") == ["google"])
    }

    @Test("WEB-ACC-1: a link begun in one browser is not completed in another")
    func planted() async throws {
        let server = try await BackendUnderTest()
        let attacker = TestVisitor(server)
        _ = try await attacker.signIn("google", as: .ben)
        try await server.proveSessions()
        let begun = try await attacker.request(
            "/v1/account/link/facebook",
            .post,
            [],
            from: "https://app.example.com/",
            Self.programs
        )
        let victim = TestVisitor(server)
        _ = try await victim.signIn("google", as: .layla)
        let page = try await victim.open(try #require(begun.json.string("authorizationUrl")))
        _ = try await victim.choose(.paul, at: page, "facebook")
        #expect(try await server.user(of: attacker).strings("providers") == ["google"])
        #expect(try await server.user(of: victim).strings("providers") == ["google"])
    }

    @Test("WEB-ACC-4: the last sign-in method is never removed; another one is, with its sessions")
    func unlink() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let refused = try await visitor.request(
            "/v1/account/unlink/google",
            .delete,
            [],
            from: "https://app.example.com/",
            Self.programs
        )
        #expect(refused.status == 409)
        #expect(refused.json.string("error") == "last_way")
        #expect(try await visitor.session().status == 200)

        let link = try await visitor.program(.post, "/v1/account/link/facebook")
        let page = try await visitor.open(try #require(link.json.string("authorizationUrl")))
        _ = try await visitor.choose(.paul, at: page, "facebook")
        let phone = TestVisitor(server)
        _ = try await phone.signIn("facebook", as: .paul)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let link = try await visitor.program(.post, "/v1/account/link/facebook")
        let page = try await visitor.open(try #require(link.json.string("authorizationUrl")))
        _ = try await visitor.choose(.paul, at: page, "facebook")
        let configuration = server.database.configuration
        switch absence {
        case .disabled: try await server.setUp("facebook") { $0.isEnabled = false }
        case .unusable: try await server.setUp("facebook") { $0.sealedSecret = nil }
        case .removed:
            #expect(try await configuration.deleteProvider(name: "facebook") == .changed)
            try await server.backend.directory.refresh()
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
        let server = try await BackendUnderTest()
        let first = TestVisitor(server)
        _ = try await first.signIn(provider, as: .ann)
        // Another account there, with the address of the first.
        var other = StandInPerson.ann
        other.id = "annie"
        server.standIns.setPeople([other], at: provider == "google" ? .google : .facebook)
        let visitor = TestVisitor(server)
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
        let code = try await Self.mailedCode(server)
        let done = try await visitor.submit(asked, [("action", "confirm"), ("code", code)])
        #expect(done.path == "/dashboard")
        #expect(try await first.session().status == 401)
        #expect(try await server.user(of: visitor).strings("providers") == ["facebook"])
    }

    @Test("PRV-F-7, WEB-ACC-2: 50 concurrent first callbacks of one person make one account")
    func concurrent() async throws {
        let server = try await BackendUnderTest()
        let ids = try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    let visitor = TestVisitor(server)
                    _ = try await visitor.signIn("google", as: .ann)
                    return try await server.user(of: visitor).string("id")
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && ids.first != .some(nil))
        #expect(try await server.accounts().count == 1)
    }
}
