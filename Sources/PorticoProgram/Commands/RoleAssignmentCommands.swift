import ArgumentParser
import PorticoStores

extension RoleCommand {
    struct Assign: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Give a role to a person.")

        @OptionGroup var assignment: RoleAssignment
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, role, person) = try await assignment.find(administration)
            let name = person.username
            guard administration.mayWrite("given \(role.text) to \(name)") else { return }
            try administration.expectChanged(
                await administration.people.assign(
                    RoleName(clientID: role.clientID, name: role.name),
                    to: person.id,
                    realmID: realm.id
                ),
                "User \(name)"
            )
            console.done(
                "\(name) has role \(role.text) in realm \(realm.name). "
                    + "Undo: portico role remove \(assignment.words(role, person, realm))"
            )
        }
    }

    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Take a role from a person.")

        @OptionGroup var assignment: RoleAssignment
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, role, person) = try await assignment.find(administration)
            let name = person.username
            guard administration.mayWrite("taken \(role.text) from \(name)") else { return }
            let outcome = try await administration.people.remove(
                RoleName(clientID: role.clientID, name: role.name),
                from: person.id,
                realmID: realm.id
            )
            guard outcome == .changed else {
                return console.say("\(name) does not have role \(role.text).")
            }
            console.done(
                "\(name) no longer has role \(role.text) in realm \(realm.name). "
                    + "Undo: portico role assign \(assignment.words(role, person, realm))"
            )
        }
    }
}

/// Which role of which person a command is about.
struct RoleAssignment: ParsableArguments {
    @Argument(help: "The role.") var name: String
    @Argument(help: "The username, or the id.") var user: String
    @OptionGroup var of: RoleOptions

    fileprivate func find(_ administration: Administration) async throws -> (Realm, Role, Person) {
        let realm = try administration.realm(of.realm.realm)
        let role = try await administration.role(name, of: of.client, in: realm)
        return (realm, role, try await administration.person(user, in: realm).person)
    }

    /// The rest of a command line that names the same role and person.
    fileprivate func words(_ role: Role, _ person: Person, _ realm: Realm) -> String {
        let client = role.clientID.map { " --client \($0)" } ?? ""
        return "\(role.name) \(person.username) --realm \(realm.name)\(client)"
    }
}
