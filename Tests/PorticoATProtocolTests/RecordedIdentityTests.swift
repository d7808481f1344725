import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

/// Answers of a real host and of a real directory, in a folder outside the repository:
/// `TEST_ATPROTO_FIXTURES=FOLDER swift test --filter RecordedIdentityTests`. Tests of this
/// repository have documents of their own for the same rules.
private let folder = ProcessInfo.processInfo.environment["TEST_ATPROTO_FIXTURES"]

@Suite(
    "Identities of a real host",
    .enabled(if: folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedIdentityTests {
    /// What each address answered, the first time.
    private func network() throws -> ScriptedNetwork {
        let file = URL(filePath: try #require(folder)).appending(path: "01-identity.jsonl")
        let network = ScriptedNetwork()
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let exchange = try JSONObject(
                parsing: Array(line.utf8),
                limits: JSONLimits(size: 1 << 20)
            )
            let request = try #require(exchange.object("request")?.string("line"))
            let response = try #require(exchange.object("response"))
            let fields = (response.array("headers") ?? []).compactMap(\.strings)
            let type = fields.first { $0[0].lowercased() == "content-type" }?[1]
            let host = try #require(exchange.string("host"))
            let url = "https://\(host)\(request.split(separator: " ")[1])"
            guard network[url] == nil else { continue }
            network[url] = .answer(
                response.string("body") ?? "",
                type,
                status: Int(response.int64("status") ?? 0)
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
        #expect(server.protectedResources == ["https://pds.example.com"])
    }
}
