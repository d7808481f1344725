import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `portico role`
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Manage the roles of a realm or of one of its clients.",
        subcommands: [List.self, Create.self, Delete.self, Assign.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the roles of a realm.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let realm = try administration.realm(realm.realm)
                let roles = try await administration.installation.realms.roles(realmID: realm.id)
                let ordered = roles.sorted { $0.position < $1.position }
                console.show(
                    Listing(ordered, list, key: \.position) {
                        [$0.name, $0.clientID, $0.description]
                    },
                    Table("ROLE", "CLIENT", "DESCRIPTION"),
                    read,
                    none:
                        "No roles yet. Create one: portico role create NAME --realm \(realm.name)",
                    row: { [$0.name, $0.clientID, $0.description.isEmpty ? nil : $0.description] },
                    json: {
                        [
                            "id": .string($0.id),
                            "name": .string($0.name),
                            "client": $0.clientID.map(JSONValue.string) ?? .null,
                            "description": .string($0.description),
                        ]
                    }
                )
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a role.")

        @Argument(help: "The role.") var name: String
        @Option(help: ArgumentHelp("What it means.", valueName: "text"))
        var description = ""
        @OptionGroup var of: RoleOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(of.realm.realm)
                if let client = of.client { _ = try administration.client(client, in: realm) }
                let role = Role(
                    id: UniqueID(random: administration.moment.random).text,
                    realmID: realm.id,
                    clientID: of.client,
                    name: name,
                    description: description
                )
                try RoleRegistration.check(role)
                guard !change.dryRun else {
                    return administration.dryRun("created role \(role.text) in \(realm.name)")
                }
                guard try await administration.installation.realms.create(role) == .created else {
                    throw Failure(
                        .exists,
                        "Role \"\(printable(role.text))\" already exists.",
                        "See it: portico role list --realm \(realm.name)"
                    )
                }
                console.done(
                    "Created role \(role.text) in realm \(realm.name). "
                        + "Give it: portico role assign \(name) USER --realm \(realm.name)"
                        + (of.client.map { " --client \($0)" } ?? "")
                )
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a role and take it from everyone."
        )

        @Argument(help: "The role.") var name: String
        @OptionGroup var of: RoleOptions
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(of.realm.realm)
                let role = try await administration.role(name, of: of.client, in: realm)
                guard !change.dryRun else {
                    return administration.dryRun("deleted role \(role.text) of \(realm.name)")
                }
                try confirmation.check(
                    name,
                    warning: "This deletes role \(role.text) of realm \(realm.name) and takes it "
                        + "from everyone who has it.",
                    console
                )
                try administration.expectChanged(
                    await administration.installation.realms.deleteRole(id: role.id),
                    "Role \(role.text)"
                )
                console.done("Deleted role \(role.text) of realm \(realm.name).")
            }
        }
    }
}

/// Which role a command is about.
struct RoleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The client whose role it is.", valueName: "client_id"))
    var client: String?

    @OptionGroup var realm: RealmOptions
}

extension Role {
    /// As ``RoleName/text``.
    var text: String { RoleName(clientID: clientID, name: name).text }

    /// Realm roles first, then by client.
    fileprivate var position: String { "\(clientID ?? "")/\(name)" }
}

extension Administration {
    @discardableResult
    func role(_ name: String, of client: String?, in realm: Realm) async throws -> Role {
        let roles = try await installation.realms.roles(realmID: realm.id)
            .filter { $0.clientID == client }
        guard let role = roles.first(where: { $0.name == name }) else {
            throw missing(
                client.map { "role of \(printable($0))" } ?? "role",
                name,
                among: roles.map(\.name),
                "portico role list --realm \(realm.name)"
            )
        }
        return role
    }
}
