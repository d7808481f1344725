import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoProtocol
import PorticoStores

/// `portico realm`
struct RealmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realm",
        abstract: "Manage realms.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, Import.self, Export.self, Diff.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The realm.") var name: String
    }
}

extension RealmCommand: ListedResource {
    static let listAbstract = "List the realms."

    static func list(_ selection: ListOptions, _ administration: Administration) -> Listing {
        let realms = administration.realmList.sorted { $0.name < $1.name }
        return Listing(
            Page(realms, selection, key: \.name) { [$0.name, $0.displayName, $0.issuer] },
            Table("REALM", "NAME", "STATE", "ISSUER"),
            none: "No realms yet. Create one: \(portico("realm create NAME"))",
            row: { [$0.name, $0.displayName, $0.state, $0.issuer] },
            json: \.description.json
        )
    }
}

extension RealmCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one realm."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        try administration.realm(name.name).description
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a realm with its people, clients and keys."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.name)
        let name = realm.name
        let clients = try await administration.realms.clientCount(realmID: realm.id)
            .counting("client")
        return Deletion(
            name: name,
            subject: "Realm \(name)",
            summary: "deleted realm \(name) with \(clients) and everyone in it",
            warning:
                "This deletes realm \(name), \(clients), its keys and everyone in it, for good.",
            done: "Deleted realm \(name). Only a backup brings it back."
        ) { try await administration.deleting { try await $0.delete(realm, by: .commandLine) } }
    }
}
