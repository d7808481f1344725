import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico realm`
struct RealmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realm",
        abstract: "Manage realms.",
        subcommands: [
            List.self, Show.self, Create.self, Update.self, Delete.self, Import.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the realms.")

        @OptionGroup var list: ListOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let realms = administration.snapshot.realms.sorted { $0.name < $1.name }
                console.show(
                    Listing(realms, list, key: \.name) { [$0.name, $0.displayName, $0.issuer] },
                    Table("REALM", "NAME", "STATE", "ISSUER"),
                    read,
                    none: "No realms yet. Create one: portico realm create NAME",
                    row: { [$0.name, $0.displayName, $0.state, $0.issuer] },
                    json: { .object($0.description.json) }
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one realm.")

        @Argument(help: "The realm.") var name: String
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                console.show(try administration.realm(name).description, read)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a realm with its people, clients and keys."
        )

        @Argument(help: "The realm.") var name: String
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(name)
                let count = administration.clients(of: realm).count
                let clients = count == 1 ? "1 client" : "\(count) clients"
                guard !change.dryRun else {
                    return administration.dryRun(
                        "deleted realm \(realm.name) with \(clients) and everyone in it"
                    )
                }
                try confirmation.check(
                    realm.name,
                    warning: "This deletes realm \(realm.name), \(clients), "
                        + "its keys and everyone in it, for good.",
                    console
                )
                try administration.expectChanged(
                    await administration.installation.realms.deleteRealm(id: realm.id),
                    "Realm \(realm.name)"
                )
                console.done("Deleted realm \(realm.name). Only a backup brings it back.")
            }
        }
    }
}
