import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico app`
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Manage apps that sign people in through the backend.",
        subcommands: [
            List.self, Show.self, Create.self, Update.self, Delete.self, AppLinksCommand.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @OptionGroup var list: ListOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                console.show(
                    Listing(try await administration.backend().apps, list, key: \.name) {
                        [$0.name, $0.displayName] + $0.redirectURIs
                    },
                    Table("APP", "NAME", "STATE", "HAND-OFF", "REDIRECTS"),
                    read,
                    none: "No apps yet. Create one: portico app create NAME --redirect-uri "
                        + "com.example.app:/callback",
                    row: {
                        [
                            $0.name, $0.displayName, $0.state + ($0.isDefault ? ", default" : ""),
                            $0.handOff.rawValue, joined($0.redirectURIs),
                        ]
                    },
                    json: { .object($0.description.json) }
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one app.")

        @Argument(help: "Its name.") var name: String
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                console.show(try await administration.app(name).description, read)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an app, so that no one can sign in with it.",
            discussion: "Its sessions last until they expire or are revoked."
        )

        @Argument(help: "Its name.") var name: String
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let app = try await administration.app(name)
                guard !change.dryRun else {
                    return administration.dryRun("deleted app \(app.name)")
                }
                try confirmation.check(
                    app.name,
                    warning: "This deletes app \(app.name): no one can sign in with it any more.",
                    console
                )
                try administration.expectChanged(
                    await administration.installation.backend.deleteApp(name: app.name),
                    "App \(app.name)"
                )
                console.done("Deleted app \(app.name). Back: portico app create \(app.name)")
            }
        }
    }
}
