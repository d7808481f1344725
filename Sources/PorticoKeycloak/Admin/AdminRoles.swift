import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/roles` and `…/clients/ID/roles`: roles, and what they contain.
struct AdminRoles: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        let own = [
            AdminRow.get("roles-by-id/{id}", .listRoles, read),
            .put("roles-by-id/{id}", nil, update),
            .delete("roles-by-id/{id}", nil, delete),
            .get("roles-by-id/{id}/composites", .listRoles, composites),
            .post("roles-by-id/{id}/composites", nil, compose),
            .delete("roles-by-id/{id}/composites", nil, decompose),
        ]
        return own + composites("roles-by-id/{id}") + named("roles")
            + named("clients/{client}/roles")
    }

    /// By their names: the realm's, or a client's.
    private func named(_ base: String) -> [AdminRow] {
        let rows: [AdminRow] = [
            .get(base, .listRoles, list),
            .post(base, nil, create),
            .get("\(base)/{role}", .listRoles, read),
            .put("\(base)/{role}", nil, update),
            .delete("\(base)/{role}", nil, delete),
            .get("\(base)/{role}/composites", .listRoles, composites),
            .post("\(base)/{role}/composites", nil, compose),
            .delete("\(base)/{role}/composites", nil, decompose),
            .get("\(base)/{role}/groups", .viewUsers, groups),
        ]
        return rows + composites("\(base)/{role}")
    }

    /// What a role contains, by whose it is.
    private func composites(_ role: String) -> [AdminRow] {
        [
            .get("\(role)/composites/realm", .listRoles) {
                try await parts($0) { $0.clientID == nil }
            },
            .get("\(role)/composites/clients/{part}", .listRoles) { call in
                let client = try await call.client("part")
                return try await parts(call) { role in
                    role.clientID.map { sameBytes($0, client.clientID) } ?? false
                }
            },
        ]
    }

    private var store: RealmStore { administration.store }

    // MARK: Reading

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let search = query["search"].map(LoginName.folded)
        let page = try call.page(query)
        let owner = try await call.roleOwner()
        let roles = try await store.roles(realmID: call.realmID).filter { role in
            role.belongs(to: owner)
                && (search.map { search in
                    LoginName.folded(role.name).utf8.firstRange(of: search.utf8) != nil
                } ?? true)
        }
        // Without `max` all are listed, as there.
        let listed =
            query["max"] == nil
            ? roles.dropFirst(page.first)
            : roles.dropFirst(page.first).prefix(page.max)
        let isBrief = query["briefRepresentation"] != "false"
        return .list(try await call.json(of: Array(listed), isBrief: isBrief))
    }

    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        .object(try await call.json(of: try await call.role(in: store), isBrief: false))
    }

    private func composites(_ call: AdminCall) async throws -> AdminAnswer {
        try await parts(call) { _ in true }
    }

    private func parts(_ call: AdminCall, _ isWanted: (RoleName) -> Bool) async throws
        -> AdminAnswer
    {
        let role = try await call.role(in: store)
        let parts = Set(call.realm.graph.parts(of: role.roleName).filter(isWanted))
        let roles = try await store.roles(realmID: call.realmID)
        return .list(try await call.json(of: roles.filter { parts.contains($0.roleName) }))
    }

    private func groups(_ call: AdminCall) async throws -> AdminAnswer {
        let role = try await call.role(in: store)
        let page = try call.page(try call.query())
        let groups = call.realm.graph.allGroups.filter { $0.roles.contains(role.roleName) }
            .sorted {
                call.realm.graph.path(of: $0.group.id) < call.realm.graph.path(of: $1.group.id)
            }
        return .list(
            groups.dropFirst(page.first).prefix(page.max).map { call.brief($0) }
        )
    }

    // MARK: Writing

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let owner = try await call.roleOwner()
        let representation = try call.representation(.role)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.error(.badRequest, "role has no name")
        }
        let role = Role(
            id: UniqueID(random: call.moment.random).text,
            realmID: call.realmID,
            clientID: owner?.clientID,
            name: name,
            description: try representation.string("description") ?? "",
            attributes: try representation.attributes() ?? [:]
        )
        try await administration.create(
            role,
            containing: try representation.composites(),
            by: call.administrator
        )
        return .created(path: call.path(name))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await call.role(in: store)
        let representation = try call.representation(.role)
        var role = former
        if let name = try representation.text("name") { role.name = name }
        if let text = try representation.string("description") { role.description = text }
        if let attributes = try representation.attributes() { role.attributes = attributes }
        try await administration.update(role, replacing: former, by: call.administrator)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.delete(
            try await call.role(in: store),
            by: call.administrator
        )
        return .done
    }

    private func compose(_ call: AdminCall) async throws -> AdminAnswer {
        try await compose(call, adding: true)
    }

    private func decompose(_ call: AdminCall) async throws -> AdminAnswer {
        try await compose(call, adding: false)
    }

    private func compose(_ call: AdminCall, adding: Bool) async throws -> AdminAnswer {
        let role = try await call.role(in: store)
        try await administration.set(
            try await call.namedRoles(in: store),
            of: .role(role.roleName),
            to: adding,
            in: call.realmID,
            by: call.administrator
        )
        return .done
    }
}

extension Representation {
    /// `attributes`, where there are any; an empty object takes all away.
    func attributes() throws -> [String: [String]]? {
        guard object["attributes"] != nil else { return nil }
        let lists = try lists("attributes")
        guard lists.count <= 100,
            lists.allSatisfy({ list in
                (1...200).contains(list.name.utf8.count) && list.values.count <= 100
                    && list.values.allSatisfy { $0.utf8.count <= 2048 }
            })
        else { throw AdminRefusal.invalid("Too many attributes, or one is too long.") }
        return Dictionary(lists.map { ($0.name, $0.values) }) { first, _ in first }
    }

    /// What a new role contains.
    func composites() throws -> [RoleName] {
        try child("composites")?.roles("realm", "client") ?? []
    }
}

extension Role {
    /// - Parameter owner: `nil`: the realm.
    func belongs(to owner: Client?) -> Bool {
        switch (clientID, owner?.clientID) {
        case (nil, nil): true
        case (let own?, let other?): sameBytes(own, other)
        default: false
        }
    }
}
