import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// Decision 0053, at the operations: whichever face asks.
@Suite("Administration: rights")
struct AdministrationRightsTests {
    private func expectForbidden(
        _ operation: Operation,
        _ administrator: Administrator,
        _ scene: AdministrationScene
    ) async throws {
        await #expect(throws: AdministrationRefusal.forbidden) {
            try await operation.body(scene, administrator)
        }
        #expect(try await scene.events.isEmpty)
    }

    @Test("decision 0053: without its right an operation changes nothing", arguments: Operation.all)
    func without(_ operation: Operation) async throws {
        let scene = try await AdministrationScene()
        let others = AdministrationScene.rights.filter { right in
            right != operation.right
                && !(right == "create-client" && operation.testDescription == "create a client")
        }
        try await expectForbidden(operation, try await scene.administrator(others), scene)
    }

    @Test(
        "decision 0053: with the right, and with the realm's, it is done and noted",
        arguments: Operation.all.filter { $0.right != nil }
    )
    func with(_ operation: Operation) async throws {
        for role in [operation.right ?? "", "realm-admin"] {
            let scene = try await AdministrationScene()
            let administrator = try await scene.administrator([role])
            try await operation.body(scene, administrator)
            let events = try await scene.events
            #expect(!events.isEmpty)
            #expect(events.allSatisfy { $0.actor == .person("acme-person-helper") })
            #expect(events.allSatisfy { $0.clientID == "acme-client-app" })
            #expect(events.allSatisfy { $0.address == "192.0.2.1" })
            #expect(events.allSatisfy { $0.realmID == "realm-acme" })
        }
    }

    @Test("the command line may do everything", arguments: Operation.all)
    func commandLine(_ operation: Operation) async throws {
        let scene = try await AdministrationScene()
        try await operation.body(scene, .commandLine)
        #expect(try await scene.events.first?.actor == .commandLine)
    }

    /// Those that keep nothing, and those before which a test makes something.
    private static let otherwise: Set = [
        "forget wrong passwords", "leave a group", "unlink an account", "delete a part",
    ]

    @Test(
        "an operation that cannot be noted has not happened",
        arguments: Operation.all.filter { !otherwise.contains($0.testDescription) }
    )
    func oneTransaction(_ operation: Operation) async throws {
        let scene = try await AdministrationScene()
        func people() async throws -> [Person] {
            try await scene.database.people.people(realmID: "realm-acme", after: nil, limit: 100)
        }
        try await scene.database.database.write { transaction in
            try transaction.run(
                """
                CREATE TRIGGER unnoted BEFORE INSERT ON events
                BEGIN SELECT RAISE(ABORT, 'unnoted'); END
                """,
                []
            )
        }
        let change = try await scene.database.realms.lastChange()
        let known = try await people()
        await #expect(throws: SQLError.self) { try await operation.body(scene, .commandLine) }
        #expect(try await scene.database.realms.lastChange() == change)
        #expect(try await people() == known)
    }

    @Test("RFC 7591 §2: an operation keeps the rules of registration, whichever face asks")
    func registration() async throws {
        let scene = try await AdministrationScene()
        let former = try await scene.client()
        var client = former
        client.redirectURIs = []
        (client.id, client.clientID) = (UniqueID(random: .system).text, "new")
        let refusal = AdministrationRefusal.client(.noRedirectURI)
        await #expect(throws: refusal) {
            try await scene.administration.create(client, by: .commandLine, at: scene.moment)
        }
        var changed = former
        changed.redirectURIs = []
        await #expect(throws: refusal) {
            try await scene.administration.update(
                changed,
                replacing: former,
                by: .commandLine,
                at: scene.moment
            )
        }
        #expect(try await scene.client() == former)
        // What an import has brought may stay as it is.
        #expect(try await scene.database.realms.update(changed) == .changed)
        var renamed = changed
        renamed.name = "Renamed"
        try await scene.administration.update(
            renamed,
            replacing: changed,
            by: .commandLine,
            at: scene.moment
        )
        #expect(try await scene.client() == renamed)
    }

    @Test(
        "decision 0164: no administrator of the realm makes an app of the backend, changes or deletes one",
        arguments: ["manage-clients", "realm-admin"]
    )
    func apps(_ role: String) async throws {
        let scene = try await AdministrationScene()
        let former = try await scene.client()
        var app = former
        app.handOff.form = .code
        let administrator = try await scene.administrator([role])
        var new = Client.app("new", "com.example.new:/cb")
        new.realmID = former.realmID
        await #expect(throws: AdministrationRefusal.forbidden) {
            try await scene.administration.create(new, by: administrator, at: scene.moment)
        }
        await #expect(throws: AdministrationRefusal.forbidden) {
            try await scene.administration.update(
                app,
                replacing: former,
                by: administrator,
                at: scene.moment
            )
        }
        #expect(try await scene.database.realms.update(app) == .changed)
        var changed = app
        changed.redirectURIs = [RedirectURI("https://evil.example/cb")]
        for client in [changed, former] {
            await #expect(throws: AdministrationRefusal.forbidden) {
                try await scene.administration.update(
                    client,
                    replacing: app,
                    by: administrator,
                    at: scene.moment
                )
            }
        }
        await #expect(throws: AdministrationRefusal.forbidden) {
            try await scene.administration.delete(app, by: administrator)
        }
        let sight = RoleHolder.sight(of: .client(app.id))
        await #expect(throws: AdministrationRefusal.forbidden) {
            try await scene.give("editor", sight, administrator)
        }
        #expect(try await scene.database.realms.roles(shownTo: .client(app.id)).isEmpty)
        #expect(try await scene.client() == app)
        try await scene.administration.update(
            changed,
            replacing: app,
            by: .commandLine,
            at: scene.moment
        )
    }

    @Test(
        "decision 0053: another realm's administrator has no rights here",
        arguments: Operation.all
    )
    func otherRealm(_ operation: Operation) async throws {
        let scene = try await AdministrationScene()
        let other = try await scene.administrator(["realm-admin"], of: "other")
        try await expectForbidden(operation, other, scene)
    }

    @Test(
        "decision 0053: no one changes a person with more rights, or makes one",
        arguments: Operation.people(named: "chief")
    )
    func person(_ operation: Operation) async throws {
        let scene = try await AdministrationScene()
        let helper = try await scene.administrator(AdministrationScene.rights)
        try await expectForbidden(operation, helper, scene)
    }

    @Test("decision 0053: no one raises their rights", arguments: Operation.raises)
    func raises(_ operation: Operation) async throws {
        let scene = try await AdministrationScene()
        let helper = try await scene.administrator(AdministrationScene.rights)
        try await expectForbidden(operation, helper, scene)
        // The realm's administrator may.
        let chief = try await scene.administrator(["realm-admin"])
        try await operation.body(scene, chief)
    }

    @Test("decision 0053: what a client lends shrinks to the rights of those who change it")
    func lends() async throws {
        let scene = try await AdministrationScene()
        func change(_ name: String, _ roles: [String]) async throws -> Set<RoleName>? {
            let former = try await scene.client()
            var client = former
            client.name = name
            // A face cannot lift it.
            client.lends = nil
            try await scene.administration.update(
                client,
                replacing: former,
                by: try await scene.administrator(roles),
                at: scene.moment
            )
            return try await scene.client().lends
        }
        func names(_ roles: [String]) -> Set<RoleName> {
            Set(roles.map { RoleName(clientID: "realm-management", name: $0) })
        }
        #expect(try await change("1", ["realm-admin"]) == nil)
        let both = ["manage-clients", "manage-users"]
        #expect(try await change("2", both) == names(both))
        #expect(try await change("3", ["manage-clients"]) == names(["manage-clients"]))
        #expect(try await change("4", both) == names(["manage-clients"]))
        #expect(try await change("5", ["realm-admin"]) == names(["manage-clients"]))
    }

    @Test("decision 0053: a client lends nothing where what it lends cannot be read")
    func unreadable() throws {
        var client = Client(
            id: "1",
            realmID: "realm",
            clientID: "c",
            name: "C",
            type: .public,
            authentication: .none
        )
        client.lends = [AdministrationScene.strong]
        for broken in ["all", [1], true, .null, [["name": 1]]] as [JSONValue] {
            var document = JSONObject()
            client.write(to: &document)
            document["lends"] = broken
            let kept = try Client(id: "1", realmID: "realm", clientID: "c", document: document)
            #expect(kept.lends == [])
        }
        var document = JSONObject()
        client.write(to: &document)
        let kept = try Client(id: "1", realmID: "realm", clientID: "c", document: document)
        #expect(kept.lends == [AdministrationScene.strong])
    }

    @Test("no secret is in the trail")
    func secrets() async throws {
        let scene = try await AdministrationScene()
        let former = try await scene.client()
        let shown = try await scene.administration.showSecret(of: former, by: .commandLine)
        let made = try await scene.administration.renewSecret(
            of: former,
            by: .commandLine,
            at: scene.moment
        )
        var client = try await scene.client()
        client.name = "Changed"
        try await scene.administration.update(
            client,
            replacing: try await scene.client(),
            by: .commandLine,
            at: scene.moment
        )
        for event in try await scene.events {
            let text = [event.before, event.after].compactMap { $0 }
                .map { String(decoding: $0.serialized(), as: UTF8.self) }.joined()
            for secret in [shown, made].compactMap({ $0 }) {
                #expect(!text.contains(secret.reveal()))
            }
            #expect(!text.contains("sealed"))
        }
        let last = try #require(try await scene.events.first)
        #expect(last.before?.string("client_name") == "app")
        #expect(last.after?.string("client_name") == "Changed")
    }
}

