import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import PorticoURLSession
import Testing

@Suite("Names of a test network") struct TestNetworkTests {
    private static let limits = HTTPLimits(bytes: 10_000, seconds: 10)

    private func network(
        _ hosts: [String: String] = [:],
        plain: [String] = [],
        texts: [String: [String]] = [:]
    ) throws -> TestNetwork {
        try TestNetwork(hosts: hosts, plain: plain, texts: texts, authority: nil)
    }

    private func get(_ transport: GuardedTransport, _ url: String) async throws -> HTTPReply {
        let address = try #require(HTTPAddress(url))
        return try await transport.send(
            HTTPRequest(.get, to: address),
            body: [],
            limits: Self.limits
        )
    }

    @Test("decision 0058: a name has an address of this machine, with its port")
    func addresses() throws {
        for good in ["127.0.0.1:8443", "127.0.0.2:1", "127.255.1.2:65535", "[::1]:443"] {
            let target = try network(["pds.example.com": good]).hosts["pds.example.com"]
            #expect(target?.isPlain == false, "\(good)")
        }
        for bad in [
            "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:x", "10.0.0.1:8443",
            "169.254.169.254:80", "0.0.0.0:8443", "[::]:8443", "[::ffff:127.0.0.1]:8443",
            "localhost:8443", "127.0.0.1.example.com:80", "127.0.1:80", "127.0.0.256:80",
            "127.0.0.:80", "127.0.0.1:80/", "user@127.0.0.1:80", "", ":80", "126.0.0.1:80",
        ] {
            #expect(throws: TestNetwork.Refusal.address("pds.example.com"), "\(bad)") {
                try network(["pds.example.com": bad])
            }
        }
    }

    @Test("decision 0058: a name is one that a public host could have, in lower case")
    func names() throws {
        for good in ["pds.example.com", "pds.test", "a.b-c.example.org"] {
            #expect(try network([good: "127.0.0.1:8443"]).hosts.count == 1)
        }
        for bad in [
            "*.example.com", "PDS.example.com", "pds", "localhost", "pds.localhost", "127.0.0.1",
            "[::1]", "pds.internal", "pds.example.com:443", "pds.example.com.", ".example.com", "",
            "pds_1.example.com",
        ] {
            #expect(throws: TestNetwork.Refusal.name(bad), "\(bad)") {
                try network([bad: "127.0.0.1:8443"])
            }
        }
        #expect(throws: TestNetwork.Refusal.plain("b.test")) {
            try network(["a.test": "127.0.0.1:1"], plain: ["b.test"])
        }
        for bad in ["a.test", "_atproto.", "_atproto.*.test", "_dmarc.a.test", "_atproto.A.test"] {
            #expect(throws: TestNetwork.Refusal.text(bad), "\(bad)") {
                try network(texts: [bad: ["did=did:plc:x"]])
            }
        }
    }

    @Test("decision 0058: a name leads to its server, by plain http where the file says so")
    func reached() async throws {
        let server = try LocalServer { _ in LocalServer.reply("200 OK", [], "here") }
        defer { server.stop() }
        let network = try network(["pds.test": "127.0.0.1:\(server.port)"], plain: ["pds.test"])
        let names = ScriptedNames([[8, 8, 8, 8]])
        let transport = GuardedTransport(resolver: names, connectTo: network.hosts)
        let reply = try await get(transport, "https://pds.test/a?b=c")
        #expect(reply.body == Array("here".utf8))
        let head = try #require(server.requests.first)
        #expect(head.hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
        #expect(head.contains("\r\nHost: pds.test\r\n"))
        #expect(names.questions.isEmpty)
        // The rules of addresses hold for it too.
        for url in ["http://pds.test/", "https://pds.test:8443/"] {
            await #expect(throws: HTTPTransportError.refused) { try await get(transport, url) }
        }
        #expect(server.requests.count == 1)
    }

    @Test("decision 0058: all other names keep the guard")
    func others() async throws {
        let server = try LocalServer { _ in LocalServer.reply("200 OK", [], "secret") }
        defer { server.stop() }
        let network = try network(["pds.test": "127.0.0.1:\(server.port)"], plain: ["pds.test"])
        let names = ScriptedNames([.loopback4])
        let transport = GuardedTransport(resolver: names, connectTo: network.hosts)
        for url in [
            "https://other.test/", "https://sub.pds.test/", "https://pds.test.example.com/",
            "https://127.0.0.1/", "https://localhost/", "https://127.0.0.1:\(server.port)/",
            "http://127.0.0.1:\(server.port)/",
        ] {
            await #expect(throws: HTTPTransportError.refused, "\(url)") {
                try await get(transport, url)
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("decision 0058: a name without `plain` is asked by TLS, with its certificate checked")
    func secure() async throws {
        let server = try LocalServer { _ in LocalServer.reply("200 OK", [], "here") }
        defer { server.stop() }
        let network = try network(["pds.test": "127.0.0.1:\(server.port)"])
        await #expect(throws: HTTPTransportError.self) {
            try await GuardedTransport(in: network).send(
                HTTPRequest(.get, to: try #require(HTTPAddress("https://pds.test/"))),
                body: [],
                limits: HTTPLimits(bytes: 100, seconds: 1)
            )
        }
        #expect(server.requests.isEmpty)
    }

    @Test("decision 0058: records of its names come from the file alone, and others from the DNS")
    func texts() async throws {
        struct Others: TextRecordResolver {
            func texts(at name: String) async throws(TextRecordError) -> [String] { ["dns"] }
        }
        let resolver = TestNetworkTexts(
            try network(
                ["pds.test": "127.0.0.1:1", "bob.test": "127.0.0.1:1"],
                texts: ["_atproto.alice.test": ["did=did:plc:x"]]
            ),
            otherwise: Others()
        )
        #expect(try await resolver.texts(at: "_atproto.alice.test") == ["did=did:plc:x"])
        #expect(try await resolver.texts(at: "_atproto.bob.test") == [])
        #expect(try await resolver.texts(at: "_atproto.carol.test") == ["dns"])
        #expect(try await resolver.texts(at: "pds.test") == ["dns"])
    }
}

@Suite("Operator's exceptions") struct OperatorsExceptionsTests {
    private struct Recording: HTTPTransport {
        let status: Int

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            HTTPReply(response: HTTPResponse(status: .init(code: status)), body: [])
        }
    }

    @Test(
        "WEB-SSRF-1: a named host and port goes by the plain client, everything else by the guarded one",
        arguments: [
            ("https://10.0.0.7:8443/logout", true), ("https://APP.internal/logout", true),
            ("http://127.0.0.1:8080/logout", true), ("http://[::1]:8080/", true),
            // Another port, another host, a name that begins or ends alike.
            ("https://10.0.0.7/logout", false), ("https://10.0.0.7:8444/", false),
            ("https://10.0.0.70:8443/", false), ("https://app.internal:8443/", false),
            ("https://app.internal.evil.example/", false), ("https://xapp.internal/", false),
            ("http://127.0.0.1:8081/", false), ("http://127.0.0.1/", false),
            ("https://id.example/", false),
            // In the clear only to this machine.
            ("http://10.0.0.7:8443/", false), ("http://app.internal:443/", false),
            ("http://localhost:8080/", false),
        ]
    )
    func exact(url: String, isPlain: Bool) async throws {
        let named = try [
            "10.0.0.7:8443", "app.internal:443", "127.0.0.1:8080", "[::1]:8080", "localhost:8080",
        ].map { try #require(NamedHost($0)) }
        let transport = OperatorsExceptions(
            Set(named),
            by: Recording(status: 201),
            otherwise: Recording(status: 202)
        )
        let request = HTTPRequest(.post, to: try #require(HTTPAddress(url)))
        let reply = try await transport.send(
            request,
            body: [],
            limits: HTTPLimits(bytes: 1, seconds: 1)
        )
        #expect(reply.response.status.code == (isPlain ? 201 : 202))
    }

    @Test("Nothing named, nothing private: a loopback server is not asked")
    func nothingNamed() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        let plain = OutboundClient()
        let request = HTTPRequest(
            .post,
            to: try #require(HTTPAddress("http://127.0.0.1:\(server.port)/"))
        )
        let limits = HTTPLimits(bytes: 100, seconds: 10)
        await #expect(throws: HTTPTransportError.refused) {
            let transport = OperatorsExceptions([], by: plain, otherwise: GuardedTransport())
            return try await transport.send(request, body: [], limits: limits)
        }
        #expect(server.requests.isEmpty)
        let named = try #require(NamedHost("127.0.0.1:\(server.port)"))
        let transport = OperatorsExceptions([named], by: plain, otherwise: GuardedTransport())
        let reply = try await transport.send(request, body: [], limits: limits)
        #expect(reply.response.status.code == 200)
        try await plain.shutdown()
    }

    @Test(
        "A host is named with its port, exactly",
        arguments: [
            ("10.0.0.7:8443", true), ("[fd00::1]:443", true), ("a.b:1", true),
            ("10.0.0.7", false), ("[fd00::1]", false), ("a.b:", false), ("a.b:0", false),
            ("a.b:65536", false), ("a.b:08", false), ("https://a.b:1", false), ("a.b:1/", false),
            ("u@a.b:1", false), ("*.b:1", false), ("10.0.0.0/8:1", false), ("", false),
            (":80", false), ("a b:1", false),
        ]
    )
    func names(text: String, isName: Bool) {
        #expect((NamedHost(text) != nil) == isName)
    }
}

