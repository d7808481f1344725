package import PorticoAdministration
import PorticoProtocol
package import PorticoProvider
package import PorticoSeals
package import PorticoStores

/// Changes realms with everything in them, by the rules of registration: the one implementation of
/// the administration over HTTP and of the command line. Who may do it is not asked here.
package struct RealmAdministration: Sendable {
    /// As this process serves them: a change is there when the method returns. `nil` for a command,
    /// which serves none.
    package let realms: RealmDirectory?
    let store: RealmStore
    let people: PersonStore
    let sessions: BrowserSessionStore
    package let grants: GrantStore
    let ring: KeyRing
    package let registration: PersonRegistration
    /// What issuers begin with.
    let baseURL: String
    /// Whether those who administer the realm `master` administer all realms.
    let hasMaster: Bool
    private var readsAtOnce = true

    package init(
        realms: RealmDirectory?,
        store: RealmStore,
        people: PersonStore,
        sessions: BrowserSessionStore,
        grants: GrantStore,
        ring: KeyRing,
        registration: PersonRegistration,
        baseURL: String,
        hasMaster: Bool = false
    ) {
        self.realms = realms
        self.store = store
        self.people = people
        self.sessions = sessions
        self.grants = grants
        self.ring = ring
        self.registration = registration
        self.baseURL = baseURL
        self.hasMaster = hasMaster
    }

    /// Makes many changes, after which realms are read again once.
    func together(_ body: (RealmAdministration) async throws -> Void) async throws {
        var many = self
        many.readsAtOnce = false
        do {
            try await body(many)
        } catch {
            try await realms?.refresh()
            throw error
        }
        try await realms?.refresh()
    }

    /// Makes a change that realms are read again for, before it is answered.
    ///
    /// - Throws: ``AdminRefusal`` with `conflict` where something of that name is there.
    func change<Outcome>(
        or conflict: @autoclosure () -> AdminRefusal,
        _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        do {
            let outcome = try await body()
            if readsAtOnce { try await realms?.refresh() }
            return outcome
        } catch is StoreConflict {
            throw conflict()
        }
    }
}
