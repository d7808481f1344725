import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoSystem
import PorticoTestSupport
import PorticoWeb
import Testing

/// A realm `acme` with something of everything, and something that holds the right of its administrator:
/// the role `boss`, the group `bosses`, the person `chief`, the client `robot` by its account, and the
/// scope `power`, which shows that role.
struct AdministrationScene: Sendable {
    let database: TestDatabase
    let administration: RealmAdministration
    let moment = Moment(now: Date(timeIntervalSince1970: 1_700_000_000), random: .system)

    static let strong = RoleName(clientID: "realm-management", name: "realm-admin")
    /// All that give less than the whole.
    static let rights = [
        "manage-realm", "manage-users", "manage-clients", "create-client", "manage-events",
        "manage-identity-providers",
    ]

    init() async throws {
        let database = try TestDatabase.inMemory()
        self.database = database
        administration = RealmAdministration(
            store: database.realms,
            people: database.people,
            sessions: database.sessions,
            ring: TestRealm.ring,
            registration: PersonRegistration(hashing: TestRealm.hashing),
            clock: Clock { [moment] in moment.now }
        )
        for name in ["acme", "other"] {
            #expect(try await database.realms.create(Self.realm(name)) == .created)
        }
    }

    private static func realm(_ name: String) -> NewRealm {
        let realm = Realm(
            id: "realm-\(name)",
            name: name,
            displayName: name,
            issuer: "https://op.example.com/realms/\(name)"
        )
        let id = { (text: String) in "\(name)-\(text)" }
        var new = NewRealm(realm: realm, keys: [])
        let management = Client(
            id: id("management"),
            realmID: realm.id,
            clientID: "realm-management",
            name: "realm-management",
            type: .public,
            authentication: .none
        )
        new.clients = [management, client("app", of: name), client("robot", of: name)]
        func role(_ roleName: RoleName) -> Role {
            Role(
                id: id(roleName.name),
                realmID: realm.id,
                clientID: roleName.clientID,
                name: roleName.name,
                description: ""
            )
        }
        new.roles =
            [role(strong)]
            + ["editor", "boss"].map { role(RoleName(clientID: nil, name: $0)) }
        new.roleParts = [RolePart(role: RoleName(clientID: nil, name: "boss"), part: strong)]
        let groups = ["staff", "bosses"].map {
            Group(id: id($0), realmID: realm.id, parentID: nil, name: $0)
        }
        new.groups = [
            GroupWithRoles(group: groups[0]), GroupWithRoles(group: groups[1], roles: [strong]),
        ]
        new.scopes = ["plain", "power"].map {
            ClientScope(id: id("scope-\($0)"), realmID: realm.id, name: $0)
        }
        new.roleLimits = [RoleLimit(owner: .scope(id("scope-power")), role: strong)]
        var robot = Person(
            id: id("person-robot"),
            realmID: realm.id,
            username: "service-account-robot",
            createdAt: 1
        )
        robot.serviceClientID = id("client-robot")
        new.people = [
            NewPerson(person: person("ann", of: name), password: nil),
            NewPerson(person: person("chief", of: name), password: nil),
            NewPerson(person: robot, password: nil, roles: [strong]),
        ]
        new.people[1].groupIDs = [groups[1].id]
        return new
    }

    private static func client(_ clientID: String, of realm: String) -> Client {
        var client = Client(
            id: "\(realm)-client-\(clientID)",
            realmID: "realm-\(realm)",
            clientID: clientID,
            name: clientID,
            type: .confidential,
            authentication: .clientSecretBasic
        )
        client.redirectURIs = [RedirectURI("https://app.example.com/callback")]
        client.secret = ClientSecretSeal(ring: TestRealm.ring).keep(
            SecretText("a secret of forty characters, more or less"),
            of: client.id,
            random: .system
        )
        client.tokenForm = .mapped
        if clientID == "robot" { client.grantTypes = [.clientCredentials] }
        return client
    }

    private static func person(_ username: String, of realm: String) -> Person {
        Person(
            id: "\(realm)-person-\(username)",
            realmID: "realm-\(realm)",
            username: username,
            createdAt: 1
        )
    }

    // MARK: What is there

    /// The trail, the latest first.
    var events: [Event] {
        get async throws { try await database.events.latest() }
    }

    func realm() async throws -> Realm {
        try #require(try await database.realms.realm(id: "realm-acme"))
    }

    func client(_ clientID: String = "app") async throws -> Client {
        try #require(
            try await database.realms.client(id: "acme-client-\(clientID)", realmID: "realm-acme")
        )
    }

    func scope(_ name: String = "plain") async throws -> ClientScope {
        let scopes = try await database.realms.scopes(realmID: "realm-acme")
        return try #require(scopes.first { $0.name == name })
    }

    func role(_ name: String = "editor") async throws -> Role {
        let roles = try await database.realms.roles(realmID: "realm-acme")
        return try #require(roles.first { $0.name == name })
    }

    func group(_ name: String = "staff") async throws -> Group {
        let groups = try await database.realms.groups(realmID: "realm-acme")
        return try #require(groups.first { $0.group.name == name }).group
    }

    func person(_ username: String = "ann") async throws -> Person {
        let id = "acme-person-\(username)"
        return try #require(try await database.people.person(id: id, realmID: "realm-acme")).person
    }

    // MARK: Who asks

    /// The account of a client in a realm, with these roles of `realm-management`.
    func administrator(_ roles: [String], of realmName: String = "acme") async throws
        -> Administrator
    {
        let realm = try #require(try await database.realms.realm(id: "realm-\(realmName)"))
        var account = Self.person("helper", of: realmName)
        account.serviceClientID = "\(realmName)-client-app"
        let token = Administrator.Token(
            realm: realm,
            client: Self.client("app", of: realmName),
            sources: [],
            person: account,
            roles: Set(roles.map { RoleName(clientID: "realm-management", name: $0) }),
            address: "192.0.2.1"
        )
        return try #require(Administrator(token, in: realm, hasMaster: false))
    }
}

/// An operation, and the right that it needs.
struct Operation: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable (AdministrationScene, Administrator) async throws -> Void

    let testDescription: String
    /// `nil`: only the server's administrator.
    let right: String?
    let body: Body

    init(_ name: String, _ right: String?, _ body: @escaping Body) {
        testDescription = name
        self.right = right
        self.body = body
    }
}
