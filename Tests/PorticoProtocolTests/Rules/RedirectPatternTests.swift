import Testing

@testable import PorticoProtocol

/// A client's patterns, a redirect URI of a request, and whether a response may go there.
struct RedirectCase: Sendable, CustomTestStringConvertible {
    let patterns: [String]
    let rootURL: String?
    let requested: String

    init(_ patterns: [String], _ requested: String, root: String? = nil) {
        self.patterns = patterns
        rootURL = root
        self.requested = requested
    }

    var testDescription: String { "\(patterns) \(requested)" }

    var list: RedirectPatterns {
        RedirectPatterns(patterns, rootURL: rootURL, serverOrigin: "https://id.example.com")
    }

    var isPermitted: Bool { list.permits(RedirectURI(requested)) }
}

@Suite("Redirect patterns of clients from Keycloak") struct RedirectPatternTests {
    static let permitted: [RedirectCase] = [
        // Step 1: relative to the root URL, or the server.
        RedirectCase(["/cb"], "https://app.example.com/cb", root: "https://app.example.com"),
        RedirectCase(["/*"], "https://app.example.com/a/b", root: "https://app.example.com"),
        RedirectCase(["/cb"], "https://id.example.com/cb"),
        RedirectCase(["/cb"], "https://id.example.com/cb", root: ""),
        RedirectCase(["/cb"], "https://a.example.com/app/cb", root: "https://a.example.com/app"),
        RedirectCase(["no", "https://b.example.com/*"], "https://b.example.com/cb"),
        // Step 2: a lone asterisk.
        RedirectCase(["*"], "https://anything.example.com/a?b=c"),
        RedirectCase(["*"], "http://anything.example.com:8080"),
        // Step 3: prefixes.
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com?x=/../"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/deep/er?x=1"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app?x=1"),
        RedirectCase(["https://a.example.com/app*"], "https://a.example.com/apple"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/a..b/.../.x/50%25/%2520"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/a/./%20b"),
        RedirectCase(["https://a.example.com*"], "https://a.example.com/cb"),
        RedirectCase(["https://a.example.com:8443*"], "https://a.example.com:8443"),
        // Step 4: equal, with the query.
        RedirectCase(["https://a.example.com/cb?x=1"], "https://a.example.com/cb?x=1"),
        RedirectCase(["https://a.example.com/../cb"], "https://a.example.com/../cb"),
        RedirectCase(["https://a.example.com/cb?x=*"], "https://a.example.com/cb?x=*"),
        RedirectCase(["https://a.example.com/*/cb"], "https://a.example.com/*/cb"),
        // Step 5: a registration without a port is for each port of this machine.
        RedirectCase(["http://localhost/cb"], "http://localhost:3000/cb"),
        RedirectCase(["http://localhost/*"], "http://localhost:3000/a/b?c=d"),
        RedirectCase(["http://localhost/*"], "http://localhost:3000"),
        RedirectCase(["http://127.0.0.1/cb"], "http://127.0.0.1:49152/cb"),
        RedirectCase(["http://[::1]/cb"], "http://[::1]:49152/cb"),
        RedirectCase(["http://localhost*"], "http://localhost:4200/cb"),
        RedirectCase(["http://localhost:*"], "http://localhost:4200/cb"),
        RedirectCase(["http://localhost:*"], "http://localhost:4200"),
        // RFC 8252 §7.3: with a port, too, on an IP literal.
        RedirectCase(["http://127.0.0.1:8000/cb"], "http://127.0.0.1:49152/cb"),
        // Step 6: schemes of apps.
        RedirectCase(["exp://192.168.178.95:8081"], "exp://192.168.178.95:8081"),
        RedirectCase(["exp://192.168.178.95:8081/*"], "exp://192.168.178.95:8081/--/cb"),
        RedirectCase(["exp://192.168.178.95:*"], "exp://192.168.178.95:19000/--/cb"),
        RedirectCase(["exp://*"], "exp://192.168.178.95:8081"),
        RedirectCase(["com.example.app:/cb"], "com.example.app:/cb"),
        RedirectCase(["com.example.app:*"], "com.example.app:/cb?x=1"),
        RedirectCase(["com.example.app://*"], "com.example.app://cb/a"),
        RedirectCase(["MyApp://cb"], "MyApp://cb"),
    ]

    @Test("KC-E-2: what Keycloak permits, a client from there may", arguments: permitted)
    func permits(_ row: RedirectCase) {
        #expect(row.isPermitted)
    }

