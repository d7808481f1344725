import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `…/groups`, and the groups of people.
enum AdminGroups {
    static var rows: [AdminRow] {
        [
            .get("groups", .queryGroups, list),
            .post("groups", .manageUsers, create),
            .get("groups/count", .queryGroups, count),
            .get("groups/{group}", .queryGroups, read),
            .put("groups/{group}", .manageUsers, update),
            .delete("groups/{group}", .manageUsers, delete),
            .get("groups/{group}/children", .queryGroups, children),
            .post("groups/{group}/children", .manageUsers, createChild),
            .get("group-by-path/{path...}", .queryGroups, byPath),
            .get("users/{user}/groups", .viewUsers, ofPerson),
            .get("users/{user}/groups/count", .viewUsers, countOfPerson),
            .put("users/{user}/groups/{group}", .manageUsers, join),
            .delete("users/{user}/groups/{group}", .manageUsers, leave),
            .get("default-groups", .viewRealm, defaults),
            .put("default-groups/{group}", .manageRealm) { try await setDefault($0, true) },
            .delete("default-groups/{group}", .manageRealm) { try await setDefault($0, false) },
        ]
    }

    // MARK: Reading

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let page = try call.page()
        let isBrief = query["briefRepresentation"] != "false"
        let tops = call.graph.groups(in: nil)
        let search = query["search"]
        let attributes = try Self.attributes(call, query)
        guard search != nil || attributes != nil else {
            return .list(
                tops.dropFirst(page.first).prefix(page.max).map {
                    call.json(of: $0, isBrief: isBrief)
                }
            )
        }
        let found = call.graph.allGroups.filter { group in
            Self.matches(group.group, search, attributes, isExact: query["exact"] == "true")
        }
        // A match stands in the groups above it.
        let shown = Set(
            found.flatMap { call.graph.lineage(of: $0.group.id).map(\.group.id) }
        )
        return .list(
            tops.filter { shown.contains($0.group.id) }.dropFirst(page.first).prefix(page.max).map {
                call.tree(of: $0, showing: shown, isBrief: isBrief)
            }
        )
    }

    /// Those of groups are shown to people who may view people, and are looked for by no others.
    private static func attributes(_ call: AdminCall, _ query: FormParameters) throws
        -> AttributeQuery?
    {
        let attributes = try call.attributes(query)
        try call.expect(attributes == nil || call.rights.allows(.viewUsers))
        return attributes
    }

    private static func matches(
        _ group: Group,
        _ search: String?,
        _ attributes: AttributeQuery?,
        isExact: Bool
    ) -> Bool {
        guard attributes?.isMet(by: group.attributes) ?? true else { return false }
        guard let search else { return true }
        return isExact
            ? sameBytes(group.name, search)
            : LoginName.folded(group.name).utf8.firstRange(of: LoginName.folded(search).utf8) != nil
    }

    private static func count(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let isTop = query["top"] == "true"
        let attributes = try Self.attributes(call, query)
        let count = call.graph.allGroups.count { group in
            (!isTop || group.group.parentID == nil)
                && Self.matches(group.group, query["search"], attributes, isExact: false)
        }
        return .object(["count": .integer(Int64(count))])
    }

    private static func read(_ call: AdminCall) async throws -> AdminAnswer {
        guard let group = call.graph.group(try call.group().id) else {
            throw AdminRefusal.notFound("Could not find group by id")
        }
        return .object(call.json(of: group, isBrief: false))
    }

    private static func children(_ call: AdminCall) async throws -> AdminAnswer {
        let group = try call.group()
        let query = try call.query()
        let page = try call.page()
        let isBrief = query["briefRepresentation"] == "true"
        return .list(
            call.graph.groups(in: group.id).dropFirst(page.first).prefix(page.max)
                .map { call.json(of: $0, isBrief: isBrief) }
        )
    }

    private static func byPath(_ call: AdminCall) async throws -> AdminAnswer {
        let segments = call.context.parameters["path"].split(separator: "/")
        // A slash may be written out, also the first one: `%2Fberlin%2Fmitte`.
        let names = segments.compactMap { RequestTarget.decoded($0) }
        guard names.count == segments.count,
            let found = call.graph.group(atPath: names.joined(separator: "/")),
            let group = call.graph.group(found.id)
        else { throw AdminRefusal.notFound("Group path does not exist") }
        var json = call.json(of: group, isBrief: false)
        json["access"] = nil
        return .object(json)
    }

    private static func ofPerson(_ call: AdminCall) async throws -> AdminAnswer {
        let page = try call.page()
        let groups = try await groups(of: call)
        return .list(groups.dropFirst(page.first).prefix(page.max).map { call.brief($0) })
    }

    private static func countOfPerson(_ call: AdminCall) async throws -> AdminAnswer {
        .object(["count": .integer(Int64(try await groups(of: call).count))])
    }

    private static func groups(of call: AdminCall) async throws -> [GroupWithRoles] {
        let person = try await call.personWithRoles()
        return person.groupIDs.compactMap(call.graph.group)
            .sorted { $0.group.name < $1.group.name }
    }

    private static func defaults(_ call: AdminCall) async throws -> AdminAnswer {
        .list(call.realm.defaultGroupIDs.compactMap(call.graph.group).map { call.brief($0) })
    }

    // MARK: Writing

    /// A new group at the top; or one that is there, which moves to the top.
    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        if try await moves(call, to: nil) { return .done }
        let group = try await new(call, in: nil)
        return .created(path: call.path(group.id))
    }

    /// - Returns: `false` where the body names no group that is to move.
    private static func moves(_ call: AdminCall, to parent: Group?) async throws -> Bool {
        guard let id = try call.representation(.group).text("id") else { return false }
        guard let former = call.graph.group(id)?.group else {
            throw AdminRefusal.notFound("Could not find child by id")
        }
        var group = former
        group.parentID = parent?.id
        try await call.operations.update(group, replacing: former, by: call.administrator)
        return true
    }

    /// A new group in another one; or one that is there, which moves.
    private static func createChild(_ call: AdminCall) async throws -> AdminAnswer {
        let parent = try call.group()
        if try await moves(call, to: parent) { return .done }
        let group = try await new(call, in: parent)
        let made = GroupWithRoles(group: group)
        var json = GroupRepresentation(
            made,
            path: call.graph.path(of: parent.id) + "/" + group.name
        ).json
        json["access"] = call.groupAccess
        let path = "/admin/realms/\(call.realm.name)/groups/\(group.id)"
        return .created(path: path, json)
    }

    private static func new(_ call: AdminCall, in parent: Group?) async throws -> Group {
        let representation = try call.representation(.group)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.invalid("Group name is missing")
        }
        let group = Group(
            id: call.newID(),
            realmID: call.realmID,
            parentID: parent?.id,
            name: name,
            description: try representation.string("description") ?? "",
            attributes: try representation.attributes() ?? [:]
        )
        try await call.operations.create(group, by: call.administrator)
        return group
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try call.group()
        let representation = try call.representation(.group)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.invalid("Group name is missing")
        }
        var group = former
        group.name = name
        if let text = try representation.string("description") { group.description = text }
        if let attributes = try representation.attributes() { group.attributes = attributes }
        try await call.operations.update(group, replacing: former, by: call.administrator)
    }

    private static func delete(_ call: AdminCall) async throws {
        try await call.operations.delete(try call.group(), by: call.administrator)
    }

    private static func join(_ call: AdminCall) async throws {
        let person = try await call.person()
        let group = try call.group(or: "Group not found")
        try await call.operations.join(group, person, by: call.administrator)
    }

    private static func leave(_ call: AdminCall) async throws {
        let person = try await call.person()
        let group = try call.group(or: "Group not found")
        // One that they are not in need not be left.
        try await call.operations.leave(group, person, by: call.administrator)
    }

    private static func setDefault(_ call: AdminCall, _ isDefault: Bool) async throws {
        let group = try call.group()
        try await call.operations.setDefault(group, to: isDefault, by: call.administrator)
    }
}

