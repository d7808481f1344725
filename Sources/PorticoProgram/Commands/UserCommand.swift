import ArgumentParser
import PorticoATProtocol
import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage the people who sign in to a realm.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Create.self, Update.self,
            DeleteCommand<Self>.self, Block.self, Unblock.self, Sessions.self, SignOut.self,
            Identities.self, SetPassword.self, ResetSecondFactor.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var realm: RealmOptions
    }
}

extension UserCommand: ListedResource {
    struct Selection: ParsableArguments {
        @Option(help: .value("address", "Only people with this address.")) var email: String?
        @OptionGroup var of: RealmListOptions
    }

    static let listAbstract = "List the people of a realm."

    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.of.realm.realm)
        let people = administration.people
        var query = PersonQuery()
        query.email = selection.email
        query.isExact = true
        return Listing(
            try await Page(
                selection.of.list,
                key: \.username,
                text: { [$0.username, $0.fullName, $0.email] },
                read: { cursor, limit in
                    try await people.people(
                        query,
                        realmID: realm.id,
                        after: cursor,
                        limit: limit
                    )
                }
            ),
            Table("USER", "NAME", "EMAIL", "STATE", "ID"),
            none: selection.email == nil
                ? "No people yet. Create one: "
                    + portico("user create NAME --realm \(realm.name)")
                : "No one has that address. See all: "
                    + portico("user list --realm \(realm.name)"),
            row: { [$0.username, $0.fullName, $0.markedEmail, $0.state, $0.id] },
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
            try await administration.accounts.registration(of: found.person.id),
            identities: try await administration.people.identities(of: found.person.id),
            sessions: try await administration.sessions(of: found.person, in: realm).count,
            hasPassword: found.password != nil,
            secondFactors: factors.map(\.kind).filter { $0 != .other },
            roles: withRoles?.roles ?? [],
            groups: (withRoles?.groupIDs ?? []).map(graph.path).sorted()
        )
    }

    static let deleteConfiguration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a person with their sign-in methods, sessions and tokens, for good.",
        discussion: """
            Asks each identity provider to revoke the tokens that it gave us. If one does not answer, \
            the person is deleted all the same, and the command says which token was not revoked.
            """
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
        ) { try await administration.delete(person) }
    }
}

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
        @Option(help: .value("name", "A role of the realm. Repeat for several."))
        var role: [String] = []
        @OptionGroup var fields: PersonFields
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

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
                for name in role { try await administration.role(name, of: nil, in: realm) }
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
                new.roles = role.map { RoleName(clientID: nil, name: $0) }
                do {
                    try await changes.create(new, password: given, by: .commandLine, at: moment)
                } catch AdministrationRefusal.taken {
                    throw taken
                }
                console.done(
                    "Created user \(name) in realm \(realm.name). "
                        + "Undo: "
                        + portico("user delete \(name) --realm \(realm.name) --confirm \(name)")
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
        @OptionGroup(title: "General options") var options: ChangingOptions

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
        @OptionGroup(title: "General options") var options: ChangingOptions

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

extension UserCommand {
    struct ResetSecondFactor: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-second-factor",
            abstract: "Take the authenticator apps and recovery codes from a person who lost them.",
            discussion: """
                From then on their password is enough. Make sure that it is they who ask. Where they \
                are signed in, they stay so; set-password signs them out.
                """
        )

        @Argument(help: "The username, or the id.") var name: String
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let person = try await administration.person(name, in: realm).person
            let name = person.username
            let kept = try await administration.people
                .secondFactors(of: person.id, realmID: realm.id)
            guard kept.contains(where: { $0.kind != .other }) else {
                console.done("\(name) has no second factor in realm \(realm.name).")
                return
            }
            guard administration.mayWrite("taken the second factors of \(name)") else { return }
            try await administration.changing {
                try await $0.removeSecondFactors(of: person, by: .commandLine)
            }
            console.done(
                "Took the second factors of \(name) in realm \(realm.name). "
                    + "Their password is enough now."
            )
        }
    }
}

/// The fields of a new or changed person. What is left out stays as it is.
struct PersonFields: ParsableArguments {
    @Option(help: .value("address", "The email address; empty: none.")) var email: String?

    @Flag(inversion: .prefixedNo, help: "Whether the address is verified.")
    var emailVerified: Bool?

    @Option(help: .value("name", "The given name; empty: none.")) var givenName: String?

    @Option(help: .value("name", "The family name; empty: none.")) var familyName: String?

    @Option(help: .value("did", "Their DID in the AT Protocol; empty: none."))
    var did: String?

    @OptionGroup var attributes: AttributeFields

