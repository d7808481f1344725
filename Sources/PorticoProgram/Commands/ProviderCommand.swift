import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico provider`
struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Manage the identity providers that people sign in with.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Add.self, Update.self, Test.self,
            Keys.self, DeleteCommand<Self>.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "Its name.") var name: String
    }
}

extension ProviderCommand: ListedResource {
    struct Selection: ParsableArguments {}

    static let listAbstract = "List the identity providers, in the order of their buttons."

    static func list(_: Selection, _ administration: Administration) async throws -> Listing {
        Listing(
            try await administration.backend().providers,
            Table("PROVIDER", "KIND", "STATE", "BUTTON", "CLIENT ID", "ISSUER"),
            none: "No providers yet. Add one: \(portico("provider add --help"))",
            row: {
                [
                    $0.name, $0.kind, $0.state, $0.displayName, $0.settings.string("clientID"),
                    $0.issuer,
                ]
            },
            json: { $0.description(administration.addresses(of: $0)).json }
        )
    }
}

extension ProviderCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one identity provider, with what to register with it."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let record = try await administration.provider(name.name)
        return record.description(administration.addresses(of: record))
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an identity provider, so that no one can sign in with it.",
        discussion: """
            Accounts and sessions stay. People with no other sign-in method can sign in again \
            once a provider with the same issuer is added.
            """
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let provider = try await administration.provider(name.name)
        let name = provider.name
        return Deletion(
            name: name,
            subject: "Provider \(name)",
            summary: "removed provider \(name)",
            warning: "This removes provider \(name) with its secret: no one can sign in with it "
                + "any more.",
            done: "Removed provider \(name). To add it again"
                + (provider.sealedSecret == nil ? ": " : " (you need its secret): ")
                + portico("provider add \(words: provider.words)")
        ) { try await administration.installation.backend.deleteProvider(name: name) }
    }
}
