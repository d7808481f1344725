import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/roles` and `…/clients/ID/roles`: roles, and what they contain.
enum AdminRoles {
    static var rows: [AdminRow] {
        of("roles-by-id/{id}")
            + ["roles", "clients/{client}/roles"].flatMap { base in
                [
                    .get(base, .listRoles, list), .post(base, nil, create),
                    .get("\(base)/{role}/groups", .viewUsers, groups),
                ] + of("\(base)/{role}")
            }
    }

    /// A role, and what it contains, by whose it is.
    private static func of(_ role: String) -> [AdminRow] {
        let parts = "\(role)/composites"
        return [
            .get(role, .listRoles) { call in
                .object(try await call.json(of: try await call.role(), isBrief: false))
            },
            .put(role, nil, update),
            .delete(role, nil) { call in
                try await call.operations.delete(try await call.role(), by: call.administrator)
            },
            .get(parts, .listRoles) { try await shown($0) { _ in true } },
            .post(parts, nil) { try await compose($0, adding: true) },
            .delete(parts, nil) { try await compose($0, adding: false) },
            .get("\(parts)/realm", .listRoles) { try await shown($0) { $0.clientID == nil } },
            .get("\(parts)/clients/{part}", .listRoles) { call in
                let client = try await call.client("part")
                return try await shown(call) { role in
                    role.clientID.map { sameBytes($0, client.clientID) } ?? false
                }
            },
        ]
    }

    // MARK: Reading

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let search = query["search"].map(LoginName.folded)
        let page = try call.page()
        let owner = try await call.roleOwner()
        let roles = try await call.store.roles(realmID: call.realmID).filter { role in
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

    private static func shown(_ call: AdminCall, _ isWanted: (RoleName) -> Bool) async throws
        -> AdminAnswer
    {
        let role = try await call.role()
        let parts = Set(call.graph.parts(of: role.roleName).filter(isWanted))
        let roles = try await call.store.roles(realmID: call.realmID)
        return .list(try await call.json(of: roles.filter { parts.contains($0.roleName) }))
    }

    private static func groups(_ call: AdminCall) async throws -> AdminAnswer {
        let role = try await call.role()
        let page = try call.page()
        let groups = call.graph.allGroups.filter { $0.roles.contains(role.roleName) }
            .sorted {
                call.graph.path(of: $0.group.id) < call.graph.path(of: $1.group.id)
            }
        return .list(
            groups.dropFirst(page.first).prefix(page.max).map { call.brief($0) }
        )
    }

    // MARK: Writing

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let owner = try await call.roleOwner()
        let representation = try call.representation(.role)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.error(.badRequest, "role has no name")
        }
        let role = Role(
            id: call.newID(),
            realmID: call.realmID,
            clientID: owner?.clientID,
            name: name,
            description: try representation.string("description") ?? "",
            attributes: try representation.attributes() ?? [:]
        )
        try await call.operations.create(
            role,
            containing: try representation.composites(),
            by: call.administrator
        )
        return .created(path: call.path(name))
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try await call.role()
        let representation = try call.representation(.role)
        var role = former
        if let name = try representation.text("name") { role.name = name }
        if let text = try representation.string("description") { role.description = text }
        if let attributes = try representation.attributes() { role.attributes = attributes }
        try await call.operations.update(role, replacing: former, by: call.administrator)
    }

    private static func compose(_ call: AdminCall, adding: Bool) async throws {
        let role = try await call.role()
        try await call.operations.set(
            try await call.namedRoles(),
            of: .role(role.roleName),
            to: adding,
            in: call.realmID,
            by: call.administrator
        )
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
