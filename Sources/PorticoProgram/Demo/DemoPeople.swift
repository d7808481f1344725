import PorticoAdministration
import PorticoBytes
import PorticoProvider
import PorticoStores

struct DemoPerson: Sendable {
    let username: String
    let givenName: String
    let email: String
    var roles: [RoleName] = []
    var attributes: [String: [String]] = [:]
    var familyName = "Example"
}

/// What a person of a demo signs in with until it is started again.
struct DemoPassword: Sendable {
    let username: String
    let password: SecretText
}

extension Installation {
    /// The demo's first realm, which is the backend's, too.
    func demoRealm() async throws -> Realm {
        guard let realm = try await realms.realm(named: DemoRealm.name) else {
            throw Failure(.notFound, "Realm \(DemoRealm.name) was deleted in the meantime.")
        }
        return realm
    }

    /// Creates people where they are not there yet, and gives all of them new passwords.
    ///
    /// - Returns: The new passwords.
    func prepare(_ people: [DemoPerson], in realm: Realm) async throws -> [DemoPassword] {
        let moment = clock.moment()
        return try await changing { operations in
            var passwords: [DemoPassword] = []
            for wanted in people {
                var person = try operations.registration.person(
                    username: wanted.username,
                    realmID: realm.id,
                    at: moment
                )
                person.givenName = wanted.givenName
                person.familyName = wanted.familyName
                person.email = wanted.email
                person.isEmailVerified = true
                person.attributes = wanted.attributes
                let secret = Self.demoPassword(.system)
                passwords.append(DemoPassword(username: wanted.username, password: secret))
                let password = NewPassword(.typed(secret, .server), isTemporary: false)
                let found = try await self.people.credentials(
                    realmID: realm.id,
                    login: wanted.username,
                    byEmail: false
                )
                if let found {
                    try await operations.set(
                        password,
                        of: found.person,
                        by: .commandLine,
                        at: moment
                    )
                } else {
                    try await operations.create(
                        NewPerson(person: person, password: nil, roles: wanted.roles),
                        password: password,
                        by: .commandLine,
                        at: moment
                    )
                }
            }
            return passwords
        }
    }

    /// Makes a realm of the demo, in place of one with another issuer.
    func make(_ new: NewRealm, inPlaceOf former: Realm?) async throws -> Realm {
        try await changing { operations in
            if let former { try await operations.delete(former, by: .commandLine) }
            try await operations.create(new, by: .commandLine)
        }
        return new.realm
    }

    /// 60 random bits in three groups, without letters that look like digits.
    private static func demoPassword(_ random: RandomSource) -> SecretText {
        let alphabet = Array("23456789abcdefghjkmnpqrstuvwxyz2".utf8)
        let letters = random.bytes(12).map { alphabet[Int($0 & 31)] }
        let groups = stride(from: 0, to: 12, by: 4).map {
            String(decoding: letters[$0..<($0 + 4)], as: UTF8.self)
        }
        return SecretText(groups.joined(separator: "-"))
    }
}
