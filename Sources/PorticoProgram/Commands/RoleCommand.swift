import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `portico role`
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Manage the roles of a realm or of one of its clients.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self,
            DeleteCommand<Self>.self, Assign.self, Remove.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The role.") var name: String
        @OptionGroup var of: RoleOptions
    }

    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Create a role.")

        @Argument(help: "The role.") var name: String
        @Option(help: .value("text", "What the role is for.")) var description = ""
        @OptionGroup var of: RoleOptions
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(of.realm.realm)
            if let client = of.client { _ = try await administration.client(client, in: realm) }
            let role = Role(
                id: UniqueID(random: administration.moment.random).text,
                realmID: realm.id,
                clientID: of.client,
                name: name,
                description: description
            )
            try RoleRegistration.check(role)
            let taken = Failure(
                .exists,
                "Role \"\(printable(role.text))\" already exists.",
                "See it: \(portico("role list --realm \(realm.name)"))"
            )
            let kept = try await administration.realms.existing([role.roleName], realmID: realm.id)
            guard kept.isEmpty else { throw taken }
            guard administration.mayWrite("created role \(role.text) in \(realm.name)") else {
                return
            }
            try await administration.creating(or: taken) {
                try await $0.create(role, by: .commandLine)
            }
            let words = ["--realm", realm.name] + (of.client.map { ["--client", $0] } ?? [])
            console.done(
                "Created role \(role.text) in realm \(realm.name). Give it: "
                    + portico("role assign \(name) USER \(words: words)")
            )
        }
    }
}

extension RoleCommand: ListedResource {
    static let listAbstract = "List the roles of a realm."

    static func list(_ selection: RealmListOptions, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.realm.realm)
        let roles = try await administration.realms.roles(realmID: realm.id)
        return Listing(
            Page(roles.sorted { $0.position < $1.position }, selection.list, key: \.position) {
                [$0.name, $0.clientID, $0.description]
            },
            Table("ROLE", "CLIENT", "DESCRIPTION"),
            none: "No roles yet. Create one: "
                + portico("role create NAME --realm \(realm.name)"),
            row: { [$0.name, $0.clientID, $0.description.isEmpty ? nil : $0.description] },
            json: \.item
        )
    }
}

extension RoleCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one role, and what it contains."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let realm = try administration.realm(name.of.realm.realm)
        let role = try await administration.role(name.name, of: name.of.client, in: realm)
        let parts = try await administration.graph(of: realm).parts(of: role.roleName).inOrder
        var json = role.item
        json["composites"] = parts.json
        json["attributes"] = role.attributes.json
        return Description(
            json: json,
            fields: [
                ("Role", role.name),
                ("Client", role.clientID),
                ("Description", role.description.isEmpty ? nil : role.description),
                ("Contains", joined(parts.map(\.text))),
                ("Attributes", role.attributes.shown),
                ("Id", role.id),
            ]
        )
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a role and take it from everyone."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.of.realm.realm)
        let role = try await administration.role(name.name, of: name.of.client, in: realm)
        try RealmAdministration.expectNotDefault(role, in: realm)
        return Deletion(
            name: role.name,
            subject: "Role \(role.text)",
            summary: "deleted role \(role.text) of \(realm.name)",
            warning: "This deletes role \(role.text) of realm \(realm.name) and takes it from "
                + "everyone who has it.",
            done: "Deleted role \(role.text) of realm \(realm.name)."
        ) { try await administration.deleting { try await $0.delete(role, by: .commandLine) } }
    }
}

/// Which role a command is about.
struct RoleOptions: ParsableArguments {
    @Option(help: .value("client_id", "The client that the role belongs to.")) var client: String?

    @OptionGroup var realm: RealmOptions
}

extension Role {
    /// As ``RoleName/text``.
    var text: String { RoleName(clientID: clientID, name: name).text }

    /// One of `portico role list --json`.
    fileprivate var item: JSONObject {
        [
            "id": .string(id),
            "name": .string(name),
            "client": clientID.map(JSONValue.string) ?? .null,
            "description": .string(description),
        ]
    }

    /// Realm roles first, then by client.
    fileprivate var position: String { "\(clientID ?? "")/\(name)" }
}

extension Administration {
    @discardableResult
    func role(_ name: String, of client: String?, in realm: Realm) async throws -> Role {
        try find(
            client.map { "role of \(printable($0))" } ?? "role",
            name,
            among: try await realms.roles(realmID: realm.id)
                .filter { $0.clientID == client },
            by: \.name,
            portico("role list --realm \(realm.name)")
        )
    }
}
