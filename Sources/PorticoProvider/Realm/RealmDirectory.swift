import PorticoBytes
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// The realms that this process serves. Other processes (the command line, other nodes) write to the
/// same store: what they changed is read again, and nothing else.
package final class RealmDirectory: Sendable {
    private let store: RealmStore
    private let ring: KeyRing
    private let current = Locked(Realms())
    /// The clients of all realms.
    package let clients: ClientCache
    /// Of all realms; they outlive a change of one.
    private let documented = DocumentedClients()
    /// Whether `admin-cli` of the realm `master` may send people's passwords (``PasswordGrant``).
    private let takesAdminPasswords: Bool

    private struct Realms: Sendable {
        /// Of the last change that is known.
        var number: Int64?
        /// By their ids, enabled or not.
        var all: [String: LiveRealm] = [:]
        var enabled: [String: LiveRealm] = [:]
        var disabled: [String: LiveRealm] = [:]
        /// Those with a host of their own.
        var hosted: [LiveRealm] = []

        /// After a change of ``all``.
        mutating func sort() {
            let (on, off) = (
                all.values.filter(\.realm.isEnabled), all.values.filter { !$0.realm.isEnabled }
            )
            enabled = Dictionary(on.map { ($0.name, $0) }) { first, _ in first }
            disabled = Dictionary(off.map { ($0.name, $0) }) { first, _ in first }
            hosted = on.filter { $0.host != nil }
        }
    }

    /// Reads the realms of the store, and no client.
    ///
    /// - Parameters:
    ///   - takesAdminPasswords: Whether `admin-cli` of the realm `master` may send people's passwords.
    ///   - clients: For tests of its bounds.
    package init(
        store: RealmStore,
        ring: KeyRing,
        takesAdminPasswords: Bool = false,
        clients: ClientCache = ClientCache()
    ) async throws {
        self.store = store
        self.ring = ring
        self.takesAdminPasswords = takesAdminPasswords
        self.clients = clients
        try await refresh()
    }

    /// The enabled realm of that name.
    package func realm(named name: some StringProtocol) -> LiveRealm? {
        current.withLock { $0.enabled[String(name)] }
    }

    /// The realm of that name, enabled or not, for its administration.
    package func kept(named name: some StringProtocol) -> LiveRealm? {
        current.withLock { $0.enabled[String(name)] ?? $0.disabled[String(name)] }
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
        current.withLock { Array($0.all.values) }
    }

    /// The enabled realm of that id.
    func realm(id: String) -> LiveRealm? {
        current.withLock { $0.all[id].flatMap { $0.realm.isEnabled ? $0 : nil } }
    }

    package var realms: [LiveRealm] {
        current.withLock { Array($0.enabled.values) }
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

    /// Reads what changed since the last time. Called once a second, after each change of this process,
    /// and by tests.
    ///
    /// - Returns: How the signing keys of remaining realms have changed.
    @discardableResult
    package func refresh() async throws -> [KeyChange] {
        guard let news = try await store.news(after: current.withLock(\.number)) else { return [] }
        let fresh = try news.realms.map { contents in
            try LiveRealm(
                contents,
                ring: ring,
                store: store,
                cache: clients,
                documented: documented,
                takesPasswords: takesAdminPasswords
                    && PasswordGrant.isServed(in: contents.realm.name)
            )
        }
        return current.withLock { current in
            // Of two readings at the same time the later one counts, whichever ends first: it has all
            // that the other one has.
            guard news.number > current.number ?? 0 else { return [] }
            current.number = news.number
            let gone = news.isAfresh ? Set(current.all.keys) : news.gone
            var generations: [String: Int?] = [:]
            for id in gone { generations[id] = .some(nil) }
            for realm in fresh { generations[realm.id] = realm.generation }
            clients.forget(news.clients, generations, at: news.number)
            guard !generations.isEmpty else { return [] }
            let changes = fresh.sorted { $0.name < $1.name }.flatMap { realm in
                current.all[realm.id].map { Self.keyChanges(from: $0, to: realm) } ?? []
            }
            for id in gone { current.all[id] = nil }
            for realm in fresh { current.all[realm.id] = realm }
            current.sort()
            return changes
        }
    }

    private static func keyChanges(from former: LiveRealm, to fresh: LiveRealm) -> [KeyChange] {
        guard former.realm.isEnabled, fresh.realm.isEnabled else { return [] }
        let (before, after) = (former.keys.signingTimes, fresh.keys.signingTimes)
        return Set(before.keys).union(after.keys).sorted().compactMap { keyID in
            let kind: KeyChange.Kind? =
                switch (before[keyID], after[keyID]) {
                case (nil, let activeFrom?): .published(activeFrom: activeFrom)
                case (_?, nil): .removed
                case (let was?, let activeFrom?) where was != activeFrom:
                    .broughtForward(activeFrom: activeFrom)
                default: nil
                }
            return kind.map { KeyChange(realm: fresh.name, keyID: keyID, kind: $0) }
        }
    }
}
