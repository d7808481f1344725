import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

struct ScopeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scope",
        abstract: "Manage client scopes.",
        discussion: """
            A client scope has mappers (portico mapper), which write claims for every client that \
            has it. To give it to a client, or to all new clients of a realm:
              portico client update app --default-scope groups
              portico realm update acme --default-scope groups
            """,
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self,
            DeleteCommand<Self>.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The client scope.") var name: String
        @OptionGroup var realm: RealmOptions
    }

    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Create a client scope.")

        @Argument(help: "The scope, as apps ask for it.") var name: String
        @Option(help: .value("text", "What the scope is for.")) var description: String?
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            var scope = ClientScope(
                id: UniqueID(random: administration.moment.random).text,
                realmID: realm.id,
                name: name
            )
            scope.description = description
            try RealmAdministration.check(scope)
            let others = try await administration.scopes(of: realm)
            let creation = Creation(
                kind: "client scope",
                name: name,
                see: "scope show \(name) --realm \(realm.name)",
                next: (
                    "Add a mapper",
                    "mapper add NAME --type TYPE --scope \(name) --realm \(realm.name)"
                ),
                isTaken: others.contains { sameBytes($0.name, name) }
            )
            try await creation.write(in: realm, administration) { [scope] in
                try await $0.create(scope, by: .commandLine)
            }
        }
    }

    fileprivate struct Item {
        let scope: ClientScope
        /// Whether new clients get it, `default` or `optional`.
        let newClients: String?

        init(_ scope: ClientScope, of realm: Realm) {
            self.scope = scope
            newClients =
                realm.defaultClientScopes.contains { sameBytes($0, scope.name) }
                ? "default"
                : realm.optionalClientScopes.contains { sameBytes($0, scope.name) }
                    ? "optional" : nil
        }

        var mappers: [String] { scope.mappers.map(\.name) }

        var mapperNames: String? {
            mappers.isEmpty ? nil : mappers.joined(separator: ", ")
        }

        var json: JSONObject {
            [
                "id": .string(scope.id),
                "name": .string(scope.name),
                "description": .string(scope.description ?? ""),
                "new_clients": newClients.map(JSONValue.string) ?? .null,
                "mappers": .array(mappers.map(JSONValue.string)),
            ]
        }
    }
}

extension ScopeCommand: ListedResource {
    static let listAbstract = "List the client scopes of a realm."

    static func list(_ selection: RealmListOptions, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.realm.realm)
        let items = try await administration.scopes(of: realm).map { Item($0, of: realm) }
            .sorted { $0.scope.name < $1.scope.name }
        return Listing(
            Page(items, selection.list, key: \.scope.name) {
                [$0.scope.name, $0.scope.description]
            },
            Table("SCOPE", "NEW CLIENTS", "MAPPERS"),
            none: "No client scopes. Create one: "
                + portico("scope create NAME --realm \(realm.name)"),
            row: { [$0.scope.name, $0.newClients, $0.mapperNames] },
            json: \.json
        )
    }
}

extension ScopeCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one client scope, and which clients have it."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let realm = try administration.realm(name.realm.realm)
        let scope = try await administration.scope(name.name, in: realm)
        let item = Item(scope, of: realm)
        let roles = try await administration.realms.roles(shownTo: .scope(scope.id)).inOrder
        let clients = try await administration.clients(of: realm)
        func having(_ list: (Client) -> [String]) -> [String] {
            clients.filter { list($0).contains { sameBytes($0, scope.name) } }.map(\.clientID)
        }
        let (defaults, optionals) = (having(\.defaultScopes), having(\.optionalScopes))
        var json = item.json
        json["roles"] = roles.json
        json["default_of"] = .array(defaults.map(JSONValue.string))
        json["optional_of"] = .array(optionals.map(JSONValue.string))
        return Description(
            json: json,
            fields: [
                ("Scope", scope.name),
                ("Description", scope.description),
                ("New clients", item.newClients),
                ("Mappers", item.mapperNames),
                ("Shows roles", joined(roles.map(\.text))),
                ("Default of", joined(defaults)),
                ("Optional of", joined(optionals)),
                ("Id", scope.id),
            ]
        )
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a client scope, and take it from every client."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.realm.realm)
        let scope = try await administration.scope(name.name, in: realm)
        let loss = " and takes it from every client."
        return Deletion(
            "client scope \(scope.name)",
            named: scope.name,
            of: realm,
            loss: loss,
            administration
        ) {
            try await $0.delete(scope, by: .commandLine)
        }
    }
}

/// Changes of the scopes that a client has, or that new clients of a realm get: by default, and on request. What
/// is named is added; nothing is removed unless it is named.
struct ScopeOptions: ParsableArguments {
    @Option(
        help: .value("scope", "Another scope that it, or a new client of the realm, always gets.")
    )
    var defaultScope: [String] = []

    @Option(help: .value("scope", "Another scope that it, or a new client, may ask for."))
    var optionalScope: [String] = []

    @Option(
        help: .value("scope", "A scope to remove, before others are added. Repeat for several.")
    )
    var removeScope: [String] = []

    var added: [String] { defaultScope + optionalScope }

    var isEmpty: Bool { added.isEmpty && removeScope.isEmpty }

    /// A default scope may be asked for anyway, so it is not listed as optional too.
    ///
    /// - Parameter owner: As a sentence begins: `The client`.
    func change(_ lists: inout (defaults: [String], optionals: [String]), of owner: String)
        throws(Failure)
    {
        for scope in removeScope {
            let known = lists.defaults + lists.optionals
            guard known.contains(where: { sameBytes($0, scope) }) else {
                throw Failure(
                    .notFound,
                    "\(owner) has no scope \"\(printable(scope))\".",
                    "It has: \(known.map(printable).joined(separator: " "))"
                )
            }
            lists.defaults.removeAll { sameBytes($0, scope) }
            lists.optionals.removeAll { sameBytes($0, scope) }
        }
        for scope in defaultScope where !lists.defaults.contains(where: { sameBytes($0, scope) }) {
            lists.optionals.removeAll { sameBytes($0, scope) }
            lists.defaults.append(scope)
        }
        let known = lists.defaults + lists.optionals
        for scope in optionalScope where !known.contains(where: { sameBytes($0, scope) }) {
            lists.optionals.append(scope)
        }
    }
}
