import PorticoProtocol
package import PorticoProvider
package import PorticoSeals
package import PorticoStores

/// Changes realms with everything in them, by the rules of registration: the one implementation of
/// the administration over HTTP and of the command line. Who may do it is not asked here.
package struct RealmAdministration: Sendable {
    /// As this process serves them: a change is there when the method returns.
    package let realms: RealmDirectory
    let store: RealmStore
    let people: PersonStore
    let sessions: BrowserSessionStore
    package let grants: GrantStore
    let ring: KeyRing
    let registration: PersonRegistration
    /// What issuers begin with.
    let baseURL: String
    /// Whether those who administer the realm `master` administer all realms.
    let hasMaster: Bool

    package init(
        realms: RealmDirectory,
        store: RealmStore,
        people: PersonStore,
        sessions: BrowserSessionStore,
        grants: GrantStore,
        ring: KeyRing,
        hashing: PasswordHashing,
        baseURL: String,
        hasMaster: Bool
    ) {
        self.realms = realms
        self.store = store
        self.people = people
        self.sessions = sessions
        self.grants = grants
        self.ring = ring
        registration = PersonRegistration(hashing: hashing)
        self.baseURL = baseURL
        self.hasMaster = hasMaster
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
            try await realms.refresh()
            return outcome
        } catch is StoreConflict {
            throw conflict()
        }
    }
}
