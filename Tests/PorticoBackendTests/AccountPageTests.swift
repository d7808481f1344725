import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Pages of an account") struct AccountPageTests {
    private let server: BackendUnderTest

    init() async throws {
        server = try await BackendUnderTest()
    }

    private let walker = Walker(language: .english)

    @Test("WCAG 3.3.7: after a problem the welcome shows what was typed, and knows where to go on")
    func welcomeKeeps() async throws {
        let visitor = TestVisitor(server)
        let welcome = try await visitor.signIn("facebook", as: .paul, [("return_to", "/orders")])
        let typed = [("name", "Pauline"), ("email", "pauline@")]
        let page = try await visitor.press("save", on: welcome, typed)
        #expect(page.reply.text.contains("value=\"Pauline\""))
        #expect(page.reply.text.contains("value=\"pauline@\""))
        #expect(try await server.accounts().first?.name == "Paul Phone")
        let done = try await visitor.press("later", on: page)
        #expect(done.path == "/orders")
    }

    @Test("another code is sent to the same address, and the one before is not good")
    func resend() async throws {
        let visitor = try await walker.registered(at: server)
        let details = try await visitor.open("/account/details")
        let typed = [("name", "Ann"), ("email", "new@example.net")]
        let asked = try await visitor.press("save", on: details, typed)
        #expect(asked.reply.text.contains("n…@example.net"))
        #expect(!asked.path.contains("example.net"))
        let first = try await server.mailedCode() ?? ""
        server.clock.advance(by: 1)
        let again = try await visitor.press("resend", on: asked)
        let second = try await server.mailedCode() ?? ""
        if first != second {
            let stale = try await visitor.press("confirm", on: again, [("code", first)])
            #expect(stale.path.hasPrefix("/account/email"))
        }
        let done = try await visitor.press("confirm", on: again, [("code", second)])
        #expect(done.path == "/account/details?saved=1")
        #expect(try await server.user(of: visitor).string("email") == "new@example.net")
    }

    @Test("the address that a code went to is sealed for its account: elsewhere nothing is sent")
    func foreignAddress() async throws {
        let visitor = try await walker.registered(at: server)
        let details = try await visitor.open("/account/details")
        let typed = [("name", "Ann"), ("email", "new@example.net")]
        let asked = try await visitor.press("save", on: details, typed)
        let other = try await walker.registered("facebook", as: .paul, at: server)
        let planted = try await other.open(asked.path)
        #expect(!planted.reply.text.contains("example.net"))
        #expect(!planted.reply.text.contains("value=\"resend\""))
        let count = try await server.database.outbox.latest(limit: 10).count
        let refused = try await other.submit(planted, [("action", "resend")])
        #expect(refused.path == "/account/details")
        #expect(try await server.database.outbox.latest(limit: 10).count == count)
    }

    @Test("decision 0028: a person who stops proving an account is asked again, and can continue")
    func stopped() async throws {
        let (visitor, found) = try await walker.found(at: server)
        let google = try await visitor.press(("way", "google"), on: found)
        let back = try await visitor.submit(google, [("cancel", "1")])
        #expect(back.path.hasPrefix("/login/account?error=access_denied"))
        #expect(back.reply.text.contains("role=\"status\""))
        let asked = try await visitor.press("mailbox", on: back)
        let code = ("code", try await server.mailedCode() ?? "")
        let done = try await visitor.press("confirm", on: asked, [code])
        #expect(done.path == "/dashboard")
        #expect(try await server.accounts().count == 1)
    }

    @Test("where new accounts are closed, none is offered beside the one that was found")
    func noSeparateAccount() async throws {
        let database = try TestDatabase.inMemory()
        _ = try await walker.registered(at: try await BackendUnderTest(database: database))
        let closed = try await BackendUnderTest(
            database: database,
            rules: AccountRules(isSignUpOpen: false)
        )
        let found = try await TestVisitor(closed).signIn("facebook")
        #expect(found.path == "/login/account")
        #expect(!found.reply.text.contains("value=\"separate\""))
    }

    @Test("PRV-G-4: an account of another organisation is told as that, and makes none here")
    func organisation() async throws {
        try await server.setUp("google") { $0.settings["hostedDomains"] = ["example.org"] }
        let page = try await TestVisitor(server).signIn("google")
        #expect(page.path.hasPrefix("/login?error=access_denied&reason=organisation"))
        #expect(try await server.accounts().isEmpty)
    }

    @Test(
        "PRV-A-19: a person who deletes their account is told whether Apple could be notified",
        arguments: [true, false]
    )
    func left(_ isApplesAnswering: Bool) async throws {
        let visitor = try await walker.registered("apple", at: server)
        if !isApplesAnswering { server.standIns.configure(.apple) { $0.failing = [.revocation] } }
        let page = try await visitor.open("/account/delete")
        let done = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(done.reply.text.contains("class=\"strong\"") == !isApplesAnswering)
        #expect(try await server.accounts().isEmpty)
        #expect(try await visitor.session().status == 401)
    }
}

