/// Keeps realms with their clients, roles and signing keys: what changes seldom and is held in
/// memory by every process.
///
/// A change that names something that is not there throws ``MissingReference``; ``StoreConflict``
/// is thrown where an answer has no word for it. Nothing has happened then.
package protocol RealmStore: Sendable {
    /// A number that grows with every change of a realm, client or signing key, whichever process
    /// made it.
    func version() async throws -> Int64

    /// All realms with their clients and keys, consistent with one another and with the version
    /// returned.
    func snapshot() async throws -> RealmSnapshotRecord

    /// Creates a realm with its first signing keys, clients and roles: all or nothing.
    ///
    /// Of any number of concurrent calls for one name exactly one gets `.created`. A realm's
    /// issuer is its own, too: another's is `.conflict` (docs/decisions/0036).
    func create(_ realm: NewRealm) async throws -> Creation

    /// Replaces what is kept of a realm; name, id and issuer stay.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    func update(_ realm: Realm, replacing former: Realm?) async throws -> Change

    /// Deletes a realm and everything in it. Sessions and grants are dead at once; what is kept
    /// of them goes with the next purge.
    func deleteRealm(id: String) async throws -> Change

    /// `.conflict` where the realm has a client of that `client_id`; exactly one of many concurrent
    /// calls creates it.
    func create(_ client: Client) async throws -> Creation
    /// Replaces what is kept of a client, found by its id; `client_id` and realm stay.
    ///
    /// - Parameter former: As for a realm.
    func update(_ client: Client, replacing former: Client?) async throws -> Change
    /// Deletes a client with its roles; its grants end with it.
    func deleteClient(id: String) async throws -> Change

    /// Roles of a realm in the order of client and name, the realm's own first.
    func roles(realmID: String) async throws -> [Role]
    /// `.conflict` where the realm, or its client, has a role of that name.
    func create(_ role: Role) async throws -> Creation
    /// Deletes a role and takes it from everybody.
    func deleteRole(id: String) async throws -> Change

    /// Adds keys and changes when others are used and retired, in one step: a rotation is seen
    /// whole or not at all.
    func rotate(adding: [SigningKeyRecord], changing: [SigningKeyRecord]) async throws
    /// Removes keys that were retired before `time` (seconds since 1970).
    func removeKeys(retiredBefore time: Int64) async throws
}

extension RealmStore {
    package func update(_ realm: Realm) async throws -> Change {
        try await update(realm, replacing: nil)
    }

    package func update(_ client: Client) async throws -> Change {
        try await update(client, replacing: nil)
    }
}

package struct NewRealm: Sendable {
    package var realm: Realm
    package var keys: [SigningKeyRecord]
    package var clients: [Client]
    package var roles: [Role]
    package var people: [NewPerson]

    package init(
        realm: Realm,
        keys: [SigningKeyRecord],
        clients: [Client] = [],
        roles: [Role] = [],
        people: [NewPerson] = []
    ) {
        self.realm = realm
        self.keys = keys
        self.clients = clients
        self.roles = roles
        self.people = people
    }
}

package struct RealmSnapshotRecord: Sendable {
    package var version: Int64
    package var realms: [Realm]
    package var clients: [Client]
    package var keys: [SigningKeyRecord]

    package init(
        version: Int64,
        realms: [Realm],
        clients: [Client],
        keys: [SigningKeyRecord]
    ) {
        self.version = version
        self.realms = realms
        self.clients = clients
        self.keys = keys
    }
}

package enum Creation: Hashable, Sendable {
    case created
    /// Something of that name is there already.
    case conflict
}

package enum Change: Hashable, Sendable {
    case changed
    case notFound
}
