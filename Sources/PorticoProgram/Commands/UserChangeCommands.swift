import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProvider
import PorticoStores

extension UserCommand {
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a person.",
            discussion: """
                The password comes from a file, from stdin (--password-file -) or from a prompt, \
                never from the command line. The id of the person is written to stdout.
                """
        )

        @Argument(help: "The username.") var name: String
        @OptionGroup var password: PasswordOptions
        @Flag(help: "Create them without a password: they cannot sign in yet.")
        var withoutPassword = false
        @Option(
            name: .customLong("role"),
            help: .value("name", "A role of the realm. Repeat for several.")
        )
        var roles: [String] = []
        @OptionGroup var fields: PersonFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup var options: ChangingOptions

        func validate() throws {
            guard !withoutPassword || password.passwordFile == nil else {
                throw ValidationError("Use --without-password or --password-file, not both.")
            }
        }

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let moment = administration.moment
            try await administration.changing { changes in
                let registration = changes.registration
                var person = try registration.person(username: name, realmID: realm.id, at: moment)
                fields.apply(to: &person)
                person = try registration.checked(person)
                let name = person.username
                for role in roles { try await administration.role(role, of: nil, in: realm) }
                let taken = Failure(
                    .exists,
                    "The username, email address or DID is taken in realm \(realm.name).",
                    "Look: \(portico("user list --realm \(realm.name) --filter \(name)"))"
                )
                // Before anyone is asked for a password.
                try await administration.expectFree(person, in: realm, or: taken)
                var given: NewPassword?
                if !withoutPassword {
                    given = NewPassword(
                        .hash(
                            try await registration.hash(
                                try password.secret(console),
                                for: person,
                                realmName: realm.name,
                                by: .server,
                                random: moment.random
                            )
                        ),
                        isTemporary: false
                    )
                }
                guard administration.mayWrite("created user \(name) in realm \(realm.name)") else {
                    return
                }
                var new = NewPerson(person: person, password: nil)
                new.roles = roles.map { RoleName(clientID: nil, name: $0) }
                do {
                    try await changes.create(new, password: given, by: .commandLine, at: moment)
                } catch AdministrationRefusal.taken {
                    throw taken
                }
                console.done(
                    "Created user \(name) in realm \(realm.name). "
                        + "Undo: "
                        + portico(
                            "user delete \(name) --realm \(realm.name) --confirm \(name)"
                        )
                )
                try console.made("Id", person.id)
            }
        }
    }

    struct Update: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a person. What you leave out stays."
        )

        @Argument(help: "The username, or the id.") var name: String
        @Option(help: .value("name", "A new username.")) var username: String?
        @OptionGroup var fields: PersonFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let former = try await administration.person(name, in: realm).person
            try await administration.changing { changes in
                var person = former
                if let username { person.username = username }
                fields.apply(to: &person)
                person = try changes.registration.checked(person, replacing: former)
                let user = "user \(former.username)"
                let taken = Failure(
                    .exists,
                    "The username, email address or DID is taken in realm \(realm.name).",
                    "Nothing was changed."
                )
                try await administration.expectFree(person, in: realm, or: taken)
                guard administration.mayWrite(person, replacing: former, user) else { return }
                person.updatedAt = administration.moment.seconds
                do {
                    try await changes.update(
                        person,
                        replacing: former,
                        by: .commandLine,
                        at: administration.moment
                    )
                } catch AdministrationRefusal.taken {
                    throw taken
                }
                let signedOut =
                    person.losesDID(of: former) ? "They are signed out everywhere. " : ""
                console.done(
                    "Changed user \(person.username) of realm \(realm.name). " + signedOut
                        + "See them: "
                        + portico("user show \(person.username) --realm \(realm.name)")
                )
            }
        }
    }

    struct SetPassword: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-password",
            abstract: "Set a person's password and sign them out everywhere.",
            discussion: "With --temporary they must choose another one when they sign in."
        )

        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var password: PasswordOptions
        @Flag(help: "They must choose another password at their next sign-in.")
        var temporary = false
        @OptionGroup var realm: RealmOptions
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let person = try await administration.person(name, in: realm).person
            let name = person.username
            let moment = administration.moment
            let secret = try password.secret(console)
            try await administration.changing { changes in
                let hash = try await changes.registration.hash(
                    secret,
                    for: person,
                    realmName: realm.name,
                    by: .server,
                    random: moment.random
                )
                guard administration.mayWrite("set the password of \(name)") else { return }
                try await changes.set(
                    NewPassword(.hash(hash), isTemporary: temporary),
                    of: person,
                    by: .commandLine,
                    at: moment
                )
                console.done(
                    "Set the password of \(name) in realm \(realm.name). "
                        + "They are signed out everywhere."
                        + (temporary ? " At their next sign-in they choose another one." : "")
                )
            }
        }
    }
}

/// Where a command takes a password from.
struct PasswordOptions: ParsableArguments {
    @Option(help: .value("path", "A file with the password; - for stdin."))
    var passwordFile: String?

    func secret(_ console: Console) throws -> SecretText {
        try SecretInput(console: console).secret(
            path: passwordFile,
            name: "Password",
            option: "--password-file"
        )
    }
}
