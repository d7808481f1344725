import HTTPTypes
import PorticoStores
import PorticoProtocol
import PorticoProvider
import PorticoTestSupport
import Testing

@Suite("A realm whose people confirm their address") struct EmailConfirmationTests {
    private let server: ProviderUnderTest
    private let browser: TestBrowser

    init() async throws {
        server = try await Self.server()
        browser = TestBrowser(server)
    }

    private static func server(
        sendsMail: Bool = true,
        _ configure: @escaping (inout NewRealm) -> Void = { _ in }
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(sendsMail: sendsMail) { new in
            new.realm.confirmsEmail = true
            new.people[0].person.isEmailVerified = false
            configure(&new)
        }
    }

    @Test("OpenID Connect Core §5.1: no one goes on before the code; email_verified follows it")
    func whole() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        expectPage(asked, "verify-email")
        #expect(asked.text.contains("a…@example.com"))
        #expect(!asked.text.contains("alice@example.com"))
        // A page that opens sends nothing.
        _ = try await browser.authorize(TestFlow.request())
        #expect(try await server.mails().isEmpty)
        #expect(try await server.remains().grants == 0)
        let page = try await browser.submit(asked, [("action", "send")])
        expectPage(page, "verify-email")
        let mail = try #require(try await server.mails().first)
        #expect(mail.draft.to == "alice@example.com")
        let code = try await server.mailedCode()
        #expect(try server.text(of: mail).subject == "\(code) is your Test code")
        let typed = code.prefix(3) + " " + code.suffix(3)
        let form = [("action", "confirm"), ("code", String(typed))]
        let answer = expectCode(try await browser.submit(page, form))
        let info = try await server.userInfo(try server.redeem(answer).accessToken)
        #expect(info.json["email_verified"] == true)
        // Once is enough.
        expectCode(try await browser.authorize(TestFlow.request()))
        expectCode(try await TestBrowser(server).signIn("alice", TestFlow.request()))
        #expect(server.log.contains("event=email.confirmed "))
    }

    @Test("A wrong code costs a try, the fifth the code; a new one takes the place of the old one")
    func tries() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.submit(asked, [("action", "send")])
        let first = try await server.mailedCode()
        let wrong = first == "000001" ? "000002" : "000001"
        let guess = [("action", "confirm"), ("code", wrong)]
        let missing = try await browser.submit(page, [("action", "confirm"), ("code", "")])
        #expect(missing.text.contains("Enter the six-digit code"))
        for left in ["4 more tries", "3 more", "2 more", "one more try", "too many times"] {
            let reply = try await browser.submit(page, guess)
            expectPage(reply, "verify-email")
            #expect(reply.text.contains(left), "\(left)")
        }
        let right = try await browser.submit(page, [("action", "confirm"), ("code", first)])
        #expect(right.text.contains("already been used"))
        server.clock.advance(by: 2)
        let again = try await browser.submit(page, [("action", "resend")])
        #expect(again.text.contains("We’ve sent a new code"))
        let second = try await server.mailedCode()
        if second != first {
            let old = try await browser.submit(again, [("action", "confirm"), ("code", first)])
            expectPage(old, "verify-email")
        }
        expectCode(try await browser.submit(again, [("action", "confirm"), ("code", second)]))
    }

    @Test("decision 0081: a session without the second factor of now confirms nothing")
    func weaker() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.submit(asked, [("action", "send")])
        let code = try await server.mailedCode()
        let alice = try await server.person().person
        let people = server.database.people
        #expect(try await people.add(.app(of: alice.id), realmID: alice.realmID) == .changed)
        let reply = try await browser.submit(page, [("action", "confirm"), ("code", code)])
        expectPage(reply, "authenticate")
        expectPage(try await browser.authorize(TestFlow.request()), "authenticate")
        let kept = try await people.credentials(id: alice.id, realmID: alice.realmID)
        #expect(kept?.person.isEmailVerified == false)
    }

    @Test(
        "A code is good in other digits, and with what phones and mails put between them",
        arguments: [0x0660, 0x06F0, 0xFF10, 0x30] as [UInt32]
    )
    func otherDigits(zero: UInt32) async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.submit(asked, [("action", "send")])
        let code = try await server.mailedCode()
        let digits = code.utf8.compactMap { Unicode.Scalar(zero + UInt32($0 - 48)) }
        let text = digits.map { String(Character($0)) }
        let typed =
            "\u{200F}" + text.prefix(3).joined() + "\u{A0}\t" + text.dropFirst(3).joined()
            + "\u{202C}"
        expectCode(try await browser.submit(page, [("action", "confirm"), ("code", typed)]))
    }

    @Test("A code is good for ten minutes")
    func late() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.submit(asked, [("action", "send")])
        let form = [("action", "confirm"), ("code", try await server.mailedCode())]
        server.clock.advance(by: 600)
        let late = try await browser.submit(page, form)
        expectPage(late, "verify-email")
        #expect(late.text.contains("has expired"))
        expectPage(try await browser.authorize(TestFlow.request()), "verify-email")
    }

    @Test("OpenID Connect Core §3.1.2.6: prompt=none gets interaction_required")
    func withoutPage() async throws {
        _ = try await browser.signIn("alice", TestFlow.request())
        expectError(try await browser.authorize(TestFlow.silent), "interaction_required")
    }

    @Test("Without mail, no one continues unconfirmed, and the app is told why")
    func noMail() async throws {
        let server = try await Self.server(sendsMail: false)
        let browser = TestBrowser(server)
        let reply = try await browser.signIn("alice", TestFlow.request())
        #expect(reply.redirected["error"] == "server_error")
        #expect(reply.redirected["code"] == nil)
        #expect(server.log.contains("The address must be confirmed; no mail can be sent."))
        expectCode(try await TestBrowser(server).signIn("bob", TestFlow.request()))
    }

    @Test("Who has no address, or lives in a realm that does not ask, goes on")
    func notAsked() async throws {
        let without = try await Self.server { $0.people[0].person.email = nil }
        expectCode(try await TestBrowser(without).signIn("alice", TestFlow.request()))
        let open = try await Self.server { $0.realm.confirmsEmail = false }
        let info = try await open.userInfo(try open.tokens().accessToken)
        #expect(info.json["email_verified"] == false)
    }

    @Test("Cancelling tells the app; another account may be used")
    func otherWays() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        expectError(try await browser.submit(asked, [("action", "cancel")]), "access_denied")
        let other = try await browser.submit(asked, [("action", "switch")])
        expectPage(other, "authenticate")
        let bob = TestRealm.login("bob")
        expectCode(try await browser.submit(other, bob))
    }

    @Test("Consent is asked for after the address is confirmed, not before")
    func beforeConsent() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request("third"))
        expectPage(asked, "verify-email")
        let page = try await browser.submit(asked, [("action", "send")])
        let form = [("action", "confirm"), ("code", try await server.mailedCode())]
        expectPage(try await browser.submit(page, form), "consent")
    }

    @Test("WEB-CSRF-1: no other site has codes sent, and none of another session counts")
    func forged() async throws {
        let server = try await Self.server { $0.people[1].person.isEmailVerified = false }
        let browser = TestBrowser(server)
        let asked = try await browser.signIn("alice", TestFlow.request())
        #expect(try await browser.submit(asked, [("action", "send"), ("csrf", "x")]).status == 403)
        let cross = try await browser.submit(
            asked,
            [("action", "send")],
            headers: [.fetchSite: "cross-site"]
        )
        #expect(cross.status == 403)
        #expect(try await server.mails().isEmpty)
        let page = try await browser.submit(asked, [("action", "send")])
        let code = try await server.mailedCode()
        // The code of alice is worth nothing to bob.
        let other = TestBrowser(server)
        let bobs = try await other.signIn("bob", TestFlow.request())
        let form = [("action", "confirm"), ("code", code)]
        expectPage(try await other.submit(bobs, form), "verify-email")
        expectCode(try await browser.submit(page, form))
        // No one confirms without a session.
        let out = TestBrowser(server)
        out.cookies = other.cookies.filter { !$0.key.contains("session") }
        #expect(try await out.submit(bobs, form).status == 403)
    }

    @Test("WEB-BRUTE-2: codes are limited for a mailbox")
    func limit() async throws {
        var page = try await browser.signIn("alice", TestFlow.request())
        for _ in 1...5 {
            page = try await browser.submit(page, [("action", "send")])
            #expect(page.status == 200)
        }
        let sixth = try await browser.submit(page, [("action", "resend")])
        #expect(sixth.status == 429)
        #expect(sixth.headers[.retryAfter] != nil)
        #expect(try await server.mails().count == 5)
    }

    @Test("WEB-BRUTE-2: wrong codes count across codes, until no other is sent")
    func wrongAcrossCodes() async throws {
        var asked = try await browser.signIn("alice", TestFlow.request())
        // Five mails an hour are free.
        var sent: [Int] = []
        for _ in 1...5 {
            let page = try await browser.submit(asked, [("action", "send")])
            sent.append(page.status)
            if page.status == 200 { asked = page }
            for _ in 1...5 {
                _ = try await browser.submit(asked, [("action", "confirm"), ("code", "000000")])
            }
        }
        #expect(sent == [200, 200, 200, 429, 429])
    }

    @Test("A code that was sent to an address does not confirm the next one")
    func changedAddress() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.submit(asked, [("action", "send")])
        var alice = try await server.person().person
        alice.email = "alice@new.example"
        _ = try await server.database.people.update(alice)
        let form = [("action", "confirm"), ("code", try await server.mailedCode())]
        expectPage(try await browser.submit(page, form), "verify-email")
        #expect(try await !server.person().person.isEmailVerified)
    }

    @Test("WEB-CRYPT-2: of a code that was mailed the database keeps nothing that gives it away")
    func kept() async throws {
        let asked = try await browser.signIn("alice", TestFlow.request())
        _ = try await browser.submit(asked, [("action", "send")])
        let code = try await server.mailedCode()
        let kept = try server.database.keptConfirmations()
        #expect(kept.count == 1)
        #expect(code.count == 6 && kept[0].hash.count == 32)
        #expect(!kept[0].isPlain(code))
    }
}
