import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// An account that a stranger has set up with somebody else's address, and a link that an administrator
/// mails to that address.
@Suite("A mailed click makes no stranger's account trusted") struct ActionLinkTests {
    private static let new = "a river runs backwards"
    private static let verify = [RequiredAction.verifyEmail]
    private static let update = [RequiredAction.updatePassword]
    private static let app = [RequiredAction.configureTOTP]

    private static func server(
        confirmsEmail: Bool = false,
        isProven: Bool = false
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(sendsMail: true) { new in
            new.realm.confirmsEmail = confirmsEmail
            new.people[0].person.isEmailVerified = isProven
            new.people[1].credentials = [SecondStepScene.factor(of: new.people[1].person.id)]
            new.people[1].person.isEmailVerified = isProven
        }
    }

    static func link(_ actions: [String], to name: String, _ server: ProviderUnderTest)
        async throws -> String
    {
        let moment = Moment(now: server.clock.now, random: .system)
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let kept = try await server.person(name)
        let link = ActionLink(
            person: PersonLink(
                id: moment.id(),
                realmID: realm.id,
                personID: kept.person.id,
                email: kept.person.email ?? "",
                epoch: kept.epoch,
                actions: actions,
                expiresAt: moment.seconds + 600
            ),
            back: nil
        )
        let outcome = try await server.provider.actionLinks.send(
            link,
            to: kept.person,
            in: realm,
            by: "root",
            at: moment
        )
        #expect(outcome == .sent)
        return try await server.link()
    }

    /// Which of the two the log tells of: that the address was confirmed, and a password chosen by it.
    private static func told(_ server: ProviderUnderTest) -> [String] {
        ["email.confirmed", "password.reset"].filter { server.log.contains("event=\($0) ") }
    }

    private static func isLive(_ browser: TestBrowser) async throws -> Bool {
        try await !browser.get("/realms/test/account/apps").text.contains(#"name="password""#)
    }

    @Test("attack: a link for an app confirms nothing, by whatever is sent with it")
    func app() async throws {
        let server = try await Self.server()
        let stranger = TestBrowser(server)
        _ = try await stranger.signIn("alice", TestFlow.request())
        let link = try await Self.link(Self.app, to: "alice", server)
        let owner = TestBrowser(server)
        let page = try await owner.get(link)
        #expect(page.text.contains("<bdi>alice</bdi>"), "the page names the account")
        let done = try await owner.submit(page, [("action", "confirm"), ("password", Self.new)])
        #expect(done.status == 200)
        let kept = try await server.person()
        #expect(!kept.person.isEmailVerified && kept.epoch == 0)
        #expect(kept.person.requiredActions == Self.app)
        #expect(Self.told(server).isEmpty)
        #expect(try await owner.submit(page, [("action", "confirm")]).status == 400, "spent")
        #expect(try await owner.get(link).status == 400)
    }

    @Test(
        "attack: elsewhere a link for an address ends in a new password, which ends the stranger's session",
        arguments: [false, true]
    )
    func elsewhere(confirmsEmail: Bool) async throws {
        let server = try await Self.server(confirmsEmail: confirmsEmail)
        let stranger = TestBrowser(server)
        _ = try await stranger.signIn("alice", TestFlow.request())
        #expect(try await Self.isLive(stranger))
        let owner = TestBrowser(server)
        let page = try await owner.get(try await Self.link(Self.verify, to: "alice", server))
        #expect(page.text.contains("<bdi>alice</bdi>"))
        #expect(page.text.contains(#"autocomplete="new-password""#))
        // A click alone does nothing.
        let click = try await owner.submit(page, [("action", "confirm")])
        #expect(click.text.contains(#"autocomplete="new-password""#))
        #expect(try await !server.person().person.isEmailVerified)
        #expect(Self.told(server).isEmpty)
        let done = try await owner.submit(page, [("password", Self.new)])
        #expect(done.text.contains("Your password has been changed"))
        let kept = try await server.person()
        #expect(kept.person.isEmailVerified && kept.epoch == 1)
        #expect(try await !Self.isLive(stranger))
        expectPage(try await stranger.authorize(TestFlow.request()), "authenticate")
        let old = try await TestBrowser(server).signIn("alice", TestFlow.request())
        expectPage(old, "authenticate")
        #expect(try await server.mails().map(\.draft.message).contains(.accountReclaimed))
        #expect(Self.told(server) == ["email.confirmed", "password.reset"])
    }

    @Test("attack: a session of another account or in another browser confirms nothing by a click")
    func others() async throws {
        let server = try await Self.server()
        let stranger = TestBrowser(server)
        _ = try await stranger.signIn("alice", TestFlow.request())
        let link = try await Self.link(Self.verify, to: "alice", server)
        let bob = TestBrowser(server)
        let page = try await bob.get(link)
        #expect(page.text.contains(#"autocomplete="new-password""#))
        #expect(try await bob.submit(page, [("action", "confirm")]).status == 200)
        #expect(try await !server.person().person.isEmailVerified)
        #expect(try await Self.isLive(stranger))
    }

    @Test("In a browser that is signed in to that very account a click is enough, once")
    func click() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        _ = try await browser.signIn("alice", TestFlow.request())
        let link = try await Self.link(Self.verify, to: "alice", server)
        let page = try await browser.get(link)
        #expect(page.text.contains("alice@example.com") && page.text.contains("<bdi>alice</bdi>"))
        #expect(!page.text.contains(#"name="password""#))
        let done = try await browser.submit(page, [("action", "confirm")])
        #expect(done.text.contains("Your email is confirmed"))
        #expect(Self.told(server) == ["email.confirmed"])
        let kept = try await server.person()
        #expect(kept.person.isEmailVerified && kept.epoch == 0)
        #expect(try await Self.isLive(browser))
        #expect(try await browser.get(link).status == 400, "spent by its use")
        #expect(try await browser.submit(page, [("action", "again")]).status == 400)
    }

