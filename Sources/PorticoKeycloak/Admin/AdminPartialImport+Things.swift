import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Things of a partial import, one by one.
extension AdminPartialImport {
    func add(
        client: Representation,
        _ fields: ClientFields,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        try RepresentationMembers.client.check(client)
        let client = try Self.unmarked(client)
        let name = try client.text("clientId") ?? ""
        guard let former = try await call.realm.client(named: name) else {
            let made = try fields.new(client)
            try await administration.create(
                made,
                giving: made.saidDefaultRoles(in: call.realm.realm) ?? [],
                by: call.administrator,
                at: call.moment
            )
            return outcome.add("ADDED", "CLIENT", made.clientID, made.id)
        }
        guard existing == .overwrite else {
            return outcome.add("SKIPPED", "CLIENT", name, former.id)
        }
        try await administration.expectChangeable(former, by: call.administrator)
        let changed = try await fields.changed(former, client)
        try await administration.update(
            changed,
            replacing: former,
            giving: changed.saidDefaultRoles(in: call.realm.realm),
            by: call.administrator,
            at: call.moment
        )
        outcome.add("OVERWRITTEN", "CLIENT", name, former.id)
    }

    /// No file says that people administer by a client: the mark stays as it is
    /// (docs/decisions/0071).
    private static func unmarked(_ client: Representation) throws -> Representation {
        guard var attributes = client.object.object("attributes") else { return client }
        attributes[AdminRights.mark] = nil
        var object = client.object
        object["attributes"] = .object(attributes)
        return try Representation(.object(object), path: client.path)
    }

    func add(
        _ role: NamedRole,
        _ former: Role?,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        try RepresentationMembers.role.check(role.representation)
        let kind = role.name.clientID == nil ? "REALM_ROLE" : "CLIENT_ROLE"
        let owner: Client? =
            if let id = role.name.clientID { try await call.realm.client(named: id) } else { nil }
        guard owner != nil || role.name.clientID == nil else {
            throw AdminRefusal.notFound("Could not find client")
        }
        let parts = try role.representation.composites()
        if let former, existing != .overwrite {
            return outcome.add("SKIPPED", kind, role.name.name, former.id)
        }
        var made =
            former
            ?? Role(
                id: UniqueID(random: call.moment.random).text,
                realmID: call.realmID,
                clientID: role.name.clientID,
                name: role.name.name,
                description: ""
            )
        made.description = try role.representation.string("description") ?? made.description
        made.attributes = try role.representation.attributes() ?? made.attributes
        if let former {
            try await administration.update(made, replacing: former, by: call.administrator)
            try await administration.set(
                parts,
                of: .role(role.name),
                to: true,
                in: call.realmID,
                by: call.administrator
            )
        } else {
            try await administration.create(made, containing: parts, by: call.administrator)
        }
        outcome.add(former == nil ? "ADDED" : "OVERWRITTEN", kind, role.name.name, made.id)
    }

    func add(
        group: Representation,
        _ there: There,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        try RepresentationMembers.group.check(group)
        guard let name = try group.text("name") else {
            throw AdminRefusal.invalid("Group name is missing")
        }
        // Trees and roles have addresses of their own.
        guard try group.children("subGroups").isEmpty,
            try group.strings("realmRoles")?.isEmpty ?? true,
            try group.lists("clientRoles").isEmpty
        else { throw AdminRefusal.invalid("Groups come here without subgroups and roles.") }
        let former = there.groups[ExactText(name)]
        if let former, existing != .overwrite {
            return outcome.add("SKIPPED", "GROUP", name, former.id)
        }
        var made =
            former
            ?? Group(
                id: UniqueID(random: call.moment.random).text,
                realmID: call.realmID,
                parentID: nil,
                name: name
            )
        made.description = try group.string("description") ?? made.description
        made.attributes = try group.attributes() ?? made.attributes
        if let former {
            try await administration.update(made, replacing: former, by: call.administrator)
        } else {
            try await administration.create(made, by: call.administrator)
        }
        outcome.add(former == nil ? "ADDED" : "OVERWRITTEN", "GROUP", name, made.id)
    }

    func add(
        user: Representation,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        try RepresentationMembers.person.check(user)
        let fields = PersonFields(user, call)
        let name = try user.text("username") ?? ""
        guard let former = try await person(name, call) else {
            var new = try fields.new()
            new.roles = try user.roles()
            let made = try await administration.create(
                new,
                password: try fields.password(),
                by: call.administrator,
                at: call.moment
            )
            return outcome.add("ADDED", "USER", name, made.id)
        }
        guard existing == .overwrite else {
            return outcome.add("SKIPPED", "USER", name, former.person.id)
        }
        try await administration.update(
            try fields.changed(former.person),
            replacing: former.person,
            password: try fields.password(),
            by: call.administrator,
            at: call.moment
        )
        outcome.add("OVERWRITTEN", "USER", name, former.person.id)
    }
}