    @Flag(inversion: .prefixedEnableDisable, help: "Whether they can sign in.") var user: Bool?

    func validate() throws {
        guard let did, !did.isEmpty else { return }
        do {
            _ = try DID(did)
        } catch {
            throw ValidationError("--did must be a did:plc or a did:web.")
        }
    }

    func apply(to person: inout Person) {
        if let email { person.email = email.isEmpty ? nil : email }
        if let emailVerified { person.isEmailVerified = emailVerified }
        if let givenName { person.givenName = givenName }
        if let familyName { person.familyName = familyName }
        if let user { person.isEnabled = user }
        attributes.apply(to: &person.attributes)
        if let did { person.attributes[Person.didAttribute] = did.isEmpty ? nil : [did] }
    }
}

extension Person {
    /// What `portico user show` shows; members are only ever added.
    ///
    /// - Parameters:
    ///   - registration: `nil`: they did not come by an identity provider.
    ///   - sessions: How many are live.
    ///   - secondFactors: The kinds of those that they are asked for.
    func description(
        _ registration: Registration?,
        identities: [Identity],
        sessions: Int,
        hasPassword: Bool,
        secondFactors: [Credential.Kind],
        roles: [RoleName],
        groups: [String]
    ) -> Description {
        let roles = roles.inOrder
        var json = item
        json["has_password"] = .bool(hasPassword)
        json["second_factors"] = .array(secondFactors.map { .string($0.rawValue) })
        json["attributes"] = attributes.json
        json["roles"] = roles.json
        json["groups"] = .array(groups.map(JSONValue.string))
        json["identities"] = .array(identities.map { .object($0.json) })
        json["registration"] = registration.map { .object($0.json) } ?? .null
        json["live_sessions"] = .integer(Int64(sessions))
        json["last_sign_in_at"] =
            (lastSignInAt.map(Times.standard)).map(JSONValue.string) ?? .null
        let providers = identities.map { identity in
            "\(identity.provider) (\(identity.email?.address ?? identity.subject))"
        }
        return Description(
            json: json,
            fields: [
                ("User", username),
                ("Name", displayName),
                ("Email", markedEmail),
                ("State", state),
                ("Password", hasPassword ? "set" : "none"),
                ("Signs in with", joined(providers)),
                ("Second factor", joined(secondFactors.map(\.rawValue))),
                ("Roles", joined(roles.map(\.text))),
                ("Groups", joined(groups)),
                ("Attributes", attributes.shown),
                ("Sessions", "\(sessions)"),
                (
                    "Created",
                    Times.standard(createdAt) + (registration.map { " by \($0.provider)" } ?? "")
                ),
                ("Changed", Times.standard(updatedAt)),
                ("Id", id),
            ]
        )
    }

    var item: JSONObject {
        [
            "id": .string(id),
            "username": .string(username),
            "name": .string(displayName),
            "given_name": givenName.map(JSONValue.string) ?? .null,
            "family_name": familyName.map(JSONValue.string) ?? .null,
            "email": email.map(JSONValue.string) ?? .null,
            "email_verified": .bool(isEmailVerified),
            "email_proven_by": (mailbox?.verification.provenBy).map(JSONValue.string) ?? .null,
            "email_relay": .bool(mailbox?.isRelay ?? false),
            "enabled": .bool(isEnabled),
            "created_at": .string(Times.standard(createdAt)),
            "updated_at": .string(Times.standard(updatedAt)),
        ]
    }

    var state: String { isEnabled ? "active" : "blocked" }

    /// What messages call the person.
    var called: String { printable(fullName ?? email ?? username) }

    var markedEmail: String? {
        email.map { isEmailVerified ? "\($0) ✓" : $0 }
    }
}

extension [String: [String]] {
    /// `colour=red,blue floor=2`
    var shown: String? {
        isEmpty
            ? nil
            : sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.joined(separator: ","))" }
                .joined(separator: " ")
    }

    var json: JSONValue {
        var object = JSONObject()
        for (name, values) in sorted(by: { $0.key < $1.key }) {
            object[name] = .array(values.map(JSONValue.string))
        }
        return .object(object)
    }
}

extension Sequence<RoleName> {
    var inOrder: [RoleName] {
        sorted { ($0.clientID ?? "", $0.name) < ($1.clientID ?? "", $1.name) }
    }

    var json: JSONValue { .array(map { .object($0.json) }) }
}

extension RoleName {
    /// `editor`, or `portico-cli/tester` for a role of a client.
    var text: String {
        clientID.map { "\($0)/\(name)" } ?? name
    }

    var json: JSONObject {
        ["client": clientID.map(JSONValue.string) ?? .null, "name": .string(name)]
    }
}
