import PorticoAdministration
import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// Groups.
extension RealmAdministration {
    package func create(_ group: Group) async throws {
        try Self.check(group)
        let creation = try await change(or: Self.conflict(group)) { try await store.create(group) }
        guard creation == .created else { throw Self.conflict(group) }
    }

    package func update(_ group: Group, replacing former: Group) async throws {
        try Self.check(group)
        let change = try await change(or: Self.conflict(group)) {
            try await store.update(group, replacing: former)
        }
        switch change {
        case .changed: break
        case .notFound: throw AdminRefusal.notFound("Could not find group by id")
        case .conflict: throw Self.conflict(group)
        case .cycle: throw AdminRefusal.invalid("A group cannot lie in itself.")
        }
    }

    package func delete(_ group: Group) async throws {
        let change = try await change(or: .failed) {
            try await store.deleteGroup(id: group.id, realmID: group.realmID)
        }
        guard change == .changed else {
            throw AdminRefusal.notFound("Could not find group by id")
        }
    }

    /// - Throws: ``AdminRefusal`` for a new group that has no room in its realm.
    package static func check(_ group: Group, in graph: RoleGraph) throws {
        try check(group)
        guard let parentID = group.parentID else { return }
        guard graph.lineage(of: parentID).count < RoleGraph.deepest else {
            throw AdminRefusal.invalid("Groups are nested too deeply.")
        }
    }

    /// - Throws: ``AdminRefusal`` for a name or a description that no group has.
    package static func check(_ group: Group) throws {
        guard !group.name.isEmpty, PlainText.isLine(group.name, length: 255) else {
            throw AdminRefusal.invalid("A group's name is one line of 1 to 255 bytes.")
        }
        guard group.description.utf8.count <= 1000 else {
            throw AdminRefusal.invalid("A group's description has at most 1000 bytes.")
        }
    }

    private static func conflict(_ group: Group) -> AdminRefusal {
        .conflict(
            group.parentID == nil
                ? "Top level group named '\(group.name)' already exists."
                : "Sibling group named '\(group.name)' already exists."
        )
    }
}

/// Settings of a realm.
extension RealmAdministration {
    /// Changes one member of what a realm keeps of a representation.
    func set(_ member: String, to value: JSONValue?, in live: LiveRealm) async throws {
        var realm = live.realm
        realm.kept[member] = value
        try await update(realm, replacing: live.realm)
    }

    package func update(_ realm: Realm, replacing former: Realm) async throws {
        let change = try await change(or: .failed) {
            try await store.update(realm, replacing: former)
        }
        guard change == .changed else { throw AdminRefusal.notFound("Realm not found.") }
    }
}
