import ArgumentParser
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
            try administration.expectChanged(
                await administration.changing {
                    try await $0.set(
                        role.roleName,
                        of: holder.holder,
                        to: true,
                        realmID: realm.id
                    )
                },
                holder.subject
            )
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
            let outcome = try await administration.changing {
                try await $0.set(role.roleName, of: holder.holder, to: false, realmID: realm.id)
            }
            guard outcome == .changed else { return console.say(none) }
            console.done(
                "\(holder.subject) no longer \(holder.verb.now) role \(role.text) in realm "
                    + "\(realm.name). "
                    + "Undo: "
                    + portico("role assign \(words: assignment.words(role, holder, realm))")
            )
        }
    }
}
