import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// By the transport that the program has; only the names of the DNS are made up.
@Suite("Signing in at hosts that lead to this machine") struct GuardedHandleTests {
    private static let typed = [
        "ann.example.com", "did:web:ann.example.com", "https://ann.example.com",
    ]
    private static let mapped4 = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]

    @Test(
        "WEB-SSRF-1, attack G17: handles, DIDs and hosts whose names lead inside are refused",
        arguments: typed,
        [.loopback4, .loopback6, [10, 0, 0, 1], [169, 254, 169, 254], mapped4] as [[UInt8]]
    )
    func inner(_ typed: String, _ address: [UInt8]) async throws {
        try await refused(typed, address)
    }

    @Test(
        "WEB-SSRF-1, attack G17: where such a name leads to this machine, nobody connects to it",
        .enabled("\(Victims.needs443)") { await Victims.areAt443() },
        arguments: typed,
        [.loopback4, mapped4] as [[UInt8]]
    )
    func untouched(_ typed: String, _ address: [UInt8]) async throws {
        let victims = try await Victims()
        defer { victims.stop() }
        try #require(victims.areAt443)
        try await refused(typed, address)
        #expect(victims.isUntouched)
    }

    private func refused(_ typed: String, _ address: [UInt8]) async throws {
        // A second look would find a public address: there is none.
        let names = ScriptedNames([address], [[93, 184, 216, 34]])
        let server = try await HostedBackend(
            strangers: GuardedTransport(longest: HandleDirectory.longest, resolver: names)
        )
        let reply = try await server.send(
            .get,
            FormEncoding.appending([("handle", typed)], to: "/login"),
            [.accept: "application/json"]
        )
        #expect(reply.status == 503, "\(reply.status) \(reply.text)")
        #expect(reply.json.string("error") == "host_unreachable")
        #expect(reply.location == nil && reply.headers[.setCookie] == nil)
        #expect(names.questions == ["ann.example.com"])
    }
}
