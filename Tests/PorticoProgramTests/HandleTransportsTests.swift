import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoOutbound
@testable import PorticoProgram

@Suite("The transports of sign-in by handle, as serve has them") struct HandleTransportsTests {
    @Test("decision 0067: sign-ins, tokens and calls have one each; calls' answers are counted")
    func own() async throws {
        let settings = Settings(dataDirectory: "/nowhere")
        let installation = try Installation.open(settings, missing: .pretend)
        let outbound = OutboundClient()
        let wiring = try BackendWiring(installation, settings, outbound)
        let directory = wiring.handles(try PublicURL("https://portico.example.com"))
        let all = [directory.strangers.transport, directory.known.transport, directory.calls]
        let guarded = all.compactMap { $0 as? GuardedTransport }
        #expect(guarded.count == 3)
        #expect(Set(guarded.map { ObjectIdentifier($0) }).count == 3)
        #expect(guarded.map { $0.answers != nil } == [false, false, true])
        // And so are the look-ups of names.
        let texts = [directory.strangers.names, directory.known.names]
            .compactMap { $0 as? SystemTextRecords }
        #expect(Set(texts.map { ObjectIdentifier($0) }).count == 2)
        let resolvers = guarded.compactMap { $0.resolver as? SystemResolver }
        #expect(Set(resolvers.map { ObjectIdentifier($0) }).count == 3)
        try await outbound.shutdown()
        try await installation.close()
    }
}
