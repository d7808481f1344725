import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico client`
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Manage clients: the apps and services that people sign in to.",
        subcommands: [
            List.self, Show.self, Create.self, Update.self, Delete.self, Products.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the clients of a realm.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let realm = try administration.realm(realm.realm)
                console.show(
                    Listing(administration.clients(of: realm), list, key: \.clientID) {
                        [$0.clientID, $0.name] + $0.redirectURIs.map(\.text)
                    },
                    Table("CLIENT", "NAME", "TYPE", "STATE", "REDIRECTS"),
                    read,
                    none:
                        "No clients yet. Create one: portico client create ID --realm \(realm.name)",
                    row: {
                        [
                            $0.clientID, $0.name, $0.type.rawValue, $0.state,
                            joined($0.redirectURIs.map(\.text)),
                        ]
                    },
                    json: { .object($0.description.json) }
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one client.")

        @Argument(help: "The client_id.") var clientID: String
        @OptionGroup var realm: RealmOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let realm = try administration.realm(realm.realm)
                console.show(try administration.client(clientID, in: realm).description, read)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a client with its roles and everything issued to it."
        )

        @Argument(help: "The client_id.") var clientID: String
        @OptionGroup var realm: RealmOptions
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(realm.realm)
                let client = try administration.client(clientID, in: realm)
                guard !change.dryRun else {
                    return administration.dryRun("deleted client \(clientID) of \(realm.name)")
                }
                try confirmation.check(
                    clientID,
                    warning: "This deletes client \(clientID) of realm \(realm.name) with its "
                        + "roles; everyone signed in to it is signed out.",
                    console
                )
                try administration.expectChanged(
                    await administration.installation.realms.deleteClient(id: client.id),
                    "Client \(clientID)"
                )
                console.done("Deleted client \(clientID) of realm \(realm.name).")
            }
        }
    }
}
