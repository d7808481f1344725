import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

/// That we are busy says nothing about anybody.
@Suite("Whose a handle is, and where, while we are busy") struct BusyTests {
    private typealias World = ScriptedWorld

    private static let name = "_atproto.alice.example.com"
    private static let site = World.site("alice.example.com")

    @Test(
        "decision 0067: who could not be asked does not make it nobody's handle",
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
        #expect(
            try await world.identity(ofDID: World.alice).handle?.text == "alice.example.com"
        )
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
