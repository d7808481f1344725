import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("RealmStore: groups and roles that contain others", .everyDatabase) struct GroupContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.tree() }

    private var realms: RealmStore { stores.realms }

    private static let admin = RoleName(clientID: nil, name: "admin")
    private static let editor = RoleName(clientID: "notes", name: "editor")

    private static func group(_ id: String, in parent: String? = nil, name: String? = nil) -> Group
    {
        Group(id: id, realmID: "realm-1", parentID: parent, name: name ?? id)
    }

    /// Groups a > b > c, and z.
    private static func tree() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        for (id, parent) in [("a", nil), ("b", "a"), ("c", "b"), ("z", nil)] as [(String, String?)]
        {
            #expect(try await stores.realms.create(Self.group(id, in: parent)) == .created)
        }
        return stores
    }

    private func graph(_ stores: TestDatabase) async throws -> RoleGraph {
        try await stores.realms.snapshot().graphs["realm-1"] ?? .empty
    }

    @Test("a member has the roles of the group, and of those above it")
    func roles() async throws {
        #expect(
            try await realms.set(Self.editor, of: "a", to: true, realmID: "realm-1") == .changed
        )
        #expect(
            try await stores.people.join("c", person: "person-ann", realmID: "realm-1") == .changed
        )
        let ann = try #require(try await stores.person("person-ann"))
        #expect(ann.groupIDs == ["c"])
        #expect(try await graph(stores).roles(of: ann) == [Self.admin, Self.editor])
        #expect(try await graph(stores).path(of: "c") == "/a/b/c")
        #expect(
            try await realms.set(Self.editor, of: "a", to: false, realmID: "realm-1") == .changed
        )
        #expect(try await graph(stores).roles(of: ann) == [Self.admin])
        let left = try await stores.people.leave("c", person: "person-ann", realmID: "realm-1")
        #expect(left == .changed)
        #expect(try await stores.person("person-ann")?.groupIDs == [])
    }

    @Test("a role is what it contains, also in a circle")
    func parts() async throws {
        let stores = try await StoreUnderTest.furnished()
        let realms = stores.realms
        let there = RolePart(role: Self.admin, part: Self.editor)
        let back = RolePart(role: Self.editor, part: Self.admin)
        for part in [there, back] {
            #expect(try await realms.add(part, realmID: "realm-1") == .changed)
        }
        #expect(try await realms.add(there, realmID: "realm-1") == .changed)
        #expect(try await realms.roleParts(realmID: "realm-1") == [there, back])
        #expect(try await graph(stores).expanded([Self.editor]) == [Self.admin, Self.editor])
        #expect(try await realms.remove(back, realmID: "realm-1") == .changed)
        #expect(try await realms.remove(back, realmID: "realm-1") == .notFound)
        #expect(try await graph(stores).expanded([Self.editor]) == [Self.editor])
        let unknown = RolePart(role: Self.admin, part: RoleName(clientID: nil, name: "x"))
        #expect(try await realms.add(unknown, realmID: "realm-1") == .notFound)
        // It goes with its role.
        #expect(try await realms.deleteRole(id: Example.clientRole.id) == .changed)
        #expect(try await graph(stores).expanded([Self.admin]) == [Self.admin])
    }

    @Test("names are unique in one place, and no group lies in itself")
    func places() async throws {
        #expect(try await realms.create(Self.group("a2", name: "a")) == .conflict)
        #expect(try await realms.create(Self.group("a3", in: "z", name: "a")) == .created)
        #expect(try await realms.update(Self.group("z", name: "a"), replacing: nil) == .conflict)
        for parent in ["a", "b", "c"] {
            #expect(try await realms.update(Self.group("a", in: parent), replacing: nil) == .cycle)
        }
        #expect(try await realms.update(Self.group("c", in: "z"), replacing: nil) == .changed)
        #expect(try await graph(stores).path(of: "c") == "/z/c")
        #expect(try await realms.update(Self.group("nowhere"), replacing: nil) == .notFound)
        #expect(
            try await realms.update(Self.group("c", in: "nowhere"), replacing: nil) == .notFound
        )
        await #expect(throws: MissingReference.self) {
            _ = try await realms.create(Self.group("d", in: "nowhere"))
        }
        let order = try await realms.groups(realmID: "realm-1").map(\.group.id)
        #expect(order == ["a", "z", "a3", "b", "c"])
    }

    @Test("no group gets the path of another one, nor one below it, by a name with a slash")
    func paths() async throws {
        func paths() async throws -> Set<String> {
            let graph = try await realms.snapshot().graphs["realm-1"] ?? .empty
            return Set(graph.allGroups.map { graph.path(of: $0.group.id) })
        }
        let before = try await paths()
        for name in ["a/b", "a/b/c"] {
            await #expect(throws: StoreConflict.self) {
                _ = try await realms.create(Self.group("twin", name: name))
            }
            await #expect(throws: StoreConflict.self) {
                _ = try await realms.update(Self.group("z", name: name), replacing: nil)
            }
        }
        await #expect(throws: StoreConflict.self) {
            _ = try await realms.create(Self.group("twin", in: "a", name: "b/c"))
        }
        #expect(try await paths() == before)
        // In another place it is no twin, until it moves.
        #expect(try await realms.create(Self.group("other", in: "z", name: "a/b")) == .created)
        await #expect(throws: StoreConflict.self) {
            _ = try await realms.update(Self.group("other", name: "a/b"), replacing: nil)
        }
        // What lies in a group moves with it.
        #expect(try await realms.create(Self.group("below", name: "y/b")) == .created)
        await #expect(throws: StoreConflict.self) {
            _ = try await realms.update(Self.group("a", name: "y"), replacing: nil)
        }
        #expect(try await paths() == before.union(["/z/a/b", "/y/b"]))
        var described = Self.group("below", name: "y/b")
        described.description = "text"
        #expect(try await realms.update(described, replacing: nil) == .changed)
        // Two at once.
        for round in 0..<20 {
            #expect(try await realms.create(Self.group("t\(round)")) == .created)
            let new = [
                Self.group("u\(round)", in: "t\(round)", name: "x"),
                Self.group("v\(round)", name: "t\(round)/x"),
            ]
            let made = try await concurrently(2) { place in
                do {
                    return try await realms.create(new[place]) == .created
                } catch is StoreConflict {
                    return false
                }
            }
            #expect(made.count(of: true) == 1)
        }
    }

    @Test(
        "a group that has changed meanwhile is not changed back, and of two that move into each other one does"
    )
    func races() async throws {
        func kept(_ id: String) async throws -> Group? {
            try await realms.groups(realmID: "realm-1").first { $0.group.id == id }?.group
        }
        for round in 0..<20 {
            // Everyone has seen the group in its first place.
            let seen = try #require(try await kept("z"))
            var renamed = seen
            renamed.name = "z\(round)"
            var moved = seen
            moved.parentID = seen.parentID == nil ? "c" : nil
            let changes = [renamed, moved]
            let made = try await concurrently(2) { place -> Group? in
                do {
                    let change = changes[place]
                    return try await realms.update(change, replacing: seen) == .changed
                        ? change : nil
                } catch is ChangedMeanwhile {
                    return nil
                }
            }
            #expect(made.count(of: nil) == 1)
            #expect(made.contains(try await kept("z")))
            let (one, two) = ("x\(round)", "y\(round)")
            for id in [one, two] { _ = try await realms.create(Self.group(id)) }
            let turns = try await concurrently(2) { place in
                let (from, to) = place == 0 ? (one, two) : (two, one)
                return try await realms.update(
                    Self.group(from, in: to),
                    replacing: Self.group(from)
                )
            }
            #expect(turns.count(of: .changed) == 1 && turns.count(of: .cycle) == 1)
            let both = try await (kept(one), kept(two))
            #expect(both.0 != nil && both.1 != nil)
        }
        let nowhere = Self.group("nowhere")
        #expect(try await realms.update(nowhere, replacing: nowhere) == .notFound)
    }

    @Test("a group goes with those in it; people stay")
    func deletion() async throws {
        _ = try await stores.people.join("c", person: "person-ann", realmID: "realm-1")
        #expect(try await stores.realms.deleteGroup(id: "a", realmID: "other") == .notFound)
        #expect(try await stores.realms.deleteGroup(id: "a", realmID: "realm-1") == .changed)
        #expect(try await stores.realms.groups(realmID: "realm-1").map(\.group.id) == ["z"])
        let ann = try await stores.person("person-ann")
        #expect(ann?.groupIDs == [])
        let joined = try await stores.people.join("c", person: "person-ann", realmID: "realm-1")
        #expect(joined == .notFound)
    }

    @Test("scopes, role limits and parts are kept with their realm")
    func scopes() async throws {
        let realms = try await StoreUnderTest.furnished().realms
        let before = try await realms.version()
        var scope = ClientScope(id: "scope-1", realmID: "realm-1", name: "team")
        #expect(try await realms.create(scope) == .created)
        #expect(try await realms.create(scope) == .conflict)
        scope.mappers = [ClaimMapper(.property("username"), "a.b", into: [.tokenResponse])]
        (scope.isShown, scope.isAskedFor) = (false, false)
        (scope.isLimited, scope.isOffered) = (true, false)
        scope.kept = KeptRepresentation(["a": 1])
        #expect(try await realms.update(scope, replacing: nil) == .changed)
        let owners: [RoleLimit.Owner] = [.scope("scope-1"), .client("client-uuid")]
        for owner in owners {
            let limit = RoleLimit(owner: owner, role: Self.editor)
            #expect(try await realms.set(limit, to: true, realmID: "realm-1") == .changed)
        }
        let part = RealmPart(realmID: "realm-1", kind: "flows", id: "1", document: ["a": 1])
        try await realms.put(part)
        try await realms.put(part)
        #expect(try await realms.parts("flows", realmID: "realm-1") == [part])
        #expect(try await realms.parts(nil, realmID: "realm-2") == [])
        let snapshot = try await realms.snapshot()
        #expect(snapshot.version > before)
        #expect(snapshot.scopes == [scope])
        #expect(snapshot.roleLimits == [owners[0]: [Self.editor], owners[1]: [Self.editor]])
        let limit = RoleLimit(owner: owners[0], role: Self.editor)
        #expect(try await realms.set(limit, to: false, realmID: "realm-1") == .changed)
        #expect(try await realms.set(limit, to: false, realmID: "realm-1") == .notFound)
        #expect(try await realms.deleteScope(id: "scope-1", realmID: "realm-1") == .changed)
        #expect(try await realms.deleteClient(id: "client-uuid") == .changed)
        #expect(try await realms.snapshot().roleLimits == [:])
    }

    @Test("a client's own account signs no one in")
    func serviceAccount() async throws {
        let stores = try await StoreUnderTest.furnished()
        var person = Example.person("robot")
        person.serviceClientID = "client-uuid"
        let new = NewPerson(person: person, password: Example.password)
        #expect(try await stores.people.create(new) == .created)
        for (login, byEmail) in [("robot", false), ("robot@example.com", true)] {
            let found = try await stores.people.credentials(
                realmID: "realm-1",
                login: login,
                byEmail: byEmail
            )
            #expect(found == nil)
        }
        let page = try await stores.people.people(realmID: "realm-1", after: nil, limit: 10)
        #expect(page.map(\.username) == ["ann"])
        let account = try await stores.people.serviceAccount(of: "client-uuid", realmID: "realm-1")
        #expect(account?.person == person)
    }
}
