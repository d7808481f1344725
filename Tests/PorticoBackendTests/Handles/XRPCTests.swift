import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("Calls of a person's host") struct XRPCTests {
    private let server: HostedBackend

    init() async throws {
        server = try await HostedBackend()
    }

    private static let method = "/xrpc/com.atproto.repo.createRecord"

    @Test("A call goes to the person's own host, by their token, with a proof of its own")
    func passedOn() async throws {
        let (session, seal) = try await server.signedIn()
        let key = try #require(server.scene.vault.open(session)).key
        let query = "?repo=did%3Aplc%3Ax&cursor=a+b%20c&cursor=d&empty="
        let reply = try await server.call("/xrpc/com.atproto.repo.listRecords" + query, seal)
        #expect(reply.status == 200 && reply.text == #"{"ok":true}"#)
        let body = Array(#"{"text":"é"}"#.utf8)
        let post = try await server.call(
            Self.method,
            seal,
            .post,
            [.contentType: "application/json"],
            body: body
        )
        #expect(post.status == 200)
        let calls = server.network.calls
        #expect(calls.map(\.method) == ["GET", "POST"])
        #expect(
            calls.map(\.url) == [
                "https://pds.example.com/xrpc/com.atproto.repo.listRecords" + query,
                "https://pds.example.com" + Self.method,
            ]
        )
        #expect(calls[0].body.isEmpty && calls[1].body == body)
        for call in calls {
            #expect(call.fields[values: .authorization] == ["DPoP A1"])
            // With `ath`, `htm` and `htu` (RFC 9449 §7.1): the judge has compared them.
            #expect(call.proof?.thumbprint == key.thumbprint)
            #expect(call.claims.string("ath") != nil)
        }
        #expect(Set(calls.compactMap { $0.claims.string("jti") }).count == 2)
        // By a bearer it is the same, and the bearer stays here.
        let bearer = try await server.send(
            .get,
            "/xrpc/com.example.method",
            [.authorization: "Bearer \(seal)", .portico: "1"]
        )
        #expect(bearer.status == 200)
        let last = try #require(server.network.calls.last)
        #expect(last.fields[values: .authorization] == ["DPoP A1"])
        #expect(!server.logged.contains("Fe26") && !server.logged.contains("DPoP"))
    }

    @Test("WEB-BFF-4: of a request's fields the host gets those that it needs, and no other")
    func fieldsOfTheRequest() async throws {
        let (_, seal) = try await server.signedIn()
        var passing: HTTPFields = [
            .accept: "application/json", .acceptLanguage: "de, en", .contentType: "image/png",
            .contentEncoding: "identity", .ifNoneMatch: "\"a\"", .range: "bytes=0-9",
        ]
        passing[.known("atproto-proxy")] = "did:web:api.example.com#bsky_appview"
        passing[.known("atproto-accept-labelers")] = "did:plc:a, did:plc:b"
        var staying: HTTPFields = [
            .origin: "https://app.example.com", .referer: "https://app.example.com/x",
            .userAgent: "App/1", .acceptEncoding: "gzip", .cacheControl: "no-cache",
            .connection: "keep-alive, x-hop", .te: "trailers", .trailer: "x", .via: "1.1 x",
            .proxyAuthorization: "Basic eA==", .expect: "100-continue",
        ]
        for name in [
            "DPoP", "X-Hop", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Keep-Alive",
            "Proxy-Connection", "X-HTTP-Method-Override", "X-Portico-User", "Sec-Fetch-Mode",
        ] {
            staying[try #require(HTTPField.Name(name))] = "value-that-stays"
        }
        var fields = passing
        fields.append(contentsOf: staying)
        let reply = try await server.call(Self.method, seal, .post, fields, body: [1])
        #expect(reply.status == 200)
        var received = try #require(server.network.calls.first).fields
        #expect(received[.authorization] == "DPoP A1")
        #expect(received[values: .known("DPoP")].count == 1)
        for name in [HTTPField.Name.authorization, .known("DPoP")] { received[name] = nil }
        #expect(received == passing)
        #expect(server.network.calls.first?.url == "https://pds.example.com" + Self.method)
    }

    @Test("WEB-BFF-4: of an answer's fields the app gets those that it needs, and no other")
    func fieldsOfTheAnswer() async throws {
        let (_, seal) = try await server.signedIn()
        var passing: HTTPFields = [
            .contentType: "text/html", .contentLanguage: "de", .contentDisposition: "inline",
            .contentRange: "bytes 0-1/9", .acceptRanges: "bytes", .eTag: "W/\"a\"",
            .lastModified: "Sun, 22 Nov 2026 20:46:47 GMT", .retryAfter: "7",
        ]
        for name in [
            "Atproto-Repo-Rev", "Atproto-Content-Labelers", "RateLimit-Limit",
            "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy",
        ] {
            passing[try #require(HTTPField.Name(name))] = "3000;w=300"
        }
        var staying: HTTPFields = [
            .setCookie: "sid=evil; Path=/", .location: "https://evil.example/",
            .wwwAuthenticate: "Basic realm=\"give me your password\"", .server: "evil",
            .connection: "x-hop", .transferEncoding: "chunked", .via: "1.1 evil",
            .accessControlAllowOrigin: "*", .accessControlAllowCredentials: "true",
            .strictTransportSecurity: "max-age=0", .cacheControl: "public, max-age=9",
            .contentSecurityPolicy: "default-src *", .xContentTypeOptions: "none",
        ]
        for name in [
            "DPoP-Nonce", "X-Hop", "Link", "Refresh", "Clear-Site-Data", "Service-Worker-Allowed",
            "Alt-Svc", "X-Powered-By", "Set-Cookie2", "Access-Control-Expose-Headers",
            "X-Accel-Redirect", "X-Sendfile", "SourceMap", "Report-To", "NEL",
        ] {
            staying[try #require(HTTPField.Name(name))] = "value-that-stays"
        }
        var fields = passing
        fields.append(contentsOf: staying)
        let response = HTTPResponse(status: .ok, headerFields: fields)
        server.network.answer(.success(HTTPReply(response: response, body: Array("<p>".utf8))))
        let reply = try await server.call("/xrpc/com.example.method", seal)
        #expect(reply.status == 200 && reply.text == "<p>")
        for field in passing { #expect(reply.headers[values: field.name] == [field.value]) }
        for field in staying {
            #expect(!reply.headers[values: field.name].contains(field.value), "\(field.name)")
        }
        #expect(reply.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
        #expect(reply.headers[.xContentTypeOptions] == "nosniff")
        #expect(reply.headers[.cacheControl] == "no-store")
    }

    @Test(
        "What the host says passes through, and the session and its tokens stay",
        arguments: [
            HTTPReply.json(400, #"{"error":"InvalidToken","message":"Malformed token"}"#),
            .json(400, #"{"error":"InvalidRequest"}"#), .json(404, ""),
            .json(401, #"{"error":"AuthMissing","message":"Authentication Required"}"#),
            .json(401, #"{"error":"invalid_token"}"#),
            // Anybody can say what we say, but not with our challenge.
            .json(
                401,
                #"{"authenticated":false,"error":"unauthorized","reason":"SESSION_EXPIRED"}"#,
                [.wwwAuthenticate: "Bearer"]
            ),
            .json(401, "{}", [.wwwAuthenticate: #"Bearer error="invalid_token""#]),
            .json(400, "{}", [.wwwAuthenticate: #"DPoP error="invalid_token""#]),
            .json(403, "{}", [.wwwAuthenticate: #"DPoP error="invalid_token""#]),
            .json(401, "{}", [.wwwAuthenticate: #"DPoP error="invalid_dpop_proof""#]),
            .json(401, "{}", [.wwwAuthenticate: #"DPoP error="Invalid_Token""#]),
            .json(403, #"{"error":"ScopeMissingError"}"#),
            .json(429, "{}", [.retryAfter: "30"]), .json(302, ""), .json(304, ""), .json(500, "{"),
            .json(501, "{}"), .json(502, #"{"error":"UpstreamFailure"}"#), .json(503, "{}"),
        ]
    )
    func passedThrough(_ answer: HTTPReply) async throws {
        let (session, seal) = try await server.signedIn()
        server.network.answer(.success(answer))
        let reply = try await server.call(Self.method, seal, .post)
        #expect(reply.status == answer.response.status.code)
        #expect(reply.body == answer.body)
        #expect(reply.headers[.wwwAuthenticate] == nil)
        #expect(reply.headers[.retryAfter] == answer.response.headerFields[.retryAfter])
        #expect(server.network.calls.count == 1 && server.network.refreshes.isEmpty)
        #expect(try await server.scene.stored(session.sessionID) == ["A1", "R1"])
        #expect(try await server.call(Self.method, seal, .post).status == 200)
    }

    @Test(
        "A host that does not answer is 503, one that answers too much 502; the session stays",
        arguments: [
            (HTTPTransportError.unreachable, 503, "provider_unreachable"),
            (.timedOut, 503, "provider_unreachable"), (.untrusted, 503, "provider_unreachable"),
            (.refused, 503, "provider_unreachable"), (.tooLarge, 502, "provider_error"),
        ]
    )
    func away(_ error: HTTPTransportError, _ status: Int, _ code: String) async throws {
        let (session, seal) = try await server.signedIn()
        server.network.answer(.failure(error))
        let reply = try await server.call(Self.method, seal, .post)
        #expect(reply.status == status && reply.json.string("error") == code)
        #expect((reply.headers[.retryAfter] != nil) == (status == 503))
        #expect(server.network.calls.count == 1)
        let (limits, longest) = (server.network.calls.first?.limits, HandleDirectory.longest)
        #expect(limits?.bytes == longest.bytes && limits?.seconds == longest.seconds)
        #expect(try await server.scene.stored(session.sessionID) == ["A1", "R1"])
        #expect(try await server.call(Self.method, seal, .post).status == 200)
    }

    @Test("WEB-BFF-5: without the header, or from another site, no one is asked")
    func forged() async throws {
        let (_, seal) = try await server.signedIn()
        var wrong: [HTTPFields] = [[.origin: "https://app.example.com"], [.accept: "text/html"]]
        for (header, site) in [
            ("0", nil), ("", nil), ("true", nil), ("1", "cross-site"), ("1", "same-site"),
            ("1", "none"), (nil, "same-origin"), (nil, "none"),
        ] {
            var fields = HTTPFields()
            fields[.portico] = header
            fields[.fetchSite] = site
            wrong.append(fields)
        }
        var twice = HTTPFields()
        twice[values: .portico] = ["1", "1"]
        wrong.append(twice)
        for fields in wrong {
            for name in [HTTPField.Name.cookie, .authorization] {
                for method in [HTTPRequest.Method.get, .post] {
                    var fields = fields
                    fields[name] = name == .cookie ? "sid=\(seal)" : "Bearer \(seal)"
                    let reply = try await server.send(method, Self.method, fields)
                    #expect(reply.status == 403, "\(fields)")
                }
            }
        }
        #expect(server.network.isUntouched)
        let good: HTTPFields = [.fetchSite: "same-origin", .portico: "1"]
        #expect(try await server.call(Self.method, seal, .post, good).status == 200)
    }

    @Test("a program that is no browser needs no header of ours: the foundation library's requests")
    func programs() async throws {
        let (_, seal) = try await server.signedIn()
        let fields: HTTPFields = [
            .cookie: "sid=\(seal)", .accept: "application/json", .userAgent: "MyApp/1.0 (iOS)",
        ]
        #expect(try await server.send(.get, Self.method, fields).status == 200)
        var post = fields
        post[.contentType] = "application/json"
        #expect(
            try await server.send(.post, Self.method, post, body: Array("{}".utf8)).status == 200
        )
        let bearer: HTTPFields = [.authorization: "Bearer \(seal)"]
        #expect(try await server.send(.get, Self.method, bearer).status == 200)
        let calls = server.network.calls.count
        for (name, value) in [
            ("Origin", "https://evil.example"), ("Origin", "null"),
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "script"),
            ("Accept", "text/html,application/xhtml+xml"),
        ] {
            var fields = fields
            fields[try #require(HTTPField.Name(name))] = value
            #expect(try await server.send(.get, Self.method, fields).status == 403, "\(name)")
        }
        #expect(server.network.calls.count == calls)
    }

    @Test(
        "No other address of the host, and no other host, can be asked",
        arguments: [
            "/xrpc/", "/xrpc", "/xrpc/a", "/xrpc/a.b", "/xrpc/com.example.", "/xrpc/.com.example",
            "/xrpc/com..example", "/xrpc/com.example.a-b", "/xrpc/com.example.9", "/xrpc/1.a.b",
            "/xrpc/com.exa_mple.a", "/xrpc/com.example.method/x", "/xrpc/com.example.method/",
            "/xrpc/../oauth/token", "/xrpc/..;/com.example.method", "/xrpc/com.example.me%74hod",
            "/xrpc/com.example.method%2f..", "/xrpc/com.example.method%00", "/xrpc//com.example.a",
            "/xrpc/com.example.method@evil.example", "/xrpc/@evil.example:443", "/xrpc/a.b.c:80",
            "/xrpc/com.example.method\\x", "/xrpc/com.example.method;v=1", "/xrpc/_health",
            "/xrpc/did:web:evil.example", "//evil.example/xrpc/com.example.method",
        ]
    )
    func elsewhere(_ path: String) async throws {
        let (_, seal) = try await server.signedIn()
        for method in [HTTPRequest.Method.get, .post] {
            let status = try await server.call(path, seal, method).status
            #expect(status == 400 || status == 404)
        }
        let long = "/xrpc/com.example." + String(repeating: "a", count: 64)
        #expect(try await server.call(long, seal).status == 400)
        #expect(server.network.isUntouched)
    }

    @Test("Queries go by GET, procedures by POST, and no other method goes anywhere")
    func methods() async throws {
        let (_, seal) = try await server.signedIn()
        for method in [HTTPRequest.Method.put, .patch, .delete, .trace, .connect] {
            let status = try await server.call(Self.method, seal, method).status
            #expect([400, 404, 405].contains(status), "\(method)")
        }
        var upgrade: HTTPFields = [.upgrade: "websocket"]
        upgrade[.connection] = "Upgrade"
        #expect(try await server.call(Self.method, seal, .get, upgrade).status == 400)
        #expect(server.network.calls.isEmpty)
        // RFC 9110 §8.6: the answer to HEAD has the length of the answer to GET.
        #expect(try await server.call(Self.method, seal, .head).status == 200)
        // A query has no body.
        #expect(try await server.call(Self.method, seal, .get, body: [1, 2]).status == 200)
        #expect(server.network.calls.map(\.method) == ["GET", "GET"])
        #expect(server.network.calls.allSatisfy { $0.body.isEmpty })
    }

    @Test("A body in memory may have 1 MiB, and not a byte more: a longer one comes in a file")
    func bodies() async throws {
        let (_, seal) = try await server.signedIn()
        let body = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try await server.call(Self.method, seal, .post, body: body).status == 200)
        #expect(server.network.calls.first?.body == body)
        let reply = try await server.call(Self.method, seal, .post, body: body + [0])
        #expect(reply.refusal == "413 too_large")
        #expect(server.network.calls.count == 1)
    }
}

/// By the transport that the program has.
@Suite("Calls of a person's host, on the wire") struct XRPCWireTests {
    private static let path = "/xrpc/com.atproto.repo.uploadBlob?a=b"

    private func backend(asking server: LocalServer) async throws -> HostedBackend {
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(server.port),
            isPlain: true
        )
        return try await HostedBackend(
            transport: GuardedTransport(
                longest: HandleDirectory.longest,
                resolver: ScriptedNames([.loopback4]),
                connectTo: ["pds.example.com": target]
            )
        )
    }

    @Test("WEB-BFF-4: what leaves this machine is the call, its token and its proof, and no more")
    func request() async throws {
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("200 OK", ["Set-Cookie: sid=evil", "Content-Type: text/plain"], "a")
        }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        let reply = try await backend.call(
            Self.path,
            seal,
            .post,
            [.userAgent: "App/1", .acceptEncoding: "gzip", .referer: "https://app.example.com/"],
            body: [1, 2, 3]
        )
        #expect(reply.status == 200 && reply.body == [0x61])
        #expect(reply.headers[.setCookie] == nil)
        let head = try #require(server.requests.first).split(separator: "\r\n\r\n")[0]
        let lines = head.split(separator: "\r\n")
        #expect(lines.first == "POST \(Self.path) HTTP/1.1")
        let names = lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(
            names.sorted() == ["authorization", "connection", "content-length", "dpop", "host"]
        )
        #expect(lines.contains("Host: pds.example.com"))
        #expect(lines.contains { $0.lowercased() == "authorization: dpop a1" })
        #expect(!head.contains("Fe26"))
    }

    @Test("An answer of 16 MiB passes, and of a longer one nothing")
    func long() async throws {
        let most = HandleDirectory.longest.bytes
        let length = Locked(most)
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("200 OK", [], String(repeating: "a", count: length.withLock { $0 }))
        }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        #expect(try await backend.call(Self.path, seal).body.count == most)
        length.withLock { $0 += 1 }
        let reply = try await backend.call(Self.path, seal)
        #expect(reply.refusal == "502 provider_error")
    }

    @Test(
        "What is no HTTP, or breaks off, is 503, and the session stays",
        arguments: ["", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"]
    )
    func broken(_ bytes: String) async throws {
        let server = try LocalServer(takesBodies: true) { _ in .bytes(Array(bytes.utf8)) }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        #expect(try await backend.call(Self.path, seal).status == 503)
        #expect(try await backend.call("/api/auth/session", seal).status == 200)
    }

    @Test("WEB-SSRF-1: a redirect takes neither the token nor the browser anywhere")
    func redirect() async throws {
        let victim = try LocalServer { _ in LocalServer.reply() }
        defer { victim.stop() }
        let port = victim.port
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("307 X", ["Location: http://127.0.0.1:\(port)/"])
        }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        let reply = try await backend.call(Self.path, seal)
        #expect(reply.status == 307 && reply.location == nil)
        #expect(victim.requests.isEmpty && server.requests.count == 1)
    }

    @Test(
        "WEB-SSRF-1: a host that leads to this machine is not asked",
        arguments: [
            "https://127.0.0.1:PORT", "https://localhost:PORT", "http://127.0.0.1:PORT",
            "https://other.example.com", "https://other.example.com:PORT", "https://[::1]:PORT",
        ]
    )
    func inner(_ host: String) async throws {
        let server = try LocalServer(takesBodies: true) { _ in LocalServer.reply() }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn(
            host: host.replacing("PORT", with: "\(server.port)")
        )
        for method in [HTTPRequest.Method.get, .post] {
            let reply = try await backend.call(Self.path, seal, method)
            #expect(reply.status == 503)
        }
        #expect(server.requests.isEmpty)
    }
}
