import Foundation
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// What commands about the backend-for-frontend work with.
extension Administration {
    func backend() async throws -> BackendConfiguration {
        try await installation.backend.configuration()
    }

    /// The one set, else that of the server which runs.
    var publicURL: String {
        settledPublicURL?.origin ?? installation.settings.effectivePublicURL
    }

    /// `nil`: nobody has said where people reach the server, and none runs.
    var settledPublicURL: PublicURL? {
        installation.settings.publicURL ?? ServerLock.servedURL(installation.directory)
    }

    func provider(_ name: String) async throws -> ProviderRecord {
        let providers = try await backend().providers
        guard let provider = providers.first(where: { sameBytes($0.name, name) }) else {
            throw missing(
                "provider",
                name,
                among: providers.map(\.name),
                "portico provider list"
            )
        }
        return provider
    }

    func app(_ name: String) async throws -> App {
        let apps = try await backend().apps
        guard let app = apps.first(where: { sameBytes($0.name, name) }) else {
            throw missing("app", name, among: apps.map(\.name), "portico app list")
        }
        return app
    }

    /// The account of that id, as it was typed.
    func account(_ text: String) async throws -> Account {
        let id = try accountID(text)
        guard let account = try await installation.accounts.account(id) else {
            throw missing("account", text, among: [], "portico account list")
        }
        return account
    }

    private func accountID(_ text: String) throws(Failure) -> UniqueID {
        guard let id = UniqueID(text) else {
            throw Failure(
                .wrongValue,
                "\"\(printable(text))\" is no id of an account.",
                "Find it: portico account list --email ADDRESS"
            )
        }
        return id
    }

    /// Stand-ins are admitted where a demonstration made the data, and nowhere else.
    var allowsStandIns: Bool {
        FileManager.default.fileExists(atPath: installation.directory.demoMarker)
    }

    /// What speaks to a provider.
    ///
    /// - Throws: Where its settings or its secret are not usable.
    func client(of record: ProviderRecord, over transport: any HTTPTransport) throws
        -> UpstreamClient
    {
        let clock = installation.clock
        return try UpstreamClient(
            record,
            ring: installation.ring,
            transport: transport,
            allowingStandIns: allowsStandIns,
            now: { clock.moment().now }
        )
    }

    /// Lends the program's way out, and ends it whatever happens.
    static func withOutbound<Value>(_ body: (OutboundClient) async throws -> Value) async throws
        -> Value
    {
        let outbound = OutboundClient()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(outbound))
        } catch {
            result = .failure(error)
        }
        try await outbound.shutdown()
        return try result.get()
    }
}

extension BackendConfiguration {
    /// Whether the server serves a backend at all.
    var isInUse: Bool {
        providers.contains(where: \.isEnabled) || apps.contains(where: \.isEnabled)
    }
}

extension App {
    /// Why an app that gets its session in an address is warned about (docs/decisions/0013).
    var sessionWarning: String? {
        guard isEnabled, handOff == .sessionToken else { return nil }
        return
            "gets its session in the address it is opened with: anyone who sees that address has "
            + "the session"
    }
}