    static let others: [RedirectCase] = [
        RedirectCase([], "https://a.example.com/cb"),
        RedirectCase(["https://a.example.com/cb"], "https://a.example.com/cb/"),
        RedirectCase(["https://a.example.com/cb"], "https://a.example.com/cb?x=1"),
        RedirectCase(["https://a.example.com/cb"], "https://A.example.com/cb"),
        RedirectCase(["https://a.example.com/cb"], "http://a.example.com/cb"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com:8443/cb"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/apple"),
        RedirectCase(["http://localhost:3000/cb"], "http://localhost:4000/cb"),
        RedirectCase(["http://localhost:3000/*"], "http://localhost:4000/cb"),
        RedirectCase(["http://127.0.0.1/cb"], "http://localhost/cb"),
        RedirectCase(["http://localhost/cb"], "http://127.0.0.1:3000/cb"),
        RedirectCase(["https://localhost/cb"], "https://localhost:3000/cb"),
        RedirectCase(["http://a.example.com/cb"], "http://a.example.com:8080/cb"),
        RedirectCase(["/cb"], "/cb", root: "https://app.example.com"),
        RedirectCase(["exp://192.168.178.95:8081"], "exp://192.168.178.95:8081/"),
        RedirectCase(["exp://192.168.178.95:8081"], "exp://192.168.178.95:8082"),
        RedirectCase(["com.example.app:/cb"], "com.example.other:/cb"),
        RedirectCase(["*"], "com.example.app:/cb"),
        RedirectCase(["*"], "exp://192.168.178.95:8081"),
        RedirectCase(["urn:ietf:wg:oauth:2.0:oob"], "urn:ietf:wg:oauth:2.0:oob"),
    ]

    @Test("KC-E-2: what Keycloak refuses is refused", arguments: others)
    func refuses(_ row: RedirectCase) {
        #expect(!row.isPermitted)
    }

