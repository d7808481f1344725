import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico provider`
struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Manage the identity providers that people sign in with.",
        subcommands: [List.self, Show.self, Add.self, Update.self, Test.self, Remove.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the identity providers, in the order of their buttons."
        )

        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let providers = try await administration.backend().providers
                var table = Table("PROVIDER", "KIND", "STATE", "BUTTON", "CLIENT ID", "ISSUER")
                table.rows = providers.map {
                    [
                        $0.name, $0.kind, $0.state, $0.displayName, $0.settings.string("clientID"),
                        $0.issuer,
                    ]
                }
                guard !providers.isEmpty || read.json else {
                    return console.say("No providers yet. Add one: portico provider add --help")
                }
                let items = providers.map { record -> JSONValue in
                    .object(record.description(administration.addresses(of: record)).json)
                }
                console.show(table, .object(["items": .array(items)]), read)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an identity provider, so that no one can sign in with it.",
            discussion: """
                Accounts and sessions stay. People with no other sign-in method can sign in again \
                once a provider with the same issuer is added.
                """
        )

        @Argument(help: "Its name.") var name: String
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let provider = try await administration.provider(name)
                guard !change.dryRun else {
                    return administration.dryRun("removed provider \(provider.name)")
                }
                try confirmation.check(
                    provider.name,
                    warning: "This removes provider \(provider.name) with its secret: no one can "
                        + "sign in with it any more.",
                    console
                )
                try administration.expectChanged(
                    await administration.installation.backend.deleteProvider(name: provider.name),
                    "Provider \(provider.name)"
                )
                console.done(
                    "Removed provider \(provider.name). Back: portico provider add "
                        + "\(provider.kind)\(provider.nameOption), with its secret"
                )
            }
        }
    }
}

extension ProviderRecord {
    fileprivate var nameOption: String { name == kind ? "" : " --name \(name)" }
}
