import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Manage clients: the apps and services that people sign in to.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, Links.self, Products.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The client_id.") var clientID: String
        @OptionGroup var realm: RealmOptions
    }
}

extension ClientCommand: ListedResource {
    static let listAbstract = "List the clients of a realm."

    static func list(_ selection: RealmListOptions, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.realm.realm)
        return Listing(
            Page(try await administration.clients(of: realm), selection.list, key: \.clientID) {
                [$0.clientID, $0.name] + $0.redirectURIs.map(\.text)
            },
            Table("CLIENT", "NAME", "TYPE", "STATE", "REDIRECTS"),
            none: "No clients yet. Create one: "
                + portico("client create ID --realm \(realm.name)"),
            row: {
                [
                    $0.clientID, $0.name, $0.kind, $0.state,
                    joined($0.redirectURIs.map(\.text)),
                ]
            },
            json: \.description.json
        )
    }
}

extension Client {
    /// Its type, or of an app of the backend how it gets its session.
    fileprivate var kind: String {
        guard handOff.form != .none else { return type.rawValue }
        return handOff.form.rawValue + (handOff.isDefault ? ", default" : "")
    }
}

extension ClientCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one client."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let realm = try administration.realm(name.realm.realm)
        let client = try await administration.client(name.clientID, in: realm)
        return try await administration.description(of: client, in: realm)
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a client with its roles and everything issued to it."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.realm.realm)
        let client = try await administration.client(name.clientID, in: realm)
        let name = client.clientID
        return Deletion(
            name: name,
            subject: "Client \(name)",
            summary: "deleted client \(name) of \(realm.name)",
            warning: "This deletes client \(name) of realm \(realm.name) with its roles; everyone "
                + "signed in to it is signed out.",
            done: "Deleted client \(name) of realm \(realm.name)."
        ) { try await administration.deleting { try await $0.delete(client, by: .commandLine) } }
    }
}
