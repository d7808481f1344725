import PorticoProtocol
package import PorticoStores

/// Roles, what they contain, and what they are given to.
extension RealmAdministration {
    /// - Parameter parts: What the role contains.
    package func create(
        _ role: Role,
        containing parts: [RoleName] = [],
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(
            of: administrator,
            in: role.realmID,
            needing: .manageRoles(of: role.roleName)
        )
        try Self.expect(rights.mayChange(role.roleName) && rights.mayGive(parts))
        try Self.check(role)
        guard try await store.existing(parts, realmID: role.realmID).count == parts.count else {
            throw AdministrationRefusal.notFound(.role)
        }
        try await write(.roleCreated, nil, role, by: administrator) {
            try await $0.create(role) == .created
        }
        try await set(
            parts,
            of: .role(role.roleName),
            to: true,
            in: role.realmID,
            by: administrator
        )
    }

    package func update(
        _ role: Role,
        replacing former: Role,
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(of: former, for: administrator)
        try Self.expect(rights.mayChange(role.roleName))
        try Self.check(role)
        if role.name != former.name {
            try Self.expectNotDefault(former, in: rights.realm, isRenamed: true)
        }
        try await write(.roleUpdated, former, role, by: administrator) {
            try await $0.update(role, replacing: former) == .changed
        }
    }

    package func delete(_ role: Role, by administrator: Administrator) async throws {
        let rights = try await rights(of: role, for: administrator)
        try Self.expectNotDefault(role, in: rights.realm)
        try await write(.roleDeleted, role, nil, by: administrator) {
            try await $0.deleteRole(id: role.id) == .changed
        }
    }

    /// Every new person of the realm gets its default roles, and with them all that they contain: they
    /// would get whatever took such a name.
    ///
    /// - Throws: ``AdministrationRefusal`` for a role that new people get.
    package static func expectNotDefault(
        _ role: Role,
        in realm: Realm,
        isRenamed: Bool = false
    ) throws(AdministrationRefusal) {
        guard realm.defaultRoles.contains(role.roleName) else { return }
        throw .invalid(
            .defaultRole(role.name, isOfClient: role.clientID != nil, isRenamed: isRenamed)
        )
    }

    /// The rights of an administrator who may change the role. What contains a right is one: under
    /// another name it would be given to others.
    private func rights(of role: Role, for administrator: Administrator) async throws
        -> AdminRights
    {
        let rights = try await rights(
            of: administrator,
            in: role.realmID,
            needing: .manageRoles(of: role.roleName)
        )
        try Self.expect(rights.mayChange(role.roleName) && rights.mayGive([role.roleName]))
        return rights
    }

    private static func check(_ role: Role) throws(AdministrationRefusal) {
        do {
            try RoleRegistration.check(role)
        } catch {
            throw .role(error)
        }
    }

    // MARK: Giving

    /// Gives roles, which their holder may have already, or takes them, which it may not have.
    ///
    /// - Returns: How many the holder got, or lost.
    @discardableResult
    package func set(
        _ roles: [RoleName],
        of holder: RoleHolder,
        to isGiven: Bool,
        in realmID: String,
        by administrator: Administrator
    ) async throws -> Int {
        let rights = try await rights(of: holder, in: realmID, for: administrator)
        try Self.expect(rights.mayGive(roles))
        var count = 0
        for role in roles {
            let named: JSONObject = ["role": .string(role.traced)]
            let event = event(
                holder.kind(isGiven: isGiven),
                TrailTarget(id: holder.id, realmID: realmID),
                by: administrator,
                from: isGiven ? nil : named,
                into: isGiven ? named : nil
            )
            let change = try await change(or: .id) {
                try await write(role, of: holder, to: isGiven, in: realmID, noting: event)
            }
            if change == .changed { count += 1 }
            // What it does not have need not be taken.
            if change == .notFound, isGiven { throw AdministrationRefusal.notFound(holder.missing) }
        }
        return count
    }

    /// The rights of an administrator who may change what the holder has.
    private func rights(
        of holder: RoleHolder,
        in realmID: String,
        for administrator: Administrator
    ) async throws -> AdminRights {
        let right: AdminRight =
            switch holder {
            case .person, .group: .manageUsers
            case .role(let whole): .manageRoles(of: whole)
            case .sight: .manageClients
            }
        let rights = try await rights(of: administrator, in: realmID, needing: right)
        var shown: Client?
        if case .sight(of: .client(let id)) = holder {
            guard let client = try await store.client(id: id, realmID: realmID) else {
                throw AdministrationRefusal.notFound(.client)
            }
            try Self.expect(rights.mayHandOff(client))
            shown = client
        }
        guard !rights.isUnlimited else { return rights }
        switch holder {
        case .person(let id):
            guard let person = try await people.person(id: id, realmID: realmID) else {
                throw AdministrationRefusal.notFound(.person)
            }
            try Self.expect(rights.mayChange(person))
        case .group: break
        case .role(let whole):
            try Self.expect(rights.mayChange(whole) && rights.mayGive([whole]))
        case .sight(of: .client(let id)):
            let account = try await people.serviceAccount(of: id, realmID: realmID)
            try Self.expect(shown.map { rights.mayChange($0, account: account) } ?? false)
        case .sight(of: .scope(let id)):
            let scopes = try await store.scopes(realmID: realmID)
            guard let scope = scopes.first(where: { $0.id == id }) else {
                throw AdministrationRefusal.notFound(.scope)
            }
            // Roles that it shows are also who gets it: one more opens it to others.
            try await expectAssignable(scope, rights)
        }
        return rights
    }

    private func write(
        _ role: RoleName,
        of holder: RoleHolder,
        to isGiven: Bool,
        in realmID: String,
        noting event: Event
    ) async throws -> Change {
        let (people, store) = (people.noting(event), store.noting([event]))
        switch holder {
        case .person(let id):
            return isGiven
                ? try await people.assign(role, to: id, realmID: realmID)
                : try await people.remove(role, from: id, realmID: realmID)
        case .group(let id):
            return try await store.set(role, of: id, to: isGiven, realmID: realmID)
        case .role(let whole):
            let part = RolePart(role: whole, part: role)
            return isGiven
                ? try await store.add(part, realmID: realmID)
                : try await store.remove(part, realmID: realmID)
        case .sight(let owner):
            let limit = RoleLimit(owner: owner, role: role)
            return try await store.set(limit, to: isGiven, realmID: realmID)
        }
    }
}

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
