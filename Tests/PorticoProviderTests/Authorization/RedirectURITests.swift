import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// One that is not registered is a page of our own at the authorization endpoint by GET and by POST,
/// `invalid_request` at the pushed request endpoint, and nothing is kept.
@Suite("Redirect URIs: registered, or refused (RFC 9700 §2.1, RFC 8252 §8.4)")
struct RedirectURITests {
    private static let server = Task { try await ProviderUnderTest() }

    private func expectRefused(
        _ parameters: [(String, String)],
        of client: String = "web1",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let server = try await Self.server.value
        let request =
            TestFlow.request(client, scope: "openid", [("redirect_uri", "")]) + parameters
        expectErrorPage(
            try await server.send(.get, TestBrowser.authorizationPath(request)),
            sourceLocation: sourceLocation
        )
        expectErrorPage(
            try await server.post(.endpoint("auth"), request),
            sourceLocation: sourceLocation
        )
        let pushed = try await server.push(request)
        #expect(pushed.status == 400, sourceLocation: sourceLocation)
        #expect(pushed.error == "invalid_request", sourceLocation: sourceLocation)
        #expect(pushed.json["request_uri"] == nil, sourceLocation: sourceLocation)
        #expect(pushed.location == nil, sourceLocation: sourceLocation)
        #expect(try await server.remains() == Remains(), sourceLocation: sourceLocation)
    }

