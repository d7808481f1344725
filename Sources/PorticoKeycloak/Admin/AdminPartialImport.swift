import HTTPTypes
import PorticoAdministration
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
    enum Existing: String, CaseIterable {
        case fail = "FAIL"
        case skip = "SKIP"
        case overwrite = "OVERWRITE"
    }

    struct Outcome {
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

        /// Not counting what came half way.

        var json: JSONObject {
            [
                "overwritten": .integer(counts["OVERWRITTEN"] ?? 0),
                "added": .integer(counts["ADDED"] ?? 0),
                "skipped": .integer(counts["SKIPPED"] ?? 0),
                "results": .array(results.map(JSONValue.object)),
            ]
        }
    }

    /// The most things that one file may have: each is written for itself.
    private static let most = 5000

    private func importing(_ call: AdminCall) async throws -> AdminAnswer {
        let file = try call.representation(.partialImport)
        let word = try file.text("ifResourceExists") ?? Existing.fail.rawValue
        guard let existing = Existing(wire: word), try file.children("identityProviders").isEmpty
        else { throw AdminRefusal.unreadable }
        let clients = try file.children("clients")
        let users = try file.children("users")
        let groups = try file.children("groups")
        let roles = try Self.roles(try file.child("roles"))
        guard clients.count + users.count + groups.count + roles.count <= Self.most else {
            throw AdminRefusal.invalid("A file has at most \(Self.most) things: send several.")
        }
        try call.expect(clients.isEmpty || call.rights.allows(.manageClients))
        try call.expect(users.isEmpty && groups.isEmpty || call.rights.allows(.manageUsers))
        try Self.expectOnce(clients.compactMap { try $0.text("clientId").map(ExactText.init) })
        try Self.expectOnce(roles.map(\.name))
        try Self.expectOnce(groups.compactMap { try $0.text("name").map(ExactText.init) })
        try Self.expectOnce(users.compactMap { try $0.text("username").map(ExactText.init) })
        let there = try await There(call, administration.store)
        if case .fail = existing {
            try await expectNew(clients, roles, groups, users, there, call)
        }
        var outcome = Outcome()
        try await make(clients, roles, groups, users, there, existing, call, &outcome)
        return .object(outcome.json)
    }

    private func make(
        _ clients: [Representation],
        _ roles: [NamedRole],
        _ groups: [Representation],
        _ users: [Representation],
        _ there: There,
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        try await making(clients, call) { parts, call in
            let fields = try await ClientFields(call, administration)
            for client in clients {
                try await parts.add(client: client, fields, existing, call, &outcome)
            }
        }
        try await making(roles, call) { parts, call in
            for role in roles {
                try await parts.add(role, there.roles[role.name], existing, call, &outcome)
            }
        }
        try await making(groups, call) { parts, call in
            for group in groups {
                try await parts.add(group: group, there, existing, call, &outcome)
            }
        }
        try await making(users, call) { parts, call in
            for user in users { try await parts.add(user: user, existing, call, &outcome) }
        }
    }

    /// Makes the things of one kind, which may name those of the kinds before: realms are read again
    /// once for all of them.
    private func making(
        _ things: [some Any],
        _ call: AdminCall,
        _ body: (AdminPartialImport, AdminCall) async throws -> Void
    ) async throws {
        guard !things.isEmpty else { return }
        let call = call.again
        try await administration.together { many in
            try await body(AdminPartialImport(administration: many), call)
        }
    }

    private static func expectOnce(_ names: [some Hashable]) throws {
        guard Set(names).count == names.count else {
            throw AdminRefusal.invalid("The file has two things of one kind and name.")
        }
    }

    // MARK: What is there

    /// What the realm had before.
    struct There {
        let roles: [RoleName: Role]
        /// Those that lie in no other one, by name.
        let groups: [ExactText: Group]

        init(_ call: AdminCall, _ store: RealmStore) async throws {
            let roles = try await store.roles(realmID: call.realmID)
            self.roles = Dictionary(roles.map { ($0.roleName, $0) }) { first, _ in first }
            let groups = call.realm.graph.allGroups.map(\.group).filter { $0.parentID == nil }
            self.groups = Dictionary(groups.map { (ExactText($0.name), $0) }) { first, _ in first }
        }
    }

    struct NamedRole {
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
            for (clientID, roles) in try byClient.childrenByName() {
                all += try named(roles, clientID)
            }
        }
        return all
    }

    private func expectNew(
        _ clients: [Representation],
        _ roles: [NamedRole],
        _ groups: [Representation],
        _ users: [Representation],
        _ there: There,
        _ call: AdminCall
    ) async throws {
        for client in clients {
            if let name = try client.text("clientId"),
                try await call.realm.client(named: name) != nil
            {
                throw AdminRefusal.conflict("Client id '\(PlainText.shown(name))' already exists")
            }
        }
        for role in roles where there.roles[role.name] != nil {
            throw AdminRefusal.conflict(
                "Role '\(PlainText.shown(role.name.name))' already exists."
            )
        }
        for group in groups {
            if let name = try group.text("name"), there.groups[ExactText(name)] != nil {
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

    func person(_ username: String, _ call: AdminCall) async throws -> PersonWithRoles? {
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
}
