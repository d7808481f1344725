import HTTPTypes
package import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoProvider
package import PorticoStores

/// Roles.
extension RealmAdministration {
    package func create(_ role: Role) async throws {
        try Self.check(role)
        let conflict = AdminRefusal.conflict("Role with name \(role.name) already exists")
        let creation = try await change(or: conflict) { try await store.create(role) }
        guard creation == .created else { throw conflict }
    }

    func update(_ role: Role, replacing former: Role, in realm: Realm) async throws {
        try Self.check(role)
        if !sameBytes(role.name, former.name) {
            try expectNotDefault(former, in: realm, ": it keeps its name.")
        }
        let change = try await change(
            or: .conflict("Role with name \(role.name) already exists")
        ) { try await store.update(role, replacing: former) }
        guard change == .changed else { throw AdminRefusal.notFound("Could not find role") }
    }

    package func delete(_ role: Role, in realm: Realm) async throws {
        try await expectMayGo(role, in: realm)
        let change = try await change(or: .failed) { try await store.deleteRole(id: role.id) }
        guard change == .changed else { throw AdminRefusal.notFound("Could not find role") }
    }

    /// - Throws: ``AdminRefusal`` for a role that new people get.
    package func expectMayGo(_ role: Role, in realm: Realm) async throws {
        let words: StaticString =
            role.clientID == nil
            ? " and cannot be removed. Take out of it what new people should not get."
            : " and cannot be removed. Take it out of the client's defaultRoles first."
        try expectNotDefault(role, in: realm, words)
    }

    /// Every new person of the realm gets its default roles, and with them all that they contain: they
    /// would get whatever took such a name.
    private func expectNotDefault(
        _ role: Role,
        in realm: Realm,
        _ words: StaticString
    ) throws {
        guard realm.defaultRoles.contains(role.roleName) else { return }
        throw AdminRefusal.error(
            .badRequest,
            "\(PlainText.shown(role.name)) is default role of the realm\(words)"
        )
    }

    /// Makes a role contain another one, or not any more; it may be so already.
    func set(_ part: RolePart, _ isPart: Bool, in realm: LiveRealm) async throws {
        let change = try await set(part.part, of: .role(part.role), to: isPart, realmID: realm.id)
        guard change == .changed || !isPart else {
            throw AdminRefusal.notFound("Could not find role")
        }
    }

    /// The roles that every new person gets.
    func defaultRoles(of new: NewPersonDefaults, realmID: String) async throws -> [RoleName] {
        try await store.existing(new.roles, realmID: realmID)
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
    /// A new person with what every new one of the realm gets.
    package func newPerson(_ person: Person, gets defaults: NewPersonDefaults) async throws
        -> NewPerson
    {
        var new = NewPerson(person: person, password: nil)
        new.roles = try await defaultRoles(of: defaults, realmID: person.realmID)
        new.groupIDs = defaults.groupIDs
        return new
    }

    /// Sets a password, which ends every session.
    ///
    /// - Parameter isAllowed: Whether this person may get it, as they are when it is set: since it was
    ///   hashed they may have got rights.
    package func set(
        _ password: NewPassword,
        of person: Person,
        at now: Int64,
        if isAllowed: @escaping @Sendable (PersonWithRoles) -> Bool = { _ in true }
    ) async throws {
        let change = try await people.setPassword(
            password.hash,
            of: person.id,
            realmID: person.realmID,
            at: now,
            if: isAllowed
        )
        guard let change else { throw AdminRefusal.forbidden }
        guard change == .changed,
            let kept = try await people.person(id: person.id, realmID: person.realmID)?.person
        else { throw AdminRefusal.notFound("User not found") }
        guard password.isTemporary else { return }
        var demanded = kept
        demanded.requiredActions = password.actions(kept.requiredActions)
        _ = try await people.update(demanded, replacing: kept)
    }
}
