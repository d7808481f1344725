import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("Forms that come twice or late, and codes of pushed requests") struct SpentRequestTests {
    private let server: ProviderUnderTest
    private let browser: TestBrowser

    init() async throws {
        (server, browser) = try await ProviderUnderTest.withBrowser()
    }

    @Test("decision 0104: a consent form sent again gives a code of its own, each good once")
    func consent() async throws {
        for isRedeemed in [false, true] {
            let (server, browser) = try await ProviderUnderTest.withBrowser()
            let page = try await browser.signIn("alice", TestFlow.request("third"))
            expectPage(page, "consent")
            let allow = [("action", "allow")]
            let code = expectCode(try await browser.submit(page, allow), of: "third")
            if isRedeemed { #expect(try await server.redeem(code, "third").status == 200) }
            let second = expectCode(try await browser.submit(page, allow), of: "third")
            #expect(second != code)
            #expect(try await server.redeem(second, "third").status == 200)
            if !isRedeemed { #expect(try await server.redeem(code, "third").status == 200) }
            for code in [code, second] {
                #expect(try await server.redeem(code, "third").error == "invalid_grant")
            }
            let denied = try await browser.submit(page, [("action", "deny")])
            #expect(denied.redirected["error"] == "access_denied")
        }
    }

    @Test("decision 0104: of many consents at once each has a code, and no two the same")
    func consentRace() async throws {
        for _ in 1...5 {
            let request = TestFlow.request("third", [("prompt", "consent")])
            let start = try await browser.authorize(request)
            let page =
                start.formAction?.hasSuffix("consent") == true
                ? start : try await browser.submit(start, TestRealm.login())
            let replies = try await atOnce(1...8) { _ in
                try await browser.submit(page, [("action", "allow")])
            }
            #expect(Set(replies.compactMap { $0.redirected["code"] }).count == 8)
        }
    }

    @Test("decision 0104: a sign-in form that is sent again goes on to the app, old cookies or new")
    func signIn() async throws {
        let page = try await browser.authorize(TestFlow.request())
        // As a browser sends the second click, before the first answer is there.
        let early = browser.copy()
        let code = expectCode(try await browser.submit(page, TestRealm.login()))
        let after = try await server.remains()
        let second = expectCode(try await browser.submit(page, TestRealm.login()))
        let third = expectCode(try await early.submit(page, TestRealm.login()))
        #expect(Set([code, second, third]).count == 3)
        #expect(try await server.remains() == after, "it is one session")
        for code in [code, second, third] {
            #expect(try await server.redeem(code).status == 200)
        }
        // Who keeps the last answer is signed in.
        expectCode(try await early.authorize(TestFlow.silent))
    }

    @Test("decision 0104: a wrong password sent twice counts twice, and signs no one in")
    func wrong() async throws {
        let page = try await browser.authorize(TestFlow.request())
        let typed = [("username", "alice"), ("password", "wrong")]
        for _ in 1...2 {
            let reply = try await browser.submit(page, typed)
            expectPage(reply, "authenticate")
            #expect(reply.text.contains("value=\"alice\""))
            #expect(!reply.text.contains("wrong\""))
        }
        #expect(try await server.remains() == Remains())
        // The same form with the right one is another.
        expectCode(try await browser.submit(page, TestRealm.login()))
    }

    @Test("decision 0104: the second of two tabs signs in with the form that it has")
    func tabs() async throws {
        let tabs = [
            try await browser.authorize(TestFlow.request("native1", [("state", "one")])),
            try await browser.authorize(TestFlow.request("native1", [("state", "two")])),
            try await browser.authorize(TestFlow.request("native1", [("state", "three")])),
        ]
        for (tab, state) in zip(tabs, ["one", "two", "three"]) {
            let answer = try await browser.submit(tab, TestRealm.login())
            #expect(answer.status == 303)
            #expect(answer.redirected["state"] == state)
            #expect(try await server.redeem(answer.redirected["code"] ?? "").status == 200)
        }
        #expect(try await server.remains().sessions == 1)
        // Another browser has no such form, whatever it says it had before.
        let thief = TestBrowser(server)
        _ = try await thief.authorize(TestFlow.request())
        let before = try await server.remains()
        let former = try #require(browser.cookies.first { $0.key.contains("former") })
        for value in [nil, "x", String(former.value.reversed())] {
            thief.cookies[former.key] = value
            #expect(try await thief.submit(tabs[0], TestRealm.login()).status == 403)
        }
        #expect(try await server.remains() == before)
    }

    @Test("decision 0104: an account that is chosen twice is the one that the page has shown")
    func account() async throws {
        let (_, browser) = try await ProviderUnderTest.signedIn()
        let choose = TestFlow.request("native1", [("prompt", "select_account")])
        let page = try await browser.authorize(choose)
        for _ in 1...2 {
            expectCode(try await browser.submit(page, [("action", "continue")]))
        }
        // In another tab bob signs in: what was said of alice is not said of him.
        _ = try await browser.signIn("bob", TestFlow.again)
        let other = try await browser.submit(page, [("action", "continue")])
        #expect(other.status == 403 && other.location == nil)
        #expect(other.text.contains("bob") && other.formAction?.hasSuffix("select-account") == true)
        expectCode(try await browser.submit(other, [("action", "continue")]))
    }

    @Test("decision 0104: two clicks at the same time are one sign-in, and both go on")
    func together() async throws {
        let page = try await browser.authorize(TestFlow.request())
        let replies = try await withThrowingTaskGroup { group in
            for _ in 1...3 {
                let copy = browser.copy()
                group.addTask { (copy, try await copy.submit(page, TestRealm.login())) }
            }
            return try await group.reduce(into: [(TestBrowser, Reply)]()) { $0.append($1) }
        }
        #expect(Set(replies.compactMap { $0.1.redirected["code"] }).count == 3)
        #expect(try await server.remains().sessions == 1)
    }

    @Test("decision 0104: a page left open overnight is sent as a new request, or begins again")
    func overnight() async throws {
        let page = try await browser.authorize(TestFlow.request())
        server.clock.advance(by: 14 * 3600)
        let code = expectCode(try await browser.submit(page, TestRealm.login()))
        #expect(try await server.redeem(code).status == 200)
        // A browser that was closed in between has no cookie any more.
        let closed = TestBrowser(server)
        let left = try await closed.authorize(TestFlow.request())
        server.clock.advance(by: 14 * 3600)
        closed.cookies = [:]
        let again = try await closed.submit(
            left,
            TestRealm.login(),
            headers: [.fetchSite: "same-origin"]
        )
        expectPage(again, "authenticate", status: 403)
        #expect(again.text.contains("value=\"alice\""))
        #expect(!again.text.contains(TestRealm.passwords["alice"] ?? "-"))
        expectCode(try await closed.submit(again, TestRealm.login()))
    }

    @Test("decision 0104: after the session was over a consent is asked for anew, not refused")
    func signedOutMeanwhile() async throws {
        let page = try await browser.signIn("alice", TestFlow.request("third"))
        try await browser.signOut()
        let signIn = try await browser.submit(page, [("action", "allow")])
        #expect(signIn.status == 403)
        #expect(signIn.formAction?.hasSuffix("authenticate") == true)
        #expect(try await server.remains().consents == 0)
        let consent = try await browser.submit(signIn, TestRealm.login())
        expectPage(consent, "consent")
        expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
    }

    @Test("RFC 9126 §7.3: a request_uri gives one code; its own browser may send the page again")
    func pushed() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let reference = try await server.reference(
            to: TestFlow.request("native1", [("prompt", "consent")])
        )
        let page = try await browser.authorize(reference)
        expectPage(page, "consent")
        let elsewhere = TestBrowser(server)
        let other = try await elsewhere.authorize(reference)
        expectPage(other, "authenticate")
        let allow = [("action", "allow")]
        let code = expectCode(try await browser.submit(page, allow))
        for reply in [
            try await elsewhere.submit(other, TestRealm.login()),
            try await browser.authorize(reference),
            try await TestBrowser(server).authorize(reference),
        ] {
            expectErrorPage(reply)
            #expect(!reply.text.contains("restart"))
        }
        let second = expectCode(try await browser.submit(page, allow))
        #expect(second != code)
        #expect(try await server.remains().grants == 0, "no code was even redeemed")
    }

    @Test("RFC 9126 §7.3: two clicks on the sign-in of a pushed request both go on")
    func pushedTwice() async throws {
        let reference = try await server.reference(to: TestFlow.request())
        let page = try await browser.authorize(reference)
        let early = browser.copy()
        let first = expectCode(try await browser.submit(page, TestRealm.login()))
        #expect(try await server.redeem(first).status == 200)
        let second = expectCode(try await early.submit(page, TestRealm.login()))
        #expect(try await server.redeem(second).status == 200)
        expectErrorPage(try await browser.authorize(reference))
    }

    @Test("RFC 9126 §7.3: of two browsers that send a request_uri's page at once one has a code")
    func pushedRace() async throws {
        let people = ["alice", "bob"]
        for _ in 1...5 {
            let reference = try await server.reference(to: TestFlow.request())
            let replies = try await withThrowingTaskGroup { group in
                for name in people {
                    let browser = TestBrowser(server)
                    let page = try await browser.authorize(reference)
                    let form = TestRealm.login(name)
                    group.addTask { try await browser.submit(page, form) }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.filter { $0.redirected["code"] != nil }.count == 1)
            #expect(replies.filter { $0.status == 400 && $0.location == nil }.count == 1)
        }
    }

    @Test("RFC 9126 §2.2: a pushed request is not begun anew for ever")
    func oldPushed() async throws {
        let pushed = try await server.push(TestFlow.request())
        let uri = try pushed.requestURI
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
        // Who has the page open may send it.
        expectCode(try await browser.submit(page, TestRealm.login()))
    }

    @Test("decision 0104: what the form cookie was before is known for a day, beside its session")
    func formerAge() async throws {
        let server = try await ProviderUnderTest { new in
            new.realm.lifetimes.sessionIdle = 200_000
            new.realm.lifetimes.sessionMaximum = 200_000
        }
        let browser = TestBrowser(server)
        let tab = try await browser.authorize(TestFlow.request())
        expectCode(
            try await browser.submit(
                try await browser.authorize(TestFlow.request()),
                TestRealm.login()
            )
        )
        server.clock.advance(by: 86_399)
        // The wrong password shows that the form was taken, and changes no cookie.
        let wrong = [("username", "alice"), ("password", "wrong")]
        expectPage(try await browser.submit(tab, wrong), "authenticate")
        server.clock.advance(by: 1)
        #expect(try await browser.submit(tab, wrong).status == 403)
    }

    @Test("decision 0104: a late consent does not count for a sign-in that was asked for then")
    func lateConsent() async throws {
        let request = TestFlow.request("third", [("prompt", "login")])
        let page = try await browser.signIn("alice", request)
        expectPage(page, "consent")
        // Soon it does, however often.
        expectCode(try await browser.submit(page, [("action", "allow")]), of: "third")
        server.clock.advance(by: 1000)
        expectCode(try await browser.authorize(TestFlow.request()))
        try await server.provider.activity.flush()
        server.clock.advance(by: 800)
        let late = try await browser.submit(page, [("action", "allow")])
        #expect(late.formAction?.hasSuffix("authenticate") == true)
        expectCode(try await browser.submit(late, TestRealm.login()), of: "third")
    }

    @Test("decision 0104: a consent that comes late asks again which account it is for")
    func lateChoice() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let request = TestFlow.request("third", [("prompt", "select_account consent")])
        let page = try await browser.submit(browser.authorize(request), [("action", "continue")])
        expectPage(page, "consent")
        server.clock.advance(by: 1000)
        expectCode(try await browser.authorize(TestFlow.request()))
        try await server.provider.activity.flush()
        server.clock.advance(by: 800)
        expectPage(try await browser.submit(page, [("action", "allow")]), "select-account")
    }

    @Test("decision 0104: an account page from before another sign-in does nothing but lead there")
    func accountPage() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let other = TestBrowser(server)
        _ = try await other.signIn("alice", TestFlow.request())
        let devices = "/realms/test/account/devices"
        let page = try await browser.get(devices)
        _ = try await other.press(try await other.get(devices), [("action", "end-others")])
        _ = try await browser.signIn("alice", TestFlow.request())
        let before = try await server.remains()
        let path = try #require(page.formAction)
        let shown = try await browser.post(
            path,
            page.formProof + [("action", "end-others")],
            headers: [.fetchSite: "same-origin"]
        )
        #expect(shown.text.contains("href=\"\(path)"))
        #expect(try await server.remains() == before)
        let now = try await browser.get(path)
        _ = try await browser.post(path, now.formProof + [("action", "end-others")])
        expectPage(try await other.authorize(TestFlow.request()), "authenticate")
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
        let browser = Hash256(of: "cookie")
        #expect(spent.browsers(thatAnswered: one) == nil)
        #expect(spent.claim(one, for: [browser]))
        #expect(spent.browsers(thatAnswered: one) == [browser])
        #expect(!spent.claim(one, for: [Hash256(of: "another")]))
        #expect(spent.browsers(thatAnswered: one) == [browser])
        let later = Hash256(of: "after a sign-in")
        #expect(spent.claim(one, for: [later, browser]))
        #expect(spent.claim(one, for: [later]))
    }

    @Test("A flood makes none forgotten: the oldest requests count as answered, newer ones go on")
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

    @Test("decision 0104: what a form did is known for a minute, and one is worked on at a time")
    func memoryOfForms() async throws {
        let sent = SentForms<FormDeed> { $0.size }
        func made(_ code: String, _ realm: String = "r") -> SentForm {
            let fields = [(name: "csrf", value: "x"), (name: "code", value: code)]
            return SentForm(FormParameters(fields), of: realm)
        }
        let (form, other) = (made("1"), made("2"))
        #expect(form == made("1") && form != other && form != made("1", "s"))
        func isKnown(_ form: SentForm, at now: Int64) async throws -> Bool {
            try await sent(form, at: now) { deed in deed != nil }
        }
        #expect(try await !isKnown(form, at: 100))
        sent.note(.done, of: form, at: 100)
        #expect(try await isKnown(form, at: 159))
        #expect(try await !isKnown(form, at: 160))
        #expect(try await !isKnown(other, at: 100))
        let running = Locked((now: 0, most: 0))
        try await withThrowingTaskGroup { group in
            for _ in 1...20 {
                group.addTask {
                    try await sent(other, at: 100) { _ in
                        running.withLock {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        await Task.yield()
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.most } == 1)
        // What fails lets the next one in.
        struct Failed: Error {}
        await #expect(throws: Failed.self) {
            try await sent(other, at: 100) { _ in throw Failed() }
        }
        #expect(try await !isKnown(other, at: 100))
    }

    @Test("decision 0104: answers that are kept for a form that comes twice have a size in bytes")
    func sizeOfForms() async throws {
        let sent = SentForms<FormDeed>(capacity: 1 << 20) { $0.size }
        func form(_ number: Int) -> SentForm {
            SentForm(FormParameters([(name: "code", value: "\(number)")]), of: "r")
        }
        let page = [UInt8](repeating: 0x20, count: 60 << 10)
        var known = 0
        for number in 0..<100 {
            let answer = Response(status: .ok, headers: [:], bytes: page)
            sent.note(.answered(answer), of: form(number), at: 100)
        }
        for number in 0..<100 {
            known += try await sent(form(number), at: 100) { $0 == nil ? 0 : 1 }
        }
        #expect((10...32).contains(known))
        #expect(try await sent(form(99), at: 100) { $0 != nil })
        // What has no page takes hardly any.
        for number in 0..<1_000 { sent.note(.done, of: form(number), at: 100) }
        #expect(try await sent(form(0), at: 100) { $0 != nil })
    }
}
