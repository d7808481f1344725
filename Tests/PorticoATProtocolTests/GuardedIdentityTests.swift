import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

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
