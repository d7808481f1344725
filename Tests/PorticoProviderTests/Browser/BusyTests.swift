import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A database that cannot take the work now") struct BusyTests {
    @Test("RFC 9110 §15.6.4: 503 says when to try again, and trying again then works")
    func busy() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request())
        let alice = [("username", "alice"), ("password", TestRealm.passwords["alice"] ?? "")]
        server.database.refuseWrites(StoreBusy())
        let refused = try await browser.submit(page, alice)
        #expect(refused.status == 503)
        #expect(refused.headers[.retryAfter] == "2")
        server.database.refuseWrites(nil)
        let code = try #require(try await browser.submit(page, alice).redirected["code"])

        server.database.refuseWrites(StoreBusy())
        let unredeemed = try await server.redeem(code)
        #expect(unredeemed.status == 503)
        #expect(unredeemed.json.string("error") == "temporarily_unavailable")
        #expect(unredeemed.headers[.retryAfter] == "2")
        server.database.refuseWrites(nil)
        #expect(try await server.redeem(code).status == 200)
    }

    @Test("WEB-BRUTE-1: a try that met a busy server is no wrong password")
    func busyHashing() async throws {
        let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
        let server = try await ProviderUnderTest(hashing: full)
        let browser = TestBrowser(server)
        var page = try await browser.authorize(TestFlow.request())
        let alice = [("username", "alice"), ("password", TestRealm.passwords["alice"] ?? "")]
        for _ in 0..<8 {
            page = try await browser.submit(page, alice)
            #expect(page.status == 503)
        }
        await full.shutDown()
    }
}
