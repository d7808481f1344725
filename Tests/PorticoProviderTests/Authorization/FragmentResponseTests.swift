import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("response_mode=fragment (OAuth 2.0 Multiple Response Types §2.1)")
struct FragmentResponseTests {
    private static let redirect = "https://app.example.com/cb"
    /// All that could end a value, a fragment or an attribute.
    private static let state = "a b&code=evil#x\"'<script>+%\u{FC}"

    private func request(_ others: [(String, String)] = []) -> [(String, String)] {
        TestFlow.request("web1", [("response_mode", "fragment"), ("state", Self.state)] + others)
    }

    private func fragment(_ reply: Reply) throws -> [String: String] {
        let location = try #require(reply.location)
        let parts = location.split(separator: "#", omittingEmptySubsequences: false)
        #expect(parts.count == 2, "\(location)")
        #expect(parts[0] == Self.redirect, "nothing stands in the query")
        let form = try FormParameters(decoding: parts[1].utf8)
        return Dictionary(uniqueKeysWithValues: form.all.map { ($0.name, $0.value) })
    }

    @Test("The code comes in the fragment, with state and iss, and can be redeemed")
    func code() async throws {
        let server = try await ProviderUnderTest()
        let reply = try await TestBrowser(server).signIn("alice", request())
        #expect(reply.status == 303)
        let answer = try fragment(reply)
        #expect(answer["state"] == Self.state)
        #expect(answer["iss"] == TestRealm.issuer)
        #expect(try await server.redeem(answer["code"] ?? "", "web1").status == 200)
    }

    @Test("Errors come in the fragment too")
    func error() async throws {
        let server = try await ProviderUnderTest()
        let reply = try await TestBrowser(server).authorize(request([("prompt", "none")]))
        let answer = try fragment(reply)
        #expect(answer["error"] == "login_required")
        #expect(answer["state"] == Self.state)
        #expect(answer["iss"] == TestRealm.issuer)
        #expect(answer["code"] == nil)
    }

    @Test("A query of the redirect URI stays, and a loopback port is the request's")
    func ownQuery() async throws {
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices where realm.clients[index].clientID == "web1" {
                realm.clients[index].redirectURIs.append(RedirectURI(Self.redirect + "?tenant=1"))
            }
        }
        let reply = try await TestBrowser(server).authorize(
            TestFlow.change(
                request([("prompt", "none")]),
                [("redirect_uri", Self.redirect + "?tenant=1")]
            )
        )
        #expect(
            reply.location?.hasPrefix(Self.redirect + "?tenant=1#error=login_required&") == true
        )
    }

    @Test("A redirect URI with a fragment is refused, whatever the mode: a page, and no redirect")
    func registeredFragment() async throws {
        let server = try await ProviderUnderTest()
        for uri in [Self.redirect + "#", Self.redirect + "#x"] {
            let reply = try await TestBrowser(server).authorize(
                TestFlow.change(request(), [("redirect_uri", uri)])
            )
            expectErrorPage(reply)
        }
    }
}
