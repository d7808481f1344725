import ArgumentParser
import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// `portico user`
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage the people who sign in to a realm.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, SetPassword.self, ResetSecondFactor.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var realm: RealmOptions
    }
}

extension UserCommand: ListedResource {
    static let listAbstract = "List the people of a realm."

    static func list(_ selection: RealmListOptions, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.realm.realm)
        let people = administration.people
        return Listing(
            try await Page(
                selection.list,
                key: \.username,
                text: { [$0.username, $0.displayName, $0.email] },
                read: { try await people.people(realmID: realm.id, after: $0, limit: $1) }
            ),
            Table("USER", "NAME", "EMAIL", "STATE", "ID"),
            none: "No people yet. Create one: "
                + portico("user create NAME --realm \(realm.name)"),
            row: { [$0.username, $0.displayName, $0.markedEmail, $0.state, $0.id] },
            json: \.item
        )
    }
}

extension UserCommand: ShownResource, DeletedResource {
    static let showAbstract = "Show one person."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let realm = try administration.realm(name.realm.realm)
        let found = try await administration.person(name.name, in: realm)
        let withRoles = try await administration.people.person(
            id: found.person.id,
            realmID: realm.id
        )
        let factors = try await administration.people
            .secondFactors(of: found.person.id, realmID: realm.id)
        let graph = try await administration.graph(of: realm)
        return found.person.description(
            hasPassword: found.password != nil,
            secondFactors: factors.map(\.kind).filter { $0 != .other },
            roles: withRoles?.roles ?? [],
            groups: (withRoles?.groupIDs ?? []).map(graph.path).sorted()
        )
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a person and end all their sessions and tokens."
    )

    static func deletion(_ name: Name, _ administration: Administration) async throws -> Deletion {
        let realm = try administration.realm(name.realm.realm)
        let person = try await administration.person(name.name, in: realm).person
        return Deletion(
            name: person.username,
            subject: "User \(person.username)",
            summary: "deleted \(person.username) of \(realm.name)",
            warning: "This deletes \(printable(person.displayName)) of realm \(realm.name) with "
                + "every session, for good.",
            done: "Deleted \(person.username) of realm \(realm.name). "
                + "Only a backup brings them back."
        ) { try await administration.deleting { try await $0.delete(person, by: .commandLine) } }
    }
}
