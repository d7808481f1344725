import PorticoAdministration
import PorticoBytes
import PorticoStores
import PorticoTestSupport
import PorticoWeb

extension Operation {
    static let people = people(named: "ann")

    /// What can be done to a person.
    static func people(named username: String) -> [Operation] {
        let id = "acme-person-\(username)"
        func operation(
            _ name: String,
            _ body:
                @escaping @Sendable (RealmAdministration, Person, Administrator, Moment)
                async throws -> Void
        ) -> Operation {
            Operation(name, "manage-users") { scene, administrator in
                let person = try await scene.person(username)
                try await body(scene.administration, person, administrator, scene.moment)
            }
        }
        return [
            Operation("create a person", "manage-users") { scene, administrator in
                let person = Person(
                    id: "new",
                    realmID: "realm-acme",
                    username: "new",
                    createdAt: 1
                )
                var new = NewPerson(person: person, password: nil)
                if username == "chief" { new.groupIDs = ["acme-bosses"] }
                try await scene.administration.create(new, by: administrator, at: scene.moment)
            },
            operation("change a person") { administration, former, administrator, moment in
                var person = former
                person.givenName = "Changed"
                try await administration.update(
                    person,
                    replacing: former,
                    by: administrator,
                    at: moment
                )
            },
            operation("delete a person") { administration, person, administrator, _ in
                try await administration.delete(person, by: administrator)
            },
            operation("set a password") { administration, person, administrator, moment in
                try await administration.set(
                    NewPassword(
                        .hash(try await TestRealm.hash(of: "a long password of ann")),
                        isTemporary: false
                    ),
                    of: person,
                    by: administrator,
                    at: moment
                )
            },
            operation("link an account") { administration, person, administrator, _ in
                try await administration.link(
                    NewPerson.Identity(provider: "google", subject: "1", username: nil),
                    to: person,
                    by: administrator
                )
            },
            Operation("unlink an account", "manage-users") { scene, administrator in
                let person = try await scene.person(username)
                let identity = NewPerson.Identity(provider: "google", subject: "1", username: nil)
                _ = try await scene.database.people.link(identity, to: person, at: 0)
                try await scene.administration.unlink("google", from: person, by: administrator)
            },
            operation("sign a person out") { administration, person, administrator, moment in
                try await administration.signOut(person, by: administrator, at: moment.seconds)
            },
            Operation("forget wrong passwords", "manage-users") { scene, administrator in
                try await scene.administration.forgetTries(
                    of: try await scene.person(username),
                    in: try await scene.realm(),
                    counted: FailedPasswords(),
                    by: administrator,
                    at: scene.moment.now
                )
            },
            Operation("add to a group", "manage-users") { scene, administrator in
                try await scene.administration.join(
                    try await scene.group(),
                    try await scene.person(username),
                    by: administrator
                )
            },
            Operation("give a role", "manage-users") { scene, administrator in
                try await scene.give("editor", .person(id), administrator)
            },
        ]
    }
}
