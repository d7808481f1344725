import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

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
        @OptionGroup(title: "General options") var options: ChangingOptions

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
            let kept = try await administration.realms.existing([role.roleName], realmID: realm.id)
            let words = ["--realm", realm.name] + (of.client.map { ["--client", $0] } ?? [])
            let creation = Creation(
                kind: "role",
                name: role.text,
                see: "role list --realm \(realm.name)",
                next: ("Give it", "role assign \(name) USER \(words: words)"),
                isTaken: !kept.isEmpty
            )
            try await creation.write(in: realm, administration) {
                try await $0.create(role, by: .commandLine)
            }
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
        let loss = " and takes it from everyone who has it."
        return Deletion(
            "role \(role.text)",
            named: role.name,
            of: realm,
            loss: loss,
            administration
        ) {
            try await $0.delete(role, by: .commandLine)
        }
    }
}

struct RoleOptions: ParsableArguments {
    @Option(help: .value("client_id", "The client that the role belongs to.")) var client: String?

    @OptionGroup var realm: RealmOptions
}

extension Role {
    var text: String { RoleName(clientID: clientID, name: name).text }

    fileprivate var item: JSONObject {
        [
            "id": .string(id),
            "name": .string(name),
            "client": clientID.map(JSONValue.string) ?? .null,
            "description": .string(description),
        ]
    }

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

extension RoleCommand {
    struct Assign: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a role to a person, a group, a client's account, or another role.",
            discussion: """
                With --composite, another role contains this one from then on: all who have that one \
                have this one, too.

                --seen-by-client and --seen-by-scope are for clients without full scope: they say \
                which roles of a person their tokens show.
                """
        )

        @OptionGroup var assignment: RoleAssignment
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await assignment.set(true, administration)
        }
    }

    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a role from a person, a group, a client's account, or another role."
        )

        @OptionGroup var assignment: RoleAssignment
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await assignment.set(false, administration)
        }
    }
}

/// Which role a command gives to what, or takes from it.
struct RoleAssignment: ParsableArguments {
    @Argument(help: "The role.") var name: String
    @Argument(help: "The username, or the id, of a person.") var user: String?

    @Option(help: .value("path", "Give the role to a group's members instead.")) var group: String?

    @Option(help: .value("client_id", "Give the role to this client's own account instead."))
    var serviceAccount: String?

    @Option(help: .value("role", "Put the role into this composite role instead.")) var composite:
        String?

    @Option(help: .value("client_id", "The client that the role of --composite belongs to."))
    var compositeClient: String?

    @Option(help: .value("client_id", "Let this client see the role, if it has no full scope."))
    var seenByClient: String?

    @Option(help: .value("scope", "Let clients with this client scope see the role."))
    var seenByScope: String?

    @OptionGroup var of: RoleOptions

    func validate() throws {
        let named = [user, group, serviceAccount, composite, seenByClient, seenByScope]
        guard named.count(where: { $0 != nil }) == 1 else {
            throw ValidationError(
                "Name one person, or one of --group, --service-account, --composite, "
                    + "--seen-by-client and --seen-by-scope."
            )
        }
        guard compositeClient == nil || composite != nil else {
            throw ValidationError("--composite-client goes with --composite.")
        }
    }

    /// What has a role, in the words of the command line.
    struct Holder {
        let holder: RoleHolder
        let subject: String
        let name: String
        let words: [String]
        var verb = (ever: "have", now: "has")
    }

