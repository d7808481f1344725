import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Values that the contracts are tried with. Ann signed in at ``signedIn``; it is ``now``.
enum Example {
    static let signedIn: Int64 = 1_800_000_000
    static let now: Int64 = signedIn + 30
    static let idle: Int64 = 1800

    static let realm = Realm(
        id: "realm-1",
        name: "demo",
        displayName: "Demo",
        issuer: "https://id.example/realms/demo"
    )

    static let client = Client(
        id: "client-uuid",
        realmID: "realm-1",
        clientID: "notes",
        name: "Notes",
        type: .public,
        authentication: .none
    )

    static let key = SigningKeyRecord(
        realmID: "realm-1",
        keyID: "key-1",
        algorithm: .es256,
        sealedPrivateKey: "sealed",
        createdAt: signedIn,
        activeFrom: signedIn
    )

    static let realmRole = role("role-1", "admin")
    static let clientRole = role("role-2", "editor", of: "notes")

    static func role(_ id: String, _ name: String, of clientID: String? = nil) -> Role {
        Role(id: id, realmID: "realm-1", clientID: clientID, name: name, description: "")
    }

    static let ann = person("ann")

    static func person(_ name: String) -> Person {
        var person = Person(
            id: "person-" + name,
            realmID: "realm-1",
            username: name,
            createdAt: signedIn - 1000
        )
        person.email = name + "@example.com"
        return person
    }

    static let password = PasswordHash(encoded: "$argon2id$ann")

    static var newRealm: NewRealm {
        NewRealm(
            realm: realm,
            keys: [key],
            clients: [client],
            roles: [realmRole, clientRole],
            people: [
                NewPerson(
                    person: ann,
                    password: password,
                    roles: [RoleName(clientID: nil, name: "admin")]
                )
            ]
        )
    }

    /// What ``Realm/everythingSet`` and ``Client/everythingSet`` name.
    static let scopes = ["a", "b", "c"].map {
        ClientScope(id: "scope-" + $0, realmID: "realm-1", name: $0)
    }
    static let group = Group(id: "group-1", realmID: "realm-1", parentID: nil, name: "staff")

    static let cookie = Hash256(of: "cookie")

    static let session = session("session-1", cookie: cookie)

    static func session(_ id: String, cookie: Hash256) -> BrowserSession {
        BrowserSession(
            id: id,
            realmID: "realm-1",
            personID: "person-ann",
            cookieHash: cookie,
            authenticatedAt: signedIn,
            acr: "1",
            amr: ["pwd"],
            device: "Firefox · Linux",
            createdAt: signedIn,
            lastSeenAt: signedIn,
            expiresAt: signedIn + 36_000,
            epoch: 0
        )
    }

    static func id(_ number: UInt8) -> UniqueID {
        UniqueID(random: RandomSource { Array(repeating: number, count: $0) })
    }

    static func fresh() -> UniqueID {
        UniqueID(random: .system)
    }

    /// What Ann gave the client, with a refresh token.
    static func grant(_ id: UniqueID = id(1)) -> Grant {
        Grant(
            id: id,
            realmID: "realm-1",
            clientID: "client-uuid",
            personID: "person-ann",
            sessionID: "session-1",
            scope: Scope(tokens: ["openid", "profile"]),
            isOffline: false,
            authenticatedAt: signedIn,
            acr: "1",
            amr: ["pwd"],
            claims: nil,
            createdAt: now,
            idleSeconds: 1800,
            expiresAt: signedIn + 36_000,
            refresh: RefreshState(
                generation: 1,
                secret: Array(repeating: 7, count: 32),
                keyID: [1, 2, 3, 4],
                rotatedAt: now,
                idempotencyKey: nil
            )
        )
    }

    static func assertion(_ text: String = "jti") -> UsedAssertion {
        UsedAssertion(hash: Hash256(of: text), expiresAt: now + 300)
    }
}

extension PersonStore {
    /// What a person allows a client, wherever they say so.
    func allow(_ scope: Scope, to clientID: String, by personID: String, at now: Int64) async throws
    {
        var client = Example.client
        client.id = clientID
        try await allow(
            Consent(scope: scope),
            to: client,
            by: personID,
            in: nil,
            notBefore: 0,
            at: now
        )
    }
}
