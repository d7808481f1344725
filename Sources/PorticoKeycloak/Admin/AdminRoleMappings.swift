import NIOCore
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

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
