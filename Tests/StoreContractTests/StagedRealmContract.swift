import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Realms that are put together and taken apart, by contract", .everyDatabase)
struct StagedRealmContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.staged() }

    private static func staged() async throws -> TestDatabase {
        let stores = try StoreUnderTest.empty()
        var new = Example.newRealm
        let people = new.people
        new.people = []
        try await stores.realms.stage(new)
        try await stores.realms.stage(people)
        return stores
    }

    @Test("no one sees a staged realm, and no version is raised")
    func unseen() async throws {
        let snapshot = try await stores.realms.snapshot()
        #expect(snapshot.realms.isEmpty && snapshot.clients.isEmpty)
        let untouched = try await StoreUnderTest.empty().realms.version()
        #expect(try await stores.realms.version() == untouched)
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .notFound)
    }

    @Test("programs of before skip what is staged or being deleted: it is disabled")
    func shut() async throws {
        func settings(_ stores: TestDatabase) async throws -> [String] {
            try await stores.database.scan { reader in
                try reader.rows("SELECT settings FROM realms", []) { try $0.text(0) }
            }
        }
        let stores = try await Self.staged()
        #expect(try await settings(stores).allSatisfy { $0.contains(#""enabled":false"#) })
        try await stores.realms.publish([Example.realm])
        #expect(try await settings(stores).allSatisfy { !$0.contains(#""enabled":false"#) })
        let task = Task { try await stores.realms.deleteRealm(id: "realm-1") }
        task.cancel()
        _ = await task.result
        #expect(try await settings(stores).allSatisfy { $0.contains(#""enabled":false"#) })
    }

    @Test("publishing gives it name, issuer and settings at once")
    func published() async throws {
        let before = try await stores.realms.version()
        try await stores.realms.publish([Example.realm])
        let snapshot = try await stores.realms.snapshot()
        #expect(snapshot.realms == [Example.realm] && snapshot.version > before)
        #expect(snapshot.clients == [Example.client])
        #expect(try await stores.person("person-ann") != nil)
        // Twice is once too often: it is no staged realm any more.
        var again = Example.realm
        again.name = "another"
        again.issuer = "https://another.example"
        await #expect(throws: MissingReference.self) { try await stores.realms.publish([again]) }
        try await stores.realms.removeStaged()
        try await stores.realms.removeDeleted()
        #expect(try await stores.realms.snapshot().realms == [Example.realm])
    }

    @Test("of several realms all are published, or none where a name or issuer is taken")
    func taken() async throws {
        var other = Realm(
            id: "realm-2",
            name: "two",
            displayName: "",
            issuer: "https://two.example"
        )
        try await stores.realms.stage(NewRealm(realm: other, keys: []))
        let there = Realm(
            id: "realm-3",
            name: "there",
            displayName: "",
            issuer: "https://t.example"
        )
        #expect(try await stores.realms.create(NewRealm(realm: there, keys: [])) == .created)
        for (name, issuer) in [("there", "https://two.example"), ("two", "https://t.example")] {
            other.name = name
            other.issuer = issuer
            let both = [Example.realm, other]
            await #expect(throws: RealmStore.TakenName(name: name)) {
                try await stores.realms.publish(both)
            }
            #expect(try await stores.realms.snapshot().realms == [there])
        }
        other.name = "two"
        other.issuer = "https://two.example"
        try await stores.realms.publish([Example.realm, other])
        #expect(try await stores.realms.snapshot().realms.count == 3)
    }

    @Test("what was staged goes with everything in it")
    func removed() async throws {
        try await stores.realms.removeStaged()
        #expect(try await stores.realms.roles(realmID: "realm-1").isEmpty)
        #expect(try await stores.person("person-ann") == nil)
        #expect(try await stores.realms.create(Example.newRealm) == .created)
    }

    @Test("people are staged all or none")
    func people() async throws {
        let (bob, ann) = (Example.person("bob"), Example.person("ann"))
        await #expect(throws: StoreConflict.self) {
            try await stores.realms.stage([bob, ann].map { NewPerson(person: $0, password: nil) })
        }
        #expect(try await stores.person(bob.id) == nil)
        #expect(try await stores.realms.idsInUse(ofPeople: [bob.id, ann.id]) == [ann.id])
        #expect(try await stores.realms.subjectWithUsedID(in: Example.newRealm) != nil)
    }

    @Test("more people than one chunk has go with their realm, and no one else")
    func manyPeople() async throws {
        var other = Example.newRealm
        other.realm = Realm(
            id: "realm-2",
            name: "two",
            displayName: "",
            issuer: "https://two.example"
        )
        #expect(try await stores.realms.create(NewRealm(realm: other.realm, keys: [])) == .created)
        for realm in ["realm-1", "realm-2"] {
            try await stores.realms.stage(
                (0..<230).map {
                    var person = Example.person("p\($0)")
                    person.id = "\(realm)-\($0)"
                    person.realmID = realm
                    person.email = nil
                    return NewPerson(person: person, password: nil)
                }
            )
        }
        try await stores.realms.publish([Example.realm])
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .changed)
        let ids = (0..<230).flatMap { ["realm-1-\($0)", "realm-2-\($0)"] }
        #expect(try await stores.realms.idsInUse(ofPeople: ids).count == 230)
        #expect(try await stores.realms.snapshot().realms.map(\.id) == ["realm-2"])
    }

    @Test("roles of clients, roles in roles and groups in groups go with their realm")
    func manyThings() async throws {
        let stores = try StoreUnderTest.empty()
        var new = NewRealm(realm: Example.realm, keys: [])
        let client = Example.client
        new.clients = [client]
        new.roles = (0..<230).map {
            Example.role("role-r-\($0)", "r\($0)", of: client.clientID)
        }
        new.roles.append(Example.role("role-all", "all"))
        let all = RoleName(clientID: nil, name: "all")
        let parts = new.roles.dropLast().map(\.roleName)
        new.roleParts = parts.map { RolePart(role: all, part: $0) }
        new.roleLimits = parts.map { RoleLimit(owner: .client(client.id), role: $0) }
        var parent: String?
        for level in 0..<3 {
            for index in 0..<120 {
                let group = Group(
                    id: "g-\(level)-\(index)",
                    realmID: "realm-1",
                    parentID: parent,
                    name: "n\(index)",
                    description: "",
                    attributes: [:]
                )
                new.groups.append(GroupWithRoles(group: group, roles: [all]))
            }
            parent = "g-\(level)-0"
        }
        #expect(try await stores.realms.create(new) == .created)
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .changed)
        #expect(try await stores.realms.roles(realmID: "realm-1").isEmpty)
        #expect(try await stores.realms.groups(realmID: "realm-1").isEmpty)
        #expect(try await stores.realms.subjectWithUsedID(in: new) == nil)
        #expect(try await stores.realms.create(new) == .created)
    }

    @Test("a deletion that was cut off is finished later; nothing of the realm is seen before")
    func cutOff() async throws {
        let stores = try await StoreUnderTest.furnished()
        let task = Task { try await stores.realms.deleteRealm(id: "realm-1") }
        // Where it waits between two chunks, cancelling ends it.
        task.cancel()
        _ = await task.result
        let snapshot = try await stores.realms.snapshot()
        #expect(snapshot.realms.isEmpty && snapshot.clients.isEmpty)
        #expect(try await stores.realms.deleteRealm(id: "realm-1") == .notFound)
        try await stores.realms.removeDeleted()
        #expect(try await stores.person("person-ann") == nil)
        #expect(try await stores.realms.create(Example.newRealm) == .created)
    }
}
