import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoWeb

/// Hosts of the AT Protocol for browsers that are real: two stand-ins on `localhost`, each with a realm
/// of ours behind it. Their clock is one, and stopped.
///
/// At both, `alice` has the account of ``ATHostPerson/ann``, and `bob` has none yet. The first is the
/// directory of DIDs, too.
package struct RunningHosts: Sendable {
    package let first: JoinedHost
    package let second: JoinedHost
    /// How many sign-ins an address may begin.
    package var startsPerMinute = 1000

    /// Runs `body` with hosts of its own.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable (RunningHosts) async throws -> Result
    ) async throws -> Result {
        let clock = StoppedClock()
        return try await at(clock) { first in
            try await at(clock) { second in
                try await body(RunningHosts(first: first, second: second))
            }
        }
    }

    private static func at<Result: Sendable>(
        _ clock: StoppedClock,
        _ body: @escaping @Sendable (JoinedHost) async throws -> Result
    ) async throws -> Result {
        try await withLoopbackListener { port, door in
            let host = try await JoinedHost(
                at: "http://localhost:\(port)",
                clock: clock,
                // The client is on this machine, and has no document.
                documentsBy: LateSites(),
                accounts: ["alice": .ann]
            )
            door.stands(before: host.responder)
            return try await body(host)
        }
    }

    package var clock: StoppedClock { first.provider.clock }

    /// Sign-in by handle, as it is kept.
    var provider: ProviderRecord {
        ProviderRecord(
            realmID: "home",
            name: HandleProvider.kind,
            kind: HandleProvider.kind,
            place: 100,
            isEnabled: true,
            settings: [
                HandleSetting.directory.rawValue: .string(first.host.baseURL),
                HandleSetting.defaultDomain.rawValue: .string(ATHost.domain),
            ],
            sealedSecret: nil
        )
    }

    func directory(ring: KeyRing, publicURL: PublicURL) throws -> HandleDirectory {
        let passwords = try IronPasswords(session: SecretText(BackendUnderTest.sealPassword))
        // What is asked at the site of a handle that no one has.
        let nobody = ["nobody.\(ATHost.domain)": first.server]
        let transport = InProcessTransport(
            first.transport.doors.merging(second.transport.doors) { $1 }.merging(nobody) { $1 }
        )
        var rules = first.rules
        rules.plainOrigins.formUnion(second.rules.plainOrigins)
        let network = HandleDirectory.Network(transport: transport, names: first)
        return HandleDirectory(
            ring: ring,
            clock: first.clock,
            publicURL: publicURL,
            strangers: network,
            known: network,
            calls: transport,
            rules: rules
        ) { _ in passwords }
    }
}
