import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
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
        let network = try network(
            ["pds.test": "127.0.0.1:\(server.port)"],
            plain: ["pds.test"]
        )
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
        let network = try network(
            ["pds.test": "127.0.0.1:\(server.port)"],
            plain: ["pds.test"]
        )
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
