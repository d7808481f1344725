import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Roles.
extension RealmAdministration {
    func create(_ role: Role) async throws {
        try Self.check(role)
        let conflict = AdminRefusal.conflict("Role with name \(role.name) already exists")
        let creation = try await change(or: conflict) { try await store.create(role) }
        guard creation == .created else { throw conflict }
    }

    func update(_ role: Role) async throws {
        try Self.check(role)
        let change = try await change(
            or: .conflict("Role with name \(role.name) already exists")
        ) { try await store.update(role) }
        guard change == .changed else { throw AdminRefusal.notFound("Could not find role") }
    }

    func delete(_ role: Role) async throws {
        let change = try await change(or: .failed) { try await store.deleteRole(id: role.id) }
        guard change == .changed else { throw AdminRefusal.notFound("Could not find role") }
    }

    /// Makes a role contain another one, or not any more; it may be so already.
    func set(_ part: RolePart, _ isPart: Bool, in realm: LiveRealm) async throws {
        let change = try await change(or: .failed) {
            isPart
                ? try await store.add(part, realmID: realm.id)
                : try await store.remove(part, realmID: realm.id)
        }
        guard change == .changed || !isPart else {
            throw AdminRefusal.notFound("Could not find role")
        }
    }

    /// The role that every new person gets.
    func defaultRoles(of realm: LiveRealm) async throws -> [RoleName] {
        guard let name = realm.realm.keycloak?.object("defaultRole")?.string("name") else {
            return []
        }
        return try await store.roles(realmID: realm.id)
            .filter { $0.clientID == nil && sameBytes($0.name, name) }.map(\.roleName)
    }

    private static func check(_ role: Role) throws {
        do {
            try RoleRegistration.check(role)
        } catch {
            throw AdminRefusal.invalid("\(error.rule)")
        }
    }
}

/// People.
extension RealmAdministration {
    /// Sets a password, which ends every session.
    func set(_ password: NewPassword, of person: Person, at now: Int64) async throws {
        guard try await people.setPassword(password.hash, of: person.id, at: now) == .changed,
            let kept = try await people.person(id: person.id, realmID: person.realmID)?.person
        else { throw AdminRefusal.notFound("User not found") }
        guard password.isTemporary else { return }
        var demanded = kept
        demanded.requiredActions = password.actions(kept.requiredActions)
        _ = try await people.update(demanded, replacing: kept)
    }
}
