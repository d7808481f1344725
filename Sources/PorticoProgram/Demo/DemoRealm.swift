import PorticoBytes
import PorticoProvider
import PorticoStores

/// The realm of `portico serve --demo`: two people, a client for `portico login`, some roles.
struct DemoRealm {
    static let name = "demo"

    let installation: Installation

    private struct DemoPerson {
        let username: String
        let givenName: String
        let familyName: String
        let roles: [RoleName]
    }

    private static let people = [
        DemoPerson(
            username: "ann",
            givenName: "Ann",
            familyName: "Example",
            roles: [
                RoleName(clientID: nil, name: "editor"),
                RoleName(clientID: SessionChoice.standardClientID, name: "tester"),
            ]
        ),
        DemoPerson(username: "bob", givenName: "Bob", familyName: "Example", roles: []),
    ]

    /// Creates the realm or repairs it, and sets new passwords.
    ///
    /// A realm with another issuer is created again, because an issuer never changes.
    ///
    /// - Returns: The new passwords with their usernames.
    func prepare() async throws -> [(username: String, password: SecretText)] {
        let issuer = try RealmCreation.issuer(
            of: Self.name,
            baseURL: installation.settings.effectivePublicURL
        )
        let former = try await installation.realms.snapshot().realms.first { $0.name == Self.name }
        let realm: Realm
        if let former, sameBytes(former.issuer, issuer) {
            realm = former
        } else {
            if let former { _ = try await installation.realms.deleteRealm(id: former.id) }
            realm = try await create()
        }
        let passwords = Self.people.map { ($0.username, Self.password(.system)) }
        try await set(passwords, in: realm)
        return passwords
    }

    private func create() async throws -> Realm {
        let moment = installation.clock.moment()
        var new = try RealmCreation(ring: installation.ring)(
            name: Self.name,
            displayName: "Demo",
            baseURL: installation.settings.effectivePublicURL,
            at: moment
        )
        var client = ClientTemplate.cli.client(
            id: UniqueID(random: moment.random).text,
            realmID: new.realm.id,
            clientID: SessionChoice.standardClientID
        )
        client.name = "Portico command line"
        let admission = try ClientRegistration(ring: installation.ring)(
            client,
            others: [],
            algorithms: SigningKeyRecord.activeAlgorithms(of: new.keys, at: moment.seconds),
            random: moment.random
        )
        new.clients = [admission.client]
        new.roles = [
            (nil, "editor", "May change things"),
            (client.clientID, "tester", "May try things"),
        ].map { clientID, name, description in
            Role(
                id: UniqueID(random: moment.random).text,
                realmID: new.realm.id,
                clientID: clientID,
                name: name,
                description: description
            )
        }
        _ = try await installation.realms.create(new)
        return new.realm
    }

    private func set(_ passwords: [(String, SecretText)], in realm: Realm) async throws {
        let moment = installation.clock.moment()
        let people = installation.people
        try await installation.registering { registration in
            for (wanted, (_, password)) in zip(Self.people, passwords) {
                var person = try registration.person(
                    username: wanted.username,
                    realmID: realm.id,
                    at: moment
                )
                person.givenName = wanted.givenName
                person.familyName = wanted.familyName
                person.email = "\(wanted.username)@example.com"
                person.isEmailVerified = true
                let hash = try await registration.hash(
                    password,
                    for: person,
                    realmName: realm.name,
                    random: moment.random
                )
                let found = try await people.credentials(
                    realmID: realm.id,
                    login: wanted.username,
                    byEmail: false
                )
                if let found {
                    _ = try await people.setPassword(hash, of: found.person.id, at: moment.seconds)
                    continue
                }
                _ = try await people.create(
                    NewPerson(person: person, password: hash, roles: wanted.roles)
                )
            }
        }
    }

    /// 60 random bits in three groups, without letters that look like digits.
    private static func password(_ random: RandomSource) -> SecretText {
        let alphabet = Array("23456789abcdefghjkmnpqrstuvwxyz2".utf8)
        let letters = random.bytes(12).map { alphabet[Int($0 & 31)] }
        let groups = stride(from: 0, to: 12, by: 4).map {
            String(decoding: letters[$0..<($0 + 4)], as: UTF8.self)
        }
        return SecretText(groups.joined(separator: "-"))
    }
}
