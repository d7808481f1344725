import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoStores

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
        /// As a sentence begins.
        let subject: String
        /// Within a sentence.
        let name: String
        /// As options name it.
        let words: [String]
        var verb = (ever: "have", now: "has")
    }

    func find(_ administration: Administration) async throws -> (Realm, Role, Holder) {
        let realm = try administration.realm(of.realm.realm)
        let role = try await administration.role(name, of: of.client, in: realm)
        return (realm, role, try await holder(administration, realm))
    }

    /// Whether the holder has the role itself, and not by way of another one.
    static func has(
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

    /// The rest of a command line that names the same.
    func words(_ role: Role, _ holder: Holder, _ realm: Realm) -> [String] {
        [role.name] + holder.words + ["--realm", realm.name]
            + (role.clientID.map { ["--client", $0] } ?? [])
    }
}

extension Administration {
    /// The account that a client has for itself.
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
