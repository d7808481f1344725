import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Manage groups of people, who have the roles of their groups.",
        discussion: """
            A group is named by its path: staff, or /staff/ios for a group in it. Its members have \
            its roles, and those of the groups above it. To give it a role:
              portico role assign editor --group /staff
            """,
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, Members.self, AddMember.self, RemoveMember.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The group's path.") var path: String
        @OptionGroup var realm: RealmOptions
    }

    struct Item {
        let group: GroupWithRoles
        let path: String
        /// With those of the groups above, and what roles contain.
        let effective: Set<RoleName>

        init(_ group: GroupWithRoles, in graph: RoleGraph) {
            self.group = group
            path = graph.path(of: group.group.id)
            effective = graph.roles(ofGroup: group.group.id)
        }

        var json: JSONObject {
            [
                "id": .string(group.group.id),
                "path": .string(path),
                "name": .string(group.group.name),
                "description": .string(group.group.description),
                "roles": group.roles.inOrder.json,
                "effective_roles": effective.inOrder.json,
                "attributes": group.group.attributes.json,
            ]
        }
    }
}

extension GroupCommand: ListedResource {
    static let listAbstract = "List the groups of a realm."

    static func list(_ selection: RealmListOptions, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.realm.realm)
        let graph = try await administration.graph(of: realm)
        let items = graph.allGroups.map { Item($0, in: graph) }.sorted { $0.path < $1.path }
        return Listing(
            Page(items, selection.list, key: \.path) { [$0.path, $0.group.group.description] },
            Table("GROUP", "ROLES", "DESCRIPTION"),
            none: "No groups yet. Create one: "
                + portico("group create NAME --realm \(realm.name)"),
            row: { item in
                let text = item.group.group.description
                return [
                    item.path, joined(item.group.roles.inOrder.map(\.text)),
                    text.isEmpty ? nil : text,
                ]
            },
            json: \.json
        )
    }
}

extension GroupCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one group."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let realm = try administration.realm(name.realm.realm)
        let graph = try await administration.graph(of: realm)
        let group = try await administration.group(name.path, in: realm)
        let item = Item(graph.group(group.id) ?? GroupWithRoles(group: group), in: graph)
        return Description(
            json: item.json,
            fields: [
                ("Group", item.path),
                ("Roles", joined(item.group.roles.inOrder.map(\.text))),
                ("Members have", joined(item.effective.inOrder.map(\.text))),
                ("Description", group.description.isEmpty ? nil : group.description),
                ("Attributes", group.attributes.shown),
                ("Id", group.id),
            ]
        )
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a group and those in it; their members stay."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.realm.realm)
        let group = try await administration.group(name.path, in: realm)
        let path = try await administration.graph(of: realm).path(of: group.id)
        let loss = " with the groups in it. Its members stay, without its roles."
        return Deletion("group \(path)", named: path, of: realm, loss: loss, administration) {
            try await $0.delete(group, by: .commandLine)
        }
    }
}

extension GroupCommand {
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a group.",
            discussion: "The id of the group is written to stdout."
        )

        @Argument(help: "The group's name.") var name: String
        @Option(help: .value("path", "The group that it lies in; without: at the top."))
        var parent: String?
        @OptionGroup var fields: GroupFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let graph = try await administration.graph(of: realm)
            var group = Group(
                id: UniqueID(random: administration.moment.random).text,
                realmID: realm.id,
                parentID: nil,
                name: name
            )
            if let parent { group.parentID = try await administration.group(parent, in: realm).id }
            fields.apply(to: &group)
            try RealmAdministration.check(group, in: graph)
            let path = graph.path(toBeOf: group)
            let creation = Creation(
                kind: "group",
                name: path,
                see: "group show \(path) --realm \(realm.name)",
                next: ("Add someone", "group add-member \(path) USER --realm \(realm.name)"),
                isTaken: graph.isTaken(path, besides: group)
            )
            let isMade = try await creation.write(in: realm, administration) { [group] in
                try await $0.create(group, by: .commandLine)
            }
            if isMade { try console.made("Id", group.id) }
        }
    }

    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a group, or move it. What you leave out stays."
        )

        @Argument(help: "The group's path.") var path: String
        @Option(help: .value("name", "A new name.")) var name: String?
        @Option(help: .value("path", "The new parent group; / for the top level."))
        var parent: String?
        @OptionGroup var fields: GroupFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let graph = try await administration.graph(of: realm)
            let former = try await administration.group(path, in: realm)
            var group = former
            if let name { group.name = name }
            if let parent {
                group.parentID =
                    parent == "/" ? nil : try await administration.group(parent, in: realm).id
            }
            fields.apply(to: &group)
            try RealmAdministration.check(group, in: graph)
            let path = graph.path(of: former.id)
            let now = printable(graph.path(toBeOf: group))
            try Self.expectPlace(for: group, replacing: former, in: graph)
            guard administration.mayWrite(group, replacing: former, "group \(path)") else { return }
            try await administration.changing { [group] in
                try await $0.update(group, replacing: former, by: .commandLine)
            }
            console.done(
                "Changed group \(now) of realm \(realm.name). "
                    + "See it: \(portico("group show \(now) --realm \(realm.name)"))"
            )
        }

        /// What the store refuses, for a dry run too.
        private static func expectPlace(
            for group: Group,
            replacing former: Group,
            in graph: RoleGraph
        ) throws(Failure) {
            guard group.name != former.name || group.parentID != former.parentID else { return }
            let above = group.parentID.map { graph.lineage(of: $0) } ?? []
            guard !above.contains(where: { $0.group.id == group.id }) else {
                throw Failure(.refused, "A group cannot lie in itself.", "Nothing was changed.")
            }
            let path = graph.path(toBeOf: group)
            guard !graph.isTaken(path, besides: group) else {
                throw Failure(
                    .exists,
                    "Group \"\(printable(path))\" already exists.",
                    "Nothing was changed."
                )
            }
        }
    }
}