/// What a client of ours does with plain http on `localhost`.
@Suite("HTTP transports: localhost", .serialized) struct LocalhostTests {
    private static let limits = HTTPLimits(bytes: 1000, seconds: 10)

    private func request(_ port: UInt16, _ host: String = "localhost") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "\(host):\(port)", path: "/a?b=c")
    }

    private func outbound<Outcome>(
        _ names: ScriptedNames,
        _ body: (OutboundClient) async throws -> Outcome
    ) async throws -> Outcome {
        let client = OutboundClient(localhost: LocalhostName(resolver: names))
        let result: Result<Outcome, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        try await client.shutdown()
        return try result.get()
    }

    @Test("RFC 6761 §6.3: the address that was looked at is the one that is asked, under its name")
    func pinned() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for host in ["localhost", "op.localhost"] {
            // The second answer would lead away: it is not asked for.
            let names = ScriptedNames([.loopback4], [[192, 0, 2, 1]])
            let reply = try await outbound(names) {
                try await $0.send(request(server.port, host), body: [], limits: Self.limits)
            }
            #expect(reply.response.status == .ok)
            #expect(names.questions == [host])
            let head = try #require(server.requests.last?.lowercased())
            #expect(head.hasPrefix("get /a?b=c http/1.1\r\n"))
            #expect(head.components(separatedBy: "\r\nhost: ").count == 2)
            #expect(head.contains("\r\nhost: \(host):\(server.port)\r\n"))
        }
        // No one is there, and no other address of the name is asked instead.
        await #expect(throws: HTTPTransportError.unreachable) {
            try await outbound(ScriptedNames([[127, 9, 9, 9]])) {
                try await $0.send(request(server.port), body: [], limits: Self.limits)
            }
        }
    }

    @Test("If no server listens on one of its addresses, the next one is tried, once")
    func next() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for first in [[UInt8].loopback6, [127, 9, 9, 9]] {
            let names = ScriptedNames([first, .loopback4])
            let before = server.requests.count
            let reply = try await outbound(names) {
                try await $0.send(request(server.port), body: [], limits: Self.limits)
            }
            #expect(reply.response.status == .ok)
            #expect(server.requests.count == before + 1)
        }
        // A server that took the request is not asked again.
        let silent = try LocalServer { _ in .bytes([]) }
        defer { silent.stop() }
        await #expect(throws: HTTPTransportError.self) {
            try await outbound(ScriptedNames([.loopback4, .loopback4])) {
                try await $0.send(request(silent.port), body: [], limits: Self.limits)
            }
        }
        #expect(silent.requests.count == 1)
    }

    @Test("RFC 6761 §6.3: a localhost that leads elsewhere gets no request, by neither client")
    func elsewhere() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for addresses in [[[192, 0, 2, 1]], [.loopback4, [192, 0, 2, 1]]] as [[[UInt8]]] {
            await #expect(throws: HTTPTransportError.elsewhere) {
                try await outbound(ScriptedNames(addresses)) {
                    try await $0.send(request(server.port), body: [], limits: Self.limits)
                }
            }
            let session = URLSessionTransport(
                localhost: LocalhostName(resolver: ScriptedNames(addresses))
            )
            await #expect(throws: HTTPTransportError.elsewhere) {
                try await session.send(request(server.port), body: [], limits: Self.limits)
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("localhost as the system knows it is asked, by all clients")
    func system() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for kind in TransportKind.allCases {
            let reply = try await kind.with { transport in
                try await transport.send(request(server.port), body: [], limits: Self.limits)
            }
            #expect(reply.response.status == .ok)
        }
        let own = SystemTransport()
        let reply = try await own.send(request(server.port), body: [], limits: Self.limits)
        #expect(reply.response.status == .ok)
        #expect(server.requests.count == 3)
    }
}
