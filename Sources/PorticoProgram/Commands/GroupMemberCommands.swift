import ArgumentParser
import PorticoAdministration
import PorticoStores

extension GroupCommand {
    struct Members: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the members of a group, without those of groups in it."
        )

        @OptionGroup var name: Name
        @OptionGroup var list: ListOptions
        @OptionGroup var options: ReadingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(name.realm.realm)
            let group = try await administration.group(name.path, in: realm)
            var members: [Person] = []
            let step = 1000
            while members.count.isMultiple(of: step) {
                let next = try await administration.people.members(
                    of: group.id,
                    realmID: realm.id,
                    first: members.count,
                    limit: step
                )
                guard !next.isEmpty else { break }
                members += next
            }
            let path = try await administration.graph(of: realm).path(of: group.id)
            try console.show(
                Listing(
                    Page(members, list, key: \.username) {
                        [$0.username, $0.displayName, $0.email]
                    },
                    Table("USER", "NAME", "EMAIL", "STATE", "ID"),
                    none: "No members yet. Add one: "
                        + portico("group add-member \(path) USER --realm \(realm.name)"),
                    row: { [$0.username, $0.displayName, $0.markedEmail, $0.state, $0.id] },
                    json: \.item
                ),
                options.read
            )
        }
    }

    struct Membership: ParsableArguments {
        @Argument(help: "The group's path.") var path: String
        @Argument(help: "The username, or the id.") var user: String
        @OptionGroup var realm: RealmOptions

        fileprivate func find(_ administration: Administration) async throws
            -> (realm: Realm, group: Group, path: String, person: Person)
        {
            let realm = try administration.realm(realm.realm)
            let group = try await administration.group(path, in: realm)
            let path = printable(try await administration.graph(of: realm).path(of: group.id))
            return (realm, group, path, try await administration.person(user, in: realm).person)
        }

        fileprivate static func has(
            _ person: Person,
            _ group: Group,
            _ administration: Administration
        ) async throws -> Bool {
            let kept = try await administration.people
                .person(id: person.id, realmID: person.realmID)
            return kept?.groupIDs.contains(group.id) ?? false
        }
    }

    struct AddMember: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-member",
            abstract: "Make a person a member of a group."
        )

        @OptionGroup var membership: Membership
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, group, path, person) = try await membership.find(administration)
            let name = person.username
            guard try await !Membership.has(person, group, administration) else {
                return console.say("\(name) is a member of group \(path) already.")
            }
            guard administration.mayWrite("added \(name) to group \(path)") else { return }
            do {
                try await administration.changing {
                    try await $0.join(group, person, by: .commandLine)
                }
            } catch AdministrationRefusal.notFound {
                try administration.expectChanged(.notFound, "User \(name) or group \(path)")
            }
            console.done(
                "\(name) is a member of group \(path) in realm \(realm.name). "
                    + "Undo: "
                    + portico("group remove-member \(path) \(name) --realm \(realm.name)")
            )
        }
    }

    struct RemoveMember: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-member",
            abstract: "Take a person out of a group."
        )

        @OptionGroup var membership: Membership
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let (realm, group, path, person) = try await membership.find(administration)
            let name = person.username
            let none = "\(name) is no member of group \(path)."
            guard try await Membership.has(person, group, administration) else {
                return console.say(none)
            }
            guard administration.mayWrite("taken \(name) out of group \(path)") else { return }
            let outcome = try await administration.changing {
                try await $0.leave(group, person, by: .commandLine)
            }
            guard outcome == .changed else { return console.say(none) }
            console.done(
                "\(name) is no longer a member of group \(path) in realm \(realm.name). "
                    + "Undo: "
                    + portico("group add-member \(path) \(name) --realm \(realm.name)")
            )
        }
    }
}
