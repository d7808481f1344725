import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

/// With the transport that the program has. Only names of a test network are told what to answer; a
/// listener on this machine sees whether anything gets past the guard.
@Suite("Servers that lead to addresses which may not be asked") struct GuardedServerTests {
    private let world: ClientWorld
    private let victim: LocalServer

    init() throws {
        world = try ClientWorld()
        victim = try LocalServer { _ in LocalServer.reply("200 OK", [], "{}") }
    }

    private func transport(
        _ server: LocalServer? = nil,
        for name: String = "as.example.com",
        names: ScriptedNames = ScriptedNames([.loopback4])
    ) throws -> GuardedTransport {
        let hosts = server.map { [name: "127.0.0.1:\($0.port)"] } ?? [:]
        let network = try TestNetwork(
            hosts: hosts,
            plain: Array(hosts.keys),
            texts: [:],
            authority: nil
        )
        return GuardedTransport(resolver: names, connectTo: network.hosts)
    }

    private func client(_ transport: GuardedTransport) -> ATClient {
        ATClient(
            sender: DPoPSender(
                transport: transport,
                nonces: DPoPNonceMemory(),
                clock: Clock { [world] in world.clock.now }
            )
        )
    }

    private func failure(_ call: ClientWorld.Call, by client: ATClient) async -> ATError? {
        do {
            try await world.make(call, by: client)
            return nil
        } catch {
            return error as? ATError
        }
    }

    @Test(
        "attack G17: a server whose name leads to a private address is sent nothing",
        arguments: [
            [10, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [192, 168, 1, 1], [0, 0, 0, 0],
            .loopback6, [0xFD] + [UInt8](repeating: 0, count: 15),
        ] as [[UInt8]]
    )
    func privateAddresses(address: [UInt8]) async throws {
        let names = ScriptedNames([address])
        let client = client(try transport(names: names))
        for call in [ClientWorld.Call.push, .redeem, .refresh] {
            let failure = await failure(call, by: client)
            #expect(failure == .network(.refused))
            // The refresh token went nowhere.
            #expect(failure?.isDefinite == true)
            #expect(failure?.endsSession == false)
        }
        #expect(names.questions == ["as.example.com", "as.example.com", "as.example.com"])
        #expect(victim.requests.isEmpty)
    }

    @Test("attack G17: a name that leads elsewhere the second time was asked for once")
    func rebinding() async throws {
        // 2d00::/8 is not allocated, so no host is contacted.
        let nowhere: [UInt8] = [0x2D] + [UInt8](repeating: 0, count: 14) + [1]
        let names = ScriptedNames([nowhere], [.loopback4])
        let client = client(try transport(names: names))
        let first = await failure(.refresh, by: client)
        #expect(first == .network(.unreachable) || first == .network(.timedOut))
        #expect(names.questions.count == 1)
        #expect(await failure(.refresh, by: client) == .network(.refused))
        #expect(victim.requests.isEmpty)
    }

    @Test(
        "WEB-SSRF-1: a server's redirect takes neither code nor tokens anywhere",
        arguments: [302, 307, 308]
    )
    func redirects(status: Int) async throws {
        let port = victim.port
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("\(status) X", ["Location: http://127.0.0.1:\(port)/oauth/token"])
        }
        defer { server.stop() }
        let client = client(try transport(server))
        for call in [ClientWorld.Call.push, .redeem, .refresh] {
            #expect(await failure(call, by: client) == .server(status: status))
        }
        #expect(server.requests.count == 3)
        #expect(victim.requests.isEmpty)
    }

    @Test(
        "attack G04: a handle's redirect to this machine, or off https, is not followed",
        arguments: [
            "https://127.0.0.1/", "http://127.0.0.1:PORT/", "https://127.0.0.1:PORT/",
            "https://inner.example.org/", "https://localhost/", "//127.0.0.1:PORT/",
        ]
    )
    func handleRedirects(location: String) async throws {
        let location = location.replacing("PORT", with: "\(victim.port)")
        let site = try LocalServer { _ in
            LocalServer.reply("302 Found", ["Location: \(location)"])
        }
        defer { site.stop() }
        let resolver = IdentityResolver(
            transport: try transport(site, for: "alice.example.com"),
            names: ScriptedTexts(),
            directory: try ServerOrigin("https://plc.example.com"),
            cache: AnswerCache(seconds: IdentityResolver.freshness),
            clock: Clock { [world] in world.clock.now }
        )
        await #expect(throws: IdentityError.self) {
            try await resolver.identity(of: Handle("alice.example.com"))
        }
        #expect(site.requests.count == 1)
        #expect(victim.requests.isEmpty)
    }

    @Test("attack G07: a host's redirect is no answer of where it signs in")
    func hostRedirects() async throws {
        let port = victim.port
        let host = try LocalServer { _ in
            LocalServer.reply("302 Found", ["Location: http://127.0.0.1:\(port)/"])
        }
        defer { host.stop() }
        let discovery = ServerDiscovery(
            transport: try transport(host, for: "pds.example.com"),
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            clock: Clock { [world] in world.clock.now }
        )
        await #expect(throws: DiscoveryError.noServer) {
            try await discovery.server(of: ServerOrigin("https://pds.example.com"), wasNamed: true)
        }
        #expect(host.requests.count == 1)
        #expect(victim.requests.isEmpty)
    }

    @Test("an answer without end is given up, and the session is not ended by it")
    func flood() async throws {
        let server = try LocalServer(takesBodies: true) { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"
            return .flood(Array(head.utf8), [UInt8](repeating: 0x20, count: 65_536))
        }
        defer { server.stop() }
        let failure = await failure(.refresh, by: client(try transport(server)))
        #expect(failure == .unusable(.tooLarge, successor: nil))
        #expect(failure?.endsSession == false)
    }
}

