import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// What an operation changes together, and what it finds changed.
@Suite("Administration: one change")
struct AdministrationTransactionTests {
    private let scene: AdministrationScene

    init() async throws {
        scene = try await AdministrationScene()
    }

    private func update(
        _ client: Client,
        replacing former: Client,
        giving roles: [RoleName]? = nil
    ) async throws {
        try await scene.administration.update(
            client,
            replacing: former,
            giving: roles,
            by: .commandLine,
            at: scene.moment
        )
    }

    private func hasAccount(_ client: Client) async throws -> Bool {
        let people = scene.database.people
        return try await people.serviceAccount(of: client.id, realmID: client.realmID) != nil
    }

    /// The client with an account for itself, and without its grant type.
    private func robot() async throws -> (with: Client, without: Client) {
        let robot = try await scene.client("robot")
        var without = robot
        without.grantTypes = [.authorizationCode]
        return (robot, without)
    }

    @Test("a realm cannot be told to sign with a key that it does not have")
    func missingKey() async throws {
        let former = try #require(try await scene.database.realms.realm(named: "acme"))
        var realm = former
        realm.signingAlgorithm = former.signingAlgorithm == .es256 ? .rs256 : .es256
        realm.displayName = "Changed"
        let refusal = AdministrationRefusal.invalid(.signingAlgorithm(realm.signingAlgorithm))
        await #expect(throws: refusal) {
            try await scene.administration.update(realm, replacing: former, by: .commandLine)
        }
        #expect(try await scene.database.realms.realm(named: "acme") == former)
    }

    @Test("a client's account goes with it, or with its grant type, and with the event of that")
    func account() async throws {
        let robot = try await robot()
        try await scene.database.database.write { transaction in
            try transaction.run(
                """
                CREATE TRIGGER unnoted BEFORE INSERT ON events
                BEGIN SELECT RAISE(ABORT, 'unnoted'); END
                """,
                []
            )
        }
        await #expect(throws: SQLError.self) {
            try await scene.administration.delete(robot.with, by: .commandLine)
        }
        await #expect(throws: SQLError.self) {
            try await update(robot.without, replacing: robot.with)
        }
        #expect(try await hasAccount(robot.with))
        try await scene.database.database.write { try $0.run("DROP TRIGGER unnoted", []) }
        try await update(robot.without, replacing: robot.with)
        #expect(try await !hasAccount(robot.with))
        try await update(robot.with, replacing: robot.without)
        #expect(try await hasAccount(robot.with))
        let last = try await scene.client("robot")
        try await scene.administration.delete(last, by: .commandLine)
        #expect(try await !hasAccount(robot.with))
    }

    @Test("attack: who saw a client before it became an app of the backend deletes the app")
    func deletedMeanwhile() async throws {
        let former = try await scene.client()
        var app = former
        app.handOff.form = .code
        #expect(try await scene.database.realms.update(app) == .changed)
        let administrator = try await scene.administrator(["realm-admin"])
        await #expect(throws: ChangedMeanwhile.self) {
            try await scene.administration.delete(former, by: administrator)
        }
        #expect(try await scene.client() == app)
        #expect(try await scene.events.isEmpty)
    }

    @Test("an operation is one event; one that finds nothing, or a name taken, is none")
    func events() async throws {
        let former = try await scene.client()
        var renamed = former
        renamed.name = "Renamed"
        try await update(renamed, replacing: former)
        #expect(try await scene.events.map(\.kind) == [.clientUpdated])
        var second = former
        second.id = UniqueID(random: .system).text
        await #expect(throws: AdministrationRefusal.taken(.client("app"))) {
            try await scene.administration.create(second, by: .commandLine, at: scene.moment)
        }
        #expect(try await scene.events.count == 1)
        try await scene.administration.delete(renamed, by: .commandLine)
        await #expect(throws: AdministrationRefusal.notFound(.client)) {
            try await scene.administration.delete(renamed, by: .commandLine)
        }
        #expect(try await scene.events.map(\.kind) == [.clientDeleted, .clientUpdated])
    }

    @Test("what new people get of a client's roles is a change of the realm, and noted as that")
    func defaultRoles() async throws {
        let role = Role(
            id: "new",
            realmID: "realm-acme",
            clientID: "app",
            name: "new",
            description: ""
        )
        try await scene.administration.create(role, by: .commandLine)
        let client = try await scene.client()
        try await update(client, replacing: client, giving: [role.roleName])
        #expect(try await scene.realm().defaultRoles.contains(role.roleName))
        #expect(try await scene.events.contains { $0.kind == .realmUpdated })
    }

    @Test("attack: a rule that a client broke before hides another one that it breaks now")
    func hiddenRule() async throws {
        var former = try await scene.client()
        (former.redirectURIs, former.idTokenAlgorithm) = ([], .es256)
        #expect(try await scene.database.realms.update(former) == .changed)
        var reserved = former
        reserved.mappers = [ClaimMapper(.fixedClaim("admin"), "sub")]
        await #expect(throws: AdministrationRefusal.client(.mapper(index: 0))) {
            try await update(reserved, replacing: former)
        }
        var other = former
        other.idTokenAlgorithm = .rs256
        await #expect(throws: AdministrationRefusal.client(.idTokenAlgorithm(.rs256))) {
            try await update(other, replacing: former)
        }
        #expect(try await scene.client() == former)
        var renamed = former
        renamed.name = "Renamed"
        try await update(renamed, replacing: former)
    }

    @Test("decision 0164: an app of another realm than the backend's is refused, and says of which")
    func elsewhere() async throws {
        try await scene.database.put(.app("notes", "com.example.notes:/cb"))
        var app = Client.app("here", "com.example.here:/cb")
        app.realmID = "realm-acme"
        await #expect(throws: AdministrationRefusal.invalid(.appsElsewhere("home"))) {
            try await scene.administration.create(app, by: .commandLine, at: scene.moment)
        }
        #expect(try await scene.events.isEmpty)
    }
}
