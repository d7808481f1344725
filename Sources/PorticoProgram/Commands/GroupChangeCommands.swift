import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoStores

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
