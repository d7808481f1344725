import PorticoBytes
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// The realms that this process serves: an immutable snapshot, replaced when the store's version
/// has increased. Other processes (the command line, other nodes) write to the same store.
package final class RealmDirectory: Sendable {
    private let store: RealmStore
    private let ring: KeyRing
    private let current: Locked<Snapshot>
    /// Of all realms; they outlive a snapshot.
    private let documented: DocumentedClients
    /// Whether `admin-cli` of the realm `master` may send people's passwords (``PasswordGrant``).
    private let takesAdminPasswords: Bool

    private struct Snapshot: Sendable {
        var version: Int64
        var realms: [String: LiveRealm]
        var disabled: [String: LiveRealm]
        /// Those with a host of their own.
        var hosted: [LiveRealm]
    }

    /// Reads the store once.
    ///
    /// - Parameter takesAdminPasswords: Whether `admin-cli` of the realm `master` may send people's
    ///   passwords.
    package init(
        store: RealmStore,
        ring: KeyRing,
        takesAdminPasswords: Bool = false
    ) async throws {
        self.store = store
        self.ring = ring
        self.takesAdminPasswords = takesAdminPasswords
        let documented = DocumentedClients()
        self.documented = documented
        current = Locked(
            try Self.snapshot(
                of: try await store.snapshot(),
                ring,
                documented,
                takesAdminPasswords: takesAdminPasswords
            )
        )
    }

    /// The enabled realm of that name.
    package func realm(named name: some StringProtocol) -> LiveRealm? {
        current.withLock { $0.realms[String(name)] }
    }

    /// The realm of that name, enabled or not, for its administration.
    package func kept(named name: some StringProtocol) -> LiveRealm? {
        current.withLock { $0.realms[String(name)] ?? $0.disabled[String(name)] }
    }

    /// The enabled realm that has that host to itself.
    func realm(at host: PublicURL) -> LiveRealm? {
        current.withLock { $0.hosted.first { $0.host == host } }
    }

    /// The hosts that enabled realms have to themselves (docs/decisions/0059).
    package var hosts: [PublicURL] {
        current.withLock { $0.hosted.compactMap(\.host) }
    }

    /// All realms, enabled or not.
    package var kept: [LiveRealm] {
        current.withLock { Array($0.realms.values) + Array($0.disabled.values) }
    }

    /// The enabled realm of that id.
    func realm(id: String) -> LiveRealm? {
        current.withLock { $0.realms.values.first { $0.realm.id == id } }
    }

    package var realms: [LiveRealm] {
        current.withLock { Array($0.realms.values) }
    }

    /// A signing key that another process added, or began to use earlier, or removed.
    package struct KeyChange: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case published(activeFrom: Int64)
            case broughtForward(activeFrom: Int64)
            case removed
        }

        package let realm: String
        package let keyID: String
        package let kind: Kind
    }

    /// Reads the store again if its version has increased. Called once a second, and by tests.
    ///
    /// - Returns: How the signing keys of remaining realms have changed.
    @discardableResult
    package func refresh() async throws -> [KeyChange] {
        let known = current.withLock(\.version)
        guard try await store.version() != known else { return [] }
        let fresh = try Self.snapshot(
            of: try await store.snapshot(),
            ring,
            documented,
            takesAdminPasswords: takesAdminPasswords
        )
        let former = current.withLock { current in
            let former = current
            // Of two readings at the same time the later one counts, whichever ends first.
            if fresh.version > current.version { current = fresh }
            return former
        }
        return fresh.version > former.version ? Self.keyChanges(from: former, to: fresh) : []
    }

    private static func keyChanges(from former: Snapshot, to fresh: Snapshot) -> [KeyChange] {
        former.realms.sorted { $0.key < $1.key }.flatMap { name, old -> [KeyChange] in
            guard let new = fresh.realms[name], new.realm.id == old.realm.id else { return [] }
            let (before, after) = (old.keys.signingTimes, new.keys.signingTimes)
            return Set(before.keys).union(after.keys).sorted().compactMap { keyID in
                let kind: KeyChange.Kind? =
                    switch (before[keyID], after[keyID]) {
                    case (nil, let activeFrom?): .published(activeFrom: activeFrom)
                    case (_?, nil): .removed
                    case (let was?, let activeFrom?) where was != activeFrom:
                        .broughtForward(activeFrom: activeFrom)
                    default: nil
                    }
                return kind.map { KeyChange(realm: name, keyID: keyID, kind: $0) }
            }
        }
    }

    private static func snapshot(
        of record: RealmSnapshotRecord,
        _ ring: KeyRing,
        _ documented: DocumentedClients,
        takesAdminPasswords: Bool
    ) throws -> Snapshot {
        var snapshot = Snapshot(version: record.version, realms: [:], disabled: [:], hosted: [])
        let clients = Dictionary(grouping: record.clients, by: \.realmID)
        let keys = Dictionary(grouping: record.keys, by: \.realmID)
        let keptKeys = Dictionary(grouping: record.keptKeys, by: \.realmID)
        let scopes = Dictionary(grouping: record.scopes, by: \.realmID)
        // What an import has begun has no name that a realm may have.
        for realm in record.realms where Realm.isName(realm.name) {
            let graph = record.graphs[realm.id] ?? .empty
            let live = LiveRealm(
                realm: realm,
                clients: clients[realm.id] ?? [],
                keys: try RealmKeys(
                    keys[realm.id] ?? [],
                    kept: keptKeys[realm.id] ?? [],
                    ring: ring
                ),
                graph: graph,
                views: TokenViews(
                    of: realm,
                    scopes: scopes[realm.id] ?? [],
                    limits: record.roleLimits,
                    graph: graph
                ),
                former: try FormerTokens(of: realm, keptKeys[realm.id] ?? [], ring: ring),
                documented: documented,
                takesPasswords: takesAdminPasswords && PasswordGrant.isServed(in: realm.name)
            )
            if realm.isEnabled {
                snapshot.realms[realm.name] = live
                if live.host != nil { snapshot.hosted.append(live) }
            } else {
                snapshot.disabled[realm.name] = live
            }
        }
        return snapshot
    }
}
