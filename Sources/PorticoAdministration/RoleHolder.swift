package import PorticoStores

/// What a role is given to.
package enum RoleHolder: Hashable, Sendable {
    /// A person, or the account that a client has for itself: their id.
    case person(String)
    /// Its id: all members have the role.
    case group(String)
    /// A role that contains it, a composite one.
    case role(RoleName)
    /// What a client without full scope sees, or a client scope shows it (Keycloak's scope mappings).
    case sight(of: RoleLimit.Owner)
}

extension RealmAdministration {
    /// Gives a role, which may be there already, or takes it.
    ///
    /// - Returns: `.notFound` where role or holder is not there, or did not have what is taken.
    package func set(
        _ role: RoleName,
        of holder: RoleHolder,
        to isGiven: Bool,
        realmID: String
    ) async throws -> Change {
        try await change(or: .failed) {
            switch holder {
            case .person(let id):
                isGiven
                    ? try await people.assign(role, to: id, realmID: realmID)
                    : try await people.remove(role, from: id, realmID: realmID)
            case .group(let id):
                try await store.set(role, of: id, to: isGiven, realmID: realmID)
            case .role(let whole):
                isGiven
                    ? try await store.add(RolePart(role: whole, part: role), realmID: realmID)
                    : try await store.remove(RolePart(role: whole, part: role), realmID: realmID)
            case .sight(let owner):
                try await store.set(
                    RoleLimit(owner: owner, role: role),
                    to: isGiven,
                    realmID: realmID
                )
            }
        }
    }
}
