import Foundation
import HTTPTypes
import PorticoSQLite
import PorticoStores
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("A forgotten password: who tries it with another person's") struct PasswordResetAttackTests {
    private let server: ProviderUnderTest
    private let walk: ResetWalk

    init() async throws {
        server = try await ProviderUnderTest(sendsMail: true)
        walk = ResetWalk(server)
    }

    private let old = TestRealm.passwords["alice"] ?? ""

    /// Everything of an answer that could tell one address from another.
    private func shape(_ reply: Reply, _ name: String) -> [String] {
        var text = reply.text.replacingOccurrences(of: name, with: "NAME")
        for field in reply.hiddenFields {
            text = text.replacingOccurrences(of: field.value, with: "")
        }
        text.replace(/<bdi[^>]*>[A-Za-z0-9-]{6,}<\/bdi>/, with: "ID")
        text.replace(/request=[A-Za-z0-9_-]+/, with: "REQUEST")
        let headers = reply.headers.map { "\($0.name): \($0.value.isEmpty)" }.sorted()
        return [text, "\(reply.status)"] + headers
    }

    @Test("WEB-ENUM-1: whether an address is anyone's, no page, code or limit tells")
    func sameAnswers() async throws {
        let server = try await ProviderUnderTest(sendsMail: true) {
            $0.people[1].person.isEnabled = false
        }
        var shapes: [[[String]]] = []
        let names = ["alice@example.com", "nobdy@example.com", "bob@example.com"]
        for (index, name) in names.enumerated() {
            let walk = ResetWalk(server, from: "192.0.2.\(index + 1)")
            var page = try await walk.ask(name)
            var replies = [page]
            for _ in 1...7 {
                page = try await walk.browser.submit(
                    page,
                    [("code", "000000"), ("action", "confirm")]
                )
                replies.append(page)
            }
            for _ in 1...6 { replies.append(try await walk.ask(name)) }
            shapes.append(replies.map { shape($0, name) })
        }
        #expect(shapes[0] == shapes[1])
        #expect(shapes[0].map { $0[1] } == shapes[2].map { $0[1] })
        #expect(shapes[0].last?[1] == "429")
        // Mails went to the one who may sign in, and to no one else.
        #expect(Set(try await server.mails().compactMap(\.draft.to)) == ["alice@example.com"])
        let rows = try server.database.database.read { reader in
            try reader.rows("SELECT person_id IS NULL FROM password_resets", []) { try $0.bool(0) }
        }
        // Of alice's one is left; the others' have no one.
        #expect(rows.filter { !$0 }.count == 1)
        #expect(rows.filter { $0 }.count == 10)
    }

    @Test("A link that is opened in another browser shows a code there, and only when asked")
    func otherBrowser() async throws {
        let sent = try await walk.ask()
        let other = TestBrowser(server, from: "198.51.100.9")
        let opened = try await other.get(try await server.link())
        expectPage(opened, "new-password")
        #expect(opened.text.contains("You started in another browser or on another device"))
        #expect(!opened.text.contains(#"type="password""#))
        #expect(ResetWalk.code(opened).isEmpty)
        let shown = try await other.submit(opened, [("action", "show-code")])
        let code = ResetWalk.code(shown)
        #expect(code.count == 7)
        #expect(shown.text.contains("Don’t share it"))
        let page = try await walk.browser.submit(sent, [("code", code), ("action", "confirm")])
        expectPage(page, "new-password")
        let done = try await walk.browser.submit(page, [("password", ResetWalk.password)])
        #expect(done.text.contains("has been changed"))
        expectCode(try await TestBrowser(server).signIn("alice", password: ResetWalk.password))
    }

    @Test("The requester cannot guess the code: there is none before the link is opened elsewhere")
    func noCodeYet() async throws {
        let sent = try await walk.ask()
        // A program that looks through mail opens the link.
        _ = try await TestBrowser(server).get(try await server.link())
        let kept = try server.database.database.read { reader in
            try reader.rows("SELECT code_hash IS NULL FROM password_resets", []) { try $0.bool(0) }
        }
        #expect(kept == [true])
        for code in ["000000", "000 000", "", "0", "４８１０５２"] {
            let reply = try await walk.browser.submit(
                sent,
                [("code", code), ("action", "confirm")]
            )
            expectPage(reply, "reset-credentials")
            #expect(reply.text.contains("<title>Error: "))
        }
    }

    @Test("Five wrong codes are enough, also where a new one is shown between them")
    func guesses() async throws {
        let sent = try await walk.ask()
        let other = TestBrowser(server)
        let opened = try await other.get(try await server.link())
        var right = ""
        for number in 1...5 {
            right = ResetWalk.code(try await other.submit(opened, [("action", "show-code")]))
            let wrong = right == "000 001" ? "000002" : "000001"
            let reply = try await walk.browser.submit(
                sent,
                [("code", wrong), ("action", "confirm")]
            )
            let words = number < 5 ? "Check the code" : "tried too many times"
            #expect(reply.text.contains(words))
        }
        let late = try await walk.browser.submit(sent, [("code", right), ("action", "confirm")])
        expectPage(late, "reset-credentials")
        #expect(late.text.contains("tried too many times"))
        // In the browser that asked the link itself still works.
        expectPage(try await walk.browser.get(try await server.link()), "new-password")
    }

    @Test("A code is good for ten minutes, and the link shows a new one")
    func lateCode() async throws {
        let sent = try await walk.ask()
        let other = TestBrowser(server)
        let opened = try await other.get(try await server.link())
        let first = ResetWalk.code(try await other.submit(opened, [("action", "show-code")]))
        server.clock.advance(by: 600)
        let late = try await walk.browser.submit(sent, [("code", first), ("action", "confirm")])
        #expect(late.text.contains("Check the code"))
        let second = ResetWalk.code(try await other.submit(opened, [("action", "show-code")]))
        let right = try await walk.browser.submit(sent, [("code", second), ("action", "confirm")])
        expectPage(right, "new-password")
    }

    @Test("The seal of a page before the proof is worth nothing at the form for the password")
    func sealsAreApart() async throws {
        let sent = try await walk.ask()
        let other = TestBrowser(server)
        let opened = try await other.get(try await server.link())
        for (browser, page) in [(walk.browser, sent), (other, opened)] {
            let request = page.hiddenFields.first { $0.name == "request" }?.value ?? ""
            let proof = page.formProof
            let reply = try await browser.post(
                "/realms/test/login-actions/new-password",
                proof + [
                    ("request", request), ("action", "save"), ("password", ResetWalk.password),
                ]
            )
            #expect(reply.status == 400)
        }
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
    }

    @Test("A page that was taken from the browser that asked sets no password in another")
    func stolenPage() async throws {
        let page = try await walk.open()
        let thief = TestBrowser(server)
        #expect(try await thief.submit(page, [("password", ResetWalk.password)]).status == 403)
        // Not even with the cookie that forms are bound to.
        thief.cookies = walk.browser.cookies.filter { $0.key.contains("visit") }
        let reply = try await thief.submit(page, [("password", ResetWalk.password)])
        #expect(reply.status == 403)
        #expect(reply.text.contains("another browser"))
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
    }

    @Test("WEB-CSRF-1: no other site asks for a link, sets a password, or shows or enters a code")
    func forged() async throws {
        let bare = try await walk.browser.get(ResetWalk.path)
        let ask = [("email", "alice@example.com"), ("action", "send")]
        for fields in [ask + [("csrf", "")], ask + [("csrf", "x")]] {
            #expect(try await walk.browser.submit(bare, fields).status == 403)
        }
        let cross = try await walk.browser.submit(bare, ask, headers: [.fetchSite: "cross-site"])
        #expect(cross.status == 403)
        #expect(try await server.mails().isEmpty)
        let sent = try await walk.ask()
        let page = try await walk.browser.get(try await server.link())
        let password = [("password", ResetWalk.password)]
        #expect(try await walk.browser.submit(page, password + [("csrf", "")]).status == 403)
        let other = TestBrowser(server)
        let opened = try await other.get(try await server.link())
        let show = [("action", "show-code"), ("csrf", "")]
        #expect(try await other.submit(opened, show).status == 403)
        let shown = try await other.submit(opened, [("action", "show-code")])
        let code = [("code", ResetWalk.code(shown)), ("action", "confirm")]
        #expect(try await walk.browser.submit(sent, code + [("csrf", "")]).status == 403)
        expectPage(try await walk.browser.submit(sent, code), "new-password")
        // WEB-CSRF-5: nor does any address do it by itself.
        let query = "&password=\(ResetWalk.password.replacing(" ", with: "+"))&action=save"
        _ = try await walk.browser.get(try await server.link() + query)
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
    }

    @Test("Without cookies the page says what is missing")
    func noCookies() async throws {
        let bare = try await walk.browser.get(ResetWalk.path)
        walk.browser.cookies = [:]
        let reply = try await walk.browser.submit(bare, [("email", "alice@example.com")])
        #expect(reply.status == 403)
        #expect(reply.text.contains("Cookies are blocked"))
    }

    @Test("Who was disabled, deleted or got another address meanwhile keeps no open link")
    func changedMeanwhile() async throws {
        for change in 0..<3 {
            let server = try await ProviderUnderTest(sendsMail: true)
            let walk = ResetWalk(server)
            let page = try await walk.open()
            let people = server.database.people
            let realmID = try #require(try await server.database.realms.snapshot().realms.first).id
            let found = try await people.credentials(
                realmID: realmID,
                login: "alice",
                byEmail: false
            )
            var alice = try #require(found).person
            switch change {
            case 0: alice.isEnabled = false
            case 1: alice.email = "alice@new.example"
            default: _ = try await people.deletePerson(id: alice.id, realmID: realmID)
            }
            _ = try await people.update(alice)
            let reply = try await walk.browser.submit(page, [("password", ResetWalk.password)])
            #expect(reply.status == 400)
            #expect(try await server.mails().allSatisfy { $0.draft.message != .passwordChanged })
            let kept = try await people.credentials(
                realmID: realmID,
                login: "alice",
                byEmail: false
            )
            #expect(kept?.password == (change == 2 ? nil : found?.password))
        }
    }

    @Test("WEB-BRUTE-2: links are limited for a mailbox from everywhere, and for one address")
    func limits() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        func ask(_ email: String, from address: String) async throws -> Reply {
            let browser = TestBrowser(server, from: address)
            let bare = try await browser.get(ResetWalk.path)
            return try await browser.submit(bare, [("email", email), ("action", "send")])
        }
        // One address alone gets five, and what it is refused takes nothing of anyone else's.
        for number in 1...20 {
            let isSent = try await ask("alice@example.com", from: "192.0.2.1").status == 200
            #expect(isSent == (number <= 5))
        }
        for number in 2...6 {
            #expect(try await ask("alice@example.com", from: "192.0.2.\(number)").status == 200)
        }
        let eleventh = try await ask("Alice@Example.COM", from: "192.0.2.7")
        #expect(eleventh.status == 429)
        #expect(eleventh.headers[.retryAfter] != nil)
        #expect(try await server.mails().count == 10)
        server.clock.advance(by: 361)
        #expect(try await ask("alice@example.com", from: "192.0.2.7").status == 200)
        for number in 1...20 {
            let email = "nobody\(number)@example.com"
            #expect(try await ask(email, from: "198.51.100.1").status == 200)
        }
        #expect(try await ask("bob@example.com", from: "198.51.100.1").status == 429)
        #expect(try await ask("bob@example.com", from: "198.51.100.2").status == 200)
    }

    @Test(
        "A link that no one was sent is as old as one that is too old",
        arguments: [
            "", "x", String(repeating: "A", count: 43), String(repeating: "A", count: 4300),
        ]
    )
    func unknown(_ key: String) async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let path = "/realms/test/login-actions/new-password?key="
        let reply = try await TestBrowser(server).get(path + key)
        #expect(reply.status == 400)
        #expect(reply.text.contains("This link has expired"))
    }
}
