import HTTPTypes
import NIOCore
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

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

/// `…/role-mappings` of people and groups, `…/scope-mappings` of clients and client scopes: the
/// roles that something has, and those that it may still get.
enum AdminRoleMappings {
    static var rows: [AdminRow] {
        rows("users/{user}/role-mappings", .viewUsers, .manageUsers, person)
            + rows("groups/{group}/role-mappings", .viewUsers, .manageUsers, group)
            + rows("clients/{client}/scope-mappings", .viewClients, .manageClients, client)
            + rows("client-scopes/{scope}/scope-mappings", .viewScopes, .manageClients, scope)
    }

    /// What has roles.
    private struct Owner: Sendable {
        /// Directly.
        let roles: [RoleName]
        /// With what its groups and other roles bring.
        let effective: Set<RoleName>
        let holder: RoleHolder
    }

    private typealias Finder = @Sendable (AdminCall) async throws -> Owner

    private static func rows(
        _ base: String,
        _ view: AdminRight,
        _ manage: AdminRight,
        _ find: @escaping Finder
    ) -> [AdminRow] {
        [.get(base, view) { try await all($0, try await find($0)) }]
            + ["\(base)/realm", "\(base)/clients/{owner}"].flatMap { path in
                [
                    AdminRow.get(path, view) { call in
                        let owner = try await find(call)
                        return try await list(call) { owner.roles.contains($0) }
                    },
                    .get("\(path)/composite", view) { call in
                        let owner = try await find(call)
                        return try await list(call) { owner.effective.contains($0) }
                    },
                    .get("\(path)/available", view) { call in
                        let owner = try await find(call)
                        return try await list(call) {
                            !owner.roles.contains($0) && call.rights.mayGive([$0])
                        }
                    },
                    .post(path, manage) { try await set($0, try await find($0), true) },
                    .delete(path, manage) { try await set($0, try await find($0), false) },
                ]
            }
    }

    // MARK: Owners

    private static func person(_ call: AdminCall) async throws -> Owner {
        let person = try await call.personWithRoles()
        return Owner(
            roles: person.roles,
            effective: call.graph.roles(of: person),
            holder: .person(person.person.id)
        )
    }

    private static func group(_ call: AdminCall) async throws -> Owner {
        let id = try call.group().id
        let graph = call.graph
        return Owner(
            roles: graph.group(id)?.roles ?? [],
            effective: graph.roles(ofGroup: id),
            holder: .group(id)
        )
    }

    private static func client(_ call: AdminCall) async throws -> Owner {
        try await limit(.client(try await call.client().id), call)
    }

    private static func scope(_ call: AdminCall) async throws -> Owner {
        try await limit(.scope(try await call.scope().id), call)
    }

    private static func limit(_ owner: RoleLimit.Owner, _ call: AdminCall) async throws -> Owner {
        let roles = try await call.store.roles(shownTo: owner)
        return Owner(
            roles: Array(roles),
            effective: call.graph.expanded(roles),
            holder: .sight(of: owner)
        )
    }

    // MARK: Answers

    private static func all(_ call: AdminCall, _ owner: Owner) async throws -> AdminAnswer {
        let roles = try await call.store.roles(realmID: call.realmID)
            .filter { owner.roles.contains($0.roleName) }
        var json = JSONObject()
        let own = try await call.json(of: roles.filter { $0.clientID == nil })
        if !own.isEmpty { json["realmMappings"] = .array(own.map(JSONValue.object)) }
        var byClient = JSONObject()
        for clientID in Set(roles.compactMap(\.clientID)).sorted() {
            guard let client = try await call.served.client(named: clientID) else { continue }
            let mappings = try await call.json(of: roles.filter { $0.belongs(to: client) })
                .map(JSONValue.object)
            byClient[clientID] = [
                "id": .string(client.id), "client": .string(clientID),
                "mappings": .array(mappings),
            ]
        }
        if !byClient.isEmpty { json["clientMappings"] = .object(byClient) }
        return .object(json)
    }

    /// - Parameter isWanted: Asked of the roles of the realm, or of the client in the path.
    private static func list(_ call: AdminCall, _ isWanted: (RoleName) -> Bool) async throws
        -> AdminAnswer
    {
        let owner = call.has("owner") ? try await call.client("owner") : nil
        let isBrief = try call.query()["briefRepresentation"] != "false"
        let roles = try await call.store.roles(realmID: call.realmID)
            .filter { $0.belongs(to: owner) && isWanted($0.roleName) }
        return .list(try await call.json(of: roles, isBrief: isBrief))
    }

    private static func set(_ call: AdminCall, _ owner: Owner, _ isGiven: Bool) async throws {
        let client = call.has("owner") ? try await call.client("owner") : nil
        // Taking all needs no body.
        let isAll = !isGiven && call.context.request.received.body.readableBytes == 0
        let roles =
            isAll
            ? owner.roles.filter { role in
                role.clientID.map { id in client.map { sameBytes($0.clientID, id) } ?? false }
                    ?? (client == nil)
            }
            : try await call.namedRoles(of: .some(client))
        try await call.operations.set(
            roles,
            of: owner.holder,
            to: isGiven,
            in: call.realmID,
            by: call.administrator
        )
    }
}
