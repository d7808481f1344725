import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: where a client's answers go") struct ImportedAddressTests {
    private static let good = "https://a.example/good"

    @Test("attack A47: a redirect URI that a new client could not register is left out and told of")
    func refused() async throws {
        let bad = [
            "https://a.example/*", "https://*.a.example/cb", "*", "/*", "http://a.example/cb",
            "http://localhost:8080/*", "javascript:alert(1)", "data:text/html,x",
            "https://a.example/cb#x", "https://ann@a.example/cb", "garden://cb",
            "exp://192.0.2.1:1",
            "msapp://s-1-15-2-1", "cb", "//a.example/cb", "${authBaseUrl}/cb",
        ]
        let clients = try await ImportSample.clients(
            bad.map { #""publicClient": true, "redirectUris": ["\#(Self.good)", "\#($0)"]"# }
        )
        for (imported, text) in zip(clients, bad) {
            #expect(imported.client?.redirectURIs.map(\.text) == [Self.good], "\(text)")
            #expect(imported.says(.skipped, "redirect URI"), "\(text)")
        }
    }

    @Test("RFC 6749 §3.1.2: a redirect URI without a path is taken over as it is, with its origin")
    func pathless() async throws {
        let texts = ["https://a.example", "https://a.example/", "http://127.0.0.1:8000"]
        let list = texts.map { "\"\($0)\"" }.joined(separator: ", ")
        let clients = try await ImportSample.clients([
            #""publicClient": true, "redirectUris": [\#(list)], "webOrigins": ["+"]"#
        ])
        let client = try #require(clients.first?.client)
        #expect(client.redirectURIs.map(\.text) == texts)
        #expect(client.postLogoutRedirectURIs.map(\.text) == texts)
        #expect(client.webOrigins == ["https://a.example", "http://127.0.0.1:8000"])
    }

    @Test("A path hangs on the root URL, as there; a root URL with a placeholder is none")
    func rootURL() async throws {
        let redirects = #""redirectUris": ["/cb", "/cb", "https://a.example/cb"]"#
        let clients = try await ImportSample.clients(
            [
                "https://a.example", "https://a.example/", "${authBaseUrl}",
                "https://a.example/$base",
            ]
            .map { #""rootUrl": "\#($0)", \#(redirects)"# }
        )
        for imported in clients {
            #expect(imported.client?.redirectURIs.map(\.text) == ["https://a.example/cb"])
        }
        #expect(clients.map { $0.says(.skipped, "redirect URI") } == [false, false, true, true])
    }

    @Test("KC-E-3: redirect URIs, post-logout redirect URIs and web origins are three lists")
    func postLogout() async throws {
        let cases: [(String?, [String])] = [
            (nil, ["https://a.example/cb"]), ("+", ["https://a.example/cb"]), ("-", []),
            ("https://a.example/bye", ["https://a.example/bye"]),
            ("+##https://a.example/bye", ["https://a.example/cb", "https://a.example/bye"]),
            ("https://a.example/bye/*", []),
            // RP-Initiated Logout 1.0 §3.1: no private-use scheme for a confidential client.
            ("com.example.a:/bye", []),
        ]
        let clients = try await ImportSample.clients(
            cases.map { setting, _ in
                let attributes = setting.map { #""post.logout.redirect.uris": "\#($0)""# } ?? ""
                return #""attributes": {\#(attributes)}"#
            }
        )
        for (imported, (setting, expected)) in zip(clients, cases) {
            let client = try #require(imported.client)
            #expect(client.postLogoutRedirectURIs.map(\.text) == expected, "\(setting ?? "-")")
            #expect(client.redirectURIs.map(\.text) == ["https://a.example/cb"])
            #expect(client.webOrigins == [])
        }
    }

    @Test("WEB-CORS-1: a web origin is one exact origin, or is left out and told of")
    func webOrigins() async throws {
        let cases: [(String, [String])] = [
            ("+", ["https://a.example"]), ("https://b.example/", ["https://b.example"]),
            ("https://b.example:8443", ["https://b.example:8443"]), ("*", []), ("null", []),
            ("http://b.example", []), ("https://b.example/x", []), ("https://*.b.example", []),
            ("HTTPS://B.example", []), ("https://b.example:443", []),
        ]
        let clients = try await ImportSample.clients(
            cases.map { #""webOrigins": ["\#($0.0)", "\#($0.0)"]"# }
        )
        for (imported, (text, expected)) in zip(clients, cases) {
            #expect(imported.client?.webOrigins == expected, "\(text)")
            #expect(imported.says(.skipped, "web origin") == expected.isEmpty, "\(text)")
        }
    }
}
