import ArgumentParser
import PorticoStores

extension RoleCommand {
    struct Assign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give a role to a person.")

        @Argument(help: "The role.") var name: String
        @Argument(help: "The username, or the id.") var user: String
        @OptionGroup var of: RoleOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let (realm, role, person) = try await administration.find(name, user, of)
                guard !change.dryRun else {
                    return administration.dryRun("given \(role.text) to \(person.username)")
                }
                try administration.expectChanged(
                    await administration.installation.people.assign(
                        RoleName(clientID: role.clientID, name: role.name),
                        to: person.id,
                        realmID: realm.id
                    ),
                    "User \(person.username)"
                )
                console.done(
                    "\(person.username) has role \(role.text) in realm \(realm.name). "
                        + "Undo: portico role remove \(of.words(role, person, realm))"
                )
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take a role from a person.")

        @Argument(help: "The role.") var name: String
        @Argument(help: "The username, or the id.") var user: String
        @OptionGroup var of: RoleOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let (realm, role, person) = try await administration.find(name, user, of)
                guard !change.dryRun else {
                    return administration.dryRun("taken \(role.text) from \(person.username)")
                }
                let outcome = try await administration.installation.people.remove(
                    RoleName(clientID: role.clientID, name: role.name),
                    from: person.id,
                    realmID: realm.id
                )
                guard outcome == .changed else {
                    return console.say("\(person.username) does not have role \(role.text).")
                }
                console.done(
                    "\(person.username) no longer has role \(role.text) in realm \(realm.name). "
                        + "Undo: portico role assign \(of.words(role, person, realm))"
                )
            }
        }
    }
}

extension Administration {
    fileprivate func find(_ name: String, _ user: String, _ of: RoleOptions) async throws -> (
        Realm, Role, Person
    ) {
        let realm = try realm(of.realm.realm)
        let role = try await role(name, of: of.client, in: realm)
        return (realm, role, try await person(user, in: realm).person)
    }
}

extension RoleOptions {
    /// The rest of a command line that names the same role and person.
    fileprivate func words(_ role: Role, _ person: Person, _ realm: Realm) -> String {
        let client = role.clientID.map { " --client \($0)" } ?? ""
        return "\(role.name) \(person.username) --realm \(realm.name)\(client)"
    }
}
