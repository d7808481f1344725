import HTTPTypes
import NIOCore
import PorticoWeb
import Testing

@Suite("Host and transport")
struct HostGuardTests {
    private func verdict(
        _ origins: [String],
        realms: [String] = [],
        host: String?,
        method: HTTPRequest.Method = .get,
        path: String = "/a?b=c",
        from peer: String = "127.0.0.1",
        proto: String? = nil,
        trusting range: String? = nil
    ) throws -> String {
        let ofRealms = try realms.map { try PublicURL($0) }
        let hosts = HostGuard(try origins.map { try PublicURL($0) }) { ofRealms }
        var headers = HTTPFields()
        if let proto { headers[try #require(HTTPField.Name("X-Forwarded-Proto"))] = proto }
        let client = ClientAddress(
            peer: try SocketAddress(ipAddress: peer, port: 1),
            headers: headers,
            trusting: TrustedProxies(range.flatMap { NetworkRange($0) }.map { [$0] } ?? [])
        )
        let request = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        switch hosts.check(request, from: client) {
        case .serve(let origin): return origin.origin
        case .serveRealm(let origin): return "realm " + origin.origin
        case .redirect(let redirect): return "-> " + redirect.location
        case .misdirected: return "421"
        case .insecure: return "403"
        }
    }

    @Test(
        "WEB-HOST-1: only a configured host is served, whatever else is in the header",
        arguments: [
            "evil.example", "id.example.com.evil.example", "id.example.com:8443", "id.example.com:",
            "id.example.com:443:443", "user@id.example.com", "id.example.com/", "id.example.com.",
            "id.example.com id.example.com", "", "127.0.0.1", "localhost",
            "id.example.com, evil.example",
        ]
    )
    func misdirected(host: String) throws {
        #expect(try verdict(["https://id.example.com"], host: host) == "421")
    }

    @Test("RFC 9110 §4.2.3: the host in any case, with or without the scheme's port")
    func named() throws {
        let origins = ["https://id.example.com", "https://other.example.com:8443"]
        for host in ["id.example.com", "ID.example.COM", "id.example.com:443"] {
            #expect(try verdict(origins, host: host) == origins[0])
        }
        #expect(
            try verdict(origins, host: "other.example.com:8443") == origins[1]
        )
        #expect(try verdict(origins, host: "other.example.com") == "421")
        #expect(try verdict(origins, host: nil) == "421")
    }

    @Test("ATP-LOC-4: an answer to the literal is led on to localhost, with its query")
    func callback() throws {
        let path = "/oauth/callback?code=c%2Fd&state=s&iss=https%3A%2F%2Fas.example.com"
        for origin in ["http://localhost:8080", "http://app.localhost:8080"] {
            let verdict = try verdict([origin], host: "127.0.0.1:8080", path: path)
            #expect(verdict == "-> " + origin + path)
        }
        for origin in ["http://127.0.0.1:8080", "http://[::1]:8080"] {
            let verdict = try verdict([origin], host: String(origin.dropFirst(7)), path: path)
            #expect(verdict == origin)
        }
    }

    @Test("decision 0059: a realm's own host is told apart from the public URL, by the same rules")
    func realms() throws {
        let (own, realms) = (["https://id.example.com"], ["https://pds.example.com"])
        func verdict(_ host: String, proto: String? = nil) throws -> String {
            try self.verdict(
                own,
                realms: realms,
                host: host,
                from: "10.0.0.1",
                proto: proto ?? "https",
                trusting: "10.0.0.1"
            )
        }
        #expect(try verdict("id.example.com") == own[0])
        #expect(try verdict("PDS.example.com:443") == "realm https://pds.example.com")
        #expect(try verdict("pds.example.com", proto: "http") == "-> https://pds.example.com/a?b=c")
        for host in ["evil.example", "pds.example.com:8443", "sub.pds.example.com", "localhost"] {
            #expect(try verdict(host) == "421")
        }
        // Other names of this machine lead to the public URL alone.
        #expect(
            try self.verdict(
                ["https://id.example.com"],
                realms: ["http://pds.localhost:8080"],
                host: "localhost:8080"
            ) == "421"
        )
        // What is both is the public URL.
        #expect(try self.verdict(own, realms: own, host: "id.example.com") == own[0])
    }

