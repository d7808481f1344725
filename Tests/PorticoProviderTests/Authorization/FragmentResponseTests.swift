import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("response_mode=fragment (OAuth 2.0 Multiple Response Types §2.1)")
struct FragmentResponseTests {
    private static let redirect = "https://app.example.com/native/cb"
    /// All that could end a value, a fragment or an attribute.
    private static let state = "a b&code=evil#x\"'<script>+%\u{FC}"

    private func request(_ others: [(String, String)] = []) -> [(String, String)] {
        let mode = [("response_mode", "fragment"), ("state", Self.state)]
        return TestFlow.request("native1", mode + [("redirect_uri", Self.redirect)] + others)
    }

    /// native1 runs in the browser: it has an origin there.
    private func server(redirects: [String] = []) async throws -> ProviderUnderTest {
        let server = try await ProviderUnderTest()
        try await server.change("native1") {
            $0.webOrigins = ["https://app.example.com"]
            $0.redirectURIs += redirects.map(RedirectURI.init)
        }
        return server
    }

    private func fragment(_ reply: Reply) throws -> [String: String] {
        let location = try #require(reply.location)
        let parts = location.split(separator: "#", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(location)")
        #expect(parts[0] == Self.redirect, "nothing stands in the query")
        let form = try FormParameters(decoding: parts[1].utf8)
        return Dictionary(uniqueKeysWithValues: form.all.map { ($0.name, $0.value) })
    }

    @Test("The code comes in the fragment, with state and iss, and can be redeemed")
    func code() async throws {
        let server = try await server()
        let reply = try await TestBrowser(server).signIn("alice", request())
        #expect(reply.status == 303)
        let answer = try fragment(reply)
        #expect(answer["state"] == Self.state)
        #expect(answer["iss"] == TestRealm.issuer)
        let redirect = [("redirect_uri", Self.redirect)]
        #expect(try await server.redeem(answer["code"] ?? "", "native1", redirect).status == 200)
    }

    @Test("Errors come in the fragment too")
    func error() async throws {
        let server = try await server()
        let reply = try await TestBrowser(server).authorize(request([("prompt", "none")]))
        let answer = try fragment(reply)
        #expect(answer["error"] == "login_required")
        #expect(answer["state"] == Self.state)
        #expect(answer["iss"] == TestRealm.issuer)
        #expect(answer["code"] == nil)
    }

    @Test("A query of the redirect URI stays, and a loopback port is the request's")
    func ownQuery() async throws {
        let server = try await server(redirects: [Self.redirect + "?tenant=1"])
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
        let server = try await server()
        for uri in [Self.redirect + "#", Self.redirect + "#x"] {
            let reply = try await TestBrowser(server).authorize(
                TestFlow.change(request(), [("redirect_uri", uri)])
            )
            expectErrorPage(reply)
        }
    }

    @Test("RFC 9110 §10.2.2: no client on a server or a device gets a fragment")
    func otherClients() async throws {
        let server = try await ProviderUnderTest()
        // web1 has an origin, and a secret; native1 neither.
        for client in ["web1", "native1"] {
            let others = [("response_mode", "fragment"), ("prompt", "none")]
            let request = TestFlow.request(client, others)
            let reply = try await TestBrowser(server).authorize(request)
            expectError(reply, "invalid_request", of: client)
            #expect(reply.location?.contains("#") == false)
            let pushed = try await server.push(request)
            #expect(pushed.status == 400 && pushed.error == "invalid_request")
        }
    }
}
