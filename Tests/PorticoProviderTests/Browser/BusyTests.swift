import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A database that cannot take the work now") struct BusyTests {
    @Test("RFC 9110 §15.6.4: 503 says when to try again, and trying again then works")
    func busy() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        let alice = TestRealm.login()
        server.database.refuseWrites(StoreBusy())
        let refused = try await browser.submit(page, alice)
        #expect(refused.status == 503)
        #expect(refused.headers[.retryAfter] == "2")
        server.database.refuseWrites(nil)
        let code = try #require(try await browser.submit(page, alice).redirected["code"])

        server.database.refuseWrites(StoreBusy())
        let unredeemed = try await server.redeem(code)
        #expect(unredeemed.status == 503 && unredeemed.error == "temporarily_unavailable")
        #expect(unredeemed.headers[.retryAfter] == "2")
        server.database.refuseWrites(nil)
        #expect(try await server.redeem(code).status == 200)
    }

    @Test("decision 0112: where nothing can be written, people read that, and nothing is lost")
    func fullDisk() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        let alice = TestRealm.login()
        server.database.refuseWrites(SQLError(.full, code: 13))
        let refused = try await browser.submit(page, alice)
        #expect(refused.status == 503)
        #expect(refused.headers[.retryAfter] == "60")
        #expect(refused.text.contains("We can’t save anything right now"), "\(refused.text)")
        #expect(!server.log.contains("unexpected error"), "the log has it once, elsewhere")
        server.database.refuseWrites(nil)
        let code = try #require(try await browser.submit(page, alice).redirected["code"])
        for error in [SQLError(.readOnly, code: 8), SQLError(.cannotWrite, code: 778)] {
            server.database.refuseWrites(error)
            let unredeemed = try await server.redeem(code)
            #expect(unredeemed.status == 503 && unredeemed.error == "temporarily_unavailable")
        }
        // Another fault is our own.
        server.database.refuseWrites(SQLError(.corrupt, code: 11))
        #expect(try await server.redeem(code).status == 500)
        server.database.refuseWrites(nil)
        #expect(try await server.redeem(code).status == 200)
    }

    @Test("WEB-BRUTE-1: a try that met a busy server is no wrong password")
    func busyHashing() async throws {
        let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
        let server = try await ProviderUnderTest(hashing: full)
        let browser = TestBrowser(server)
        var page = try await browser.authorize(TestFlow.request())
        let alice = TestRealm.login()
        for _ in 0..<8 {
            page = try await browser.submit(page, alice)
            #expect(page.status == 503)
        }
        await full.shutDown()
    }

    @Test(
        "WEB-BRUTE-1: where an address has all places to hash for an account, others get one of them",
        .timeLimit(.minutes(1))
    )
    func shares() async throws {
        let occupied = OccupiedHashing(places: 16)
        let server = try await ProviderUnderTest(hashing: occupied.hashing)
        let alice = TestRealm.login()
        let one = TestBrowser(server)
        let other = TestBrowser(server, from: "192.0.2.2")
        let pages = (
            try await one.authorize(TestFlow.request()),
            try await other.authorize(TestFlow.request())
        )
        let person = try await server.person().person
        let account = "\(person.realmID) \(person.id)"
        let asker = HashingAsker(address: "192.0.2.1", account: account)
        try await occupied.take(costly: 3, cheap: 4, for: asker)
        #expect(try await one.submit(pages.0, alice).status == 503)
        let refusals = occupied.refusals
        let answer = Task { try await other.submit(pages.1, alice) }
        try await waitUntil("one of them has left for the other") {
            occupied.refusals > refusals
        }
        occupied.leave()
        expectCode(try await answer.value)
        await occupied.hashing.shutDown()
    }
}
