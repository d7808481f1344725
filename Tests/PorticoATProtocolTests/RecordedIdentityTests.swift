import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite(
    "Identities of a real host",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedIdentityTests {
    /// What each address answered, the first time.
    private func network() throws -> ScriptedNetwork {
        let network = ScriptedNetwork()
        for exchange in try RecordedExchange.all(in: "01-identity.jsonl") {
            let url = "https://\(exchange.host)\(exchange.target)"
            guard network[url] == nil else { continue }
            network[url] = .answer(
                String(decoding: exchange.reply.body, as: UTF8.self),
                exchange.reply.response.headerFields[.contentType],
                status: exchange.status
            )
        }
        return network
    }

    @Test("ATP-ID-1: a real handle and a real DID lead to the same account and host")
    func identity() async throws {
        let network = try network()
        let resolver = IdentityResolver(
            transport: network,
            names: ScriptedTexts(),
            directory: try ServerOrigin("https://plc.example.com"),
            cache: AnswerCache(seconds: IdentityResolver.freshness),
            clock: Clock { StoppedClock().now }
        )
        let identity = try await resolver.identity(of: try Handle("alice.pds.example.com"))
        #expect(identity.handle?.text == "alice.pds.example.com")
        #expect(identity.host.text == "https://pds.example.com")
        #expect(try await resolver.identity(of: identity.did) == identity)
        await #expect(throws: IdentityError.didNotFound) {
            try await resolver.identity(of: try DID("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))
        }
        // This host has no document of its own.
        await #expect(throws: IdentityError.didNotFound) {
            try await resolver.identity(of: try DID("did:web:pds.example.com"))
        }
    }

    @Test("ATP-AS-2: a real host names its server, which keeps to the profile")
    func server() async throws {
        let host = try ServerOrigin("https://pds.example.com")
        let discovery = ServerDiscovery(
            transport: try network(),
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            clock: Clock { StoppedClock().now }
        )
        let server = try await discovery.server(of: host, wasNamed: false)
        #expect(server.issuer == host)
    }
}
