import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// Roles, groups, scopes and clients are referred to by id: what is deleted takes along what referred to it,
/// and a later one of its name is new.
@Suite("RealmStore: what refers to a thing that is deleted", .everyDatabase)
struct ReferenceContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.woven() }

    private static let admin = RoleName(clientID: nil, name: "admin")
    private static let editor = RoleName(clientID: "notes", name: "editor")
    private static let scope = RoleLimit.Owner.scope("scope-a")
    private static let client = RoleLimit.Owner.client("client-uuid")

    /// A client beside `notes`, with scopes, that hands its sign-in on to `notes`.
    private static let mail: Client = {
        var mail = Client.everythingSet
        mail.id = "client-mail"
        mail.clientID = "mail"
        return mail
    }()

    /// Everything names everything.
    private static func woven() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        let realms = stores.realms
        for scope in Example.scopes { #expect(try await realms.create(scope) == .created) }
        #expect(try await realms.create(Example.group) == .created)
        #expect(try await realms.create(Self.mail) == .created)
        #expect(try await realms.update(Realm.everythingSet) == .changed)
        for role in [Self.admin, Self.editor] {
            for owner in [Self.scope, Self.client] {
                let limit = RoleLimit(owner: owner, role: role)
                #expect(try await realms.set(limit, to: true, realmID: "realm-1") == .changed)
            }
            let given = try await realms.set(role, of: "group-1", to: true, realmID: "realm-1")
            #expect(given == .changed)
        }
        let part = RolePart(role: Self.admin, part: Self.editor)
        #expect(try await realms.add(part, realmID: "realm-1") == .changed)
        let editor = try await stores.people.assign(
            Self.editor,
            to: "person-ann",
            realmID: "realm-1"
        )
        #expect(editor == .changed)
        return stores
    }

    private func realm(_ stores: TestDatabase) async throws -> Realm {
        try #require(try await stores.realms.realm(id: "realm-1"))
    }

    private func mail(_ stores: TestDatabase) async throws -> Client {
        try #require(
            try await stores.realms.whole(id: "realm-1")?.clients.first { $0.clientID == "mail" }
        )
    }

    /// What gives a role of that name to anyone.
    private func givers(_ role: RoleName, _ stores: TestDatabase) async throws -> [String] {
        let whole = try #require(try await stores.realms.whole(id: "realm-1"))
        let ann = try await stores.person("person-ann")
        return (whole.realm.defaultRoles.contains(role) ? ["default"] : [])
            + whole.roleLimits.filter { $0.role == role }.map { "\($0.owner)" }
            + whole.groups.filter { $0.roles.contains(role) }.map(\.group.id)
            + whole.roleParts.filter { $0.part == role || $0.role == role }.map { "\($0.role)" }
            + (ann?.roles.contains(role) == true ? ["ann"] : [])
    }

    @Test("a role: one of its name gives no one anything")
    func role() async throws {
        #expect(try await givers(Self.admin, stores).count == 6)
        #expect(try await stores.realms.deleteRole(id: Example.realmRole.id) == .changed)
        #expect(try await stores.realms.create(Example.role("role-9", "admin")) == .created)
        #expect(try await givers(Self.admin, stores) == [])
        #expect(try await realm(stores).defaultRoles == [Self.editor])
    }

    @Test("a client: its roles, and those who handed their sign-in on to it")
    func client() async throws {
        #expect(try await givers(Self.editor, stores).count == 6)
        #expect(try await mail(stores).loginTokenTargets == Self.mail.loginTokenTargets)
        #expect(try await stores.realms.deleteClient(id: Example.client.id) == .changed)
        var again = Example.client
        again.id = "client-again"
        #expect(try await stores.realms.create(again) == .created)
        let role = Example.role("role-9", "editor", of: "notes")
        #expect(try await stores.realms.create(role) == .created)
        #expect(try await givers(Self.editor, stores) == [])
        #expect(try await realm(stores).defaultRoles == [Self.admin])
        #expect(try await mail(stores).loginTokenTargets == [])
    }

    @Test("a group: one of its name and place is no one's")
    func group() async throws {
        #expect(try await realm(stores).defaultGroupIDs == ["group-1"])
        #expect(try await stores.realms.deleteGroup(id: "group-1", realmID: "realm-1") == .changed)
        var again = Example.group
        again.id = "group-2"
        #expect(try await stores.realms.create(again) == .created)
        #expect(try await realm(stores).defaultGroupIDs == [])
    }

    @Test("a scope: no client has one of its name")
    func scope() async throws {
        for scope in ["a", "b"] {
            let change = try await stores.realms.deleteScope(
                id: "scope-" + scope,
                realmID: "realm-1"
            )
            #expect(change == .changed)
            let again = ClientScope(id: "again-" + scope, realmID: "realm-1", name: scope)
            #expect(try await stores.realms.create(again) == .created)
        }
        let mail = try await mail(stores)
        #expect(mail.defaultScopes == [] && mail.optionalScopes == ["c"])
        let realm = try await realm(stores)
        #expect(realm.defaultClientScopes == ["c"] && realm.optionalClientScopes == [])
    }

    @Test("a scope that gets another name is the client's still")
    func renamed() async throws {
        let scopes = try await stores.realms.scopes(realmID: "realm-1")
        var scope = try #require(scopes.first { $0.id == "scope-a" })
        scope.name = "z"
        #expect(try await stores.realms.update(scope, replacing: nil) == .changed)
        #expect(try await mail(stores).optionalScopes == ["c", "z"])
        #expect(try await realm(stores).defaultClientScopes == ["c", "z"])
    }

    @Test(
        "attack: a scope whose last role is deleted does not become everyone's; one that is opened does"
    )
    func limited() async throws {
        let stores = try await StoreUnderTest.furnished()
        let realms = stores.realms
        var scope = Example.scopes[0]
        #expect(try await realms.create(scope) == .created)
        func isLimited() async throws -> Bool? {
            try await realms.scopes(realmID: "realm-1").first?.isLimited
        }
        func set(_ role: RoleName, _ isShown: Bool) async throws -> Change {
            let limit = RoleLimit(owner: Self.scope, role: role)
            return try await realms.set(limit, to: isShown, realmID: "realm-1")
        }
        #expect(try await isLimited() == false)
        #expect(try await set(Self.admin, true) == .changed)
        #expect(try await set(Self.editor, true) == .changed)
        #expect(try await isLimited() == true)
        // Nor by a change of the scope itself.
        scope.description = "A team"
        #expect(try await realms.update(scope, replacing: nil) == .changed)
        #expect(try await realms.deleteRole(id: Example.realmRole.id) == .changed)
        #expect(try await realms.deleteClient(id: Example.client.id) == .changed)
        #expect(try await realms.roles(shownTo: Self.scope) == [])
        #expect(try await isLimited() == true)
        #expect(try await realms.create(Example.role("role-8", "reader")) == .created)
        #expect(try await realms.create(Example.role("role-9", "writer")) == .created)
        let (reader, writer) = (
            RoleName(clientID: nil, name: "reader"), RoleName(clientID: nil, name: "writer")
        )
        #expect(try await set(reader, true) == .changed)
        #expect(try await set(writer, true) == .changed)
        #expect(try await set(writer, false) == .changed)
        #expect(try await isLimited() == true)
        #expect(try await set(reader, false) == .changed)
        #expect(try await isLimited() == false)
    }

    @Test("attack: what the realm does not have is not kept by its name, for one that comes later")
    func missing() async throws {
        let realms = stores.realms
        let twin = Realm(id: "realm-2", name: "2", displayName: "", issuer: "https://two.example")
        var new = NewRealm(realm: twin, keys: [])
        new.clients = [Client.app("theirs", id: "theirs", realmID: twin.id)]
        new.scopes = [ClientScope(id: "scope-2", realmID: twin.id, name: "theirs")]
        new.groups = [
            GroupWithRoles(group: Group(id: "theirs", realmID: twin.id, parentID: nil, name: "2"))
        ]
        #expect(try await realms.create(new) == .created)
        let clients: [(inout Client) -> Void] = [
            { $0.defaultScopes.append("theirs") }, { $0.optionalScopes.append("none") },
            { $0.loginTokenTargets.append(LoginTokenTarget(clientID: "theirs")) },
        ]
        for change in clients {
            var client = try await mail(stores)
            change(&client)
            let changed = client
            await #expect(throws: MissingReference.self) { try await realms.update(changed) }
            (client.id, client.clientID) = ("client-new", "new")
            let made = client
            await #expect(throws: MissingReference.self) { try await realms.create(made) }
        }
        let settings: [(inout Realm) -> Void] = [
            { $0.defaultRoles.append(RoleName(clientID: nil, name: "none")) },
            { $0.defaultRoles.append(RoleName(clientID: "theirs", name: "editor")) },
            { $0.defaultGroupIDs.append("theirs") }, { $0.defaultClientScopes.append("theirs") },
            { $0.optionalClientScopes.append("none") },
        ]
        for change in settings {
            var realm = try await realm(stores)
            change(&realm)
            let changed = realm
            await #expect(throws: MissingReference.self) { try await realms.update(changed) }
        }
        #expect(try await mail(stores) == Self.mail)
        #expect(try await realm(stores) == Realm.everythingSet)
    }
}
