import ArgumentParser
import PorticoProtocol
import PorticoStores

/// `portico user`
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage the people who sign in to a realm.",
        subcommands: [
            List.self, Show.self, Create.self, Update.self, Delete.self, SetPassword.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the people of a realm.")

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
                    try await page(of: realm, administration.installation.people),
                    Table("USER", "NAME", "EMAIL", "STATE", "ID"),
                    read,
                    none:
                        "No people yet. Create one: portico user create NAME --realm \(realm.name)",
                    row: { [$0.username, $0.displayName, $0.markedEmail, $0.state, $0.id] },
                    json: { .object($0.item) }
                )
            }
        }

        /// Reads on until the page is full: a filter may leave little of what is read.
        private func page(of realm: Realm, _ people: PersonStore) async throws
            -> Listing<Person>
        {
            var found: [Person] = []
            var cursor = list.cursor
            let step = 500
            while found.count <= list.limit {
                let read = try await people.people(realmID: realm.id, after: cursor, limit: step)
                found += read.filter {
                    Listing<Person>.matches(list.filter, [$0.username, $0.displayName, $0.email])
                }
                guard read.count == step, let last = read.last else { break }
                cursor = last.username
            }
            let items = Array(found.prefix(list.limit))
            return Listing(
                items: items,
                next: found.count > list.limit ? items.last?.username : nil,
                list
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one person.")

        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var realm: RealmOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let realm = try administration.realm(realm.realm)
                let found = try await administration.person(name, in: realm)
                let withRoles = try await administration.installation.people.person(
                    id: found.person.id,
                    realmID: realm.id
                )
                console.show(
                    found.person.description(
                        hasPassword: found.password != nil,
                        roles: withRoles?.roles ?? []
                    ),
                    read
                )
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a person and end all their sessions and tokens."
        )

        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var realm: RealmOptions
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(realm.realm)
                let person = try await administration.person(name, in: realm).person
                guard !change.dryRun else {
                    return administration.dryRun("deleted \(person.username) of \(realm.name)")
                }
                try confirmation.check(
                    person.username,
                    warning: "This deletes \(printable(person.displayName)) of realm "
                        + "\(realm.name) with every session, for good.",
                    console
                )
                try administration.expectChanged(
                    await administration.installation.people.deletePerson(
                        id: person.id,
                        realmID: realm.id
                    ),
                    "User \(person.username)"
                )
                console.done(
                    "Deleted \(person.username) of realm \(realm.name). "
                        + "Only a backup brings them back."
                )
            }
        }
    }
}