/// What an account's address is told when the account is changed or goes, whichever way that comes.
@Suite("Notices of an account") struct AccountNoticeTests {
    private let walker = Walker(language: .german)

    private static func notices(_ server: BackendUnderTest) async throws -> [MailDraft] {
        try await server.database.outbox.latest(limit: 100).map(\.draft).filter {
            if case .confirmationCode = $0.message { false } else { true }
        }
    }

    private static func uses(_ server: BackendUnderTest) async throws -> [MailedCodeUse] {
        try await server.database.outbox.latest(limit: 100).compactMap {
            if case .confirmationCode(_, let use, _) = $0.draft.message { use } else { nil }
        }
    }

    enum Way: CaseIterable {
        case page, program
    }

    @Test("WEB-BRUTE-3: a new address is told to the former one", arguments: Way.allCases)
    func changed(_ way: Way) async throws {
        let server = try await BackendUnderTest()
        let visitor = try await walker.registered(at: server)
        switch way {
        case .page:
            let details = try await visitor.open("/account/details")
            let typed = [("name", "Ann"), ("email", "new@example.net")]
            let asked = try await visitor.press("save", on: details, typed)
            let code = ("code", try await server.mailedCode() ?? "")
            _ = try await visitor.press("confirm", on: asked, [code])
        case .program:
            let fields = [("email", "new@example.net")]
            _ = try await visitor.program(.post, "/v1/account/email", fields)
            let code = [("code", try await server.mailedCode() ?? "")]
            _ = try await visitor.program(.post, "/v1/account/email/confirm", code)
        }
        #expect(try await server.user(of: visitor).string("email") == "new@example.net")
        #expect(try await Self.uses(server) == [.confirmAddress])
        let told = try await Self.notices(server)
        #expect(told.map(\.to) == ["ann@example.com"])
        #expect(told.map(\.message) == [.emailChanged])
        #expect(told.map(\.language) == ["de"])
    }

    enum Departure: CaseIterable {
        case page, program, apple, facebook
    }

    @Test(
        "WEB-BRUTE-3: that an account is deleted is told to its address",
        arguments: Departure.allCases
    )
    func deleted(_ departure: Departure) async throws {
        let server = try await BackendUnderTest()
        let provider =
            switch departure {
            case .page, .program: "google"
            case .apple: "apple"
            case .facebook: "facebook"
            }
        let visitor = try await walker.registered(provider, at: server)
        if departure == .facebook {
            // What Facebook says of an address is not known to be so.
            _ = try await visitor.program(
                .post,
                "/v1/account/email",
                [("email", "ann@example.com")]
            )
            let code = [("code", try await server.mailedCode() ?? "")]
            _ = try await visitor.program(.post, "/v1/account/email/confirm", code)
        }
        let reply: Reply
        switch departure {
        case .page:
            let page = try await visitor.open("/account/delete")
            reply = try await visitor.press("delete", on: page, [("sure", "1")]).reply
        case .program: reply = try await visitor.program(.delete, "/v1/account")
        case .apple:
            let payload = try server.standIns.appleNotification(.accountDelete, about: .ann)
            reply = try await server.post(
                "/v1/auth/apple/notifications",
                [("payload", try #require(payload))]
            )
        case .facebook:
            let request = server.standIns.signedRequest(about: .ann)
            reply = try await server.post(
                "/v1/auth/facebook/data-deletion",
                [("signed_request", try #require(request))]
            )
        }
        #expect(reply.status == 200)
        #expect(try await server.accounts().isEmpty)
        let told = try await Self.notices(server)
        #expect(told.map(\.to) == ["ann@example.com"])
        #expect(told.map(\.message) == [.accountDeleted])
        #expect(told.map(\.language) == ["de"])
    }

    @Test("a mail says so if its code creates an account for a new person")
    func claim() async throws {
        let server = try await BackendUnderTest()
        let (visitor, found) = try await walker.found(at: server)
        _ = try await visitor.press("mailbox", on: found)
        #expect(try await Self.uses(server) == [.claimAccount(provider: "facebook")])
    }
}
