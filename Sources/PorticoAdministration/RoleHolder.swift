package import PorticoStores

/// What a role is given to.
package enum RoleHolder: Hashable, Sendable {
    /// A person, or the account that a client has for itself: their id.
    case person(String)
    /// Its id: all members have the role.
    case group(String)
    /// A role that contains it, a composite one.
    case role(RoleName)
    /// What a client without full scope sees, or a client scope shows it (scope mappings).
    case sight(of: RoleLimit.Owner)

    /// What it is that cannot be given to it.
    var missing: AdministrationRefusal.Kind {
        if case .role = self { .role } else { .givenRole }
    }

    /// What the trail calls it that a role is given to it, or taken from it.
    func kind(isGiven: Bool) -> Event.Kind {
        if case .role = self { return isGiven ? .rolePartCreated : .rolePartDeleted }
        return isGiven ? .roleMappingCreated : .roleMappingDeleted
    }

    /// For the trail.
    var id: String {
        switch self {
        case .person(let id), .group(let id): id
        case .role(let whole): whole.traced
        case .sight(of: .client(let id)), .sight(of: .scope(let id)): id
        }
    }
}
