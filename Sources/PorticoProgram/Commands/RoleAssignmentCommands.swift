import ArgumentParser
import PorticoAdministration
import PorticoKeycloak
import PorticoStores

extension RoleCommand {
    struct Assign: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a role to a person, a group, a client's account, or another role.",
            discussion: """
                With --composite, another role contains this one from then on: whoever has that one \
                has this one, too.

                --seen-by-client and --seen-by-scope are for clients without full scope: they say \
                which roles of a person their tokens show.
                """
        )

        @OptionGroup var assignment: RoleAssignment
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, role, holder) = try await assignment.find(administration)
            guard try await !RoleAssignment.has(role, holder, in: realm, administration) else {
                return console.say(
                    "\(holder.subject) \(holder.verb.now) role \(role.text) already."
                )
            }
            guard administration.mayWrite("given \(role.text) to \(holder.name)") else { return }
            try await administration.set(role, of: holder, to: true, in: realm)
            console.done(
                "\(holder.subject) \(holder.verb.now) role \(role.text) in realm \(realm.name). "
                    + "Undo: "
                    + portico("role remove \(words: assignment.words(role, holder, realm))")
            )
        }
    }

    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a role from a person, a group, a client's account, or another role."
        )

        @OptionGroup var assignment: RoleAssignment
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, role, holder) = try await assignment.find(administration)
            let none = "\(holder.subject) does not \(holder.verb.ever) role \(role.text)."
            guard try await RoleAssignment.has(role, holder, in: realm, administration) else {
                return console.say(none)
            }
            guard administration.mayWrite("taken \(role.text) from \(holder.name)") else { return }
            guard try await administration.set(role, of: holder, to: false, in: realm) > 0 else {
                return console.say(none)
            }
            console.done(
                "\(holder.subject) no longer \(holder.verb.now) role \(role.text) in realm "
                    + "\(realm.name). "
                    + "Undo: "
                    + portico("role assign \(words: assignment.words(role, holder, realm))")
            )
        }
    }
}

extension Administration {
    @discardableResult
    fileprivate func set(
        _ role: Role,
        of holder: RoleAssignment.Holder,
        to isGiven: Bool,
        in realm: Realm
    ) async throws -> Int {
        do {
            return try await changing {
                try await $0.set(
                    [role.roleName],
                    of: holder.holder,
                    to: isGiven,
                    in: realm.id,
                    by: .commandLine
                )
            }
        } catch AdministrationRefusal.notFound {
            try expectChanged(.notFound, holder.subject)
            return 0
        }
    }
}
