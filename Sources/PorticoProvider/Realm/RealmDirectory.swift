import PorticoBytes
package import PorticoSeals
package import PorticoStores

/// The realms that this process serves: an immutable snapshot, replaced when the store's version
/// has grown. Other processes (the command line, other nodes) write the same store.
package final class RealmDirectory: Sendable {
    private let store: any RealmStore
    private let ring: KeyRing
    private let current: Locked<Snapshot>

    private struct Snapshot: Sendable {
        var version: Int64
        var realms: [String: LiveRealm]
    }

    /// Reads the store once.
    package init(store: any RealmStore, ring: KeyRing) async throws {
        self.store = store
        self.ring = ring
        current = Locked(try Self.snapshot(of: try await store.snapshot(), ring))
    }

    /// The enabled realm of that name.
    package func realm(named name: some StringProtocol) -> LiveRealm? {
        current.withLock { $0.realms[String(name)] }
    }

    package var realms: [LiveRealm] {
        current.withLock { Array($0.realms.values) }
    }

    /// Reads the store again where its version has grown. Called once a second, and by tests.
    package func refresh() async throws {
        let known = current.withLock(\.version)
        guard try await store.version() != known else { return }
        let fresh = try Self.snapshot(of: try await store.snapshot(), ring)
        current.withLock { $0 = fresh }
    }

    private static func snapshot(of record: RealmSnapshotRecord, _ ring: KeyRing) throws
        -> Snapshot
    {
        var realms: [String: LiveRealm] = [:]
        let clients = Dictionary(grouping: record.clients, by: \.realmID)
        let keys = Dictionary(grouping: record.keys, by: \.realmID)
        for realm in record.realms where realm.isEnabled {
            realms[realm.name] = LiveRealm(
                realm: realm,
                clients: clients[realm.id] ?? [],
                keys: try RealmKeys(keys[realm.id] ?? [], ring: ring)
            )
        }
        return Snapshot(version: record.version, realms: realms)
    }
}