    fileprivate func set(_ isGiven: Bool, _ administration: Administration) async throws {
        let realm = try administration.realm(of.realm.realm)
        let role = try await administration.role(name, of: of.client, in: realm)
        let holder = try await holder(administration, realm)
        let words =
            [role.name] + holder.words + ["--realm", realm.name]
            + (role.clientID.map { ["--client", $0] } ?? [])
        let switching = Switching(
            isOnAlready: try await Self.has(role, holder, in: realm, administration),
            on: "\(holder.subject) \(holder.verb.now) role \(role.text)",
            off: "\(holder.subject) no longer \(holder.verb.now) role \(role.text)",
            notOn: "\(holder.subject) does not \(holder.verb.ever) role \(role.text).",
            summary: isGiven
                ? "given \(role.text) to \(holder.name)" : "taken \(role.text) from \(holder.name)",
            undo: isGiven ? "role remove \(words: words)" : "role assign \(words: words)"
        )
        try await switching(to: isGiven, in: realm, administration) { changes in
            do {
                let count = try await changes.set(
                    [role.roleName],
                    of: holder.holder,
                    to: isGiven,
                    in: realm.id,
                    by: .commandLine
                )
                return isGiven || count > 0
            } catch AdministrationRefusal.notFound {
                try administration.expectChanged(.notFound, holder.subject)
                return true
            }
        }
    }

    /// Whether the holder has the role itself, and not by way of another one.
    private static func has(
        _ role: Role,
        _ holder: Holder,
        in realm: Realm,
        _ administration: Administration
    ) async throws -> Bool {
        let name = role.roleName
        switch holder.holder {
        case .person(let id):
            let person = try await administration.people.person(id: id, realmID: realm.id)
            return person?.roles.contains(name) ?? false
        case .group(let id):
            return try await administration.graph(of: realm).group(id)?.roles.contains(name)
                ?? false
        case .role(let whole):
            return try await administration.graph(of: realm).parts(of: whole).contains(name)
        case .sight(let owner):
            return try await administration.realms.roles(shownTo: owner).contains(name)
        }
    }

    private func holder(_ administration: Administration, _ realm: Realm) async throws -> Holder {
        if let group {
            let found = try await administration.group(group, in: realm)
            let path = try await administration.graph(of: realm).path(of: found.id)
            return Holder(
                holder: .group(found.id),
                subject: "Group \(printable(path))",
                name: "group \(printable(path))",
                words: ["--group", path]
            )
        }
        if let serviceAccount {
            let client = try await administration.client(serviceAccount, in: realm)
            return Holder(
                holder: .person(try await administration.account(of: client).person.id),
                subject: "The account of client \(client.clientID)",
                name: "the account of client \(client.clientID)",
                words: ["--service-account", client.clientID]
            )
        }
        if let composite {
            let role = try await administration.role(composite, of: compositeClient, in: realm)
            return Holder(
                holder: .role(role.roleName),
                subject: "Role \(role.text)",
                name: "role \(role.text)",
                words: ["--composite", role.name]
                    + (role.clientID.map { ["--composite-client", $0] } ?? []),
                verb: ("contain", "contains")
            )
        }
        if let seenByClient {
            let client = try await administration.client(seenByClient, in: realm)
            return Holder(
                holder: .sight(of: .client(client.id)),
                subject: "Client \(client.clientID)",
                name: "client \(client.clientID)",
                words: ["--seen-by-client", client.clientID],
                verb: ("see", "sees")
            )
        }
        if let seenByScope {
            let scope = try await administration.scope(seenByScope, in: realm)
            return Holder(
                holder: .sight(of: .scope(scope.id)),
                subject: "Client scope \(scope.name)",
                name: "client scope \(scope.name)",
                words: ["--seen-by-scope", scope.name],
                verb: ("show", "shows")
            )
        }
        let person = try await administration.person(user ?? "", in: realm).person
        return Holder(
            holder: .person(person.id),
            subject: person.username,
            name: person.username,
            words: [person.username]
        )
    }
}

extension Administration {
    func account(of client: Client) async throws -> PersonWithRoles {
        guard
            let account = try await people.serviceAccount(of: client.id, realmID: client.realmID)
        else {
            throw Failure(
                .notFound,
                "Client \(client.clientID) has no account of its own.",
                "Clients with --token-form mapped have one with --grant-type client_credentials."
            )
        }
        return account
    }
}
