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
            ("com.example.app:/cb", "com.example.app:/cb?code=a%20b&state=%C3%BC%26%23"),
        ] {
            #expect(FormEncoding.appending(added, to: uri) == expected)
        }
    }
}
