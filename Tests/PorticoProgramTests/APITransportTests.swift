import Foundation
import PorticoBytes
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoOutbound
@testable import PorticoProgram

extension BackendWiring {
    /// That of a server with these settings, and no mail.
    init(_ installation: Installation, _ settings: Settings, _ outbound: OutboundClient) throws {
        let wiring = Wiring(
            installation: installation,
            address: settings.listen,
            log: ServerLog(settings, clock: .system),
            look: try PageLook(settings),
            network: nil,
            demonstration: nil
        )
        self.init(wiring, outbound, mail: nil)
    }
}

@Suite("The transport to a team's APIs, as serve has it") struct APITransportTests {
    /// How many of them a person gets at one server.
    private func fill(_ capacity: SharedCapacity, by step: Int, for person: UniqueID) -> Int {
        var count = 0
        while capacity.take(step, for: "orders.example.com:443", person) { count += 1 }
        return count
    }

    @Test("decision 0094: it is not that of sign-ins, and bounds what a server and a person get")
    func own() async throws {
        let portico = try PorticoProcess()
        let settings = Settings(dataDirectory: portico.home.path + "/data")
        let installation = try Installation.open(settings, missing: .create)
        let outbound = OutboundClient()
        let wiring = try BackendWiring(installation, settings, outbound)
        let backend = try await wiring.backend(try PublicURL("https://app.example.com"))
        let apis = wiring.apis
        #expect(apis !== outbound)
        #expect((backend.transport as? OutboundClient) === apis)

        let (one, two) = (UniqueID(random: .system), UniqueID(random: .system))
        let places = try #require(apis.places)
        let most = OpenFiles(settings).outgoing / 2
        #expect(fill(places, by: 1, for: one) == most * 5 / 8)
        #expect(fill(places, by: 1, for: two) > 0)
        #expect(places.take(1, for: "bills.example.com:443", one))
        let answers = try #require(apis.answers)
        // An eighth of 256 MiB, and a quarter of what that leaves of the server's.
        #expect(fill(answers, by: 1 << 20, for: one) == 32)
        #expect(fill(answers, by: 1 << 20, for: two) == 24)
        #expect(answers.take(1 << 20, for: "bills.example.com:443", one))
        try await outbound.shutdown()
        try await apis.shutdown()
        try await installation.close()
    }
}
