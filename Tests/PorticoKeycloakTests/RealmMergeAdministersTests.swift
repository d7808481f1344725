import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("A8: whom a file that is written over a realm makes an administrator")
struct RealmMergeAdministersTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let whole = RoleName(clientID: "realm-management", name: "realm-admin")

    private static func file(boss: String = "", users: String = "", realm: String = "") -> String {
        """
        {"realm": "a", "enabled": true, "defaultRole": {"name": "everyone"} \(realm),
         "roles": {"realm": [{"name": "everyone"}, {"name": "staff"}, {"name": "boss" \(boss)}]},
         "groups": [{"name": "made"}],
         "clients": [{"clientId": "desk", "publicClient": true, "redirectUris": ["https://d.example/cb"]},
            {"clientId": "bot", "secret": "a secret that is long", "serviceAccountsEnabled": true}],
         "users": [{"username": "ann", "enabled": true} \(users)]}
        """
    }

    private func administers(_ file: String, isDryRun: Bool = true) async throws -> Set<String> {
        let staged = try await scene.write(file, isDryRun: isDryRun)
        return Set(staged.report.lines(.administers).map { "\($0.subject): \($0.words)" })
    }

    private func make(_ username: String, _ roles: [RoleName]) async throws {
        let person = Person(
            id: username,
            realmID: try await scene.realm.id,
            username: username,
            createdAt: 0
        )
        let new = NewPerson(person: person, password: nil, roles: roles)
        #expect(try await scene.database.people.create(new) == .created)
    }

    @Test("attack: a role of someone who is not in the file becomes an administrator's")
    func notInFile() async throws {
        #expect(try await administers(Self.file(), isDryRun: false) == [])
        try await make("dora", [RoleName(clientID: nil, name: "boss")])
        try await make("carl", [RoleName(clientID: nil, name: "staff")])
        #expect(try await administers(Self.file()) == [])
        let boss = #", "composites": {"client": {"realm-management": ["realm-admin"]}}"#
        let words = "realm-management/realm-admin: here, not in the file: administers the realm"
        for isDryRun in [true, false, true] {
            let lines = try await administers(Self.file(boss: boss), isDryRun: isDryRun)
            #expect(lines == ["user dora: \(words)"])
        }
    }

    @Test("attack: of many who administer by one role, the last by name are not spoken of")
    func many() async throws {
        #expect(try await administers(Self.file(), isDryRun: false) == [])
        let boss = #", "composites": {"client": {"realm-management": ["realm-admin"]}}"#
        let words = "role boss: has more than 1,000 people: the rest is not counted"
        for number in 0..<1000 {
            try await make("p\(number)", [RoleName(clientID: nil, name: "boss")])
        }
        #expect(try await !administers(Self.file(boss: boss)).contains(words))
        try await make("zoe", [RoleName(clientID: nil, name: "boss")])
        #expect(try await administers(Self.file(boss: boss)).contains(words))
    }

    @Test("attack: what was made administrative here is given to people of the file")
    func madeHere() async throws {
        #expect(try await administers(Self.file(), isDryRun: false) == [])
        let realmID = try await scene.realm.id
        let realms = scene.database.realms
        let part = RolePart(role: RoleName(clientID: nil, name: "staff"), part: Self.whole)
        #expect(try await realms.add(part, realmID: realmID) == .changed)
        let group = try #require(try await realms.groups(realmID: realmID).first).group.id
        _ = try await realms.set(Self.whole, of: group, to: true, realmID: realmID)
        let users = #"""
            , {"username": "new1", "enabled": true, "realmRoles": ["staff"]},
              {"username": "new2", "enabled": true, "groups": ["/made"]}
            """#
        let by = "realm-management/realm-admin"
        let all: Set = [
            "group made: \(by): its members administer the realm",
            "user new1: \(by): administers the realm", "user new2: \(by): administers the realm",
        ]
        for isDryRun in [true, false] {
            #expect(try await administers(Self.file(users: users), isDryRun: isDryRun) == all)
        }
    }

    @Test("attack: registration is opened where the default role was made administrative here")
    func registration() async throws {
        #expect(try await administers(Self.file(), isDryRun: false) == [])
        let part = RolePart(role: RoleName(clientID: nil, name: "everyone"), part: Self.whole)
        let realmID = try await scene.realm.id
        #expect(try await scene.database.realms.add(part, realmID: realmID) == .changed)
        let by = "role everyone: realm-management/realm-admin"
        let closed = try await administers(Self.file())
        #expect(
            closed.contains("\(by): everyone who is made here gets it, and administers the realm")
        )
        let open = try await administers(Self.file(realm: #", "registrationAllowed": true"#))
        #expect(open.contains("\(by): everyone who registers gets it, and administers the realm"))
    }

    @Test("attack: a file sets the secret, password and redirects of what administers here")
    func madeByAnother() async throws {
        #expect(try await administers(Self.file(), isDryRun: false) == [])
        let realmID = try await scene.realm.id
        let people = scene.database.people
        let bot = try #require(try await scene.client("bot"))
        let own = try #require(try await people.serviceAccount(of: bot.id, realmID: realmID))
        let ann = KnownPeople.id(nil, username: "ann", realmID: realmID)
        for id in [ann, own.person.id] {
            _ = try await people.assign(Self.whole, to: id, realmID: realmID)
        }
        try await scene.change(client: "desk") { $0.administers = true }
        let by = "realm-management/realm-admin"
        let account = "here, not in the file: a client's own account, which administers the realm"
        #expect(
            try await administers(Self.file()) == [
                "client desk: people administer by way of it",
                "user ann: \(by): administers the realm",
                "user service-account-bot: \(by): \(account)",
            ]
        )
    }
}
