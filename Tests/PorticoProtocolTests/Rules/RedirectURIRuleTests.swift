import Testing

@testable import PorticoProtocol

@Suite("Redirect URI rule")
struct RedirectURIRuleTests {
    @Test(
        "RFC 8252 §7.3: a loopback literal may come back on any port, and on none",
        arguments: ["127.0.0.1", "[::1]"],
        ["", ":1", ":49152", ":65535"]
    )
    func ports(host: String, port: String) {
        for registered in ["http://\(host)/cb", "http://\(host):8080/cb"] {
            #expect(RedirectURI(registered).permits(RedirectURI("http://\(host)\(port)/cb")))
        }
    }

    @Test(
        "RFC 8252 §8.4: of a loopback redirect everything but the port is compared",
        arguments: [
            "http://127.0.0.1:5000/CB", "http://127.0.0.1:5000/cb/", "http://127.0.0.1:5000/cb?x=1",
            "https://127.0.0.1:5000/cb", "http://[::1]:5000/cb", "http://localhost:5000/cb",
            "http://127.0.0.2/cb", "http://127.1/cb", "http://2130706433/cb",
            "http://127.0.0.1./cb",
            "http://127.0.0.1@evil.example/cb", "http://127.0.0.1.evil.example/cb",
            "http://127.0.0.1:/cb", "http://127.0.0.1:0/cb", "http://127.0.0.1:05000/cb",
            "http://127.0.0.1:65536/cb", "http://127.0.0.1:99999999999999999999/cb",
            "http://127.0.0.1:-1/cb", "http://127.0.0.1:+1/cb", "http://127.0.0.1:5000:6000/cb",
            "http://127.0.0.1:٥٠٠٠/cb", "http://u@127.0.0.1:5000/cb", "http://127.0.0.1:5000\\cb",
            "HTTP://127.0.0.1:5000/cb", "http://127.0.0.1:5000", "http://127.0.0.1:5000/cb#",
        ]
    )
    func loopback(requested: String) {
        #expect(!RedirectURI("http://127.0.0.1/cb").permits(RedirectURI(requested)))
    }

    @Test("RFC 9700 §2.1: nothing but the same bytes will do, canonically equivalent or not")
    func bytes() {
        let composed = RedirectURI("https://app.example.com/caf\u{E9}")
        let decomposed = RedirectURI("https://app.example.com/cafe\u{301}")
        #expect(composed.permits(composed))
        #expect(!composed.permits(decomposed))
        #expect(composed != decomposed)
        #expect(composed.text.utf8.elementsEqual("https://app.example.com/caf\u{E9}".utf8))
    }

