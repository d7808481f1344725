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
