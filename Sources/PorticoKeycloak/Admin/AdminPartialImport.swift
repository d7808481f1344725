import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/partialImport`: clients, roles, groups and people of a file, into a realm that is there. Each is
/// made as by its own address, with the rights that this needs, one after the other.
struct AdminPartialImport: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] { [.post("partialImport", .manageRealm, importing)] }

    /// What becomes of something whose name is taken.
    private enum Existing: String, CaseIterable {
        case fail = "FAIL"
        case skip = "SKIP"
        case overwrite = "OVERWRITE"
    }

    private struct Outcome {
        var results: [JSONObject] = []
        var counts: [String: Int64] = ["ADDED": 0, "SKIPPED": 0, "OVERWRITTEN": 0]

        mutating func add(_ action: String, _ kind: String, _ name: String, _ id: String) {
            counts[action, default: 0] += 1
            results.append(
                [
                    "action": .string(action), "resourceType": .string(kind),
                    "resourceName": .string(name), "id": .string(id),
                ]
            )
        }

        var json: JSONObject {
            [
                "overwritten": .integer(counts["OVERWRITTEN"] ?? 0),
                "added": .integer(counts["ADDED"] ?? 0),
                "skipped": .integer(counts["SKIPPED"] ?? 0),
                "results": .array(results.map(JSONValue.object)),
            ]
        }
    }

    private func importing(_ call: AdminCall) async throws -> AdminAnswer {
        let file = try call.representation(.partialImport)
        let word = try file.text("ifResourceExists") ?? Existing.fail.rawValue
        guard let existing = Existing(wire: word), try file.children("identityProviders").isEmpty
        else { throw AdminRefusal.unreadable }
        let clients = try file.children("clients")
        let users = try file.children("users")
        let groups = try file.children("groups")
        let roles = try Self.roles(try file.child("roles"))
        try call.expect(clients.isEmpty || call.rights.allows(.manageClients))
        try call.expect(users.isEmpty && groups.isEmpty || call.rights.allows(.manageUsers))
        if existing == .fail {
            try await expectNew(call, clients: clients, roles: roles, groups: groups, users: users)
        }
        var outcome = Outcome()
        for client in clients { try await add(client: client, existing, call, &outcome) }
        for role in roles { try await add(role, existing, call, &outcome) }
        for group in groups { try await add(group: group, existing, call, &outcome) }
        for user in users { try await add(user: user, existing, call, &outcome) }
        return .object(outcome.json)
    }

    // MARK: What is there

    private struct NamedRole {
        let representation: Representation
        let name: RoleName
    }

    private static func roles(_ roles: Representation?) throws -> [NamedRole] {
        func named(_ list: [Representation], _ clientID: String?) throws -> [NamedRole] {
            try list.map { role in
                guard let name = try role.text("name") else {
                    throw AdminRefusal.error(.badRequest, "role has no name")
                }
                return NamedRole(
                    representation: role,
                    name: RoleName(clientID: clientID, name: name)
                )
            }
        }
        guard let roles else { return [] }
        var all = try named(try roles.children("realm"), nil)
        if let byClient = try roles.child("client") {
            for (clientID, _) in byClient.object {
                all += try named(try byClient.children(clientID), clientID)
            }
        }
        return all
    }

    private func expectNew(
        _ call: AdminCall,
        clients: [Representation],
        roles: [NamedRole],
        groups: [Representation],
        users: [Representation]
    ) async throws {
        for client in clients {
            if let name = try client.text("clientId"), call.realm.client(named: name) != nil {
                throw AdminRefusal.conflict("Client id '\(PlainText.shown(name))' already exists")
            }
        }
        let there = Set(try await administration.store.roles(realmID: call.realmID).map(\.roleName))
        for role in roles where there.contains(role.name) {
            throw AdminRefusal.conflict(
                "Role '\(PlainText.shown(role.name.name))' already exists."
            )
        }
        for group in groups {
            if let name = try group.text("name"), call.realm.graph.group(atPath: "/" + name) != nil
            {
                throw AdminRefusal.conflict("Group '/\(PlainText.shown(name))' already exists")
            }
        }
        for user in users {
            if let name = try user.text("username"), try await person(name, call) != nil {
                throw AdminRefusal.conflict(
                    "User with user name \(PlainText.shown(name)) already exists."
                )
            }
        }
    }

    private func person(_ username: String, _ call: AdminCall) async throws -> PersonWithRoles? {
        let found = try await administration.people.credentials(
            realmID: call.realmID,
            login: username,
            byEmail: false
        )
        guard let found else { return nil }
        return try await administration.people.person(
            id: found.person.id,
            realmID: call.realmID
        )
    }

    // MARK: One by one

    private func add(
        client: Representation,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        let call = call.again(administration)
        try RepresentationMembers.client.check(client)
        let fields = try await ClientFields(call, administration)
        let name = try client.text("clientId") ?? ""
        guard let former = call.realm.client(named: name) else {
            let made = try fields.new(client).client
            try await administration.create(made)
            try await administration.setServiceAccount(of: made, call)
            return outcome.add("ADDED", "CLIENT", made.clientID, made.id)
        }
        guard existing == .overwrite else {
            return outcome.add("SKIPPED", "CLIENT", name, former.id)
        }
        try await administration.expectChangeable(former, call)
        let changed = try fields.changed(former, client)
        try await administration.update(changed, replacing: former)
        try await administration.setServiceAccount(of: changed, call)
        outcome.add("OVERWRITTEN", "CLIENT", name, former.id)
    }

    private func add(
        _ role: NamedRole,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        let call = call.again(administration)
        try RepresentationMembers.role.check(role.representation)
        let kind = role.name.clientID == nil ? "REALM_ROLE" : "CLIENT_ROLE"
        let owner = role.name.clientID.flatMap { call.realm.client(named: $0) }
        guard owner != nil || role.name.clientID == nil else {
            throw AdminRefusal.notFound("Could not find client")
        }
        try call.mayChangeRoles(of: owner)
        try call.expect(call.rights.mayChange(role.name))
        let parts = try role.representation.composites()
        try call.expect(call.rights.mayGive(parts))
        let former = try await administration.store.roles(realmID: call.realmID)
            .first { $0.roleName == role.name }
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
        if former == nil {
            try await administration.create(made)
        } else {
            try await administration.update(made)
        }
        for part in parts {
            try await administration.set(
                RolePart(role: role.name, part: part),
                true,
                in: call.realm
            )
        }
        outcome.add(former == nil ? "ADDED" : "OVERWRITTEN", kind, role.name.name, made.id)
    }

    private func add(
        group: Representation,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        let call = call.again(administration)
        try RepresentationMembers.group.check(group)
        guard let name = try group.text("name") else {
            throw AdminRefusal.invalid("Group name is missing")
        }
        // Trees and roles have addresses of their own.
        guard try group.children("subGroups").isEmpty,
            try group.strings("realmRoles")?.isEmpty ?? true,
            try group.lists("clientRoles").isEmpty
        else { throw AdminRefusal.invalid("Groups come here without subgroups and roles.") }
        let former = call.realm.graph.group(atPath: "/" + name)
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
        if former == nil {
            try await administration.create(made)
        } else {
            try await administration.update(made)
        }
        outcome.add(former == nil ? "ADDED" : "OVERWRITTEN", "GROUP", name, made.id)
    }

    private func add(
        user: Representation,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        let call = call.again(administration)
        try RepresentationMembers.person.check(user)
        let fields = PersonFields(user, call, administration)
        let name = try user.text("username") ?? ""
        guard let former = try await person(name, call) else {
            var new = try await fields.new()
            let roles = try user.roles()
            try call.expect(call.rights.mayGive(roles))
            new.roles += roles.filter { !new.roles.contains($0) }
            do {
                guard try await administration.people.create(new) == .created else {
                    throw try await fields.conflict(new.person)
                }
            } catch is MissingReference {
                throw AdminRefusal.notFound("Role not found")
            }
            return outcome.add("ADDED", "USER", name, new.person.id)
        }
        guard existing == .overwrite else {
            return outcome.add("SKIPPED", "USER", name, former.person.id)
        }
        try call.expect(call.rights.mayChange(former))
        let person = try fields.changed(former.person)
        let password = try await fields.password(of: person)
        _ = try await administration.people.update(person, replacing: former.person)
        if let password {
            try await administration.set(password, of: person, at: call.moment.seconds)
        }
        outcome.add("OVERWRITTEN", "USER", name, person.id)
    }
}