/// Groups as the administration shows them (Keycloak `GroupRepresentation`).
extension AdminCall {
    var groupAccess: JSONValue {
        let mayManage = JSONValue.bool(rights.allows(.manageUsers))
        return [
            "view": true, "viewMembers": .bool(rights.allows(.viewUsers)),
            "manageMembers": mayManage, "manage": mayManage, "manageMembership": mayManage,
        ]
    }

    /// As a person's group: without the groups in it.
    func brief(_ group: GroupWithRoles) -> JSONObject {
        var json = json(of: group, isBrief: true)
        json["subGroupCount"] = nil
        json["access"] = nil
        return json
    }

    /// - Parameter isBrief: Without attributes and roles, which are for those who may view people:
    ///   they say what members are and may do.
    func json(of group: GroupWithRoles, isBrief: Bool) -> JSONObject {
        var json = GroupRepresentation(group, path: graph.path(of: group.group.id)).json
        json["subGroupCount"] = .integer(Int64(graph.groups(in: group.group.id).count))
        if isBrief || !rights.allows(.viewUsers) {
            for name in ["attributes", "realmRoles", "clientRoles"] { json[name] = nil }
        }
        json["access"] = groupAccess
        return json
    }

    /// With those in it that are shown, or lie above one.
    func tree(of group: GroupWithRoles, showing shown: Set<String>, isBrief: Bool) -> JSONObject {
        var json = json(of: group, isBrief: isBrief)
        let below = graph.groups(in: group.group.id).filter { shown.contains($0.group.id) }
        json["subGroups"] = .array(
            below.map { .object(tree(of: $0, showing: shown, isBrief: isBrief)) }
        )
        return json
    }
}
