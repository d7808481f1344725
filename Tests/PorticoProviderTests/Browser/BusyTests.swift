import HTTPTypes
import PorticoProtocol
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
}
