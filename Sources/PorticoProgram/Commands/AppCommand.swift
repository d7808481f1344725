import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico app`
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Manage apps that sign people in through the backend.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, AppLinksCommand.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "Its name.") var name: String
    }
}

extension AppCommand: ListedResource {
    static let listAbstract = "List the apps."

    static func list(_ selection: ListOptions, _ administration: Administration) async throws
        -> Listing
    {
        Listing(
            Page(try await administration.backend().apps, selection, key: \.name) {
                [$0.name, $0.displayName] + $0.redirectURIs
            },
            Table("APP", "NAME", "STATE", "HAND-OFF", "REDIRECTS"),
            none: "No apps yet. Create one: "
                + portico("app create NAME --redirect-uri com.example.app:/callback"),
            row: {
                [
                    $0.name, $0.displayName, $0.state + ($0.isDefault ? ", default" : ""),
                    $0.handOff.rawValue, joined($0.redirectURIs),
                ]
            },
            json: \.description.json
        )
    }
}

extension AppCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one app."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        try await administration.app(name.name).description
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an app, so that no one can sign in with it.",
        discussion: "Its sessions last until they expire or are revoked."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let name = try await administration.app(name.name).name
        return Deletion(
            name: name,
            subject: "App \(name)",
            summary: "deleted app \(name)",
            warning: "This deletes app \(name): no one can sign in with it any more.",
            done: "Deleted app \(name). Back: \(portico("app create \(name)"))"
        ) { try await administration.installation.backend.deleteApp(name: name) }
    }
}