extension Operation {
    /// What would give someone a right that the administrator lacks.
    static let raises: [Operation] = ofRoles + ofGroups + ofClients + ofRealms

    private static let ofRoles = [
        Operation("create an administrative role", "manage-clients") { scene, administrator in
            let role = Role(
                id: "new",
                realmID: "realm-acme",
                clientID: "realm-management",
                name: "new",
                description: ""
            )
            try await scene.administration.create(role, by: administrator)
        },
        Operation("make a role contain one", "manage-realm") { scene, administrator in
            try await scene.give("boss", .role(try await scene.role().roleName), administrator)
        },
        Operation("create a role with one", "manage-realm") { scene, administrator in
            let role = Role(
                id: "new",
                realmID: "realm-acme",
                clientID: nil,
                name: "new",
                description: ""
            )
            try await scene.administration.create(
                role,
                containing: [AdministrationScene.strong],
                by: administrator
            )
        },
        Operation("rename a role that contains one", "manage-realm") { scene, administrator in
            let former = try await scene.role("boss")
            var role = former
            role.name = "editors"
            try await scene.administration.update(role, replacing: former, by: administrator)
        },
        Operation("give a person one", "manage-users") { scene, administrator in
            try await scene.give("boss", .person("acme-person-ann"), administrator)
        },
        Operation("give a group one", "manage-users") { scene, administrator in
            try await scene.give("boss", .group("acme-staff"), administrator)
        },
        Operation("show one to a client", "manage-clients") { scene, administrator in
            try await scene.give("boss", .sight(of: .client("acme-client-app")), administrator)
        },
        Operation("show more by a scope that shows one", "manage-clients") {
            scene,
            administrator in
            try await scene.give("editor", .sight(of: .scope("acme-scope-power")), administrator)
        },
    ]

