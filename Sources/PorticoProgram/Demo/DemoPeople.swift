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
    /// Creates people where they are not there yet, and gives all of them new passwords.
    ///
    /// - Returns: The new passwords.
    func prepare(_ people: [DemoPerson], in realm: Realm) async throws -> [DemoPassword] {
        let moment = clock.moment()
        let store = self.people
        return try await registering { registration in
            var passwords: [DemoPassword] = []
            for wanted in people {
                var person = try registration.person(
                    username: wanted.username,
                    realmID: realm.id,
                    at: moment
                )
                person.givenName = wanted.givenName
                person.familyName = wanted.familyName
                person.email = wanted.email
                person.isEmailVerified = true
                person.attributes = wanted.attributes
                let password = Self.demoPassword(.system)
                let hash = try await registration.hash(
                    password,
                    for: person,
                    realmName: realm.name,
                    by: .server,
                    random: moment.random
                )
                passwords.append(DemoPassword(username: wanted.username, password: password))
                let found = try await store.credentials(
                    realmID: realm.id,
                    login: wanted.username,
                    byEmail: false
                )
                if let found {
                    _ = try await store.setPassword(hash, of: found.person.id, at: moment.seconds)
                    continue
                }
                _ = try await store.create(
                    NewPerson(person: person, password: hash, roles: wanted.roles)
                )
            }
            return passwords
        }
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