extension RoleGraph {
    /// Of a group that is not in it yet, or not there.
    fileprivate func path(toBeOf group: Group) -> String {
        (group.parentID.map { path(of: $0) } ?? "") + "/" + group.name
    }

    /// Whether another group has the path: the store refuses that.
    fileprivate func isTaken(_ path: String, besides group: Group) -> Bool {
        allGroups.contains {
            $0.group.id != group.id && sameBytes(self.path(of: $0.group.id), path)
        }
    }
}

extension GroupCommand {
    struct Members: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the members of a group, without those of groups in it."
        )

        @OptionGroup var name: Name
        @OptionGroup var list: ListOptions
        @OptionGroup(title: "General options") var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name.realm.realm)
            let group = try await administration.group(name.path, in: realm)
            var members: [Person] = []
            let step = 1000
            while members.count.isMultiple(of: step) {
                let next = try await administration.people.members(
                    of: group.id,
                    realmID: realm.id,
                    first: members.count,
                    limit: step
                )
                guard !next.isEmpty else { break }
                members += next
            }
            let path = try await administration.graph(of: realm).path(of: group.id)
            try console.show(
                Listing(
                    Page(members, list, key: \.username) {
                        [$0.username, $0.displayName, $0.email]
                    },
                    Table("USER", "NAME", "EMAIL", "STATE", "ID"),
                    none: "No members yet. Add one: "
                        + portico("group add-member \(path) USER --realm \(realm.name)"),
                    row: { [$0.username, $0.displayName, $0.markedEmail, $0.state, $0.id] },
                    json: \.item
                ),
                options.read
            )
        }
    }

    struct Membership: ParsableArguments {
        @Argument(help: "The group's path.") var path: String
        @Argument(help: "The username, or the id.") var user: String
        @OptionGroup var realm: RealmOptions

        fileprivate func set(_ isMember: Bool, _ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let group = try await administration.group(path, in: realm)
            let path = printable(try await administration.graph(of: realm).path(of: group.id))
            let person = try await administration.person(user, in: realm).person
            let kept = try await administration.people.person(id: person.id, realmID: realm.id)
            let name = person.username
            let switching = Switching(
                isOnAlready: kept?.groupIDs.contains(group.id) ?? false,
                on: "\(name) is a member of group \(path)",
                off: "\(name) is no longer a member of group \(path)",
                notOn: "\(name) is no member of group \(path).",
                summary: isMember
                    ? "added \(name) to group \(path)" : "taken \(name) out of group \(path)",
                undo: isMember
                    ? "group remove-member \(path) \(name) --realm \(realm.name)"
                    : "group add-member \(path) \(name) --realm \(realm.name)"
            )
            try await switching(to: isMember, in: realm, administration) { changes in
                do {
                    guard isMember else {
                        return try await changes.leave(group, person, by: .commandLine) == .changed
                    }
                    try await changes.join(group, person, by: .commandLine)
                    return true
                } catch AdministrationRefusal.notFound where isMember {
                    try administration.expectChanged(.notFound, "User \(name) or group \(path)")
                    return true
                }
            }
        }
    }

    struct AddMember: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-member",
            abstract: "Make a person a member of a group."
        )

        @OptionGroup var membership: Membership
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await membership.set(true, administration)
        }
    }

    struct RemoveMember: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-member",
            abstract: "Take a person out of a group."
        )

        @OptionGroup var membership: Membership
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await membership.set(false, administration)
        }
    }
}

struct GroupFields: ParsableArguments {
    @Option(help: .value("text", "What the group is for.")) var description: String?

    @OptionGroup var attributes: AttributeFields

    func apply(to group: inout Group) {
        if let description { group.description = description }
        attributes.apply(to: &group.attributes)
    }
}

struct AttributeFields: ParsableArguments {
    @Option(
        help: .value(
            "name=value",
            "Another attribute. Repeat for several, even with one name; NAME= removes it."
        )
    )
    var attribute: [String] = []

    func validate() throws {
        for one in attribute where !one.dropFirst().contains("=") {
            throw ValidationError("--attribute must be written as NAME=VALUE.")
        }
    }

    func apply(to kept: inout [String: [String]]) {
        for (name, values) in named { kept[name] = values.isEmpty ? nil : values }
    }

    private var named: [String: [String]] {
        var named: [String: [String]] = [:]
        for one in attribute {
            let parts = one.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            named[String(parts[0]), default: []] += parts[1].isEmpty ? [] : [String(parts[1])]
        }
        return named
    }
}