    static let disguised: [RedirectCase] = [
        // Another host that looks like the registered one.
        RedirectCase(["https://a.example.com*"], "https://a.example.com.evil.example/cb"),
        RedirectCase(["https://a.example.com*"], "https://a.example.com@evil.example/cb"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com@evil.example/"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com:@evil.example/"),
        RedirectCase(["http://localhost/*"], "http://localhost.evil.example/cb"),
        RedirectCase(["http://localhost*"], "http://localhost.evil.example/cb"),
        RedirectCase(["http://localhost/*"], "http://localhost@evil.example/cb"),
        RedirectCase(["http://localhost/*"], "http://localhost:80@evil.example/cb"),
        RedirectCase(["http://localhost:*"], "http://localhost:80@evil.example/cb"),
        RedirectCase(["http://localhost:*"], "http://localhost:80.evil.example/cb"),
        RedirectCase(["http://localhost:*"], "http://localhost:99999/cb"),
        RedirectCase(["http://localhost:*"], "http://localhost:/cb"),
        RedirectCase(["http://127.0.0.1/*"], "http://127.0.0.1.evil.example:80/cb"),
        RedirectCase(["exp://192.168.178.95*"], "exp://192.168.178.95.evil.example/cb"),
        RedirectCase(["exp://192.168.178.95:*"], "exp://192.168.178.95:80.evil.example"),
        RedirectCase(["exp://192.168.178.95:*"], "exp://192.168.178.95:80@evil.example"),
        RedirectCase(["exp://192.168.178.95:*"], "exp://192.168.178.95:99999/cb"),
        RedirectCase(["exp://192.168.178.95:*"], "exp://192.168.178.95:0/cb"),
        RedirectCase(["exp://*"], "exp://192.168.178.95@evil.example"),
        RedirectCase(["exp://*"], "expo://evil.example"),
        RedirectCase(["*"], "https://user:password@a.example.com/"),
        RedirectCase(["*"], "https:///cb"),
        RedirectCase(["*"], "https:a.example.com"),
        RedirectCase(["*"], "https://a.example.com\\@evil.example/"),
        RedirectCase(["*"], "//evil.example/cb"),
        RedirectCase(["*"], "/cb"),
        RedirectCase(["/*"], "//evil.example/cb", root: "https://app.example.com"),
        // Another scheme, or the same in other letters.
        RedirectCase(["*"], "javascript:alert(1)"),
        RedirectCase(["*"], "HTTPS://a.example.com/"),
        RedirectCase(["*"], "Http://a.example.com/"),
        RedirectCase(["https://a.example.com/*"], "HTTPS://a.example.com/cb"),
        RedirectCase(["javascript:*"], "javascript:alert(1)"),
        RedirectCase(["JavaScript:alert(1)"], "JavaScript:alert(1)"),
        RedirectCase(["data:*"], "data:text/html,x"),
        RedirectCase(["file:///*"], "file:///etc/passwd"),
        RedirectCase(["http*"], "https://evil.example/cb"),
        RedirectCase(["http*"], "httpx://evil.example/cb"),
        RedirectCase(["https://*"], "https://evil.example/cb"),
        RedirectCase(["https://*.example.com/*"], "https://evil.example.com/cb"),
        RedirectCase(["https://*.example.com/*"], "https://*.example.com/cb"),
        RedirectCase(["https://a.*"], "https://a.evil.example/cb"),
        RedirectCase(["https://a.example.com:*"], "https://a.example.com:8443/cb"),
        RedirectCase(["**"], "https://evil.example/cb"),
        // Out of the folder.
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/../evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/.."),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/%2e%2e/evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/.%2E/evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/%252e%252e/x"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/%25252e./x"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/..%2fevil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/x%2f..%5cevil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/..\\evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/..;/evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/..%3b/evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/..%00/evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/..%09/evil"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/%zz"),
        RedirectCase(["https://a.example.com/app/*"], "https://a.example.com/app/%2"),
        RedirectCase(["com.example.app:/app/*"], "com.example.app:/app/../evil"),
        RedirectCase(["*"], "https://a.example.com/../evil"),
        // What a response would be written into.
        RedirectCase(["*"], "https://a.example.com/#"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/#/page"),
        RedirectCase(["com.example.app:*"], "com.example.app:/cb#x"),
        RedirectCase(["com.example.app:*"], "com.example.app:/cb x"),
        RedirectCase(["com.example.app:*"], "com.example.app:/cb\"\\\u{E9}"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/\u{E9}"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/a b"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/\r\nx"),
        RedirectCase(["https://a.example.com/*"], "https://a.example.com/\0"),
        RedirectCase(["*"], ""),
        RedirectCase(
            ["*"],
            "https://a.example.com/" + String(repeating: "x", count: 1_979)
        ),
    ]

    @Test("attack: what looks like a registered address is none", arguments: disguised)
    func attacks(_ row: RedirectCase) {
        #expect(!row.isPermitted)
    }

    @Test(
        "attack: what stands in the place of an asterisk is no part of a response",
        arguments: [
            "code=x", "a=b&state=x", "iss=x", "CODE=x", "c%6fde=x", "error", "%", "session_state",
            "a&&id_token=", "kc_action=x",
        ]
    )
    func response(_ query: String) {
        let uri = "https://a.example.com/cb?" + query
        #expect(!RedirectCase(["https://a.example.com/*"], uri).isPermitted)
        #expect(!RedirectCase(["*"], uri).isPermitted)
        #expect(!RedirectCase(["http://localhost:*"], "http://localhost:80/?" + query).isPermitted)
        #expect(RedirectCase([uri], uri).isPermitted)
        let other = "https://a.example.com/cb?x-code=1&codes=2&a=code"
        #expect(RedirectCase(["https://a.example.com/*"], other).isPermitted)
    }

    @Test("A redirect URI and a pattern have up to 2000 bytes")
    func longest() throws {
        let path = String(repeating: "x", count: 1_977)
        let longest = "https://a.example.com/" + path + "*"
        #expect(RedirectCase(["*"], String(longest.dropLast()) + "y").isPermitted)
        #expect(RedirectCase([longest], String(longest.dropLast()) + "y").isPermitted)
        let longer = RedirectCase([longest + "*", "/x" + path], "https://a.example.com/")
        #expect(longer.list.refused.map(\.refusal) == [.tooLong, .tooLong])
    }

    @Test(
        "A pattern that would match anybody's address is refused, with the rule that it breaks",
        arguments: [
            ("", .empty), ("${authBaseUrl}/cb", .variable),
            ("https://a.example.com/${x}", .variable),
            ("https://a.example.com/\\*", .forbiddenCharacter),
            ("https://a.example.com/\u{E9}", .forbiddenCharacter),
            ("https://a.example.com/ *", .forbiddenCharacter),
            ("https://a.example.com/#*", .fragment), ("a.example.com", .notAbsolute),
            ("http*", .notAbsolute), ("*://a.example.com", .notAbsolute),
            ("h*s://a.example.com", .notAbsolute), ("**", .notAbsolute),
            ("javascript:*", .scheme), ("DATA:x", .scheme), ("HTTP://a.example.com/", .scheme),
            ("urn:ietf:wg:oauth:2.0:oob", .outOfBand),
            ("urn:ietf:wg:oauth:2.0:oob:auto", .outOfBand),
            ("https://user@a.example.com/*", .userInfo), ("exp://user@a:8081", .userInfo),
            ("https://a.example.com*@evil.example", .userInfo), ("https:/cb", .noHost),
            ("https://", .noHost), ("https:///*", .noHost), ("https://a:99999/*", .noHost),
            ("https://a.example.com:x*", .noHost), ("https://*", .wildcardHost),
            ("http://*/cb", .wildcardHost), ("https://*.example.com", .wildcardHost),
            ("https://a.*.com/*", .wildcardHost), ("https://a.example.com:*", .wildcardHost),
            ("https://a.example.com:8*/cb", .wildcardHost), ("exp://*.a/cb", .wildcardHost),
            ("https://**", .wildcardHost), ("http://localhost:*/cb", .wildcardHost),
        ] as [(String, RedirectPattern.Refusal)]
    )
    func refused(_ text: String, _ refusal: RedirectPattern.Refusal) {
        #expect(throws: refusal) {
            try RedirectPattern(text, rootURL: nil, serverOrigin: "https://id.example.com")
        }
        let list = RedirectCase([text, "https://a.example.com/cb"], "").list
        #expect(list.refused.map(\.text) == [text])
        #expect(list.patterns.map(\.text) == ["https://a.example.com/cb"])
    }

    @Test("A root URL with a variable is not replaced")
    func variableRoot() {
        let row = RedirectCase(["/cb"], "https://id.example.com/cb", root: "${authBaseUrl}")
        #expect(row.list.refused.map(\.refusal) == [.variable])
        #expect(!row.isPermitted)
    }

    @Test(
        "KC-E-2: each pattern has the gravest thing that is wrong with it",
        arguments: [
            ("*", .anyAddress), ("http://a.example.com/*", .plainHTTP),
            ("http://a.example.com/cb", .plainHTTP), ("https://a.example.com/*", .wildcard),
            ("http://localhost/*", .wildcard), ("http://localhost*", .wildcard),
            ("http://localhost:*", .anyPort), ("exp://*", .wildcard),
            ("exp://192.168.178.95:8081", .dotlessScheme), ("http://localhost/cb", .localhost),
            ("https://a.example.com/*/cb", .literalAsterisk),
            ("https://a.example.com/cb?x=*", .literalAsterisk),
            ("https://a.example.com/cb", nil), ("http://127.0.0.1/cb", nil),
            ("com.example.app:/cb", nil),
        ] as [(String, RedirectPattern.Warning?)]
    )
    func warnings(_ text: String, _ warning: RedirectPattern.Warning?) throws {
        let pattern = try RedirectPattern(
            text,
            rootURL: nil,
            serverOrigin: "https://id.example.com"
        )
        #expect(pattern.warning == warning)
    }

    @Test(
        "RFC 6749 §3.1.2.3: a request may leave out the one address that there is",
        arguments: [
            (["https://a.example.com/cb"], "https://a.example.com/cb"),
            (["https://a.example.com/*"], "https://a.example.com"),
            (["com.example.app:/cb"], "com.example.app:/cb"), (["*"], nil), ([], nil),
            (["https://a.example.com/a*"], nil), (["exp://*"], nil),
            (["https://a.example.com/cb", "https://b.example.com/cb"], nil),
            (["https://a.example.com/cb", "https://*"], nil),
        ] as [([String], String?)]
    )
    func sole(_ patterns: [String], _ sole: String?) {
        #expect(RedirectCase(patterns, "").list.sole?.text == sole)
    }
}

@Suite("Post-logout patterns of clients from Keycloak") struct PostLogoutPatternTests {
    @Test(
        "KC-E-3: + is the redirect URIs, - is none, no list is the redirect URIs",
        arguments: [
            (nil, ["https://a.example.com/cb"], ["https://a.example.com/bye"]),
            ("", ["https://a.example.com/cb"], ["https://a.example.com/bye"]),
            ("+", ["https://a.example.com/cb"], ["https://a.example.com/bye"]),
            ("-", [], ["https://a.example.com/cb", "https://a.example.com/bye"]),
            ("-##https://a.example.com/bye", [], ["https://a.example.com/bye"]),
            (
                "https://a.example.com/bye##/x/*",
                ["https://a.example.com/bye", "https://r.example.com/x/1"],
                ["https://a.example.com/cb", "https://a.example.com/bye##/x/*"]
            ),
            (
                "+##https://a.example.com/bye",
                ["https://a.example.com/cb", "https://a.example.com/bye"],
                ["https://a.example.com/x"]
            ),
            (
                "https://a.example.com/bye##+",
                ["https://a.example.com/cb", "https://a.example.com/bye"], []
            ),
            ("####https://a.example.com/bye##", ["https://a.example.com/bye"], []),
            ("https://*##javascript:x", [], ["https://a.example.com/cb", "javascript:x"]),
        ] as [(String?, [String], [String])]
    )
    func lists(_ attribute: String?, _ permitted: [String], _ refused: [String]) {
        let redirects = RedirectCase(["https://a.example.com/cb"], "").list
        let list = RedirectPatterns.postLogout(
            attribute,
            redirects: redirects,
            rootURL: "https://r.example.com",
            serverOrigin: "https://id.example.com"
        )
        for uri in permitted { #expect(list.permits(RedirectURI(uri)), "\(uri)") }
        for uri in refused { #expect(!list.permits(RedirectURI(uri)), "\(uri)") }
    }
}

@Suite("Web origins of clients from Keycloak") struct OriginPatternTests {
    static let redirects = RedirectCase(
        [
            "https://a.example.com/cb", "https://A.example.com:443/x/*", "http://localhost/cb",
            "http://localhost:3000*", "com.example.app:/cb", "*", "http://localhost:*",
        ],
        ""
    ).list

    @Test(
        "KC-E-3: + is the origins of the redirect URIs, plain http too",
        arguments: [
            (
                ["+"], ["https://a.example.com", "http://localhost", "http://localhost:3000"]
            ),
            (
                ["https://b.example.com", "+"],
                [
                    "https://b.example.com", "https://a.example.com", "http://localhost",
                    "http://localhost:3000",
                ]
            ),
            (["https://b.example.com/"], ["https://b.example.com"]),
            (["HTTPS://B.example.com:443"], ["https://b.example.com"]),
            (["http://b.example.com:8080"], ["http://b.example.com:8080"]),
            (["capacitor://localhost"], ["capacitor://localhost"]), ([""], []), ([], []),
            (["*"], ["*"]), (["https://b.example.com", "*"], ["https://b.example.com", "*"]),
        ] as [([String], [String])]
    )
    func claim(_ registered: [String], _ claim: [String]) {
        let origins = OriginPatterns(registered, redirects: Self.redirects)
        #expect(origins.claim == claim)
        #expect(origins.refused.isEmpty)
    }

    @Test(
        "attack: what is no origin allows nothing",
        arguments: [
            "null", "https://b.example.com/path", "https://b.example.com?x", "https://*",
            "https://*.example.com", "http*", "https://user@b.example.com", "b.example.com",
            "file://", "file:///", "data://x", "javascript://x", "capacitor://", "a://b/c",
            "https://b.example.com#", "https://b.example.com\\", "**", "+*",
        ]
    )
    func refused(_ text: String) {
        let origins = OriginPatterns([text], redirects: Self.redirects)
        #expect(origins.refused == [text])
        #expect(origins.claim.isEmpty)
        #expect(origins.access(for: text) == .none)
        #expect(origins.access(for: "https://evil.example") == .none)
    }

    @Test("Fetch standard §3.2.5: an asterisk is for pages without cookies, and never for null")
    func access() {
        let origins = OriginPatterns(
            ["https://a.example.com", "*"],
            redirects: Self.redirects
        )
        #expect(origins.access(for: "https://a.example.com") == .full)
        #expect(origins.access(for: "https://b.example.com") == .withoutCredentials)
        for other in [
            "null", "*", "", "https://b.example.com/", "HTTPS://b.example.com", "https://b@c",
            "https://b.example.com:443", "file://",
        ] {
            #expect(origins.access(for: other) == .none, "\(other)")
        }
        let exact = OriginPatterns(["https://a.example.com"], redirects: Self.redirects)
        #expect(exact.access(for: "https://a.example.com") == .full)
        for other in ["https://b.example.com", "http://a.example.com", "https://a.example.com:1"] {
            #expect(exact.access(for: other) == .none, "\(other)")
        }
    }
}