    private static let ofGroups = [
        Operation("join a group that has one", "manage-users") { scene, administrator in
            try await scene.administration.join(
                try await scene.group("bosses"),
                try await scene.person(),
                by: administrator
            )
        },
        Operation("move a group below it", "manage-users") { scene, administrator in
            let former = try await scene.group()
            var group = former
            group.parentID = "acme-bosses"
            try await scene.administration.update(group, replacing: former, by: administrator)
        },
        Operation("make a group below it", "manage-users") { scene, administrator in
            let group = Group(
                id: "new",
                realmID: "realm-acme",
                parentID: "acme-bosses",
                name: "new"
            )
            try await scene.administration.create(group, by: administrator)
        },
        Operation("rename it", "manage-users") { scene, administrator in
            let former = try await scene.group("bosses")
            var group = former
            group.name = "former bosses"
            try await scene.administration.update(group, replacing: former, by: administrator)
        },
        Operation("make it that of new people", "manage-realm") { scene, administrator in
            try await scene.administration.setDefault(
                try await scene.group("bosses"),
                to: true,
                by: administrator
            )
        },
    ]

    private static func changing(
        _ name: String,
        _ clientID: String = "app",
        _ change: @escaping @Sendable (inout Client) -> Void
    ) -> Operation {
        Operation(name, "manage-clients") { scene, administrator in
            let former = try await scene.client(clientID)
            var client = former
            change(&client)
            try await scene.administration.update(
                client,
                replacing: former,
                by: administrator,
                at: scene.moment
            )
        }
    }

