import PorticoBytes
package import PorticoStores
package import PorticoUpstream

/// The apps and identity providers that this process serves: an immutable snapshot, replaced when
/// the store's version has increased, because the command line writes from another process.
package final class BackendDirectory: Sendable {
    private let store: BackendConfigurationStore
    private let connect: Connect
    private let current: Locked<Snapshot>

    /// Makes the client of a provider; throws if its record is not usable.
    package typealias Connect = @Sendable (ProviderRecord) throws -> UpstreamClient

    /// A provider that could not be set up, and the reason, for the log.
    package struct Failure: Sendable {
        package let provider: String
        package let error: any Error
    }

    struct Snapshot: Sendable {
        var version: Int64
        var apps: AppRegister
        var providers: [LiveProvider]
        var failures: [Failure]
    }

    /// An enabled provider, in the operator's order.
    package struct LiveProvider: Sendable {
        package let record: ProviderRecord
        package let client: UpstreamClient

        package var name: String { record.name }
    }

    /// Reads the store once.
    package init(store: BackendConfigurationStore, connect: @escaping Connect) async throws {
        self.store = store
        self.connect = connect
        current = Locked(Snapshot(version: -1, apps: AppRegister([]), providers: [], failures: []))
        try await refresh()
    }

    var apps: AppRegister { current.withLock(\.apps) }

    /// Whether anything is configured.
    var isInUse: Bool { current.withLock { !$0.providers.isEmpty || !$0.apps.apps.isEmpty } }

    /// Enabled providers that could not be set up.
    package var failures: [Failure] { current.withLock(\.failures) }

    package var providers: [LiveProvider] { current.withLock(\.providers) }

    func provider(named name: some StringProtocol) -> LiveProvider? {
        providers.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Reads the store again if its version has increased. Called once a second, and by tests.
    /// Unchanged providers keep their cached data.
    @discardableResult
    package func refresh() async throws -> [Failure] {
        let known = current.withLock { $0 }
        guard try await store.version() != known.version else { return [] }
        let configuration = try await store.configuration()
        var failures: [Failure] = []
        let providers = configuration.providers.filter(\.isEnabled).compactMap { record in
            if let same = known.providers.first(where: { $0.record == record }) { return same }
            do {
                return LiveProvider(record: record, client: try connect(record))
            } catch {
                failures.append(Failure(provider: record.name, error: error))
                return nil
            }
        }
        current.withLock {
            $0 = Snapshot(
                version: configuration.version,
                apps: AppRegister(configuration.apps),
                providers: providers,
                failures: failures
            )
        }
        return failures
    }
}
