import PorticoTestSupport
import Testing

@testable import PorticoProtocol

@Suite("The name localhost") struct LocalhostNameTests {
    private static let own = "http://localhost:8080/realms/demo?x=1"

    private func literals(_ url: String, _ names: ScriptedNames) async throws -> [String]? {
        try await LocalhostName(resolver: names)
            .literals(for: try #require(HTTPAddress(url)))?.map(\.text)
    }

    @Test(
        "RFC 6761 §6.3: plain http on localhost goes to the loopback addresses that it has, in their order",
        arguments: [
            ([.loopback4], ["127.0.0.1"]), ([.loopback6], ["[::1]"]),
            ([.loopback6, .loopback4], ["[::1]", "127.0.0.1"]),
            ([[127, 1, 2, 3]], ["127.1.2.3"]),
            // Unknown to the system, it is this machine all the same.
            ([], ["127.0.0.1", "[::1]"]),
        ] as [([[UInt8]], [String])]
    )
    func here(addresses: [[UInt8]], expected: [String]) async throws {
        for host in ["localhost", "LOCALHOST", "app.localhost"] {
            let names = ScriptedNames(addresses)
            #expect(
                try await literals("http://\(host):8080/realms/demo?x=1", names)
                    == expected.map { "http://\($0):8080/realms/demo?x=1" }
            )
            #expect(names.questions == [host.lowercased()])
        }
    }

    @Test(
        "RFC 6761 §6.3: a localhost with an address that is not loopback is refused, whatever else it has",
        arguments: [
            [[10, 0, 0, 7]], [.loopback4, [192, 168, 1, 1]], [[93, 184, 215, 14], .loopback6],
            [[128, 0, 0, 1]], [[126, 255, 255, 255]], [[0, 0, 0, 0]],
            // ::, ::2, ::127.0.0.1, ::ffff:127.0.0.1, fe80::1, 2001:db8::1
            [[UInt8](repeating: 0, count: 16)], [[UInt8](repeating: 0, count: 15) + [2]],
            [[UInt8](repeating: 0, count: 12) + .loopback4],
            [[UInt8](repeating: 0, count: 10) + [255, 255] + .loopback4],
            [[0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]],
            [[0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]],
            [[]], [[127]], [[127, 0, 0, 1, 0]],
        ] as [[[UInt8]]]
    )
    func elsewhere(addresses: [[UInt8]]) async throws {
        for url in [Self.own, "http://app.localhost/"] {
            await #expect(throws: HTTPTransportError.elsewhere) {
                try await literals(url, ScriptedNames(addresses))
            }
        }
    }

    @Test(
        "Other names, literals and https addresses are not resolved",
        arguments: [
            "https://localhost:8080/", "http://127.0.0.1/", "http://[::1]/",
            "http://op.example.com/",
            "http://localhost.example.com/", "http://notlocalhost/", "http://localhost./",
        ]
    )
    func others(url: String) async throws {
        let names = ScriptedNames([[10, 0, 0, 7]])
        #expect(try await literals(url, names) == nil)
        #expect(names.questions.isEmpty)
    }

    @Test("The system's own resolver leads localhost to this machine")
    func system() async throws {
        let address = try #require(HTTPAddress("http://localhost:1/"))
        let literals = try #require(try await LocalhostName.system.literals(for: address))
        #expect(!literals.isEmpty)
        #expect(literals.allSatisfy { $0.host.hasPrefix("127.") || $0.host == "[::1]" })
    }
}
