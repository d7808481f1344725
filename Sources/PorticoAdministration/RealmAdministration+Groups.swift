package import PorticoStores

/// Groups, and who is in them.
extension RealmAdministration {
    package func create(_ group: Group, by administrator: Administrator) async throws {
        let rights = try await rights(of: administrator, in: group.realmID, needing: .manageUsers)
        try await check(group, formerly: nil, rights)
        try await write(.groupCreated, nil, group, by: administrator) {
            try await $0.create(group) == .created
        }
    }

    /// Changes a group, or moves it.
    package func update(
        _ group: Group,
        replacing former: Group,
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(of: former, for: administrator)
        try await check(group, formerly: former.parentID, rights)
        try await write(.groupUpdated, former, group, by: administrator) {
            switch try await $0.update(group, replacing: former) {
            case .changed: true
            case .notFound: false
            case .conflict: throw AdministrationRefusal.taken(group.taken)
            case .cycle: throw AdministrationRefusal.invalid(.groupCycle)
            }
        }
    }

    package func delete(_ group: Group, by administrator: Administrator) async throws {
        _ = try await rights(of: group, for: administrator)
        try await write(.groupDeleted, group, nil, by: administrator) {
            try await $0.deleteGroup(id: group.id, realmID: group.realmID) == .changed
        }
    }

    /// The rights of an administrator who may change the group. What names a group by its path would
    /// give its rights to others.
    private func rights(of group: Group, for administrator: Administrator) async throws
        -> AdminRights
    {
        let rights = try await rights(of: administrator, in: group.realmID, needing: .manageUsers)
        try Self.expect(!rights.closedGroups.contains(group.id))
        return rights
    }

    private func check(_ group: Group, formerly parentID: String?, _ rights: AdminRights)
        async throws
    {
        guard let newID = group.parentID, newID != parentID else { return try Self.check(group) }
        // Its members get what the groups above bring.
        try Self.expect(rights.mayJoin(newID))
        let groups = try await store.groups(realmID: group.realmID)
        try Self.check(group, in: RoleGraph(parts: [], groups: groups))
    }

    /// - Throws: ``AdministrationRefusal`` for a new group that has no room in its realm.
    package static func check(_ group: Group, in graph: RoleGraph) throws(AdministrationRefusal) {
        try check(group)
        guard let parentID = group.parentID else { return }
        guard graph.lineage(of: parentID).count < RoleGraph.deepest else {
            throw .invalid(.groupDepth)
        }
    }

    /// - Throws: ``AdministrationRefusal`` for a name or a description that no group has.
    private static func check(_ group: Group) throws(AdministrationRefusal) {
        guard !group.name.isEmpty, PlainText.isLine(group.name, length: 255) else {
            throw .invalid(.groupName)
        }
        guard group.description.utf8.count <= 1000 else { throw .invalid(.groupDescription) }
    }

    // MARK: Members

    package func join(_ group: Group, _ person: Person, by administrator: Administrator)
        async throws
    {
        let rights = try await rights(of: person, for: administrator)
        try Self.expect(rights.mayJoin(group.id))
        let event = event(
            .membershipUpdated,
            person.target,
            by: administrator,
            into: group.traced(since: nil)
        )
        let change = try await people.noting(event).join(
            group.id,
            person: person.id,
            realmID: person.realmID
        )
        guard change == .changed else { throw AdministrationRefusal.notFound(.joinedGroup) }
    }

    /// - Returns: `.notFound` where the person was no member.
    @discardableResult
    package func leave(_ group: Group, _ person: Person, by administrator: Administrator)
        async throws -> Change
    {
        _ = try await rights(of: person, for: administrator)
        let event = event(
            .membershipDeleted,
            person.target,
            by: administrator,
            from: group.traced(since: nil)
        )
        return try await people.noting(event).leave(
            group.id,
            person: person.id,
            realmID: person.realmID
        )
    }

    /// Makes new people of the realm members of a group, or no longer.
    package func setDefault(
        _ group: Group,
        to isDefault: Bool,
        by administrator: Administrator
    ) async throws {
        let rights = try await rights(of: administrator, in: group.realmID, needing: .manageRealm)
        let groups = try await store.groups(realmID: group.realmID)
        let graph = RoleGraph(parts: [], groups: groups)
        if isDefault {
            try Self.expect(rights.mayJoin(group.id))
            // A slash in a name may have made two groups of one path: a file could not tell them apart.
            guard graph.group(atPath: graph.path(of: group.id)) != nil else {
                throw AdministrationRefusal.invalid(.groupPath)
            }
        }
        var realm = rights.realm
        realm.defaultGroupIDs = realm.defaultGroupIDs.filter { $0 != group.id }
        if isDefault { realm.defaultGroupIDs.append(group.id) }
        try await write(
            realm,
            replacing: rights.realm,
            as: isDefault ? .defaultGroupUpdated : .defaultGroupDeleted,
            by: administrator
        )
    }
}
