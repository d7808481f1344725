import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// Two realms with a client, roles and a person of the same names. Whatever is asked for by a name,
/// or by an id, is that of the realm which is asked about.
@Suite("Realms are apart", .everyDatabase) struct RealmSeparationContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.furnished() }

    private var people: PersonStore { stores.people }

    private static let twin = "realm-2"

    private static func role(_ id: String, _ name: String, of clientID: String? = nil) -> Role {
        Role(id: id, realmID: twin, clientID: clientID, name: name, description: "")
    }

    private static func person(_ name: String) -> Person {
        var person = Example.person(name)
        person.id = "twin-" + name
        person.realmID = twin
        return person
    }

    /// ``StoreUnderTest/furnished()``, and beside it a realm whose Ann is another person; where Zoe is,
    /// too, and the roles `guest`.
    private static func furnished() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        var realm = Example.realm
        realm.id = twin
        realm.name = "twin"
        realm.issuer = "https://id.example/realms/twin"
        var client = Example.client
        client.id = "twin-client"
        client.realmID = twin
        let password = PasswordHash(encoded: "$argon2id$twin")
        let created = try await stores.realms.create(
            NewRealm(
                realm: realm,
                keys: [],
                clients: [client],
                roles: [
                    role("twin-1", "admin"), role("twin-2", "editor", of: "notes"),
                    role("twin-3", "guest"), role("twin-4", "guest", of: "notes"),
                ],
                people: [
                    NewPerson(person: person("ann"), password: password),
                    NewPerson(person: person("zoe"), password: password),
                ]
            )
        )
        #expect(created == .created)
        return stores
    }

    private static func roles(_ stores: TestDatabase, _ id: String, _ realm: String) async throws
        -> [RoleName]?
    {
        try await stores.people.person(id: id, realmID: realm)?.roles
    }

    @Test("a username and an email address name a person of the realm, or no one")
    func logins() async throws {
        func found(_ login: String, in realm: String, byEmail: Bool) async throws -> String? {
            try await stores.people.credentials(realmID: realm, login: login, byEmail: byEmail)?
                .person.id
        }
        for byEmail in [true, false] {
            #expect(try await found("ann", in: "realm-1", byEmail: byEmail) == "person-ann")
            #expect(try await found("ann", in: Self.twin, byEmail: byEmail) == "twin-ann")
            #expect(try await found("zoe", in: "realm-1", byEmail: byEmail) == nil)
            #expect(try await found("zoe@example.com", in: "realm-1", byEmail: byEmail) == nil)
        }
        #expect(try await found("ann@example.com", in: "realm-1", byEmail: true) == "person-ann")
        #expect(try await found("ann@example.com", in: Self.twin, byEmail: true) == "twin-ann")
        #expect(try await found("zoe@example.com", in: Self.twin, byEmail: true) == "twin-zoe")
        let names = try await stores.people.people(realmID: "realm-1", after: nil, limit: 9)
        #expect(names.map(\.id) == ["person-ann"])
    }

    @Test("an address of another realm gets no link for a new password")
    func mailbox() async throws {
        let link = Hash256(of: "link 1")
        try await stores.mailboxes.ask(
            Example.reset(1, "zoe@example.com"),
            mail: Example.mail(.passwordReset(sealedAddress: "sealed", minutes: 30))
        )
        #expect(try await stores.outbox.latest(limit: 9).isEmpty)
        let reading = try await stores.mailboxes.reset(link: link, realmID: "realm-1")
        #expect(reading != nil && reading?.person == nil)
        #expect(try await stores.mailboxes.reset(link: link, realmID: Self.twin) == nil)
    }

    @Test(
        "a role that only another realm has is none, by whichever name",
        arguments: [
            RoleName(clientID: nil, name: "guest"), RoleName(clientID: "notes", name: "guest"),
        ]
    )
    func foreignRole(_ guest: RoleName) async throws {
        let before = try await Self.roles(stores, "person-ann", "realm-1")
        #expect(try await people.assign(guest, to: "person-ann", realmID: "realm-1") == .notFound)
        let new = NewPerson(person: Example.person("bob"), password: nil, roles: [guest])
        await #expect(throws: MissingReference.self) { try await people.create(new) }
        #expect(try await stores.person("person-bob") == nil)
        #expect(try await Self.roles(stores, "person-ann", "realm-1") == before)
        #expect(try await people.assign(guest, to: "twin-zoe", realmID: Self.twin) == .changed)
        #expect(try await people.remove(guest, from: "person-ann", realmID: "realm-1") == .notFound)
        #expect(try await Self.roles(stores, "twin-zoe", Self.twin) == [guest])
    }

    @Test(
        "of two roles of one name each realm gives and takes its own",
        arguments: [
            RoleName(clientID: nil, name: "admin"), RoleName(clientID: "notes", name: "editor"),
        ]
    )
    func sameRole(_ role: RoleName) async throws {
        for (id, realm) in [("person-ann", "realm-1"), ("twin-ann", Self.twin)] {
            #expect(try await people.assign(role, to: id, realmID: realm) == .changed)
        }
        #expect(try await people.remove(role, from: "twin-ann", realmID: Self.twin) == .changed)
        #expect(try await Self.roles(stores, "twin-ann", Self.twin) == [])
        let own = try await Self.roles(stores, "person-ann", "realm-1")
        #expect(own?.contains(role) == true)
        // The role itself, not one of its name: with the other realm's it would stay.
        #expect(try await people.assign(role, to: "twin-ann", realmID: Self.twin) == .changed)
        for id in ["twin-1", "twin-2"] {
            #expect(try await stores.realms.deleteRole(id: id) == .changed)
        }
        #expect(try await Self.roles(stores, "twin-ann", Self.twin) == [])
        #expect(try await Self.roles(stores, "person-ann", "realm-1") == own)
        let kept = try await stores.realms.roles(realmID: "realm-1").map(\.id)
        #expect(Set(kept) == ["role-1", "role-2"])
    }

    @Test("the id of a person in another realm reads, changes and deletes no one")
    func foreignID() async throws {
        #expect(try await stores.person("twin-zoe") == nil)
        var changed = Self.person("zoe")
        changed.realmID = "realm-1"
        changed.username = "eve"
        changed.isEnabled = false
        #expect(try await people.update(changed) == .notFound)
        #expect(try await people.deletePerson(id: "twin-zoe", realmID: "realm-1") == .notFound)
        let admin = RoleName(clientID: nil, name: "admin")
        #expect(try await people.assign(admin, to: "twin-zoe", realmID: "realm-1") == .notFound)
        let zoe = try await people.person(id: "twin-zoe", realmID: Self.twin)
        #expect(zoe == PersonWithRoles(person: Self.person("zoe"), roles: []))
    }

    @Test("a session's cookie and id are worth nothing in another realm")
    func sessions() async throws {
        let sessions = stores.sessions
        let live = try await sessions.live(
            cookie: Example.cookie,
            realmID: Self.twin,
            at: Example.now,
            idle: Example.idle
        )
        #expect(live == nil)
        #expect(try await stores.liveByCookie() != nil)
    }
}
