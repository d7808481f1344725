import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Redirect URIs without a path (RFC 6749 §3.1.2, RFC 3986 §4.3)")
struct PathlessRedirectTests {
    private static let registered = [
        "https://app.example.com", "http://localhost:8081", "http://127.0.0.1:8000",
        "http://[::1]", "https://app.example.com:8443?tenant=1",
    ]

    private func server() async throws -> ProviderUnderTest {
        try await ProviderUnderTest { new in
            for index in new.clients.indices {
                guard ["web1", "native1"].contains(new.clients[index].clientID) else { continue }
                new.clients[index].redirectURIs += Self.registered.map(RedirectURI.init)
                new.clients[index].webOrigins = ["https://app.example.com"]
            }
        }
    }

    private func request(_ uri: String, _ others: [(String, String)] = []) -> [(String, String)] {
        TestFlow.change(TestFlow.request("web1", others), [("redirect_uri", uri)])
    }

    @Test("RFC 3986 §3.4: the answer is a query behind the host", arguments: registered)
    func answer(uri: String) async throws {
        let server = try await server()
        let reply = try await TestBrowser(server).signIn("alice", request(uri))
        #expect(reply.status == 303)
        let location = try #require(reply.location)
        let separator = uri.contains("?") ? "&" : "?"
        #expect(location.hasPrefix("\(uri)\(separator)code="))
        #expect(HTTPAddress(location)?.query != nil)
        let form = try FormParameters(decoding: Array(location.dropFirst(uri.count + 1).utf8))
        #expect(form["iss"] == TestRealm.issuer)
        let code = try #require(form["code"])
        #expect(try await server.redeem(code, "web1", [("redirect_uri", uri)]).status == 200)
    }

    @Test("RFC 9700 §2.1: with a slash it is another redirect URI, at every endpoint")
    func bytes() async throws {
        let server = try await server()
        for uri in Self.registered where !uri.contains("?") {
            expectErrorPage(try await TestBrowser(server).authorize(request(uri + "/")))
            #expect(try await server.push(request(uri + "/")).status == 400)
            expectErrorPage(try await TestBrowser(server).authorize(request(uri + "#")))
            let code = try await server.code("alice", "web1", [("redirect_uri", uri)])
            let other = try await server.redeem(code, "web1", [("redirect_uri", uri + "/")])
            #expect(other.status == 400 && other.error == "invalid_grant")
        }
        // Nor is what was registered with a slash the one without.
        expectErrorPage(
            try await TestBrowser(server).authorize(request("https://app.example.com:8443"))
        )
        // RFC 8252 §7.3: the port of a loopback literal only.
        let other = try await TestBrowser(server)
            .authorize(request("http://127.0.0.1:8001", [("prompt", "none")]))
        #expect(other.location?.hasPrefix("http://127.0.0.1:8001?error=login_required") == true)
        expectErrorPage(try await TestBrowser(server).authorize(request("http://localhost:8082")))
    }

    @Test("Errors come back behind the host, too, by query and by fragment")
    func errors() async throws {
        let server = try await server()
        for (client, mode, mark) in [("web1", "query", "?"), ("native1", "fragment", "#")] {
            let reply = try await TestBrowser(server).authorize(
                TestFlow.request(
                    client,
                    [
                        ("redirect_uri", "https://app.example.com"), ("prompt", "none"),
                        ("response_mode", mode),
                    ]
                )
            )
            #expect(
                reply.location?.hasPrefix("https://app.example.com\(mark)error=login_required&")
                    == true
            )
        }
    }
}
