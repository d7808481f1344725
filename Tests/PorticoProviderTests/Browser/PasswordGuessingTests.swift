import Foundation
import HTTPTypes
import PorticoAdministration
import PorticoProvider
import PorticoTestSupport
import Testing

@Suite("Guessing passwords and names (WEB-BRUTE-1, WEB-ENUM-1)") struct PasswordGuessingTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private func guess(
        _ server: ProviderUnderTest,
        _ name: String = "alice",
        _ password: String = "wrong",
        from address: String
    ) async throws -> Reply {
        let browser = TestBrowser(server, from: address)
        let page = try await browser.authorize(TestFlow.request())
        return try await browser.submit(page, [("username", name), ("password", password)])
    }

    private let right = TestRealm.passwords["alice"] ?? ""

    @Test("attack B40, WEB-BRUTE-1: from one address guesses wait, right or wrong")
    func oneAddress() async throws {
        let owner = TestBrowser(server, from: "198.51.100.7")
        expectCode(try await owner.signIn("alice", TestFlow.request()))
        var statuses: [Int] = []
        for _ in 0..<100 {
            statuses.append(try await guess(server, from: "192.0.2.66").status)
        }
        #expect(statuses.prefix(5).allSatisfy { $0 == 200 })
        #expect(statuses.dropFirst(5).allSatisfy { $0 == 429 })
        let before = try await server.remains()
        let lucky = try await guess(server, "alice", right, from: "192.0.2.66")
        #expect(lucky.status == 429)
        #expect(lucky.headers[.retryAfter] != nil)
        #expect(lucky.headers[values: .setCookie].isEmpty)
        #expect(try await server.remains() == before)
        // Another person's address is not held up, nor is the owner's device.
        expectCode(
            try await guess(server, "bob", TestRealm.passwords["bob"] ?? "", from: "192.0.2.1")
        )
        expectCode(try await owner.signIn("alice", TestFlow.again))
    }

    @Test("attack B40, WEB-BRUTE-1: from 100 addresses the account waits, a known device does not")
    func manyAddresses() async throws {
        let owner = TestBrowser(server, from: "198.51.100.7")
        expectCode(try await owner.signIn("alice", TestFlow.request()))
        var looked = 0
        for number in 0..<100
        where try await guess(server, from: "203.0.113.\(number)").status == 200 {
            looked += 1
        }
        #expect(looked == 20)
        #expect(try await guess(server, "alice", right, from: "192.0.2.9").status == 429)
        expectCode(try await owner.signIn("alice", TestFlow.again))
        // No one is locked out for good: at most a minute for the account.
        server.clock.advance(by: 61)
        expectCode(try await guess(server, "alice", right, from: "192.0.2.9"))
    }

    @Test("WEB-BRUTE-1: a wait that is over lets one try through, and the next waits longer")
    func growingDelay() async throws {
        for _ in 0..<5 { _ = try await guess(server, from: "192.0.2.66") }
        var waits: [String] = []
        for _ in 0..<4 {
            let reply = try await guess(server, from: "192.0.2.66")
            #expect(reply.status == 429)
            let wait = reply.headers[.retryAfter] ?? ""
            waits.append(wait)
            server.clock.advance(by: Double(wait) ?? 0)
            #expect(try await guess(server, from: "192.0.2.66").status == 200)
        }
        #expect(waits == ["1", "2", "4", "8"])
    }

    @Test(
        "WEB-BRUTE-1: however a name is written, anyone's or no one's, it is one name",
        arguments: [
            ["alice", "ALICE", " alice ", "\u{FF41}lice", "Alice"],
            // In capitals, composed, decomposed, and in full-width letters.
            ["Jos\u{E9}", "jose\u{301}", "JOSE\u{301}", "\u{FF4A}os\u{E9}", "jos\u{E9}"],
        ]
    )
    func spellings(names: [String]) async throws {
        for status in [200, 429] {
            for name in names {
                #expect(try await guess(server, name, from: "192.0.2.66").status == status)
            }
        }
    }

    @Test(
        "WEB-ENUM-1: user name and email address of one person wait like two names of no one",
        arguments: [("bob", "bob@example.com"), ("nobd1", "nobd1@example.com")]
    )
    func twoNames(_ name: String, _ address: String) async throws {
        for _ in 0..<5 { _ = try await guess(server, name, from: "192.0.2.66") }
        #expect(try await guess(server, name, from: "192.0.2.66").status == 429)
        #expect(try await guess(server, address, from: "192.0.2.66").status == 200)
    }

    @Test("WEB-BRUTE-1: a person who shares a browser cannot guess the other's password forever")
    func sharedBrowser() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        var looked = 0
        for _ in 0..<20 {
            expectCode(try await browser.signIn("bob", TestFlow.again))
            let page = try await browser.authorize(TestFlow.again)
            let wrong = [("username", "alice"), ("password", "a guess")]
            if try await browser.submit(page, wrong).status == 200 { looked += 1 }
        }
        #expect(looked == 5)
        // The count of a browser is Alice's: strangers who fail elsewhere do not hold her up.
        let phone = TestBrowser(server, from: "198.51.100.7")
        server.clock.advance(by: 3600)
        expectCode(try await phone.signIn("alice", TestFlow.request()))
        for number in 0..<60 { _ = try await guess(server, from: "203.0.113.\(number)") }
        expectCode(try await phone.signIn("alice", TestFlow.again))
    }

    @Test("WEB-BRUTE-1: thirty mistakes with made-up names hold no one behind the address back")
    func strangers() async throws {
        for number in 0..<40 {
            _ = try await guess(server, "made-up-\(number)", from: "192.0.2.66")
        }
        expectCode(try await guess(server, "alice", right, from: "192.0.2.66"))
        // A mistake costs more there: the second try waits.
        let bob = TestRealm.passwords["bob"] ?? ""
        #expect(try await guess(server, "bob", "wrong", from: "192.0.2.66").status == 200)
        #expect(try await guess(server, "bob", bob, from: "192.0.2.66").status == 429)
        server.clock.advance(by: 1)
        expectCode(try await guess(server, "bob", bob, from: "192.0.2.66"))
    }

    @Test(
        "WEB-BRUTE-1: an address of many mistakes has a quarter of the places to hash, others the rest",
        .timeLimit(.minutes(1))
    )
    func suspects() async throws {
        let occupied = OccupiedHashing(places: 8)
        let server = try await ProviderUnderTest(hashing: occupied.hashing)
        for number in 0..<30 {
            _ = try await guess(server, "made-up-\(number)", from: "192.0.2.66")
        }
        let suspect = HashingAsker(address: "192.0.2.66", account: "someone", isSuspect: true)
        try await occupied.take(costly: 1, cheap: 0, for: suspect)
        #expect(try await guess(server, "alice", right, from: "192.0.2.66").status == 503)
        expectCode(try await guess(server, "alice", right, from: "192.0.2.1"))
        // Once there is a place for it, it was no mistake.
        expectCode(try await guess(server, "alice", right, from: "192.0.2.66"))
        await occupied.hashing.shutDown()
    }

    @Test("WEB-ENUM-1: an unknown name and a wrong password get the same page and headers")
    func sameAnswer() async throws {
        func shape(_ reply: Reply, _ name: String) -> [String] {
            var text = reply.text.replacingOccurrences(of: name, with: "NAME")
            for field in reply.hiddenFields {
                text = text.replacingOccurrences(of: field.value, with: "")
            }
            text.replace(/<bdi[^>]*>[A-Za-z0-9-]{6,}<\/bdi>/, with: "ID")
            let headers = reply.headers.map { "\($0.name): \($0.value.isEmpty)" }.sorted()
            return [text, "\(reply.status)"] + headers
        }
        for (one, other) in [("alice", "nobd1"), ("alice@example.com", "nobd1@example.com")] {
            let known = try await guess(server, one, from: "192.0.2.10")
            let unknown = try await guess(server, other, from: "192.0.2.10")
            #expect(known.status == 200)
            #expect(shape(known, one) == shape(unknown, other))
        }
        // A name that no one has waits as well.
        for _ in 0..<5 { _ = try await guess(server, "nobd2", from: "192.0.2.11") }
        #expect(try await guess(server, "nobd2", from: "192.0.2.11").status == 429)
        #expect(try await server.remains() == Remains())
    }

    @Test("WEB-ENUM-2: the authorization endpoint tells nothing of a person who is named")
    func sameRequestPage() async throws {
        func page(_ name: String) async throws -> (Int, String) {
            let request = TestFlow.request("native1", [("login_hint", name)])
            let reply = try await TestBrowser(server).authorize(request)
            var text = reply.text.replacingOccurrences(of: name, with: "NAME")
            for field in reply.hiddenFields {
                text = text.replacingOccurrences(of: field.value, with: "")
            }
            text.replace(/<bdi[^>]*>[A-Za-z0-9-]{6,}<\/bdi>/, with: "ID")
            return (reply.status, text)
        }
        let known = try await page("alice@example.com")
        #expect(try await known == page("nobd1@example.com"))
        #expect(!known.1.contains("Alice"))
    }

    @Test("WEB-PW-4: passwords of any length get the same answer, and none crashes")
    func longPasswords() async throws {
        for password in [
            " ", String(repeating: "x", count: 2000), "\u{1F600}", "\r\n",
            String(repeating: "\u{E9}", count: 500),
        ] {
            let reply = try await guess(server, "alice", password, from: "192.0.2.77")
            #expect([200, 429].contains(reply.status))
            #expect(reply.location == nil)
        }
        // Longer than anyone's, and not ASCII: it is not even looked at.
        let long = String(repeating: "\u{E9}", count: 600)
        #expect(try await guess(server, "alice", long, from: "192.0.2.76").status == 400)
        let huge = try await guess(
            server,
            "alice",
            String(repeating: "x", count: 1_000_000),
            from: "192.0.2.78"
        )
        #expect(huge.status == 413)
        expectPage(try await guess(server, "", "", from: "192.0.2.79"), "authenticate")
    }
}

extension PasswordGuessingTests {
    @Test("WCAG 3.3.7: a person who confirms who they are, and mistypes, keeps the name")
    func againAfterMistake() async throws {
        let browser = TestBrowser(try await ProviderUnderTest())
        expectCode(try await browser.signIn("alice", TestFlow.request()))
        let page = try await browser.authorize(TestFlow.again)
        let name = ("username", "alice@example.com")
        let wrong = try await browser.submit(page, [name, ("password", "a guess")])
        #expect(wrong.text.contains(" readonly"))
        #expect(wrong.text.contains("value=\"switch\""))
        let password = ("password", TestRealm.passwords["alice"] ?? "")
        expectCode(try await browser.submit(wrong, [name, password]))
        // Another name is no one who has to show that it is still them.
        let other = try await browser.submit(page, [("username", "bob"), ("password", "a guess")])
        #expect(!other.text.contains(" readonly"))
    }
}
