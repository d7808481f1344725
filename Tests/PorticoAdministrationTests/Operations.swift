import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb

extension Operation {
    /// Every operation, on things that bring no rights.
    static let all = clients + scopes + roles + groups + people + realms

    private static let clients = [
        Operation("create a client", "manage-clients") { scene, administrator in
            var client = try await scene.client()
            (client.id, client.clientID) = (UniqueID(random: .system).text, "new")
            try await scene.administration.create(client, by: administrator, at: scene.moment)
        },
        Operation("change a client", "manage-clients") { scene, administrator in
            let former = try await scene.client()
            var client = former
            client.name = "Changed"
            try await scene.administration.update(
                client,
                replacing: former,
                by: administrator,
                at: scene.moment
            )
        },
        Operation("delete a client", "manage-clients") { scene, administrator in
            try await scene.administration.delete(try await scene.client(), by: administrator)
        },
        Operation("show a client's secret", "manage-clients") { scene, administrator in
            _ = try await scene.administration.showSecret(
                of: try await scene.client(),
                by: administrator
            )
        },
        Operation("make a client's secret", "manage-clients") { scene, administrator in
            _ = try await scene.administration.renewSecret(
                of: try await scene.client(),
                by: administrator,
                at: scene.moment
            )
        },
    ]

    private static let scopes = [
        Operation("create a scope", "manage-clients") { scene, administrator in
            let scope = ClientScope(id: "new", realmID: "realm-acme", name: "new")
            try await scene.administration.create(scope, by: administrator)
        },
        Operation("change a scope", "manage-clients") { scene, administrator in
            let former = try await scene.scope()
            var scope = former
            scope.description = "Changed"
            try await scene.administration.update(scope, replacing: former, by: administrator)
        },
        Operation("delete a scope", "manage-clients") { scene, administrator in
            try await scene.administration.delete(try await scene.scope(), by: administrator)
        },
        Operation("give new clients a scope", "manage-clients") { scene, administrator in
            let former = try await scene.realm()
            var realm = former
            realm.defaultClientScopes = ["plain"]
            try await scene.administration.update(
                realm,
                replacing: former,
                givingNewClients: try await scene.scope(),
                by: administrator
            )
        },
        Operation("show a scope's clients a role", "manage-clients") { scene, administrator in
            try await scene.give("editor", .sight(of: .scope("acme-scope-plain")), administrator)
        },
        Operation("show a client a role", "manage-clients") { scene, administrator in
            try await scene.give("editor", .sight(of: .client("acme-client-app")), administrator)
        },
    ]

    private static let roles = [
        Operation("create a role of the realm", "manage-realm") { scene, administrator in
            let role = Role(
                id: "new",
                realmID: "realm-acme",
                clientID: nil,
                name: "new",
                description: ""
            )
            try await scene.administration.create(role, by: administrator)
        },
        Operation("create a role of a client", "manage-clients") { scene, administrator in
            let role = Role(
                id: "new",
                realmID: "realm-acme",
                clientID: "app",
                name: "new",
                description: ""
            )
            try await scene.administration.create(role, by: administrator)
        },
        Operation("change a role", "manage-realm") { scene, administrator in
            let former = try await scene.role()
            var role = former
            role.description = "Changed"
            try await scene.administration.update(role, replacing: former, by: administrator)
        },
        Operation("delete a role", "manage-realm") { scene, administrator in
            try await scene.administration.delete(try await scene.role(), by: administrator)
        },
        Operation("give a person a role", "manage-users") { scene, administrator in
            try await scene.give("editor", .person("acme-person-ann"), administrator)
        },
        Operation("give a group a role", "manage-users") { scene, administrator in
            try await scene.give("editor", .group("acme-staff"), administrator)
        },
    ]

    private static let groups = [
        Operation("create a group", "manage-users") { scene, administrator in
            let group = Group(id: "new", realmID: "realm-acme", parentID: nil, name: "new")
            try await scene.administration.create(group, by: administrator)
        },
        Operation("change a group", "manage-users") { scene, administrator in
            let former = try await scene.group()
            var group = former
            group.name = "changed"
            try await scene.administration.update(group, replacing: former, by: administrator)
        },
        Operation("delete a group", "manage-users") { scene, administrator in
            try await scene.administration.delete(try await scene.group(), by: administrator)
        },
        Operation("join a group", "manage-users") { scene, administrator in
            try await scene.administration.join(
                try await scene.group(),
                try await scene.person(),
                by: administrator
            )
        },
        Operation("leave a group", "manage-users") { scene, administrator in
            _ = try await scene.database.people.join(
                "acme-staff",
                person: "acme-person-ann",
                realmID: "realm-acme"
            )
            try await scene.administration.leave(
                try await scene.group(),
                try await scene.person(),
                by: administrator
            )
        },
        Operation("make a group that of new people", "manage-realm") { scene, administrator in
            try await scene.administration.setDefault(
                try await scene.group(),
                to: true,
                by: administrator
            )
        },
    ]

    private static let realms = [
        Operation("change a realm", "manage-realm") { scene, administrator in
            let former = try await scene.realm()
            var realm = former
            realm.displayName = "Changed"
            try await scene.administration.update(realm, replacing: former, by: administrator)
        },
        Operation("add a key", "manage-realm") { scene, administrator in
            let key = try SigningKeyMaker(ring: TestRealm.ring).make(
                .es256,
                realmID: "realm-acme",
                activeFrom: scene.moment.seconds,
                at: scene.moment
            )
            try await scene.administration.rotate(
                keysOf: try await scene.realm(),
                adding: [key],
                by: administrator
            )
        },
        Operation("keep a part", "manage-realm") { scene, administrator in
            try await scene.administration.put(
                RealmPart(realmID: "realm-acme", kind: "components", id: "new", document: [:]),
                by: administrator,
                needing: .manageRealm
            )
        },
        Operation("delete a part", "manage-identity-providers") { scene, administrator in
            let part = RealmPart(
                realmID: "realm-acme",
                kind: "providers",
                id: "new",
                document: [:]
            )
            try await scene.database.realms.put(part)
            try await scene.administration.delete(
                part,
                by: administrator,
                needing: .manageIdentityProviders
            )
        },
        Operation("create a realm", nil) { scene, administrator in
            let realm = Realm(
                id: "new",
                name: "new",
                displayName: "New",
                issuer: "https://op.example.com/realms/new"
            )
            try await scene.administration.create(
                NewRealm(realm: realm, keys: []),
                by: administrator
            )
        },
        Operation("delete a realm", nil) { scene, administrator in
            try await scene.administration.delete(try await scene.realm(), by: administrator)
        },
    ]
}

extension AdministrationScene {
    func give(_ role: String, _ holder: RoleHolder, _ administrator: Administrator) async throws {
        try await administration.set(
            [RoleName(clientID: nil, name: role)],
            of: holder,
            to: true,
            in: "realm-acme",
            by: administrator
        )
    }
}