    private static let others: [(client: String, redirects: [String])] = [
        // A01: a slash more is another redirect URI.
        ("web1", ["https://app.example.com/cb/"]),
        // A02: the path in capitals is another redirect URI.
        ("web1", ["https://app.example.com/CB"]),
        // A03: the host in capitals is another redirect URI.
        ("web1", ["https://APP.example.com/cb"]),
        // A04: the scheme in capitals is another redirect URI.
        ("web1", ["HTTPS://app.example.com/cb"]),
        // A05: the default port written out is another redirect URI.
        ("web1", ["https://app.example.com:443/cb"]),
        // A06: http in place of https is another redirect URI.
        ("web1", ["http://app.example.com/cb"]),
        // A08: a fragment, even an empty one, is refused.
        ("web1", ["https://app.example.com/cb#x", "https://app.example.com/cb#"]),
        // A10: an escaped dot segment is not resolved.
        ("web1", ["https://app.example.com/cb/%2e%2e/evil", "https://app.example.com/cb/../evil"]),
        // A11: escaped slashes are not decoded.
        ("web1", ["https://app.example.com/cb%2f..%2fevil"]),
        // A12: an escaped letter is not that letter.
        ("web1", ["https://app.example.com/%63b"]),
        // A14: the registered address in the path of another host.
        ("web1", ["https://evil.example/app.example.com/cb"]),
        // A15: the registered host as user name of another.
        ("web1", ["https://app.example.com@evil.example/cb"]),
        // A16: the same with an escaped at sign.
        ("web1", ["https://app.example.com%40evil.example/cb"]),
        // A17: user and password before the registered host.
        ("web1", ["https://user:pw@app.example.com/cb"]),
        // A18: a backslash that parsers read differently.
        ("web1", [#"https://evil.example\@app.example.com/cb"#, #"https:\\app.example.com\cb"#]),
        // A22: a relative address is refused, not completed.
        ("web1", ["//app.example.com/cb", "/cb", "cb"]),
        // A24: NUL, raw or as the text %00, ends nothing.
        (
            "web1",
            [
                "https://app.example.com/cb%00.evil.example", "https://app.example.com/cb%00",
                "https://app.example.com/cb\0.evil.example", "https://app.example.com/cb\0",
            ]
        ),
        // A26: white space at either end is not cut off.
        (
            "web1",
            [
                " https://app.example.com/cb", "https://app.example.com/cb ",
                "\thttps://app.example.com/cb", "https://app.example.com/cb\t",
                "https://app.example.com/cb\n", "\r\nhttps://app.example.com/cb",
                "https://app.example.com/cb%20", "https://app.example.com/cb%09",
            ]
        ),
        // A27: ideographic full stops are no dots.
        ("web1", ["https://app\u{3002}example\u{3002}com/cb"]),
        // A28: a Cyrillic letter and its punycode are another host.
        ("web1", ["https://\u{0430}pp.example.com/cb", "https://xn--pp-6kc.example.com/cb"]),
        // A29: full-width letters are not ASCII.
        (
            "web1",
            [
                "https://\u{FF41}\u{FF50}\u{FF50}.example.com/cb",
                "https://app.example.com/\u{FF43}\u{FF42}",
            ]
        ),
        // A30: characters that no one sees are characters.
        (
            "web1",
            [
                "https://app.example.com/cb\u{200B}", "https://app\u{AD}.example.com/cb",
                "https://app.example.com/cb\u{FE0F}", "\u{FEFF}https://app.example.com/cb",
            ]
        ),
        // A31: a host with a dot at its end is another host.
        ("web1", ["https://app.example.com./cb"]),
        // A32: addresses that a browser runs or reads itself.
        (
            "web1",
            [
                "javascript:alert(1)//https://app.example.com/cb",
                "data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd",
                "about:blank", "blob:https://app.example.com/x",
            ]
        ),
        // A34: an address for after signing out receives no code.
        ("web1", ["https://app.example.com/bye"]),
        // A35: localhost is a name, not the registered literal.
        ("native1", ["http://localhost/cb", "http://localhost:5000/cb"]),
        // A37: https on the loopback literal is another redirect URI.
        ("native1", ["https://127.0.0.1:5000/cb"]),
        // A38, RFC 8252 §7.3: other spellings and addresses of loopback.
        (
            "native1",
            [
                "http://127.0.0.2:5000/cb", "http://127.1:5000/cb", "http://2130706433:5000/cb",
                "http://0x7f000001/cb", "http://0177.0.0.1/cb", "http://127.0.0.1.:5000/cb",
                "http://127.0.0.1.evil.example/cb", "http://127.0.0.1@evil.example/cb",
                "http://127.0.0.1:5000@evil.example/cb", "HTTP://127.0.0.1:5000/cb",
            ]
        ),
        // A39: wildcard, mapped and long-hand IPv6 addresses.
        (
            "native1",
            [
                "http://0.0.0.0:5000/cb", "http://[::]:5000/cb",
                "http://[::ffff:127.0.0.1]:5000/cb", "http://[0:0:0:0:0:0:0:1]:5000/cb",
                "http://[::1%25lo]:5000/cb", "http://::1:5000/cb",
            ]
        ),
        // A41: ports that are none.
        (
            "native1",
            [
                "http://127.0.0.1:99999/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:0/cb",
                "http://127.0.0.1:-1/cb", "http://127.0.0.1:5000:6000/cb", "http://127.0.0.1:/cb",
                "http://127.0.0.1:٥٠٠٠/cb", "http://127.0.0.1:+80/cb", "http://127.0.0.1:080/cb",
                "http://127.0.0.1:18446744073709551616/cb", "http://127.0.0.1: 80/cb",
            ]
        ),
        // A42: a private-use scheme with other slashes, capitals or path.
        (
            "native1",
            [
                "com.example.app://cb", "com.example.app:///cb", "com.example.app:cb",
                "COM.EXAMPLE.APP:/cb", "com.example.app:/cb/",
            ]
        ),
        // A43: a private-use scheme that only resembles the registered one.
        ("native1", ["com.example.app.evil:/cb", "com.example:/cb", "xcom.example.app:/cb"]),
        // RFC 9126 §7.2: a client that proves nothing cannot bring a redirect URI along.
        ("native1", ["https://new.example.org/cb"]),
        // RFC 8252 §8.4: of a loopback redirect everything but the port is compared.
        (
            "native1",
            [
                "http://127.0.0.1:5000/other", "http://127.0.0.1:5000/cb?x=1",
                "http://127.0.0.1:5000/cb/", "http://127.0.0.1:5000/", "http://127.0.0.1:5000",
                "http://127.0.0.1:5000/CB",
            ]
        ),
    ]

    @Test(
        "attacks A01 to A43, RFC 9700 §2.1, RFC 8252 §8.4: all else is another redirect URI",
        arguments: others
    )
    func refused(client: String, redirects: [String]) async throws {
        for redirect in redirects {
            try await expectRefused([("redirect_uri", redirect)], of: client)
        }
    }

    @Test("attack A44, OpenID Connect Core §3.1.2.1: redirect_uri missing, long or twice")
    func missing() async throws {
        let registered = ("redirect_uri", "https://app.example.com/cb")
        try await expectRefused([])
        try await expectRefused([("redirect_uri", "")])
        let long = registered.1 + String(repeating: "x", count: 10_000)
        try await expectRefused([("redirect_uri", long)])
        try await expectRefused([registered, ("redirect_uri", "https://evil.example/")])
        try await expectRefused([("redirect_uri", "https://evil.example/"), registered])
        try await expectRefused([registered, registered])
    }

    @Test("attack A46: array forms are other parameters, so that redirect_uri is missing")
    func arrays() async throws {
        for name in ["redirect_uri[]", "redirect_uri[0]", "redirect_uri.0", "Redirect_URI"] {
            try await expectRefused([(name, "https://app.example.com/cb")])
        }
    }

    @Test(
        "RFC 8252 §7, §7.1, §7.2, §7.3, appendix A: each kind of redirect is answered as it was given",
        arguments: [
            ("web1", "https://app.example.com/cb"), ("native1", "http://127.0.0.1:49152/cb"),
            ("native1", "http://127.0.0.1/cb"), ("native1", "http://127.0.0.1:1/cb"),
            ("native1", "http://127.0.0.1:65535/cb"), ("native1", "http://[::1]:1/cb"),
            ("native1", "com.example.app:/cb"), ("native1", "https://app.example.com/native/cb"),
        ]
    )
    func permitted(_ client: String, _ redirect: String) async throws {
        let server = try await ProviderUnderTest()
        let changes = [("redirect_uri", redirect)]
        let answer = try await TestBrowser(server).signIn(
            "alice",
            TestFlow.request(client, changes)
        )
        #expect(answer.status == 303)
        #expect(answer.location?.hasPrefix(redirect + "?code=") == true)
        let tokens = try await server.redeem(
            try #require(answer.redirected["code"]),
            client,
            changes
        )
        #expect(tokens.status == 200)
        #expect(try await server.push(TestFlow.request(client, changes)).status == 201)
    }

    private static let registered = [
        "https://app.example.com", "http://localhost:8081", "http://127.0.0.1:8000",
        "http://[::1]", "https://app.example.com:8443?tenant=1",
    ]

    private func pathlessServer() async throws -> ProviderUnderTest {
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
        let server = try await pathlessServer()
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
        let server = try await pathlessServer()
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

    @Test(
        "WEB-CSP-3: the page that posts the answer goes to that very address",
        arguments: registered
    )
    func formPost(uri: String) async throws {
        let reply = try await TestBrowser(pathlessServer())
            .signIn("alice", request(uri, [("response_mode", "form_post")]))
        #expect(reply.status == 200 && reply.formAction == uri)
        #expect(reply.headers[.contentSecurityPolicy]?.contains("form-action") == false)
    }

    @Test("Errors come back behind the host, too, by query and by fragment")
    func errors() async throws {
        let server = try await pathlessServer()
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
