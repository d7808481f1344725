import ArgumentParser
import PorticoAdministration
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
