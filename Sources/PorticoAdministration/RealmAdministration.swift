package import PorticoBytes
import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// What can be done to realms and everything in them: the one implementation below the command line
/// and the administration over HTTP. Every operation judges whether its administrator may do it, keeps the
/// rules of registration, and ends in the trail.
///
/// - Throws: ``AdministrationRefusal``, of every operation.
package struct RealmAdministration: Sendable {
    package let store: RealmStore
    package let people: PersonStore
    package let sessions: SessionStore
    package let ring: KeyRing
    package let registration: PersonRegistration
    let clock: Clock
    /// Makes this process serve what has changed, before the operation returns.
    private let refresh: @Sendable () async throws -> Void
    private var refreshesAtOnce = true

    package init(
        store: RealmStore,
        people: PersonStore,
        sessions: SessionStore,
        ring: KeyRing,
        registration: PersonRegistration,
        clock: Clock,
        refreshing refresh: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.store = store
        self.people = people
        self.sessions = sessions
        self.ring = ring
        self.registration = registration
        self.refresh = refresh
        self.clock = clock
    }

    /// Makes many changes, after which this process serves them all.
    package func together(_ body: (RealmAdministration) async throws -> Void) async throws {
        var many = self
        many.refreshesAtOnce = false
        do {
            try await body(many)
        } catch {
            try await refresh()
            throw error
        }
        try await refresh()
    }

    /// Makes a change that this process serves at once.
    ///
    /// - Parameter taken: For something that has the name.
    @discardableResult
    func change<Outcome>(
        or taken: @autoclosure () -> AdministrationRefusal.Taken,
        _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        do {
            let outcome = try await body()
            if refreshesAtOnce { try await refresh() }
            return outcome
        } catch is StoreConflict {
            throw AdministrationRefusal.taken(taken())
        } catch let elsewhere as AppsElsewhere {
            throw AdministrationRefusal.invalid(.appsElsewhere(elsewhere.realm))
        }
    }

    // MARK: Rights

    /// The rights of an administrator in a realm as it is now.
    ///
    /// - Parameter right: One that they need.
    func rights(
        of administrator: Administrator,
        in realmID: String,
        needing right: AdminRight? = nil
    ) async throws -> AdminRights {
        guard administrator.realmID.map({ sameBytes($0, realmID) }) ?? true else {
            throw AdministrationRefusal.forbidden
        }
        guard let realm = try await store.realm(id: realmID) else {
            throw AdministrationRefusal.notFound(.realm)
        }
        let graph =
            administrator.isUnlimited
            ? .empty
            : RoleGraph(
                parts: try await store.roleParts(realmID: realmID),
                groups: try await store.groups(realmID: realmID)
            )
        let rights = AdminRights(administrator, in: realm, graph: graph)
        try Self.expect(right.map(rights.allows) ?? true)
        return rights
    }

    static func expect(_ condition: Bool) throws(AdministrationRefusal) {
        guard condition else { throw .forbidden }
    }

    /// Checks that the administrator may assign the client scopes of these names.
    func expectAssignable(_ names: [String], _ rights: AdminRights) async throws {
        guard !rights.isUnlimited, !names.isEmpty else { return }
        let scopes = try await store.scopes(realmID: rights.realm.id)
        for name in names {
            guard let scope = scopes.first(where: { sameBytes($0.name, name) }) else {
                throw AdministrationRefusal.forbidden
            }
            try await expectAssignable(scope, rights)
        }
    }

    func expectAssignable(_ scope: ClientScope, _ rights: AdminRights) async throws {
        guard !rights.isUnlimited else { return }
        let limits = try await store.roles(shownTo: .scope(scope.id))
        try Self.expect(rights.mayAssign(scope, showing: limits))
    }

    /// Checks that the administrator may add those of the mappers that were not there.
    static func expectAddable(
        _ mappers: [ClaimMapper],
        over former: [ClaimMapper],
        _ rights: AdminRights
    ) throws {
        guard mappers.count <= 100 || mappers.count <= former.count else {
            throw AdministrationRefusal.invalid(.tooManyMappers)
        }
        guard !rights.isUnlimited else { return }
        let known = Set(former)
        try expect(mappers.allSatisfy { known.contains($0) || rights.mayAdd($0) })
    }
}
