import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import PorticoUpstream
import Testing

@Suite("Providers that no one can sign in with") struct UnusableProviderTests {
    private static func record(_ name: String, _ kind: IdentityProvider.Kind = .google)
        -> ProviderRecord
    {
        ProviderRecord(
            name: name,
            kind: kind.rawValue,
            place: 0,
            isEnabled: true,
            settings: ["clientID": "us"],
            sealedSecret: ProviderSecrets(ring: TestRealm.ring).seal(
                SecretText("a secret"),
                for: name,
                random: .system
            )
        )
    }

    private static func directory(_ records: [ProviderRecord]) async throws -> BackendDirectory {
        let database = try TestDatabase.inMemory()
        for record in records { try await database.configuration.put(record) }
        let clock = StoppedClock()
        return try await BackendDirectory(store: database.configuration) { record in
            try UpstreamClient(
                record,
                ring: TestRealm.ring,
                transport: InProcessTransport([:]),
                now: { clock.now }
            )
        }
    }

    @Test("each that cannot start is told by its name when the server starts, and the others serve")
    func named() async throws {
        let good = Self.record("google")
        var bare = Self.record("bare")
        bare.sealedSecret = nil
        var foreign = Self.record("foreign")
        foreign.sealedSecret = "AAAA"
        var unset = Self.record("unset")
        unset.settings = [:]
        var disabled = Self.record("disabled")
        disabled.settings = [:]
        disabled.isEnabled = false
        let records = [
            good, bare, foreign, unset, disabled, Self.record("token"),
            Self.record("odd", .apple),
        ]
        let directory = try await Self.directory(records)
        #expect(directory.providers.map(\.name) == ["google"])
        #expect(
            Set(directory.failures.map(\.provider)) == ["bare", "foreign", "unset", "token", "odd"]
        )
    }

    @Test("one that is mended serves, and is told no more")
    func mended() async throws {
        let database = try TestDatabase.inMemory()
        var record = Self.record("google")
        record.settings = [:]
        try await database.configuration.put(record)
        let clock = StoppedClock()
        let directory = try await BackendDirectory(store: database.configuration) { record in
            try UpstreamClient(
                record,
                ring: TestRealm.ring,
                transport: InProcessTransport([:]),
                now: { clock.now }
            )
        }
        #expect(directory.failures.map(\.provider) == ["google"])
        #expect(try await directory.refresh().isEmpty)
        try await database.configuration.put(Self.record("google"))
        #expect(try await directory.refresh().isEmpty)
        #expect(directory.failures.isEmpty)
        #expect(directory.providers.map(\.name) == ["google"])
    }
}
