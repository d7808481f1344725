import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/partialImport`: clients, roles, groups and people of a file, into a realm that is there. Each is
/// made as by its own address, with the rights that this needs, one after the other.
enum AdminPartialImport {
    static var rows: [AdminRow] { [.post("partialImport", .manageRealm, importing)] }

    /// What becomes of something whose name is taken.
    private enum Existing: String, CaseIterable {
        case fail = "FAIL"
        case skip = "SKIP"
        case overwrite = "OVERWRITE"
    }

    private struct Outcome {
        var results: [JSONObject] = []
        var counts: [String: Int64] = [:]

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

    /// The most things that one file may have: each is written for itself.
    private static let most = 5000

    private static func importing(_ call: AdminCall) async throws -> AdminAnswer {
        let file = try call.representation(.partialImport)
        let word = try file.text("ifResourceExists") ?? Existing.fail.rawValue
        guard let existing = Existing(wire: word), try file.children("identityProviders").isEmpty
        else { throw AdminRefusal.unreadable }
        let fields = try await ClientFields(call)
        let clients = try file.children("clients").map { try ImportedClient($0, fields) }
        let roles = try await ImportedRole.all(try file.child("roles"), call)
        let groups = try file.children("groups").map { try ImportedGroup($0, call) }
        let users = try file.children("users").map { try ImportedUser($0) }
        guard clients.count + users.count + groups.count + roles.count <= most else {
            throw AdminRefusal.invalid("A file has at most \(most) things: send several.")
        }
        try call.expect(clients.isEmpty || call.rights.allows(.manageClients))
        try call.expect(users.isEmpty && groups.isEmpty || call.rights.allows(.manageUsers))
        let isEachOnce =
            isOnce(clients.map(\.name)) && isOnce(groups.map(\.name)) && isOnce(users.map(\.name))
            && Set(roles.map(\.roleName)).count == roles.count
        guard isEachOnce else {
            throw AdminRefusal.invalid("The file has two things of one kind and name.")
        }
        if existing == .fail {
            try await expectNew(clients, call)
            try await expectNew(roles, call)
            try await expectNew(groups, call)
            try await expectNew(users, call)
        }
        var outcome = Outcome()
        try await make(clients, existing, call, &outcome)
        try await make(roles, existing, call, &outcome)
        try await make(groups, existing, call, &outcome)
        try await make(users, existing, call, &outcome)
        return .object(outcome.json)
    }

    private static func isOnce(_ names: [String]) -> Bool {
        let names = names.filter { !$0.isEmpty }
        return Set(names.map(ExactText.init)).count == names.count
    }

    private static func expectNew(_ things: [some ImportedThing], _ call: AdminCall) async throws {
        for thing in things where try await thing.former(call) != nil {
            throw AdminRefusal.conflict(thing.taken)
        }
    }

    /// Makes the things of one kind, which may name those of the kinds before: realms are read again
    /// once for all of them.
    private static func make<Thing: ImportedThing>(
        _ things: [Thing],
        _ existing: Existing,
        _ call: AdminCall,
        _ outcome: inout Outcome
    ) async throws {
        guard !things.isEmpty else { return }
        var call = call.again
        try await call.operations.together { many in
            call.operations = many
            for thing in things {
                try Thing.members.check(thing.representation)
                guard let former = try await thing.former(call) else {
                    let made = try await thing.add(call)
                    outcome.add("ADDED", thing.kind, made.name, made.id)
                    continue
                }
                if existing == .overwrite { try await thing.overwrite(former, call) }
                let action = existing == .overwrite ? "OVERWRITTEN" : "SKIPPED"
                outcome.add(action, thing.kind, thing.name, Thing.id(of: former))
            }
        }
    }
}

/// A thing of a partial import.
private protocol ImportedThing: Sendable {
    associatedtype Former

    var representation: Representation { get }
    static var members: RepresentationMembers { get }
    /// Keycloak's word.
    var kind: String { get }
    /// Empty where it has none.
    var name: String { get }
    /// What is said where it is there.
    var taken: String { get }

    /// The one that is there.
    func former(_ call: AdminCall) async throws -> Former?
    static func id(of former: Former) -> String
    func add(_ call: AdminCall) async throws -> (name: String, id: String)
    func overwrite(_ former: Former, _ call: AdminCall) async throws
}

private struct ImportedClient: ImportedThing {
    let representation: Representation
    let name: String
    private let fields: ClientFields

    init(_ representation: Representation, _ fields: ClientFields) throws {
        self.representation = representation
        self.fields = fields
        name = try representation.text("clientId") ?? ""
    }

    static var members: RepresentationMembers { .client }
    var kind: String { "CLIENT" }
    var taken: String { "Client id '\(PlainText.shown(name))' already exists" }

    func former(_ call: AdminCall) async throws -> Client? {
        try await call.served.client(named: name)
    }

    static func id(of former: Client) -> String { former.id }

    func add(_ call: AdminCall) async throws -> (name: String, id: String) {
        let made = try await fields.of(call).create(unmarked)
        return (made.clientID, made.id)
    }

    func overwrite(_ former: Client, _ call: AdminCall) async throws {
        try await fields.of(call).change(former, unmarked)
    }

    /// No file says that people administer by a client: the mark stays as it is
    /// (docs/decisions/0071).
    private var unmarked: Representation {
        get throws {
            guard var attributes = representation.object.object("attributes") else {
                return representation
            }
            attributes[AdminRights.mark] = nil
            var object = representation.object
            object["attributes"] = .object(attributes)
            return try Representation(.object(object), path: representation.path)
        }
    }
}

private struct ImportedRole: ImportedThing {
    let representation: Representation
    let roleName: RoleName
    private let known: Role?

    /// Those of the realm, and of its clients.
    static func all(_ roles: Representation?, _ call: AdminCall) async throws -> [ImportedRole] {
        guard let roles else { return [] }
        let known = Dictionary(
            try await call.store.roles(realmID: call.realmID).map { ($0.roleName, $0) }
        ) { first, _ in first }
        func named(_ list: [Representation], _ clientID: String?) throws -> [ImportedRole] {
            try list.map { role in
                guard let name = try role.text("name") else {
                    throw AdminRefusal.error(.badRequest, "role has no name")
                }
                let roleName = RoleName(clientID: clientID, name: name)
                return ImportedRole(
                    representation: role,
                    roleName: roleName,
                    known: known[roleName]
                )
            }
        }
        var all = try named(try roles.children("realm"), nil)
        for (clientID, roles) in try roles.child("client")?.childrenByName() ?? [] {
            all += try named(roles, clientID)
        }
        return all
    }

    static var members: RepresentationMembers { .role }
    var kind: String { roleName.clientID == nil ? "REALM_ROLE" : "CLIENT_ROLE" }
    var name: String { roleName.name }
    var taken: String { "Role '\(PlainText.shown(name))' already exists." }

    func former(_ call: AdminCall) -> Role? { known }

    static func id(of former: Role) -> String { former.id }

    func add(_ call: AdminCall) async throws -> (name: String, id: String) {
        if let clientID = roleName.clientID {
            guard try await call.served.client(named: clientID) != nil else {
                throw AdminRefusal.notFound("Could not find client")
            }
        }
        let role = try made(
            from: Role(
                id: call.newID(),
                realmID: call.realmID,
                clientID: roleName.clientID,
                name: name,
                description: ""
            )
        )
        try await call.operations.create(
            role,
            containing: try representation.composites(),
            by: call.administrator
        )
        return (name, role.id)
    }

    func overwrite(_ former: Role, _ call: AdminCall) async throws {
        let parts = try representation.composites()
        try await call.operations.update(
            try made(from: former),
            replacing: former,
            by: call.administrator
        )
        try await call.operations.set(
            parts,
            of: .role(roleName),
            to: true,
            in: call.realmID,
            by: call.administrator
        )
    }

    private func made(from former: Role) throws -> Role {
        var role = former
        role.description = try representation.string("description") ?? role.description
        role.attributes = try representation.attributes() ?? role.attributes
        return role
    }
}

/// Trees and roles of groups have addresses of their own.
private struct ImportedGroup: ImportedThing {
    let representation: Representation
    let name: String
    private let known: Group?

    init(_ group: Representation, _ call: AdminCall) throws {
        representation = group
        name = try group.text("name") ?? ""
        known = call.graph.groups(in: nil).first { [name] in sameBytes($0.group.name, name) }?.group
    }

    static var members: RepresentationMembers { .group }
    var kind: String { "GROUP" }
    var taken: String { "Group '/\(PlainText.shown(name))' already exists" }

    func former(_ call: AdminCall) throws -> Group? {
        guard !name.isEmpty else { throw AdminRefusal.invalid("Group name is missing") }
        guard try representation.children("subGroups").isEmpty,
            try representation.strings("realmRoles")?.isEmpty ?? true,
            try representation.lists("clientRoles").isEmpty
        else { throw AdminRefusal.invalid("Groups come here without subgroups and roles.") }
        return known
    }

    static func id(of former: Group) -> String { former.id }

    func add(_ call: AdminCall) async throws -> (name: String, id: String) {
        let new = Group(id: call.newID(), realmID: call.realmID, parentID: nil, name: name)
        try await call.operations.create(try made(from: new), by: call.administrator)
        return (name, new.id)
    }

    func overwrite(_ former: Group, _ call: AdminCall) async throws {
        let group = try made(from: former)
        try await call.operations.update(group, replacing: former, by: call.administrator)
    }

    private func made(from former: Group) throws -> Group {
        var group = former
        group.description = try representation.string("description") ?? group.description
        group.attributes = try representation.attributes() ?? group.attributes
        return group
    }
}

private struct ImportedUser: ImportedThing {
    let representation: Representation
    let name: String

    init(_ user: Representation) throws {
        representation = user
        name = try user.text("username") ?? ""
    }

    static var members: RepresentationMembers { .person }
    var kind: String { "USER" }
    var taken: String { "User with user name \(PlainText.shown(name)) already exists." }

    func former(_ call: AdminCall) async throws -> Person? {
        try await call.people.credentials(realmID: call.realmID, login: name, byEmail: false)?
            .person
    }

    static func id(of former: Person) -> String { former.id }

    func add(_ call: AdminCall) async throws -> (name: String, id: String) {
        let fields = PersonFields(representation, call)
        var new = try fields.new()
        new.roles = try representation.roles("realmRoles", "clientRoles")
        let made = try await call.operations.create(
            new,
            password: try fields.password(),
            by: call.administrator,
            at: call.moment
        )
        return (name, made.id)
    }

    func overwrite(_ former: Person, _ call: AdminCall) async throws {
        let fields = PersonFields(representation, call)
        try await call.operations.update(
            try fields.changed(former),
            replacing: former,
            password: try fields.password(),
            by: call.administrator,
            at: call.moment
        )
    }
}