    private static let ofClients = [
        changing("let people administer by a client") { $0.administers = true },
        changing("give a client a scope that shows one") { $0.optionalScopes.append("power") },
        changing("change a client whose account has one", "robot") { $0.name = "Mine" },
        changing("have a mapper write one") { client in
            client.mappers.append(
                ClaimMapper(
                    id: "m",
                    name: "m",
                    kind: .fixedRole(AdministrationScene.strong),
                    targets: [.accessToken]
                )
            )
        },
        Operation("show the secret of such a client", "manage-clients") { scene, administrator in
            _ = try await scene.administration.showSecret(
                of: try await scene.client("robot"),
                by: administrator
            )
        },
        Operation("make the secret of such a client", "manage-clients") { scene, administrator in
            _ = try await scene.administration.renewSecret(
                of: try await scene.client("robot"),
                by: administrator,
                at: scene.moment
            )
        },
        Operation("delete such a client", "manage-clients") { scene, administrator in
            try await scene.administration.delete(
                try await scene.client("robot"),
                by: administrator
            )
        },
        Operation("change a scope that shows one", "manage-clients") { scene, administrator in
            let former = try await scene.scope("power")
            var scope = former
            scope.description = "Changed"
            try await scene.administration.update(scope, replacing: former, by: administrator)
        },
        Operation("delete it", "manage-clients") { scene, administrator in
            try await scene.administration.delete(
                try await scene.scope("power"),
                by: administrator
            )
        },
    ]

    private static func changing(
        realm name: String,
        _ change: @escaping @Sendable (inout Realm) -> Void
    ) -> Operation {
        Operation(name, "manage-realm") { scene, administrator in
            let former = try await scene.realm()
            var realm = former
            change(&realm)
            try await scene.administration.update(realm, replacing: former, by: administrator)
        }
    }

    private static let ofRealms = [
        changing(realm: "give new people a role with one") {
            $0.defaultRoles = [RoleName(clientID: nil, name: "boss")]
        },
        changing(realm: "give new people a group that has one") {
            $0.defaultGroupIDs = ["acme-bosses"]
        },
        changing(realm: "revoke everyone's tokens") { $0.notBefore = 1_700_000_000 },
        changing(realm: "disable the realm") { $0.isEnabled = false },
        Operation("sign everyone out", "manage-users") { scene, administrator in
            try await scene.administration.signOutEveryone(
                of: try await scene.realm(),
                by: administrator,
                at: scene.moment.seconds
            )
        },
    ]
}