    @Test(
        "decision 0104: two clicks at a mailed link do what it is for once, and both say so",
        arguments: [false, true]
    )
    func twice(byPassword: Bool) async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        if !byPassword { _ = try await browser.signIn("alice", TestFlow.request()) }
        let link = try await Self.link(Self.verify, to: "alice", server)
        let page = try await browser.get(link)
        let form = byPassword ? [("password", Self.new)] : [("action", "confirm")]
        let words = byPassword ? "Your password has been changed" : "Your email is confirmed"
        for _ in 1...2 {
            let done = try await browser.submit(page, form)
            #expect(done.status == 200 && done.text.contains(words))
        }
        let kept = try await server.person()
        #expect(kept.person.isEmailVerified && kept.epoch == (byPassword ? 1 : 0))
        let reclaimed = try await server.mails().filter { $0.draft.message == .accountReclaimed }
        #expect(reclaimed.count == (byPassword ? 1 : 0))
        // No other form, browser or time.
        #expect(try await browser.get(link).status == 400)
        let other = TestBrowser(server)
        _ = try await other.authorize(TestFlow.request())
        #expect(try await other.submit(page, form).status == 403)
        server.clock.advance(by: 60)
        #expect(try await browser.submit(page, form).status == 400)
    }

    @Test("attack: the stranger's app goes with the first proof of the address, by any link")
    func factors() async throws {
        for actions in [Self.update, Self.verify] {
            let server = try await Self.server()
            let owner = TestBrowser(server)
            let page = try await owner.get(try await Self.link(actions, to: "bob", server))
            _ = try await owner.submit(page, [("password", Self.new)])
            let signIn = try await owner.authorize(TestFlow.request())
            let form = [("username", "bob"), ("password", Self.new)]
            expectCode(try await owner.submit(signIn, form))
        }
    }

    @Test("attack: the same by a link of the owner's; with a proven address the app stays")
    func forgotten() async throws {
        for isProven in [false, true] {
            let server = try await Self.server(isProven: isProven)
            let owner = TestBrowser(server)
            let begin = try await owner.authorize(TestFlow.request())
            let path = begin.text.firstMatch(of: /href="([^"]*reset-credentials[^"]*)"/)?.1 ?? ""
            let asking = try await owner.get(String(path).replacing("&amp;", with: "&"))
            _ = try await owner.submit(asking, [("email", "bob@example.com"), ("action", "send")])
            let page = try await owner.get(try await server.link())
            let done = try await owner.submit(page, [("password", Self.new)])
            #expect(done.text.contains("Your password has been changed"))
            let signIn = try await owner.authorize(TestFlow.request())
            let form = [("username", "bob"), ("password", Self.new)]
            let reply = try await owner.submit(signIn, form)
            if isProven { expectAsked(reply) } else { expectCode(reply) }
            let messages = try await server.mails().map(\.draft.message)
            #expect(messages.contains(isProven ? .passwordChanged : .accountReclaimed))
        }
    }
}