    @Test("A GET under localhost goes to the configured loopback literal, other requests do not")
    func localhost() throws {
        let origins = ["http://127.0.0.1:8080"]
        #expect(
            try verdict(origins, host: "localhost:8080") == "-> http://127.0.0.1:8080/a?b=c"
        )
        #expect(try verdict(origins, host: "LOCALHOST:8080", method: .head).hasPrefix("->"))
        #expect(try verdict(origins, host: "localhost:8080", method: .post) == "421")
        #expect(try verdict(origins, host: "localhost:9090") == "421")
        #expect(try verdict(origins, host: "localhost") == "421")
        #expect(try verdict(["http://[::1]"], host: "localhost") == "-> http://[::1]/a?b=c")
        // Nothing is redirected that is not there anyway.
        for path in ["//evil.example/", "/a/../b", "/a\u{e9}", "http://evil.example/"] {
            #expect(try verdict(origins, host: "localhost:8080", path: path) == "421")
        }
    }

    @Test("A GET under a literal goes to the configured localhost, other requests do not")
    func configuredLocalhost() throws {
        let origins = ["http://localhost:8080"]
        #expect(try verdict(origins, host: "localhost:8080") == origins[0])
        #expect(try verdict(origins, host: "LOCALHOST:8080", method: .post) == origins[0])
        for literal in ["127.0.0.1", "[::1]"] {
            #expect(
                try verdict(origins, host: "\(literal):8080") == "-> http://localhost:8080/a?b=c"
            )
            #expect(try verdict(origins, host: "\(literal):8080", method: .post) == "421")
            #expect(try verdict(origins, host: "\(literal):9090") == "421")
            #expect(try verdict(origins, host: literal) == "421")
        }
        let below = ["http://op.localhost:8080"]
        #expect(
            try verdict(below, host: "localhost:8080") == "-> http://op.localhost:8080/a?b=c"
        )
        for host in ["evil.localhost:8080", "evil.example:8080", "127.0.0.2:8080"] {
            #expect(try verdict(origins, host: host) == "421")
            #expect(try verdict(below, host: host) == "421")
        }
        // Its cookies are not those of the other names; nor is one literal the other.
        #expect(try verdict(["http://127.0.0.1:8080"], host: "[::1]:8080") == "421")
    }

    @Test("WEB-TLS-2: plain http is answered with a redirect of GET, and refused otherwise")
    func insecure() throws {
        let origins = ["https://id.example.com"]
        func verdict(
            _ method: HTTPRequest.Method,
            _ peer: String,
            _ proto: String?,
            _ range: String?
        ) throws -> String {
            try self.verdict(
                origins,
                host: "id.example.com",
                method: method,
                from: peer,
                proto: proto,
                trusting: range
            )
        }
        let moved = "-> https://id.example.com/a?b=c"
        #expect(try verdict(.get, "10.0.0.1", "http", "10.0.0.1") == moved)
        #expect(try verdict(.post, "10.0.0.1", "http", "10.0.0.1") == "403")
        #expect(try verdict(.post, "10.0.0.1", nil, "10.0.0.1") == "403")
        #expect(try verdict(.post, "10.0.0.1", "https", "10.0.0.1") == origins[0])
        // Who is no trusted proxy only claims that there was TLS.
        #expect(try verdict(.post, "10.0.0.2", "https", "10.0.0.1") == "403")
        #expect(try verdict(.get, "203.0.113.7", "https", nil) == moved)
        // On the machine itself nothing can be overheard, unless a proxy says it came from outside.
        #expect(try verdict(.post, "127.0.0.1", nil, nil) == origins[0])
        #expect(try verdict(.post, "127.0.0.1", "http", "127.0.0.1") == "403")
        #expect(try verdict(.post, "127.0.0.1", nil, "127.0.0.1") == "403")
    }

    @Test("A loopback literal is served to this machine and to what a named proxy brings")
    func loopback() throws {
        let origins = ["http://127.0.0.1:8080"]
        let host = "127.0.0.1:8080"
        #expect(try verdict(origins, host: host) == origins[0])
        #expect(try verdict(origins, host: host, from: "::1") == origins[0])
        #expect(try verdict(origins, host: host, method: .post, from: "10.0.0.1") == "403")
        #expect(
            try verdict(origins, host: host, from: "172.17.0.1", trusting: "172.17.0.1")
                == origins[0]
        )
    }

    @Test(
        "A public URL is an origin in its one spelling",
        arguments: [
            ("https://id.example.com", nil), ("https://id.example.com:8443", nil),
            ("http://127.0.0.1:8080", nil), ("http://[::1]:8080", nil), ("http://127.0.0.1", nil),
            ("https://id.example.com/", .notAnOrigin), ("https://id.example.com/a", .notAnOrigin),
            ("https://id.example.com?a", .notAnOrigin), ("https://u@id.example.com", .notAnOrigin),
            ("id.example.com", .notAnOrigin), ("ftp://id.example.com", .notAnOrigin),
            ("", .notAnOrigin), ("https://", .notAnOrigin),
            ("http://localhost:8080", nil), ("http://localhost", nil),
            ("http://op.localhost:8080", nil), ("http://Localhost:8080", .notCanonical),
            ("http://id.example.com", .insecure), ("http://localhost.evil.example", .insecure),
            ("http://evillocalhost:8080", .insecure),
            ("http://127.0.0.1.evil.example", .insecure), ("http://192.0.2.1", .insecure),
            ("https://id.example.com:0443", .notCanonical),
            ("https://m\u{FC}nchen.example", .notASCII),
            ("https://ID.example.com", .notCanonical), ("HTTPS://id.example.com", .notCanonical),
        ] as [(String, PublicURL.Refusal?)]
    )
    func publicURL(text: String, refusal: PublicURL.Refusal?) throws {
        if let refusal {
            #expect(throws: refusal) { try PublicURL(text) }
        } else {
            #expect(try PublicURL(text).origin == text)
        }
    }

    @Test("A public URL may have its scheme's own port written out, and is the same without")
    func usualPort() throws {
        for (text, origin) in [
            ("https://id.example.com:443", "https://id.example.com"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("https://id.example.com:80", "https://id.example.com:80"),
        ] {
            #expect(try PublicURL(text).origin == origin)
        }
    }
}
