import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Attacks on making accounts (decision 0052)") struct RegistrationAttackTests {
    private let scene: RegistrationScene

    init() async throws {
        scene = try await RegistrationScene()
    }

    /// Without what differs from one answer to the next.
    private func skeleton(_ page: Reply, _ address: String) -> String {
        var text = page.text.replacing(address, with: "ADDRESS")
        for field in page.hiddenFields { text = text.replacing(field.value, with: field.name) }
        return text.replacing(#/class="reference"[^<]*/#, with: "")
    }

    @Test(
        "WEB-ENUM-1: an address that has an account gets the same pages as another, and only its owner is told",
        arguments: [Realm.Registration.username, .email]
    )
    func sameAnswer(_ registration: Realm.Registration) async throws {
        let scene = try await RegistrationScene(registration) { new in
            // Blocked people have an account, too.
            new.people[1].person.isEnabled = false
            new.people[1].person.username = "bob@example.net"
        }
        var pages: [[String]] = []
        let addresses = [
            "nobody@example.com", "alice@example.com", "bob@example.com", "bob@example.net",
        ]
        for address in addresses {
            let browser = TestBrowser(scene.server)
            let page = try await scene.submit(
                [("email", address.uppercased()), ("username", "new-one")],
                in: browser
            )
            scene.expectCodeAsked(page, in: browser)
            let wrong = try await scene.confirm(page, "000000", in: browser)
            scene.server.clock.advance(by: 1)
            let resent = try await browser.submit(page, [("action", "resend")])
            pages.append([page, wrong, resent].map { skeleton($0, address) })
            let mails = try await scene.server.mails().filter { $0.draft.to == address }
            #expect(mails.count == 2)
            for mail in mails {
                #expect((mail.draft.message == .alreadyRegistered) == (address != addresses[0]))
            }
            #expect(try await scene.count() == 2)
        }
        for page in pages { #expect(page == pages[0]) }
        let alice = try #require(
            try await scene.server.mails().first { $0.draft.to == "alice@example.com" }
        )
        let text = try scene.server.text(of: alice)
        #expect(text.subject == "You already have a Test account")
        #expect(!text.lines.contains { $0.utf8.count == 6 && Int($0) != nil })
    }

    @Test("An address that someone else got meanwhile makes no second account")
    func overtaken() async throws {
        let page = try await scene.submit()
        let code = try await scene.server.mailedCode()
        let other = TestBrowser(scene.server)
        scene.server.clock.advance(by: 1)
        let first = try await scene.submit([("username", "cora2")], in: other)
        expectCode(try await scene.confirm(first, in: other))
        let taken = try await scene.confirm(page, code)
        scene.expectAsked(taken)
        #expect(taken.text.contains("Another account already uses this address"))
        #expect(try await scene.person("cora") == nil)
        // The same with a user name.
        scene.server.clock.advance(by: 1)
        let asked = try await scene.submit([("username", "dora"), ("email", "dora@example.com")])
        let dora = try await scene.server.mailedCode()
        let third = TestBrowser(scene.server)
        scene.server.clock.advance(by: 1)
        let faster = try await scene.submit(
            [("username", "dora"), ("email", "d2@example.com")],
            in: third
        )
        expectCode(try await scene.confirm(faster, in: third))
        #expect(try await scene.confirm(asked, dora).text.contains("This one is taken"))
    }

    @Test("Of one form sent many times at once, one makes the account", arguments: 1...5)
    func atOnce(_ round: Int) async throws {
        let page = try await scene.submit()
        let code = try await scene.server.mailedCode()
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...8 {
                let browser = TestBrowser(scene.server)
                browser.cookies = scene.browser.cookies
                group.addTask {
                    try await scene.confirm(page, code, in: browser).redirected["code"] != nil
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // All go on: it is one browser, and each answer has a code of its own (docs/decisions/0104).
        #expect(answers.count { $0 } == 8, "round \(round)")
        #expect(try await scene.count() == 3)
    }

    @Test("decision 0052: a draft counts in the browser and the sign-in that it was typed for")
    func elsewhere() async throws {
        let page = try await scene.submit()
        let draft = page.hiddenFields.first { $0.name == "draft" }?.value ?? ""
        let form = [
            ("draft", draft), ("code", try await scene.server.mailedCode()), ("action", "confirm"),
        ]
        // Planted by someone who has an account of theirs made in another person's browser.
        let victim = TestBrowser(scene.server)
        #expect(try await victim.submit(victim.authorize(TestFlow.request()), form).status == 403)
        let other = try await scene.browser.authorize(TestFlow.request("web1"))
        #expect(try await scene.browser.submit(other, form).status == 403)
        #expect(try await scene.browser.submit(page, form + [("csrf", "x")]).status == 403)
        #expect(try await scene.person("cora") == nil)
        expectCode(try await scene.browser.submit(page, form))
    }

    @Test("decision 0052: a draft for a page of the account counts in its browser alone")
    func elsewhereInAccount() async throws {
        func signIn(_ browser: TestBrowser) async throws -> Reply {
            try await browser.get("/realms/test/account/apps")
        }
        let page = try await scene.browser.submit(signIn(scene.browser), RegistrationScene.form)
        scene.expectCodeAsked(page)
        let draft = page.hiddenFields.first { $0.name == "draft" }?.value ?? ""
        let form = [
            ("draft", draft), ("code", try await scene.server.mailedCode()), ("action", "confirm"),
        ]
        let victim = TestBrowser(scene.server)
        #expect(try await victim.submit(signIn(victim), form).status == 403)
        #expect(try await scene.person("cora") == nil)
        #expect(try await scene.browser.submit(page, form).location == "/realms/test/account/apps")
    }

    @Test("A draft of another realm, of another kind, or altered is none")
    func forged() async throws {
        let page = try await scene.submit()
        let code = try await scene.server.mailedCode()
        let draft = page.hiddenFields.first { $0.name == "draft" }?.value ?? ""
        let request = page.hiddenFields.first { $0.name == "request" }?.value ?? ""
        for bad in ["x", String(draft.dropLast()), request, String(repeating: "A", count: 5000)] {
            let form = [("draft", bad), ("code", code), ("action", "confirm")]
            let reply = try await scene.browser.submit(page, form)
            #expect(reply.status == 400 && reply.redirected["code"] == nil)
        }
        #expect(try await scene.person("cora") == nil)
    }

    @Test("WEB-BRUTE-2: forms that could make an account are limited for an address, as mails are")
    func limits() async throws {
        let scene = try await RegistrationScene(sendsMail: false)
        let page = try await scene.browser.authorize(RegistrationScene.request)
        let nameless = RegistrationScene.change([("given_name", ""), ("family_name", "")])
        // Finding out which names are taken counts, mistakes do not.
        for _ in 1...10 {
            _ = try await scene.browser.submit(page, nameless)
            _ = try await scene.browser.submit(page, RegistrationScene.change([("password", "")]))
        }
        var refused = 0
        for number in 1...40 {
            let name = number.isMultiple(of: 2) ? "alice" : "bob"
            let form = RegistrationScene.change([("username", name)])
            let reply = try await scene.browser.submit(page, form)
            guard reply.status == 429 else { continue }
            refused += 1
            #expect(reply.headers[.retryAfter] != nil)
        }
        #expect(refused == 10)
        let elsewhere = TestBrowser(scene.server, from: "198.51.100.7")
        expectCode(try await scene.submit(in: elsewhere))
        let mailing = try await RegistrationScene()
        var sent: [Int] = []
        for number in 1...7 {
            let reply = try await mailing.submit([("username", "cora\(number)")])
            sent.append(reply.status)
        }
        #expect(sent == [200, 200, 200, 200, 200, 429, 429])
    }

    @Test("WEB-BRUTE-2: wrong codes for an account that is new use up no one's mails")
    func mailbox() async throws {
        var page = try await scene.submit([("email", "alice@example.com")])
        for round in 1...3 {
            for _ in 1...5 {
                let form = [("action", "confirm"), ("code", "00000\(round)")]
                page = try await scene.browser.submit(page, form)
                scene.expectCodeAsked(page)
            }
            scene.server.clock.advance(by: 1)
            let resent = try await scene.browser.submit(page, [("action", "resend")])
            // Who was wrong so often gets no more codes.
            #expect(resent.status == (round < 3 ? 200 : 429))
        }
        // Alice, behind the same address, has forgotten her password.
        let before = try await scene.server.mails().count
        expectPage(try await ResetWalk(scene.server).ask(), "reset-credentials")
        #expect(try await scene.server.mails().count == before + 1)
    }

    @Test("WEB-CRYPT-2: of a new account nothing is kept before the code is right")
    func kept() async throws {
        let before = try await scene.server.remains()
        _ = try await scene.submit()
        let code = try await scene.server.mailedCode()
        let kept = try scene.server.database.keptConfirmations()
        #expect(kept.count == 1 && !kept[0].isPlain(code))
        #expect(try await scene.server.remains() == before)
        #expect(try await scene.count() == 2)
    }
}
