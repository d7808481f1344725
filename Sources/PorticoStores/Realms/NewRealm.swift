package struct NewRealm: Sendable {
    package var realm: Realm
    package var keys: [SigningKeyRecord]
    package var clients: [Client]
    package var roles: [Role]
    package var people: [NewPerson]
    package var keptKeys: [KeptKey] = []
    package var scopes: [ClientScope] = []
    package var roleParts: [RolePart] = []
    package var roleLimits: [RoleLimit] = []
    /// Parents before their children.
    package var groups: [GroupWithRoles] = []
    package var parts: [RealmPart] = []

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
    package var keptKeys: [KeptKey]
    package var scopes: [ClientScope]
    /// The roles that clients without full scope see.
    package var roleLimits: [RoleLimit.Owner: Set<RoleName>]
    /// By the realm's id; none for a realm without groups and roles that contain others.
    package var graphs: [String: RoleGraph]

    package static let empty = RealmSnapshotRecord(
        version: 0,
        realms: [],
        clients: [],
        keys: [],
        keptKeys: [],
        scopes: [],
        roleLimits: [:],
        graphs: [:]
    )
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
