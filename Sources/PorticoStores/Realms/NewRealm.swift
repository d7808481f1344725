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

/// What became of a change.
protocol StoreOutcome: Hashable {
    var hasHappened: Bool { get }
}

package enum Creation: StoreOutcome, Sendable {
    case created
    /// Something of that name is there already.
    case conflict

    var hasHappened: Bool { self == .created }
}

package enum Change: StoreOutcome, Sendable {
    case changed
    case notFound

    var hasHappened: Bool { self == .changed }
}

/// Without a change: it was not allowed.
extension Optional: StoreOutcome where Wrapped: StoreOutcome {
    var hasHappened: Bool { self?.hasHappened ?? false }
}
