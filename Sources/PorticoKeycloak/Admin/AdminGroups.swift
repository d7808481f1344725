import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

/// `…/groups`, and the groups of people.
struct AdminGroups: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
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

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let page = try call.page(query)
        let isBrief = query["briefRepresentation"] != "false"
        let tops = call.realm.graph.groups(in: nil)
        let search = query["search"]
        let attributes = try Self.attributes(call, query)
        guard search != nil || attributes != nil else {
            return .list(
                tops.dropFirst(page.first).prefix(page.max).map {
                    call.json(of: $0, isBrief: isBrief)
                }
            )
        }
        let found = call.realm.graph.allGroups.filter { group in
            Self.matches(group.group, search, attributes, isExact: query["exact"] == "true")
        }
        // A match stands in the groups above it.
        let shown = Set(
            found.flatMap { call.realm.graph.lineage(of: $0.group.id).map(\.group.id) }
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

    private func count(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let isTop = query["top"] == "true"
        let attributes = try Self.attributes(call, query)
        let count = call.realm.graph.allGroups.count { group in
            (!isTop || group.group.parentID == nil)
                && Self.matches(group.group, query["search"], attributes, isExact: false)
        }
        return .object(["count": .integer(Int64(count))])
    }

    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        guard let group = call.realm.graph.group(try call.group().id) else {
            throw AdminRefusal.notFound("Could not find group by id")
        }
        return .object(call.json(of: group, isBrief: false))
    }

    private func children(_ call: AdminCall) async throws -> AdminAnswer {
        let group = try call.group()
        let query = try call.query()
        let page = try call.page(query)
        let isBrief = query["briefRepresentation"] == "true"
        return .list(
            call.realm.graph.groups(in: group.id).dropFirst(page.first).prefix(page.max)
                .map { call.json(of: $0, isBrief: isBrief) }
        )
    }

    private func byPath(_ call: AdminCall) async throws -> AdminAnswer {
        let segments = call.context.parameters["path"].split(separator: "/")
        // A slash may be written out, also the first one: `%2Fberlin%2Fmitte`.
        let names = segments.compactMap { RequestTarget.decoded($0) }
        guard names.count == segments.count,
            let found = call.realm.graph.group(atPath: names.joined(separator: "/")),
            let group = call.realm.graph.group(found.id)
        else { throw AdminRefusal.notFound("Group path does not exist") }
        var json = call.json(of: group, isBrief: false)
        json["access"] = nil
        return .object(json)
    }

    private func ofPerson(_ call: AdminCall) async throws -> AdminAnswer {
        let page = try call.page(try call.query())
        let groups = try await groups(of: call)
        return .list(groups.dropFirst(page.first).prefix(page.max).map { call.brief($0) })
    }

    private func countOfPerson(_ call: AdminCall) async throws -> AdminAnswer {
        .object(["count": .integer(Int64(try await groups(of: call).count))])
    }

    private func groups(of call: AdminCall) async throws -> [GroupWithRoles] {
        let person = try await call.person(in: administration.people)
        return person.groupIDs.compactMap(call.realm.graph.group)
            .sorted { $0.group.name < $1.group.name }
    }

    private func defaults(_ call: AdminCall) async throws -> AdminAnswer {
        .list(
            call.realm.realm.defaultGroupIDs.compactMap(call.realm.graph.group).map {
                call.brief($0)
            }
        )
    }

    // MARK: Writing

    /// A new group at the top; or one that is there, which moves to the top.
    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        if try await moves(call, to: nil) { return .done }
        let group = try await new(call, in: nil)
        return .created(path: call.path(group.id))
    }

    /// - Returns: `false` where the body names no group that is to move.
    private func moves(_ call: AdminCall, to parent: Group?) async throws -> Bool {
        guard let id = try call.representation(.group).text("id") else { return false }
        guard let former = call.realm.graph.group(id)?.group else {
            throw AdminRefusal.notFound("Could not find child by id")
        }
        var group = former
        group.parentID = parent?.id
        try await administration.update(group, replacing: former, by: call.administrator)
        return true
    }

    /// A new group in another one; or one that is there, which moves.
    private func createChild(_ call: AdminCall) async throws -> AdminAnswer {
        let parent = try call.group()
        if try await moves(call, to: parent) { return .done }
        let group = try await new(call, in: parent)
        let made = GroupWithRoles(group: group)
        var json = GroupRepresentation(
            made,
            path: call.realm.graph.path(of: parent.id) + "/" + group.name
        ).json
        json["access"] = call.groupAccess
        let path = "/admin/realms/\(call.realm.name)/groups/\(group.id)"
        return .created(path: path, json)
    }

    private func new(_ call: AdminCall, in parent: Group?) async throws -> Group {
        let representation = try call.representation(.group)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.invalid("Group name is missing")
        }
        let group = Group(
            id: UniqueID(random: call.moment.random).text,
            realmID: call.realmID,
            parentID: parent?.id,
            name: name,
            description: try representation.string("description") ?? "",
            attributes: try representation.attributes() ?? [:]
        )
        try await administration.create(group, by: call.administrator)
        return group
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try call.group()
        let representation = try call.representation(.group)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.invalid("Group name is missing")
        }
        var group = former
        group.name = name
        if let text = try representation.string("description") { group.description = text }
        if let attributes = try representation.attributes() { group.attributes = attributes }
        try await administration.update(group, replacing: former, by: call.administrator)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.delete(try call.group(), by: call.administrator)
        return .done
    }

    private func join(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person(in: administration.people).person
        let group = try call.group(or: "Group not found")
        try await administration.join(group, person, by: call.administrator)
        return .done
    }

    private func leave(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person(in: administration.people).person
        let group = try call.group(or: "Group not found")
        // One that they are not in need not be left.
        try await administration.leave(group, person, by: call.administrator)
        return .done
    }

    private func setDefault(_ call: AdminCall, _ isDefault: Bool) async throws -> AdminAnswer {
        let group = try call.group()
        try await administration.setDefault(group, to: isDefault, by: call.administrator)
        return .done
    }
}
