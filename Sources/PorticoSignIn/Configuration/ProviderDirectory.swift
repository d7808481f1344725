import PorticoBytes
import PorticoPages
package import PorticoStores
package import PorticoUpstream

/// The apps and identity providers of one place (``SignInPlace``) that this process serves.
package struct ProviderDirectory: Sendable {
    private let register: ProviderRegister
    /// Whose place it is; `nil`: the backend's.
    private let own: Realm?

    /// Reads the store once, for the backend's place.
    ///
    /// - Parameter handles: What signs people in by handle; `nil` where that is not offered.
    package init(
        store: BackendConfigurationStore,
        handles: HandleDirectory? = nil,
        connect: @escaping ProviderRegister.Connect
    ) async throws {
        register = try await ProviderRegister(store: store, handles: handles, connect: connect)
        own = nil
    }

    private init(_ register: ProviderRegister, of own: Realm) {
        self.register = register
        self.own = own
    }

    /// The same register, for the place of a realm.
    package func at(_ realm: Realm) -> ProviderDirectory { ProviderDirectory(register, of: realm) }

    var place: SignInPlace { SignInPlace(own) }

    package var store: BackendConfigurationStore { register.store }

    private var current: Locked<ProviderRegister.Snapshot> { register.current }

    /// Those of the backend: a realm has none.
    package var apps: AppRegister { own == nil ? current.withLock(\.apps) : AppRegister([]) }

    /// The realm whose people sign in.
    ///
    /// - Throws: `not_found` before the first provider or app.
    func realm() throws(ServiceError) -> Realm {
        guard let realm = own ?? current.withLock(\.realm) else {
            throw ServiceError(.notFound, "No one can sign in here yet.")
        }
        return realm
    }

    /// - Throws: `forbidden` where people do not delete their own accounts.
    package func expectDeletion() throws(ServiceError) {
        guard try realm().allowsDeletion else {
            throw ServiceError(.forbidden, "People do not delete their accounts here themselves.")
        }
    }

    /// What holds of the sessions of its realm's people.
    struct SessionRule: Sendable {
        let realmID: String
        /// Of a session that has no limit of its own, in seconds.
        let idle: Int64
        /// Sessions of sign-ins before that are over.
        let notBefore: Int64

        init(_ realm: Realm) {
            realmID = realm.id
            idle = realm.lifetimes.sessionIdle + SessionActivity.precision
            notBefore = realm.notBefore
        }
    }

    /// `nil` before the first provider or app.
    var sessionRule: SessionRule? {
        own.map(SessionRule.init) ?? current.withLock { $0.realm.map(SessionRule.init) }
    }

    /// Whether that realm is the one whose people sign in at the backend, and its pages are at that address.
    func isOf(_ realmID: String, at origin: String) -> Bool {
        current.withLock { snapshot in
            guard let realm = snapshot.realm, sameBytes(realm.id, realmID), realm.isEnabled else {
                return false
            }
            return realm.issuer.utf8.starts(with: "\(origin)/".utf8)
        }
    }

    /// Whether account pages there want both steps, as the realm's own do: below a realm, and where its people
    /// have their account at the backend.
    func wantsBothSteps(at origin: String) -> Bool {
        own != nil || sessionRule.map { isOf($0.realmID, at: origin) } == true
    }

    /// Whether its people have a page there where they sign in with a password.
    func takesPasswords(at origin: String) -> Bool {
        // `try?`: without a realm there are no people.
        guard let realm = try? realm(), realm.signsInWithPassword else { return false }
        return own != nil || isOf(realm.id, at: origin)
    }

    /// Whether a realm's people were chosen for the backend, however they sign in now.
    package var hasPeople: Bool { sessionRule != nil }

    /// Whether anything is configured for the backend.
    package var isInUse: Bool {
        current.withLock {
            !$0.providersHere.isEmpty || !$0.apps.apps.isEmpty || $0.handles != nil
        }
    }

    /// Sign-in by handle, if it is enabled.
    package var handles: HandleDirectory.Live? {
        own == nil ? current.withLock(\.handles) : nil
    }

    /// The same, for addresses that are there only with it.
    package func liveHandles() throws(ServiceError) -> HandleDirectory.Live {
        guard let handles else {
            throw ServiceError(.notFound, "Sign-in by handle is not available here.")
        }
        return handles
    }

    /// All keys that we prove, or proved, ourselves by at hosts.
    package var handleKeys: [HandleClientKey] { current.withLock(\.handleKeys) }

    /// Enabled providers that could not be set up, of all realms.
    package var failures: [ProviderRegister.Failure] { current.withLock(\.failures) }

    package var providers: [LiveProvider] {
        current.withLock { snapshot in
            own.map { snapshot.providers(of: $0.id) } ?? snapshot.providersHere
        }
    }

    /// Those of a realm, by its id.
    func providers(of realmID: String) -> [LiveProvider] {
        current.withLock { $0.providers(of: realmID) }
    }

    /// Of all realms.
    package var allProviders: [LiveProvider] {
        current.withLock { $0.providers.values.flatMap(\.self) }
    }

    /// The names of all that people can sign in with now.
    var names: [String] {
        providers.map(\.name) + (handles.map { [$0.record.name] } ?? [])
    }

    /// What people call the provider of a name, in whatever realm it is; the name itself if it is not
    /// configured.
    package func displayName(of name: String) -> String {
        let names = Set(
            allProviders.filter { sameBytes($0.name, name) }.map(\.client.provider.displayName)
        )
        // One realm's name for it is not another's.
        return names.count == 1
            ? names.first ?? name : SignInMethods(self).label(name)?.displayName ?? name
    }

    /// Where its answer comes in, as is registered there. Of a realm's file it stays where it was, even if the
    /// realm becomes the backend's.
    func callback(of provider: LiveProvider, isLink: Bool) -> String {
        guard provider.record.isOfFile, let realm = own ?? current.withLock(\.realm) else {
            return place.callback(of: provider.name, isLink: isLink)
        }
        return SignInPlace(realm).callback(of: provider.name, isLink: isLink)
    }

    package func provider(named name: some StringProtocol) -> LiveProvider? {
        providers.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The provider that an identity is at: by its name, and of its issuer.
    package func provider(of identity: Identity) -> LiveProvider? {
        guard let issuer = identity.issuer, let provider = provider(named: identity.provider),
            sameBytes(issuer, provider.client.provider.canonicalIssuer)
        else { return nil }
        return provider
    }

    /// ``ProviderRegister/refresh()``
    @discardableResult
    package func refresh() async throws -> [ProviderRegister.Failure] {
        try await register.refresh()
    }

    /// ``ProviderRegister/refreshPasswords()``
    package func refreshPasswords() throws { try register.refreshPasswords() }
}

extension ProviderDirectory {
    /// An enabled provider, in the operator's order.
    package struct LiveProvider: Sendable {
        package let record: ProviderRecord
        package let client: UpstreamClient

        package var name: String { record.name }
    }
}

/// The apps and identity providers of all realms: an immutable snapshot, replaced when the store's version is
/// another, because the command line writes from another process.
package final class ProviderRegister: Sendable {
    let store: BackendConfigurationStore
    private let handleDirectory: HandleDirectory?
    private let connect: Connect
    fileprivate let current: Locked<Snapshot>

    /// Makes the client of a provider; throws if its record is not usable.
    package typealias Connect = @Sendable (ProviderRecord) throws -> UpstreamClient

    /// A provider that could not be set up, and the reason, for the log.
    package struct Failure: Sendable {
        let record: ProviderRecord
        package let error: any Error

        package var provider: String { record.name }
    }

    fileprivate struct Snapshot: Sendable {
        /// As it was read last; `nil`: nothing was.
        var configuration: BackendConfiguration?
        var apps = AppRegister([])
        /// By the ids of their realms.
        var providers: [String: [ProviderDirectory.LiveProvider]] = [:]
        var handles: HandleDirectory.Live?
        var failures: [Failure] = []

        /// Whose people sign in at the backend; `nil` before the first provider or app.
        var realm: Realm? { configuration?.realm }
        var handleKeys: [HandleClientKey] { configuration?.handleKeys ?? [] }

        func providers(of realmID: String) -> [ProviderDirectory.LiveProvider] {
            providers[realmID] ?? []
        }

        /// The backend's.
        var providersHere: [ProviderDirectory.LiveProvider] {
            realm.map { providers(of: $0.id) } ?? []
        }
    }

    fileprivate init(
        store: BackendConfigurationStore,
        handles: HandleDirectory?,
        connect: @escaping Connect
    ) async throws {
        self.store = store
        handleDirectory = handles
        self.connect = connect
        current = Locked(Snapshot())
        try await refresh()
    }

    /// Reads the store again if its version is another. Called once a second, and by tests.
    /// Unchanged providers keep their cached data, and one that could not be set up is not tried again.
    ///
    /// - Returns: What could not be set up, and was not known by that record before.
    @discardableResult
    package func refresh() async throws -> [Failure] {
        let known = current.withLock { $0 }
        guard try await store.version() != known.configuration?.version else { return [] }
        let configuration = try await store.configuration(since: known.configuration)
        if known.configuration?.version.backend == configuration.version.backend {
            current.withLock {
                $0.configuration = configuration
                $0.apps = AppRegister(configuration.apps)
            }
            return []
        }
        var failures: [Failure] = []
        let enabled = configuration.allProviders.filter(\.isEnabled)
        let handles = enabled.first {
            $0.kind == HandleProvider.kind && $0.realmID == configuration.realm?.id
        }.flatMap { record in
            do {
                return try live(record, configuration.handleKeys, known)
            } catch {
                failures.append(Failure(record: record, error: error))
                return nil
            }
        }
        let others = enabled.filter { $0.kind != HandleProvider.kind }
        let providers = others.compactMap { record -> ProviderDirectory.LiveProvider? in
            let before = known.providers(of: record.realmID)
            if let same = before.first(where: { $0.record == record }) { return same }
            if let same = known.failures.first(where: { $0.record == record }) {
                failures.append(same)
                return nil
            }
            do {
                return ProviderDirectory.LiveProvider(record: record, client: try connect(record))
            } catch {
                failures.append(Failure(record: record, error: error))
                return nil
            }
        }
        current.withLock {
            $0 = Snapshot(
                configuration: configuration,
                apps: AppRegister(configuration.apps),
                providers: Dictionary(grouping: providers, by: \.record.realmID),
                handles: handles,
                failures: failures
            )
        }
        return failures.filter { failure in
            !known.failures.contains { $0.record == failure.record }
        }
    }

    /// Looks for other passwords of the cookie `sid`: one that was taken out, perhaps because others know
    /// it, opens nothing from then on. Called once a second.
    ///
    /// - Throws: What keeps them from being read. Those from before stay.
    package func refreshPasswords() throws {
        guard let handleDirectory, let handles = current.withLock(\.handles),
            let cookie = try handleDirectory.cookie(replacing: handles.cookie)
        else { return }
        current.withLock { snapshot in
            guard var handles = snapshot.handles else { return }
            handles.cookie = cookie
            snapshot.handles = handles
        }
    }

    private func live(
        _ record: ProviderRecord,
        _ keys: [HandleClientKey],
        _ known: Snapshot
    ) throws -> HandleDirectory.Live? {
        if let same = known.handles, same.record == record, known.handleKeys == keys { return same }
        return try handleDirectory?.live(record, keys)
    }
}
