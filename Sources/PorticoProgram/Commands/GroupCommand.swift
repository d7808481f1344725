import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

/// `portico group`
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

    /// A group with what is shown of it.
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
        return Deletion(
            name: path,
            subject: "Group \(path)",
            summary: "deleted group \(path) of \(realm.name)",
            warning: "This deletes group \(printable(path)) of realm \(realm.name) with the groups "
                + "in it. Its members stay, without its roles.",
            done: "Deleted group \(path) of realm \(realm.name)."
        ) { try await administration.deleting { try await $0.delete(group, by: .commandLine) } }
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
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let graph = try await administration.graph(of: realm)
            let parentID =
                if let parent { try await administration.group(parent, in: realm).id } else {
                    String?.none
                }
            var new = Group(
                id: UniqueID(random: administration.moment.random).text,
                realmID: realm.id,
                parentID: parentID,
                name: name
            )
            fields.apply(to: &new)
            let group = new
            try RealmAdministration.check(group, in: graph)
            let whole = graph.path(toBeOf: group)
            let path = printable(whole)
            let taken = Failure(
                .exists,
                "Group \"\(path)\" already exists.",
                "See it: \(portico("group show \(path) --realm \(realm.name)"))"
            )
            guard !graph.isTaken(whole, besides: group) else { throw taken }
            guard administration.mayWrite("created group \(path) in \(realm.name)") else { return }
            try await administration.creating(or: taken) {
                try await $0.create(group, by: .commandLine)
            }
            console.done(
                "Created group \(path) in realm \(realm.name). "
                    + "Add someone: "
                    + portico("group add-member \(path) USER --realm \(realm.name)")
            )
            try console.made("Id", group.id)
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
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let graph = try await administration.graph(of: realm)
            let former = try await administration.group(path, in: realm)
            var changed = former
            if let name { changed.name = name }
            if let parent {
                changed.parentID =
                    parent == "/" ? nil : try await administration.group(parent, in: realm).id
            }
            fields.apply(to: &changed)
            let group = changed
            try RealmAdministration.check(group, in: graph)
            let path = graph.path(of: former.id)
            let now = printable(graph.path(toBeOf: group))
            try Self.expectPlace(for: group, replacing: former, in: graph)
            guard administration.mayWrite(group, replacing: former, "group \(path)") else { return }
            try await administration.changing {
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
        @OptionGroup var options: ReadingOptions

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

        fileprivate func find(_ administration: Administration) async throws
            -> (realm: Realm, group: Group, path: String, person: Person)
        {
            let realm = try administration.realm(realm.realm)
            let group = try await administration.group(path, in: realm)
            let path = printable(try await administration.graph(of: realm).path(of: group.id))
            return (realm, group, path, try await administration.person(user, in: realm).person)
        }

        fileprivate static func has(
            _ person: Person,
            _ group: Group,
            _ administration: Administration
        ) async throws -> Bool {
            let kept = try await administration.people
                .person(id: person.id, realmID: person.realmID)
            return kept?.groupIDs.contains(group.id) ?? false
        }
    }

    struct AddMember: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-member",
            abstract: "Make a person a member of a group."
        )

        @OptionGroup var membership: Membership
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, group, path, person) = try await membership.find(administration)
            let name = person.username
            guard try await !Membership.has(person, group, administration) else {
                return console.say("\(name) is a member of group \(path) already.")
            }
            guard administration.mayWrite("added \(name) to group \(path)") else { return }
            do {
                try await administration.changing {
                    try await $0.join(group, person, by: .commandLine)
                }
            } catch AdministrationRefusal.notFound {
                try administration.expectChanged(.notFound, "User \(name) or group \(path)")
            }
            console.done(
                "\(name) is a member of group \(path) in realm \(realm.name). "
                    + "Undo: "
                    + portico("group remove-member \(path) \(name) --realm \(realm.name)")
            )
        }
    }

    struct RemoveMember: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-member",
            abstract: "Take a person out of a group."
        )

        @OptionGroup var membership: Membership
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, group, path, person) = try await membership.find(administration)
            let name = person.username
            let none = "\(name) is no member of group \(path)."
            guard try await Membership.has(person, group, administration) else {
                return console.say(none)
            }
            guard administration.mayWrite("taken \(name) out of group \(path)") else { return }
            let outcome = try await administration.changing {
                try await $0.leave(group, person, by: .commandLine)
            }
            guard outcome == .changed else { return console.say(none) }
            console.done(
                "\(name) is no longer a member of group \(path) in realm \(realm.name). "
                    + "Undo: "
                    + portico("group add-member \(path) \(name) --realm \(realm.name)")
            )
        }
    }
}

/// The fields of a new or changed group. What is left out stays as it is.
struct GroupFields: ParsableArguments {
    @Option(help: .value("text", "What the group is for.")) var description: String?

    @OptionGroup var attributes: AttributeFields

    func apply(to group: inout Group) {
        if let description { group.description = description }
        attributes.apply(to: &group.attributes)
    }
}

/// Attributes of a person or a group.
struct AttributeFields: ParsableArguments {
    @Option(
        name: .customLong("attribute"),
        help: .value(
            "name=value",
            "Another attribute. Repeat for several, even with one name; NAME= removes it."
        )
    )
    var attributes: [String] = []

    func validate() throws {
        for attribute in attributes where !attribute.dropFirst().contains("=") {
            throw ValidationError("--attribute must be written as NAME=VALUE.")
        }
    }

    func apply(to kept: inout [String: [String]]) {
        for (name, values) in named { kept[name] = values.isEmpty ? nil : values }
    }

    private var named: [String: [String]] {
        var named: [String: [String]] = [:]
        for attribute in attributes {
            let parts = attribute.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2 else { continue }
            named[String(parts[0]), default: []] += parts[1].isEmpty ? [] : [String(parts[1])]
        }
        return named
    }
}