/// With the transport that the program has, and only the DNS told what to say.
@Suite("Identities at addresses that may not be asked") struct GuardedIdentityTests {
    private func resolver(_ addresses: [UInt8], _ texts: ScriptedTexts = ScriptedTexts()) throws
        -> IdentityResolver
    {
        IdentityResolver(
            transport: GuardedTransport(resolver: ScriptedNames([addresses])),
            names: texts,
            directory: try ServerOrigin("https://plc.example.com"),
            cache: AnswerCache(seconds: IdentityResolver.freshness),
            clock: Clock { StoppedClock().now }
        )
    }

    @Test(
        "ATP-ID-12: a handle whose name leads to a private address is not asked",
        arguments: [[10, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [192, 168, 1, 1]]
    )
    func handle(address: [UInt8]) async throws {
        let resolver = try resolver(address)
        await #expect(throws: IdentityError.handleUnreachable) {
            try await resolver.identity(of: Handle("alice.example.com"))
        }
    }

    @Test("ATP-ID-12: a did:web whose host leads to a private address is not asked")
    func web() async throws {
        let texts = ScriptedTexts([
            "_atproto.alice.example.com": .success(["did=did:web:alice.example.com"])
        ])
        let resolver = try resolver([169, 254, 169, 254], texts)
        await #expect(throws: IdentityError.directoryUnreachable) {
            try await resolver.identity(of: Handle("alice.example.com"))
        }
        #expect(throws: DID.Refusal.identifier) { try DID("did:web:169.254.169.254") }
        #expect(throws: DID.Refusal.identifier) { try DID("did:web:localhost") }
    }

    @Test("ATP-ID-12: a host that leads to a private address is not asked where it signs in")
    func host() async throws {
        let discovery = ServerDiscovery(
            transport: GuardedTransport(resolver: ScriptedNames([.loopback4])),
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            clock: Clock { StoppedClock().now }
        )
        let host = try ServerOrigin("https://pds.example.com")
        await #expect(throws: DiscoveryError.hostUnreachable) {
            try await discovery.server(of: host, wasNamed: true)
        }
    }
}

/// That we are busy says nothing about anybody.
@Suite("Whose a handle is, and where, while we are busy") struct BusyTests {
    private typealias World = ScriptedWorld

    private static let name = "_atproto.alice.example.com"
    private static let site = World.site("alice.example.com")

    @Test(
        "decision 0067: who could not be asked does not make it no one's handle",
        arguments: [
            (.failure(.busy), .status(404)), (.success([]), .failure(.busy)),
            (.failure(.busy), .failure(.unreachable)), (.failure(.unreachable), .failure(.busy)),
        ] as [(Result<[String], TextRecordError>, ScriptedNetwork.Answer)]
    )
    func handle(_ texts: Result<[String], TextRecordError>, _ site: ScriptedNetwork.Answer)
        async throws
    {
        let world = try World()
        let known = world.names[Self.name]
        world.names[Self.name] = texts
        world.network[Self.site] = site
        await #expect(throws: IdentityError.busy) {
            try await world.identity(of: "alice.example.com")
        }
        world.names[Self.name] = known
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
    }

    @Test("decision 0067: an answer of one counts while the other could not be asked")
    func other() async throws {
        let world = try World()
        world.network[Self.site] = .failure(.busy)
        #expect(try await world.identity(of: "alice.example.com").did.text == World.alice)
        let busy = try World()
        busy.names[Self.name] = .failure(.busy)
        busy.network[Self.site] = .answer(World.alice, "text/plain")
        #expect(try await busy.identity(of: "alice.example.com").did.text == World.alice)
    }

    @Test("decision 0067: a directory that could not be asked is asked again")
    func directory() async throws {
        let world = try World()
        let known = world.network[World.entry(World.alice)]
        world.network[World.entry(World.alice)] = .failure(.busy)
        await #expect(throws: IdentityError.busy) {
            try await world.identity(ofDID: World.alice)
        }
        world.network[World.entry(World.alice)] = known
        // A handle that could not be confirmed now is confirmed the next time.
        let texts = world.names[Self.name]
        world.names[Self.name] = .failure(.busy)
        #expect(try await world.identity(ofDID: World.alice).handle == nil)
        world.names[Self.name] = texts
        #expect(try await world.identity(ofDID: World.alice).handle?.text == "alice.example.com")
    }

    @Test("decision 0067: a host, or its server, that could not be asked is asked again")
    func server() async throws {
        let network = ScriptedNetwork()
        let discovery = ServerDiscovery(
            transport: network,
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            clock: Clock { StoppedClock().now }
        )
        let host = try ServerOrigin("https://pds.example.com")
        let resource = "https://pds.example.com/.well-known/oauth-protected-resource"
        network[resource] = .failure(.busy)
        await #expect(throws: DiscoveryError.busy) {
            try await discovery.server(of: host, wasNamed: true)
        }
        network[resource] = .answer(
            #"{"resource":"https://pds.example.com","#
                + #""authorization_servers":["https://as.example.com"]}"#
        )
        network["https://as.example.com/.well-known/oauth-authorization-server"] =
            .failure(.busy)
        await #expect(throws: DiscoveryError.busy) {
            try await discovery.server(of: host, wasNamed: true)
        }
        #expect(network.questions.count == 3)
    }

    @Test("decision 0067: a refresh token that was not sent is as good as before")
    func unspent() {
        #expect(ATError.network(.busy).isDefinite && !ATError.network(.busy).endsSession)
        #expect(!ATError.network(.noRoom).isDefinite)
    }
}
