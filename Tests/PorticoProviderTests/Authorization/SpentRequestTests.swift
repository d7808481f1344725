import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("One code for one authorization request") struct SpentRequestTests {
    private static let alice = [
        ("username", "alice"), ("password", TestRealm.passwords["alice"] ?? ""),
    ]

    /// A page on which a request was answered before, from which the same request begins anew.
    private func expectAnswered(
        _ reply: Reply,
        _ browser: TestBrowser,
        of client: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(reply.status == 400, sourceLocation: sourceLocation)
        #expect(reply.location == nil, sourceLocation: sourceLocation)
        #expect(!reply.text.contains("code="), sourceLocation: sourceLocation)
        let link = reply.text.firstMatch(of: /href="([^"]*restart[^"]*)"/)
        let path = String(try #require(link, sourceLocation: sourceLocation).1)
        let next = try await browser.get(path)
        #expect(next.status != 400, sourceLocation: sourceLocation)
        let isDone = next.redirected["code"] != nil || next.formAction != nil
        #expect(isDone, sourceLocation: sourceLocation)
    }

    @Test("decision 0007: a consent form that is sent again gives no second code, redeemed or not")
    func consent() async throws {
        for isRedeemed in [false, true] {
            let server = try await ProviderUnderTest()
            let browser = TestBrowser(server)
            let page = try await browser.signIn("alice", TestFlow.request("third"))
            expectPage(page, "consent")
            let allow = [("action", "allow")]
            let code = expectCode(try await browser.submit(page, allow), of: "third")
            if isRedeemed { #expect(try await server.redeem(code, "third").status == 200) }
            for action in ["allow", "switch", "deny"] {
                let reply = try await browser.submit(page, [("action", action)])
                try await expectAnswered(reply, browser, of: "third")
            }
            if !isRedeemed { #expect(try await server.redeem(code, "third").status == 200) }
        }
    }

    @Test("decision 0007: of many consents at once exactly one gets a code")
    func consentRace() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        for _ in 1...5 {
            let request = TestFlow.request("third", [("prompt", "consent")])
            let start = try await browser.authorize(request)
            let page =
                start.formAction?.hasSuffix("consent") == true
                ? start : try await browser.submit(start, Self.alice)
            let replies = try await withThrowingTaskGroup { group in
                for _ in 1...8 {
                    group.addTask { try await browser.submit(page, [("action", "allow")]) }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.filter { $0.redirected["code"] != nil }.count == 1)
            #expect(replies.filter { $0.status == 400 }.count == 7)
        }
    }

    @Test("decision 0007: a sign-in form that is sent again gives no second code, cookie or not")
    func signIn() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request())
        let before = browser.cookies
        expectCode(try await browser.submit(page, Self.alice))
        let after = try await server.remains()
        // As the browser would send it: with the cookies of after the sign-in.
        let reply = try await browser.submit(page, Self.alice)
        #expect(reply.status == 403)
        // With the earlier ones: a client that kept both.
        let thief = TestBrowser(server)
        thief.cookies = before
        try await expectAnswered(
            try await thief.submit(page, Self.alice),
            thief,
            of: "native1"
        )
        #expect(try await server.remains() == after, "nobody is signed in by it")
    }

    @Test("decision 0007: so does an account that is chosen twice")
    func account() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        _ = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.authorize(
            TestFlow.request("native1", [("prompt", "select_account")])
        )
        expectCode(try await browser.submit(page, [("action", "continue")]))
        for action in ["continue", "switch", "cancel"] {
            let reply = try await browser.submit(page, [("action", action)])
            try await expectAnswered(reply, browser, of: "native1")
        }
    }

    @Test(
        "decision 0007: where the code came while the password was typed, the browser is signed in"
    )
    func late() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request())
        let replies = try await withThrowingTaskGroup { group in
            for _ in 1...2 {
                let copy = TestBrowser(server)
                copy.cookies = browser.cookies
                group.addTask { (copy, try await copy.submit(page, Self.alice)) }
            }
            return try await group.reduce(into: [(TestBrowser, Reply)]()) { $0.append($1) }
        }
        #expect(replies.filter { $0.1.redirected["code"] != nil }.count == 1)
        let (second, reply) = try #require(replies.first { $0.1.status != 303 })
        try await expectAnswered(reply, second, of: "native1")
        let isSignedIn = reply.headers[values: .setCookie].contains { $0.contains("session") }
        if isSignedIn {
            let silent = TestFlow.request("native1", [("prompt", "none")])
            expectCode(try await second.authorize(silent))
        }
    }

    @Test(
        "RFC 9126 §7.3: a request_uri gives one code, and begins anew only without one"
    )
    func pushed() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        _ = try await browser.signIn("alice", TestFlow.request())
        let pushed = try await server.push(TestFlow.request("native1", [("prompt", "consent")]))
        let uri = try #require(pushed.json.string("request_uri"))
        let reference = [("client_id", "native1"), ("request_uri", uri)]
        let page = try await browser.authorize(reference)
        expectPage(page, "consent")
        let twin = try await browser.authorize(reference)
        expectCode(try await browser.submit(page, [("action", "allow")]))
        for reply in [
            try await browser.submit(page, [("action", "allow")]),
            try await browser.submit(twin, [("action", "allow")]),
            try await browser.authorize(reference),
            try await TestBrowser(server).authorize(reference),
        ] {
            expectErrorPage(reply)
            #expect(!reply.text.contains("restart"))
        }
        #expect(try await server.remains().grants == 0, "the code was not even redeemed")
    }

    @Test("RFC 9126 §2.2: a pushed request is not begun anew for ever")
    func oldPushed() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        let pushed = try await server.push(TestFlow.request())
        let uri = try #require(pushed.json.string("request_uri"))
        var page = try await browser.authorize([("client_id", "native1"), ("request_uri", uri)])
        func restart() async throws -> Reply {
            let sealed = page.hiddenFields.first { $0.name == "request" }?.value ?? ""
            return try await browser.get("/realms/test/login-actions/restart?request=" + sealed)
        }
        server.clock.advance(by: 1799)
        page = try await restart()
        expectPage(page, "authenticate")
        server.clock.advance(by: 1700)
        page = try await restart()
        expectPage(page, "authenticate")
        server.clock.advance(by: 101)
        expectErrorPage(try await restart())
        expectErrorPage(try await browser.submit(page, Self.alice))
        #expect(try await server.remains() == Remains(pushedRequests: 1))
    }

    // MARK: What is remembered

    private func id(_ second: Int64) -> UniqueID {
        UniqueID(milliseconds: second * 1000 + 7, random: .system)
    }

    @Test("A request is spent once, and remembered for as long as it could be answered")
    func memory() {
        let spent = SpentRequests()
        let now: Int64 = 1_800_000_000
        let (one, other) = (id(now), id(now))
        #expect(!spent.isSpent(one, at: now))
        #expect(spent.spend(one, at: now))
        #expect(!spent.spend(one, at: now))
        #expect(spent.isSpent(one, at: now + SpentRequests.lifetime - 1))
        #expect(!spent.isSpent(other, at: now + SpentRequests.lifetime - 1))
        #expect(spent.isSpent(other, at: now + SpentRequests.lifetime), "too old to be answered")
        #expect(!spent.spend(other, at: now + SpentRequests.lifetime))
        #expect(spent.remembered == 0)
        #expect(SpentRequests.lifetime > AuthorizationFlow.patience)
    }

    @Test(
        "A flood makes none forgotten: the oldest requests count as answered, the newer ones go on"
    )
    func flood() {
        let spent = SpentRequests(most: 100)
        let now: Int64 = 1_800_000_000
        let (early, open) = (id(now), id(now))
        #expect(spent.spend(early, at: now))
        for second in 1...40 as ClosedRange<Int64> {
            for _ in 1...5 { #expect(spent.spend(id(now + second), at: now + second)) }
            #expect(spent.remembered <= 100)
        }
        let end = now + 40
        #expect(spent.isSpent(early, at: end), "not forgotten")
        #expect(spent.isSpent(open, at: end), "whoever waited so long begins anew")
        #expect(!spent.isSpent(id(end), at: end))
        #expect(spent.spend(id(end), at: end))
    }

    @Test("A clock that is wrong for a while refuses no one afterwards")
    func wrongClock() {
        let spent = SpentRequests()
        let now: Int64 = 1_800_000_000
        #expect(spent.spend(id(now + 100_000), at: now + 100_000))
        let one = id(now)
        #expect(!spent.isSpent(one, at: now))
        #expect(spent.spend(one, at: now))
        #expect(!spent.spend(one, at: now))
    }
}
