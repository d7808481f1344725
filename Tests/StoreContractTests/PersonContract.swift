import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonStore: people", .everyDatabase) struct PersonContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private var people: PersonStore { stores.people }

    @Test("a person is found as they were created")
    func creation() async throws {
        let person = Person.everythingSet
        let roles = [
            RoleName(clientID: nil, name: "admin"), RoleName(clientID: "notes", name: "editor"),
        ]
        let new = NewPerson(person: person, password: nil, roles: roles)
        #expect(try await people.create(new) == .created)
        #expect(try await stores.person(person.id) == PersonWithRoles(person: person, roles: roles))
        #expect(try await people.person(id: person.id, realmID: "realm-2") == nil)
        #expect(try await stores.person("unknown") == nil)
    }

    @Test(
        "user name and email address are taken once, in whatever spelling",
        arguments: [
            ("ann", nil), ("ANN", nil), ("\u{FF21}nn", nil), (" ann ", nil),
            ("other", "ann@example.com"), ("other", "Ann@Example.Com"),
        ]
    )
    func conflict(_ taken: (name: String, email: String?)) async throws {
        var person = Example.person("other")
        person.username = taken.name
        person.email = taken.email
        #expect(try await people.create(NewPerson(person: person, password: nil)) == .conflict)
        #expect(try await people.people(realmID: "realm-1", after: nil, limit: 9) == [Example.ann])
    }

    @Test("RFC 8265 §3.3: a user name in decomposed or full-width letters is the same name")
    func spellings() async throws {
        var person = Example.person("jose")
        person.username = "JOSE\u{301}"
        person.email = nil
        #expect(try await people.create(NewPerson(person: person, password: nil)) == .created)
        for spelling in ["jos\u{E9}", "jose\u{301}", "JOS\u{C9}", "\u{FF2A}ose\u{301}"] {
            let found = try await stores.credentials(spelling)?.person
            #expect(found?.id == person.id)
            #expect(Array((found?.username ?? "").utf8) == Array("jos\u{E9}".utf8))
            var twin = Example.person("twin")
            twin.username = spelling
            twin.email = nil
            #expect(try await people.create(NewPerson(person: twin, password: nil)) == .conflict)
        }
        // A change keeps the spelling.
        person.username = "re\u{301}mi"
        #expect(try await people.update(person) == .changed)
        #expect(try await stores.credentials("R\u{C9}MI")?.person.id == person.id)
    }

    @Test("people without an email address do not conflict")
    func noEmail() async throws {
        for name in ["bob", "cid"] {
            var person = Example.person(name)
            person.email = nil
            #expect(try await people.create(NewPerson(person: person, password: nil)) == .created)
        }
    }

    @Test("of any number of concurrent creations of a user name exactly one wins")
    func race() async throws {
        for round in 1...20 {
            let answers = try await concurrently(8) { index in
                var person = Example.person("person-\(round)-\(index)")
                person.username = "Round-\(round)"
                return try await people.create(NewPerson(person: person, password: nil))
            }
            #expect(answers.count(of: .created) == 1)
        }
    }

    @Test("a person is created with all their roles or not at all")
    func atomic() async throws {
        for role in [
            RoleName(clientID: nil, name: "editor"), RoleName(clientID: "notes", name: "admin"),
        ] {
            let new = NewPerson(person: Example.person("bob"), password: nil, roles: [role])
            await #expect(throws: MissingReference.self) { try await people.create(new) }
            #expect(try await stores.person("person-bob") == nil)
        }
        var elsewhere = Example.person("bob")
        elsewhere.realmID = "unknown"
        await #expect(throws: MissingReference.self) {
            try await people.create(NewPerson(person: elsewhere, password: nil))
        }
    }

    @Test("OpenID Connect Core §2: a deleted person's id is never given to another")
    func deletion() async throws {
        #expect(try await people.deletePerson(id: "person-ann", realmID: "realm-2") == .notFound)
        #expect(try await people.deletePerson(id: "person-ann", realmID: "realm-1") == .changed)
        #expect(try await people.deletePerson(id: "person-ann", realmID: "realm-1") == .notFound)
        #expect(try await stores.person("person-ann") == nil)
        let again = NewPerson(person: Example.ann, password: nil)
        #expect(try await people.create(again) == .conflict)
        // The user name is free.
        var other = Example.ann
        other.id = "person-2"
        #expect(try await people.create(NewPerson(person: other, password: nil)) == .created)
    }

    @Test("an update leaves id, realm and creation")
    func update() async throws {
        var changed = Person.everythingSet
        changed.id = "person-ann"
        changed.createdAt = 1
        #expect(try await people.update(changed) == .changed)
        changed.createdAt = Example.ann.createdAt
        #expect(try await stores.person("person-ann")?.person == changed)
        changed.id = "unknown"
        #expect(try await people.update(changed) == .notFound)
    }

    @Test("an update that takes another's name is refused")
    func updateConflict() async throws {
        let bob = Example.person("bob")
        _ = try await people.create(NewPerson(person: bob, password: nil))
        var changed = bob
        changed.username = "Ann"
        await #expect(throws: StoreConflict.self) { try await people.update(changed) }
        changed = bob
        changed.email = "ANN@example.com"
        await #expect(throws: StoreConflict.self) { try await people.update(changed) }
        #expect(try await stores.person("person-bob")?.person == bob)
    }

    @Test("people come in pages in the order of user names")
    func pages() async throws {
        for name in ["zoe", "bob", "eve"] {
            _ = try await people.create(NewPerson(person: Example.person(name), password: nil))
        }
        var names: [String] = []
        for _ in 1...10 {
            let page = try await people.people(realmID: "realm-1", after: names.last, limit: 2)
            names += page.map(\.username)
            if page.isEmpty { break }
        }
        #expect(names == ["ann", "bob", "eve", "zoe"])
        #expect(try await people.people(realmID: "realm-2", after: nil, limit: 2).isEmpty)
        #expect(try await people.people(realmID: "realm-1", after: nil, limit: -1).isEmpty)
    }

    @Test("a role is given, given again, and taken")
    func roles() async throws {
        let role = RoleName(clientID: "notes", name: "editor")
        let realm = "realm-1"
        #expect(try await people.assign(role, to: "person-ann", realmID: realm) == .changed)
        #expect(try await people.assign(role, to: "person-ann", realmID: realm) == .changed)
        let ann = try await people.person(id: "person-ann", realmID: realm)
        #expect(ann?.roles == [RoleName(clientID: nil, name: "admin"), role])
        #expect(try await people.remove(role, from: "person-ann", realmID: realm) == .changed)
        #expect(try await people.remove(role, from: "person-ann", realmID: realm) == .notFound)
        let without = try await people.person(id: "person-ann", realmID: realm)
        #expect(without?.roles == [RoleName(clientID: nil, name: "admin")])
    }

    @Test("only a role that there is goes to a person that there is")
    func unknownRoles() async throws {
        let admin = RoleName(clientID: nil, name: "admin")
        let unknown = RoleName(clientID: "notes", name: "admin")
        #expect(try await people.assign(unknown, to: "person-ann", realmID: "realm-1") == .notFound)
        #expect(try await people.assign(admin, to: "unknown", realmID: "realm-1") == .notFound)
        #expect(try await people.assign(admin, to: "person-ann", realmID: "realm-2") == .notFound)
        #expect(
            try await people.remove(unknown, from: "person-ann", realmID: "realm-1") == .notFound
        )
        #expect(try await people.remove(admin, from: "person-ann", realmID: "realm-2") == .notFound)
    }
}

extension Person {
    /// No member has its default.
    static var everythingSet: Person {
        var person = Example.person("zo\u{EB}")
        person.email = "Zo\u{EB}@Example.com"
        person.isEmailVerified = true
        person.givenName = "Zo\u{EB}"
        person.familyName = "O'Neill \u{1F511}"
        person.isEnabled = false
        person.notBefore = 77
        person.attributes = ["locale": ["de"], "dept": ["a", "\"b\""], "none": []]
        person.updatedAt = 99
        return person
    }
}
