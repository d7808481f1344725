import Foundation
package import PorticoAdministration
import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoSeals
package import PorticoStores

/// The realm that the Provider's tests stand on: `https://op.example.com/realms/test`, with the
/// people alice and bob, and a client of each kind.
package enum TestRealm {
    package static let issuer = "https://op.example.com/realms/test"
    package static let secret = "correct horse battery staple of web1"
    package static let otherSecret = "correct horse battery staple of other1"
    package static let machineSecret = "correct horse battery staple of machine"
    package static let passwords = ["alice": "wonderland is 1 place", "bob": "he can fix it today"]

    /// How the confidential clients authenticate.
    package static let web1 = ("web1", secret)
    package static let machine = ("machine", machineSecret)

    /// What a person types into the sign-in page.
    package static func login(_ name: String = "alice") -> [(String, String)] {
        [("username", name), ("password", passwords[name] ?? "")]
    }

    /// The key of the client `jwt1`.
    package static let clientKey: SigningKey = {
        guard let key = try? SigningKey(generating: .es256, keyID: "jwt1-key", random: .system)
        else { preconditionFailure("A key can be generated.") }
        return key
    }()

    /// Hashing takes long, so that all tests share two threads and two hashes.
    package static let hashing = PasswordHashing(threads: 2, mostWaiting: 500, random: .system)

    package static let ring: KeyRing = {
        guard let ring = try? KeyRing(random: .system) else {
            preconditionFailure("A key ring can be made.")
        }
        return ring
    }()

    /// The realm without clients and people: made once, because an RSA key takes long.
    private static let template: NewRealm = {
        let moment = Moment(now: Date(timeIntervalSince1970: 1_700_000_000), random: .system)
        guard
            let realm = try? RealmCreation(ring: ring)(
                name: "test",
                displayName: "Test",
                baseURL: "https://op.example.com",
                at: moment
            )
        else { preconditionFailure("A realm can be made.") }
        return realm
    }()

    package static var id: String { template.realm.id }

    private static let hashes = Locked<[String: PasswordHash]>([:])

    static func create(
        in database: TestDatabase,
        _ ring: KeyRing,
        _ clock: Clock,
        _ configure: (inout NewRealm) -> Void
    ) async throws {
        let moment = clock.moment()
        var new = template
        let realmID = new.realm.id
        new.clients = clients(realmID, ClientSecretSeal(ring: ring))
        for (clientID, name) in [(nil, "editor"), (nil, "reader"), ("web1", "publisher")] {
            new.roles.append(
                Role(
                    id: UniqueID(random: .system).text,
                    realmID: realmID,
                    clientID: clientID,
                    name: name,
                    description: ""
                )
            )
        }
        new.people = [
            try await person("alice", realmID, moment), try await person("bob", realmID, moment),
        ]
        new.people[0].roles = [
            RoleName(clientID: nil, name: "editor"),
            RoleName(clientID: "web1", name: "publisher"),
        ]
        configure(&new)
        // A client has scopes of its realm only.
        let named = new.clients.flatMap { $0.defaultScopes + $0.optionalScopes }
        for name in named where !new.scopes.contains(where: { $0.name == name }) {
            let id = UniqueID(random: .system).text
            new.scopes.append(ClientScope(id: id, realmID: realmID, name: name))
        }
        _ = try await database.realms.create(new)
    }

    private static func person(_ name: String, _ realmID: String, _ moment: Moment) async throws
        -> NewPerson
    {
        var person = Person(
            id: UniqueID(random: .system).text,
            realmID: realmID,
            username: name,
            createdAt: moment.seconds
        )
        person.email = name + "@example.com"
        person.isEmailVerified = true
        person.givenName = name.capitalized
        person.familyName = "Example"
        return NewPerson(person: person, password: try await hash(of: passwords[name] ?? ""))
    }

    package static func hash(of password: String) async throws -> PasswordHash {
        if let hash = hashes.withLock({ $0[password] }) { return hash }
        guard let text = PasswordText(password) else { return PasswordHash(encoded: "") }
        let hash = try await hashing.hash(text, for: .server, random: .system)
        hashes.withLock { $0[password] = hash }
        return hash
    }

    private static func clients(_ realmID: String, _ secrets: ClientSecretSeal) -> [Client] {
        func client(
            _ id: String,
            _ type: ClientType,
            _ method: ClientAuthenticationMethod,
            _ redirects: [String],
            secret: String? = nil
        ) -> Client {
            var client = Client(
                id: UniqueID(random: .system).text,
                realmID: realmID,
                clientID: id,
                name: id.capitalized,
                type: type,
                authentication: method
            )
            client.takeStandardScopes()
            client.redirectURIs = redirects.map(RedirectURI.init)
            client.secret = secret.map {
                secrets.keep(SecretText($0), of: client.id, random: .system)
            }
            return client
        }
        var web1 = client(
            "web1",
            .confidential,
            .clientSecretBasic,
            ["https://app.example.com/cb"],
            secret: secret
        )
        web1.postLogoutRedirectURIs = [RedirectURI("https://app.example.com/bye")]
        web1.codeProtection = .none
        web1.webOrigins = ["https://app.example.com"]
        var native1 = client(
            "native1",
            .public,
            .none,
            [
                "com.example.app:/cb", "http://127.0.0.1/cb", "http://[::1]/cb",
                "https://app.example.com/native/cb",
            ]
        )
        native1.postLogoutRedirectURIs = [RedirectURI("com.example.app:/bye")]
        let other1 = client(
            "other1",
            .confidential,
            .clientSecretPost,
            ["https://other.example.net/cb"],
            secret: otherSecret
        )
        var machine = client(
            "machine",
            .confidential,
            .clientSecretBasic,
            [],
            secret: machineSecret
        )
        machine.grantTypes = [.clientCredentials]
        machine.optionalScopes = ["jobs"]
        var jwt1 = client(
            "jwt1",
            .confidential,
            .privateKeyJWT,
            ["https://jwt.example.com/cb"]
        )
        jwt1.grantTypes.insert(.clientCredentials)
        jwt1.keySet = try? JSONValue(
            parsing: JWKSet([clientKey.verificationKey]).serialized()
        )
        var third = client(
            "third",
            .public,
            .none,
            ["https://third.example.org/cb", "org.example.third:/cb", "http://127.0.0.1/third"]
        )
        third.requiresConsent = true
        var plain = client("plain", .public, .none, ["https://plain.example.org/cb"])
        plain.defaultScopes = []
        plain.grantTypes = [.authorizationCode]
        return [web1, native1, other1, machine, jwt1, third, plain]
    }
}