    @Test(
        "RFC 6749 §3.1.2: an absolute URI needs no path, and without one it is another than with a slash",
        arguments: [
            "https://app.example.com", "https://app.example.com:8443",
            "https://app.example.com?x=1",
            "http://127.0.0.1:8000", "http://127.0.0.1", "http://[::1]:8000",
        ]
    )
    func pathless(text: String) throws {
        let uri = RedirectURI(text)
        try uri.checkRegistrable(development: false)
        let parts = text.split(separator: "?", maxSplits: 1)
        let query = parts.count == 2 ? "?\(parts[1])" : ""
        let slashed = RedirectURI("\(parts[0])/\(query)")
        try slashed.checkRegistrable(development: false)
        #expect(uri.permits(uri) && slashed.permits(slashed))
        #expect(!uri.permits(slashed) && !slashed.permits(uri))
        #expect(throws: RedirectURI.Refusal.fragment) {
            try RedirectURI(text + "#f").checkRegistrable(development: true)
        }
        #expect(throws: RedirectURI.Refusal.fragment) {
            try RedirectURI(text + "#").checkRegistrable(development: true)
        }
    }

    @Test("Apps of others with another form of scheme: with the development switch, to the byte")
    func ofOthers() throws {
        for text in ["app.immich:///callback", "cursor://anysphere.cursor-mcp/oauth/callback"] {
            let uri = RedirectURI(text)
            try uri.checkRegistrable(development: true)
            #expect(throws: RedirectURI.Refusal.self) {
                try uri.checkRegistrable(development: false)
            }
            #expect(uri.permits(uri) && !uri.permits(RedirectURI(text + "/")))
        }
        for text in ["javascript:alert(1)", "data:text/html,x", "FILE:///etc/passwd"] {
            #expect(throws: RedirectURI.Refusal.browsersScheme) {
                try RedirectURI(text).checkRegistrable(development: true)
            }
        }
    }

    @Test("RFC 8252 §7.3: without a path a loopback literal comes back on any port, too")
    func pathlessPorts() {
        let uri = RedirectURI("http://127.0.0.1")
        #expect(uri.permits(RedirectURI("http://127.0.0.1:8000")))
        #expect(!uri.permits(RedirectURI("http://127.0.0.1:8000/")))
        #expect(!uri.permits(RedirectURI("http://127.0.0.1:8000?x")))
    }

    @Test(
        "RFC 8252 §8.3: localhost is for development, with a path or without",
        arguments: [
            "http://localhost", "http://localhost:8081", "http://localhost:8081/",
            "http://localhost/cb", "http://localhost?x=1", "http://localhost:8081?x=1",
        ]
    )
    func localhost(text: String) throws {
        #expect(throws: RedirectURI.Refusal.localhost) {
            try RedirectURI(text).checkRegistrable(development: false)
        }
        try RedirectURI(text).checkRegistrable(development: true)
        // No other port, no literal and no slash more.
        for other in ["http://localhost:9", "http://127.0.0.1:8081", text + "/", text + "x"] {
            #expect(!RedirectURI(text).permits(RedirectURI(other)))
        }
    }

    @Test(
        "RFC 3986 §3.2: what no browser finds a host in is refused, in development too",
        arguments: [
            ("https://", RedirectURI.Refusal.noHost), ("https:///cb", .noHost),
            ("https://?x", .noHost), ("https://:443", .noHost), ("https://:443/cb", .noHost),
            ("https://app.example.com:", .noHost), ("https://app.example.com:0", .noHost),
            ("https://app.example.com:65536/", .noHost), ("https://a%2fb.example/", .noHost),
            ("https://app.example.com:80:81/", .noHost), ("https://[zz]", .noHost),
            ("https://ann@app.example.com", .userInfo),
            ("https://ann@app.example.com?x", .userInfo),
            ("http://ann@localhost:8081", .userInfo), ("http://localhost:x", .noHost),
            ("http://localhost:8081@evil.example", .userInfo),
            ("http://localhost:8081.evil.example", .noHost),
            ("http://localhost.evil.example", .plainHTTP), ("http://app.localhost", .plainHTTP),
            ("http://127.0.0.1.evil.example", .plainHTTP), ("http://app.example.com", .plainHTTP),
        ]
    )
    func noHost(text: String, refusal: RedirectURI.Refusal) {
        #expect(throws: refusal) { try RedirectURI(text).checkRegistrable(development: true) }
    }

    @Test(
        "RFC 8252 §7: the kind of a redirect is read from its text alone",
        arguments: [
            ("https://app.example.com/cb", RedirectURI.Kind.https),
            ("http://127.0.0.1:5000/cb", .loopback), ("http://[::1]/cb", .loopback),
            ("http://localhost/cb", .http), ("http://127.0.0.1.evil.example/cb", .http),
            ("com.example.app:/cb", .privateUseScheme),
            ("HTTPS://app.example.com/cb", .privateUseScheme),
        ]
    )
    func kinds(text: String, kind: RedirectURI.Kind) {
        #expect(RedirectURI(text).kind == kind)
    }

    @Test("RFC 6749 §3.1.2: a query of the redirect URI is kept when parameters are added")
    func query() {
        let added: [(name: String, value: String)] = [("code", "a b"), ("state", "ü&#")]
        for (uri, expected) in [
            ("https://a.example/cb", "https://a.example/cb?code=a%20b&state=%C3%BC%26%23"),
            (
                "https://a.example/cb?tenant=1",
                "https://a.example/cb?tenant=1&code=a%20b&state=%C3%BC%26%23"
            ),
            ("https://a.example/cb?", "https://a.example/cb?code=a%20b&state=%C3%BC%26%23"),
            ("https://a.example", "https://a.example?code=a%20b&state=%C3%BC%26%23"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000?code=a%20b&state=%C3%BC%26%23"),
            ("com.example.app:/cb", "com.example.app:/cb?code=a%20b&state=%C3%BC%26%23"),
        ] {
            #expect(FormEncoding.appending(added, to: uri) == expected)
        }
    }
}
