import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: where a client's answers go") struct ImportedAddressTests {
    private static let good = "https://a.example/good"

    @Test("attack A47: a redirect URI that could take a code to anyone is left out and told of")
    func refused() async throws {
        let bad = [
            "https://*.a.example/cb", "https://*", "https://a*.example/*", "https://a.example:*",
            "javascript:alert(1)", "data:text/html,x", "HTTP://a.example/cb", "https://",
            "https://a.example/cb#x", "https://ann@a.example/cb", "https://a.example/c b", "cb",
            "urn:ietf:wg:oauth:2.0:oob", "${authBaseUrl}/cb",
        ]
        let clients = try await ImportSample.clients(
            bad.map { #""publicClient": true, "redirectUris": ["\#(Self.good)", "\#($0)"]"# }
        )
        for (imported, text) in zip(clients, bad) {
            #expect(imported.client?.redirectURIs.map(\.text) == [Self.good], "\(text)")
            #expect(imported.says(.skipped, "redirect URI \(text): "), "\(text)")
        }
    }

    @Test("KC-E-2: a pattern stays as it is, and what is wide or no app's alone is told of")
    func patterns() async throws {
        let cases: [(String, String?)] = [
            ("https://a.example/cb", nil), ("com.example.a:/cb", nil), ("/cb", nil),
            ("http://127.0.0.1/cb", nil), ("*", "any website"),
            ("https://a.example/*", "any path below it"), ("/*", "any path below it"),
            ("http://a.example/cb", "in the clear"), ("http://a.example/*", "in the clear"),
            ("http://localhost:*", "any port of the host"),
            ("http://localhost/cb", "lead localhost elsewhere"),
            ("garden://cb", "Any app can take this scheme"),
            ("exp://192.0.2.1:1", "Any app can take this scheme"),
        ]
        let clients = try await ImportSample.clients(
            cases.map { #""publicClient": true, "redirectUris": ["\#($0.0)"]"# }
        )
        for (imported, (text, warning)) in zip(clients, cases) {
            #expect(imported.client?.redirectURIs.map(\.text) == [text], "\(text)")
            #expect(!imported.says(.skipped, ""), "\(text)")
            #expect(imported.says(.read, "redirect URI") == (warning != nil), "\(text)")
            if let warning {
                #expect(imported.says(.read, "redirect URI \(text): "), "\(text)")
                #expect(imported.says(.read, warning), "\(text)")
            }
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
        #expect(client.webOrigins == ["+"])
        #expect(Self.origins(of: client) == ["https://a.example", "http://127.0.0.1:8000"])
    }

    @Test("A path hangs on the root URL, as there; a root URL with a placeholder is none")
    func rootURL() async throws {
        let redirects = #""redirectUris": ["/cb", "/cb", "https://a.example/cb"]"#
        let roots = [
            "https://a.example", "https://a.example/", "https://a.example/$base", "${authBaseUrl}",
        ]
        let clients = try await ImportSample.clients(
            roots.map { #""rootUrl": "\#($0)", \#(redirects)"# }
        )
        for imported in clients.dropLast() {
            #expect(
                imported.client?.redirectURIs.map(\.text) == ["/cb", "/cb", "https://a.example/cb"]
            )
        }
        #expect(clients.last?.client?.redirectURIs.map(\.text) == ["https://a.example/cb"])
        #expect(
            clients.map { $0.says(.skipped, "redirect URI /cb") } == [false, false, false, true]
        )
        #expect(clients.compactMap { $0.client?.rootURI } == roots)
    }

    @Test("KC-E-3: redirect URIs, post-logout redirect URIs and web origins are three lists")
    func postLogout() async throws {
        let cases: [(String?, [String])] = [
            (nil, []), ("", []), ("+", ["+"]), ("-", ["-"]),
            ("https://a.example/bye", ["https://a.example/bye"]),
            ("+##https://a.example/bye", ["+", "https://a.example/bye"]),
            ("https://a.example/bye/*##/", ["https://a.example/bye/*", "/"]),
            ("com.example.a:/bye", ["com.example.a:/bye"]),
            ("javascript:alert(1)##https://a.example/bye", ["https://a.example/bye"]),
            ("https://*.a.example/##-##https://a.example/bye", ["-", "https://a.example/bye"]),
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
        let refused = clients.map { $0.says(.skipped, "post-logout redirect URI") }
        #expect(refused == cases.indices.map { $0 >= 8 })
        #expect(clients[6].says(.read, "post-logout redirect URI https://a.example/bye/*: "))
    }

    @Test("WEB-CORS-1: a web origin is an origin, + or *; anything else is left out and told of")
    func webOrigins() async throws {
        // What scripts of which pages may then call; `nil`: it is left out.
        let cases: [(String, [String]?)] = [
            ("+", ["https://a.example"]), ("*", ["*"]),
            ("https://b.example", ["https://b.example"]),
            ("https://b.example/", ["https://b.example"]),
            ("https://b.example:443", ["https://b.example"]),
            ("https://b.example:8443", ["https://b.example:8443"]),
            ("http://b.example", ["http://b.example"]),
            ("capacitor://localhost", ["capacitor://localhost"]), ("null", nil),
            ("https://b.example/x", nil), ("https://*.b.example", nil), ("b.example", nil),
            ("javascript://x", nil), ("file://", nil), ("**", nil),
        ]
        let clients = try await ImportSample.clients(
            cases.map { #""webOrigins": ["\#($0.0)", "", "https://c.example"]"# }
        )
        for (imported, (text, expected)) in zip(clients, cases) {
            let client = try #require(imported.client)
            let kept = (expected == nil ? [] : [text]) + ["https://c.example"]
            #expect(client.webOrigins == kept, "\(text)")
            #expect(
                Set(Self.origins(of: client)) == Set((expected ?? []) + ["https://c.example"]),
                "\(text)"
            )
            let isRefused = imported.says(.skipped, "web origin \(text): ")
            #expect(isRefused == (expected == nil), "\(text)")
        }
    }

    private static func origins(of client: Client) -> [String] {
        let redirects = RedirectPatterns(
            client.redirectURIs.map(\.text),
            rootURL: nil,
            serverOrigin: ""
        )
        return OriginPatterns(client.webOrigins, redirects: redirects).claim
    }
}
