import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: a name gives nobody what another thing of that name has")
struct RealmMergeNamesTests {
    private let scene: OverwriteScene

    init() throws {
        self.init(scene: try OverwriteScene())
    }

    private init(scene: OverwriteScene) {
        self.scene = scene
    }

    private static let nothing = RealmImporter.Differences()

    private static func file(_ members: String, ann: String = "") -> String {
        """
        {"realm": "a", "enabled": true, \(members),
         "users": [{"id": "p-1", "username": "ann", "enabled": true \(ann)}]}
        """
    }

    private static let client = #""clients": [{"clientId": "c", "publicClient": true}]"#

    private var ann: KeptPerson {
        get async throws { try #require(try await scene.person("p-1")) }
    }

    private func groups() async throws -> [GroupWithRoles] {
        try await scene.database.realms.groups(realmID: try await scene.realm.id)
    }

    private func group(_ name: String) async throws -> GroupWithRoles? {
        try await groups().first { sameBytes($0.group.name, name) }
    }

    @Test("KC-M-1: groups whose names Unicode holds equal are two")
    func unicode() async throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let file = Self.file(
            """
            \(Self.client), "roles": {"realm": [{"name": "boss"}]},
            "groups": [{"name": "\(one)", "realmRoles": ["boss"]}, {"name": "\(two)"}]
            """,
            ann: #", "groups": ["/\#(two)"]"#
        )
        try await scene.write(file)
        try await scene.use()
        let plain = try #require(try await group(two)).group
        #expect(try await ann.groupIDs == [plain.id])
        #expect(try await scene.write(file).differences == Self.nothing)
        #expect(try await ann.groupIDs == [plain.id])
        // One that is deleted here is that one.
        let deletion = try await scene.database.realms.deleteGroup(
            id: plain.id,
            realmID: plain.realmID
        )
        #expect(deletion == .changed)
        let report = try await scene.write(file).report
        #expect(report.lines.count { $0.words.contains("was deleted here") } == 1)
        #expect(try await groups().map(\.roles.count) == [1])
        #expect(try await ann.groupIDs.isEmpty)
    }

    private static let (one, two, three) = (
        "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222",
        "33333333-3333-4333-8333-333333333333"
    )

    /// Two roles and two groups; the second of each has the rights of `boss`.
    private static func pairs(_ plain: (String, String?), _ strong: (String, String?)) -> String {
        func thing(_ name: String, _ id: String?, _ members: String = "") -> String {
            let id = id.map { #""id": "\#($0)", "# } ?? ""
            return #"{\#(id)"name": "\#(name)" \#(members)}"#
        }
        let roles = [
            #"{"name": "boss"}"#, thing(plain.0, plain.1),
            thing(strong.0, strong.1, #", "composites": {"realm": ["boss"]}"#),
        ]
        let groups = [
            thing(plain.0, plain.1), thing(strong.0, strong.1, #", "realmRoles": ["boss"]"#),
        ]
        return file(
            """
            \(client), "roles": {"realm": [\(roles.joined(separator: ", "))]},
            "groups": [\(groups.joined(separator: ", "))]
            """
        )
    }

    /// The names of roles and groups that have the rights of `boss`.
    private func strong() async throws -> (roles: [String], groups: [String]) {
        let parts = try await scene.database.realms.roleParts(realmID: try await scene.realm.id)
        let groups = try await self.groups().filter { !$0.roles.isEmpty }
        return (parts.map(\.role).filter { !$0.isMade }.map(\.name), groups.map(\.group.name))
    }

    @Test("KC-M-1: roles and groups that exchange their names bring no rights to whoever has one")
    func exchanged() async throws {
        for hasIDs in [true, false] {
            let scene = try OverwriteScene()
            let tests = Self(scene: scene)
            try await scene.write(
                Self.pairs(("a", hasIDs ? Self.one : nil), ("b", hasIDs ? Self.two : nil))
            )
            try await scene.use()
            // Where they came under other ids, the file's are known from now on.
            let report = try await scene.write(Self.pairs(("a", Self.one), ("b", Self.two))).report
            #expect(report.lines(.skipped).isEmpty, "\(report.lines(.skipped))")
            for _ in 0..<2 {
                let turned = try await scene.write(Self.pairs(("b", Self.one), ("a", Self.two)))
                #expect(turned.differences == Self.nothing)
                for subject in ["role a", "role b", "group a", "group b"] {
                    #expect(turned.report.says(.skipped, subject, "has the id of another one"))
                }
                let strong = try await tests.strong()
                #expect(strong.roles == ["b"] && strong.groups == ["b"], "\(hasIDs)")
            }
        }
    }

    @Test("KC-M-1: what was deleted here does not come back under the name of another one")
    func deletedUnderKnownName() async throws {
        try await scene.write(Self.pairs(("a", Self.one), ("b", Self.two)))
        try await scene.use()
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        #expect(try await realms.deleteRole(id: Self.two) == .changed)
        #expect(try await realms.deleteGroup(id: Self.two, realmID: realmID) == .changed)
        let report = try await scene.write(Self.pairs(("c", Self.three), ("a", Self.two))).report
        for subject in ["role a", "group a"] {
            #expect(report.says(.skipped, subject, "has the id of another one"))
        }
        let strong = try await self.strong()
        #expect(strong.roles.isEmpty && strong.groups.isEmpty)
    }

    @Test("KC-M-1: a path that named two groups names none when one of them is deleted here")
    func ambiguousPath() async throws {
        let cases = [
            (#"{"name": "a", "subGroups": [{"name": "b"}]}, {"name": "a/b","#, "/a/b"),
            (#"{"name": "a", "path": "/q"}, {"name": "c", "path": "/q","#, "/q"),
        ]
        for (groups, path) in cases {
            for renames in [true, false] {
                let scene = try OverwriteScene()
                let file = Self.file(
                    """
                    \(Self.client), "roles": {"realm": [{"name": "boss"}]},
                    "groups": [\(groups) "realmRoles": ["boss"]}]
                    """,
                    ann: #", "groups": ["\#(path)"]"#
                )
                try await scene.write(file)
                try await scene.use()
                let realmID = try await scene.realm.id
                let all = try await scene.database.realms.groups(realmID: realmID)
                let plain = try #require(all.first { $0.group.name == "a" }).group
                if renames {
                    try await scene.database.database.write { transaction in
                        try transaction.run(
                            "UPDATE groups SET name = 'z' WHERE id = $1",
                            [.text(plain.id)]
                        )
                    }
                } else {
                    #expect(
                        try await scene.database.realms.deleteGroup(id: plain.id, realmID: realmID)
                            == .changed
                    )
                }
                let report = try await scene.write(file).report
                #expect(report.says(.skipped, "group a", "was deleted here or renamed"))
                #expect(report.says(.skipped, "user ann", "group \(path): "), "\(path)")
                #expect(try await scene.person("p-1")?.groupIDs == [], "\(path) \(renames)")
            }
        }
    }

    @Test("KC-M-1: a group that was deleted here does not come back below a new one")
    func movedGroup() async throws {
        let group = #"{"id": "\#(Self.two)", "name": "x", "realmRoles": ["boss"]}"#
        func file(_ groups: String, _ path: String) -> String {
            Self.file(
                #"""
                \#(Self.client), "roles": {"realm": [{"name": "boss"}]}, "groups": [\#(groups)]
                """#,
                ann: #", "groups": ["\#(path)"]"#
            )
        }
        let parent = #"{"id": "\#(Self.one)", "name": "p""#
        try await scene.write(file(parent + #", "subGroups": [\#(group)]}"#, "/p/x"))
        try await scene.use()
        let realmID = try await scene.realm.id
        let deletion = try await scene.database.realms.deleteGroup(id: Self.two, realmID: realmID)
        #expect(deletion == .changed)
        let moved = file(parent + #"}, {"name": "n", "subGroups": [\#(group)]}"#, "/n/x")
        for _ in 0..<2 {
            let report = try await scene.write(moved).report
            #expect(report.says(.skipped, "group x", "was deleted here"))
            #expect(try await groups().map(\.group.name).sorted() == ["n", "p"])
            #expect(try await ann.groupIDs.isEmpty)
        }
    }

    private func makeAnew(_ group: Group, _ role: Role, _ scope: ClientScope) async throws {
        let realms = scene.database.realms
        var (group, role) = (group, role)
        let deletion = try await realms.deleteGroup(id: group.id, realmID: group.realmID)
        #expect(deletion == .changed)
        #expect(try await realms.deleteRole(id: role.id) == .changed)
        let scopeDeletion = try await realms.deleteScope(id: scope.id, realmID: scope.realmID)
        #expect(scopeDeletion == .changed)
        group.id = UniqueID(random: .system).text
        role.id = UniqueID(random: .system).text
        let anew = ClientScope(
            id: UniqueID(random: .system).text,
            realmID: scope.realmID,
            name: scope.name,
            representation: scope.representation
        )
        #expect(try await realms.create(group) == .created)
        #expect(try await realms.create(role) == .created)
        #expect(try await realms.create(anew) == .created)
    }

    @Test("KC-M-1: what was made here is given to no one by default groups, roles and scopes")
    func defaults() async throws {
        func file(_ realm: String, client: String = "") -> String {
            Self.file(
                #"""
                "clients": [{"clientId": "c", "publicClient": true,
                    "defaultClientScopes": ["other" \#(client)]},
                    {"clientId": "d", "publicClient": true,
                     "defaultClientScopes": ["other", "api"]}],
                "roles": {"realm": [{"name": "reader"}, {"name": "boss"}]},
                "groups": [{"name": "staff"}, {"name": "guests"}],
                "clientScopes": [{"name": "api", "protocol": "openid-connect"},
                    {"name": "other", "protocol": "openid-connect"}] \#(realm)
                """#
            )
        }
        try await scene.write(file(""))
        try await scene.use()
        let realmID = try await scene.realm.id
        let roles = try await scene.database.realms.roles(realmID: realmID)
        let snapshot = try await scene.database.realms.snapshot()
        try await makeAnew(
            try #require(try await group("staff")).group,
            try #require(roles.first { $0.name == "reader" }),
            try #require(snapshot.scopes.first { $0.name == "api" })
        )
        let given = file(
            #"""
            , "defaultGroups": ["/staff", "/guests"], "defaultRole": {"name": "reader"},
            "defaultRoles": ["reader", "boss"], "defaultDefaultClientScopes": ["api", "other"],
            "defaultOptionalClientScopes": ["api"]
            """#,
            client: #", "api""#
        )
        for round in 0..<2 {
            let report = try await scene.write(given).report
            #expect(report.says(.skipped, "scope api", "another one was made here"))
            #expect(report.says(.skipped, "client c", "scope api: the file does not describe it"))
            for member in ["defaultGroups /staff", "defaultRole reader", "defaultRoles reader"]
            where round == 0 {
                #expect(report.says(.skipped, "realm", "\(member): is not the file's"), "\(member)")
            }
            let kept = try #require(try await scene.realm.keycloak)
            #expect(kept.strings("defaultGroups") == ["/guests"])
            #expect(kept.object("defaultRole")?.string("name") == "default-roles-a")
            #expect(kept.strings("defaultRoles") == ["boss"])
            #expect(kept.strings("defaultDefaultClientScopes") == ["other"])
            #expect(kept["defaultOptionalClientScopes"] == nil)
            #expect(try await scene.client("c")?.defaultScopes == ["other"])
        }
        // A file without scopes gives none of ours either.
        let scopes = #""clientScopes": [{"name": "api", "protocol": "openid-connect"},"#
        let without = given.replacing(scopes, with: #""ignored": ["#)
        for text in [without, given] {
            try await scene.write(text)
            #expect(try await scene.client("c")?.defaultScopes == ["other"])
            // Who has it here keeps it.
            #expect(try await scene.client("d")?.defaultScopes == ["other", "api"])
        }
    }

    @Test("KC-M-1: nor by the default roles of a client, or a role that the file does not describe")
    func defaultsOfClients() async throws {
        func file(_ roles: String, _ client: String = "", _ realm: String = "") -> String {
            Self.file(
                #"""
                "clients": [{"clientId": "c", "publicClient": true \#(client)}],
                "roles": {"client": {"c": [\#(roles)]}} \#(realm)
                """#
            )
        }
        try await scene.write(file(#"{"name": "x"}"#))
        try await scene.use()
        let ours = Role(
            id: UniqueID(random: .system).text,
            realmID: try await scene.realm.id,
            clientID: "c",
            name: "ours",
            description: ""
        )
        #expect(try await scene.database.realms.create(ours) == .created)
        let report = try await scene.write(
            file(
                #"{"name": "x"}"#,
                #", "defaultRoles": ["ours", "x"]"#,
                #", "defaultRole": {"name": "boss"}, "defaultGroups": ["/none"]"#
            )
        ).report
        #expect(report.says(.skipped, "client c", "defaultRoles ours: is not the file's"))
        #expect(try await scene.client("c")?.defaultRoles.map(\.name) == ["x"])
        let kept = try #require(try await scene.realm.keycloak)
        #expect(kept.object("defaultRole")?.string("name") == "default-roles-a")
        #expect(kept["defaultGroups"] == nil)
    }

    @Test("KC-M-1: a secret that was made here is not lost with a change of the file's proof")
    func ownSecret() async throws {
        let keys = #"""
            "clientAuthenticatorType": "client-jwt", "attributes": {"use.jwks.string": "true",
                "jwks.string": "{\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"use\": \"sig\", \"alg\": \"EdDSA\", \"kid\": \"p\", \"x\": \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"}
            """#
        let secret = #""secret": "a secret that is long""#
        let cases = [
            (secret, [secret, #""publicClient": true"#, keys]),
            (keys, [keys, #""publicClient": true"#]),
        ]
        let made = ClientSecret.hashed(Hash256(of: "made here").bytes)
        for (first, files) in cases {
            let scene = try OverwriteScene()
            func file(_ members: String) -> String {
                Self.file(#""clients": [{"clientId": "app", \#(members)}]"#)
            }
            try await scene.write(file(first))
            try await scene.use()
            try await scene.change(client: "app") { $0.secret = made }
            let before = try #require(try await scene.client("app"))
            for (index, members) in files.enumerated() {
                let report = try await scene.write(file(members)).report
                let isNamed = report.says(.skipped, "client app", "proof: changed here and in")
                #expect(isNamed == (index > 0), "\(members)")
                let after = try #require(try await scene.client("app"))
                #expect(after.secret == made && after.type == before.type)
                #expect(after.authentication == before.authentication)
                #expect(after.keySet == before.keySet)
            }
        }
    }

    @Test("KC-M-1: an identity provider without an id that was made here is changed by no file")
    func madeProvider() async throws {
        func file(_ providers: String) -> String {
            Self.file(#"\#(Self.client), "identityProviders": [\#(providers)]"#)
        }
        try await scene.write(file(""))
        try await scene.use()
        let ours = RealmPart(
            realmID: try await scene.realm.id,
            kind: "identityProviders",
            id: "hub",
            document: ["alias": "hub", "displayName": "Ours"]
        )
        try await scene.database.realms.put(ours)
        for name in ["Theirs", "Theirs 2"] {
            let theirs = #"{"alias": "hub", "providerId": "oidc", "displayName": "\#(name)"}"#
            let report = try await scene.write(file(theirs)).report
            #expect(report.says(.skipped, "identityProviders hub", "another one was made here"))
            let parts = try await scene.database.realms.parts(
                "identityProviders",
                realmID: ours.realmID
            )
            #expect(parts == [ours])
        }
    }

    @Test("KC-M-1: a file without scopes names Keycloak's own that are here, and no others")
    func builtInScopes() async throws {
        func file(_ more: String = "") -> String {
            Self.file(#""clients": [{"clientId": "c", "publicClient": true} \#(more)]"#)
        }
        try await scene.write(file())
        // As in a realm that was made here.
        try await scene.database.database.write { transaction in
            try transaction.run("DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'", [])
        }
        try await scene.write(file())
        try await scene.use()
        let ours = ClientScope(
            id: UniqueID(random: .system).text,
            realmID: try await scene.realm.id,
            name: "api",
            representation: ["protocol": "openid-connect"]
        )
        #expect(try await scene.database.realms.create(ours) == .created)
        try await scene.write(
            file(
                #"""
                , {"clientId": "d", "publicClient": true, "defaultClientScopes": ["email", "api"]}
                """#
            )
        )
        #expect(try await scene.client("d")?.defaultScopes == ["email"])
    }

    @Test("KC-M-1: a role that is made anew while people are written is given to no one")
    func roleAnew() async throws {
        func file(_ people: String) -> String {
            #"""
            {"realm": "a", "enabled": true, \#(Self.client),
             "roles": {"realm": [{"name": "reader"}, {"name": "writer"}]},
             "users": [{"id": "p-1", "username": "ann", "enabled": true, \#(people)}]}
            """#
        }
        try await scene.write(file(#""realmRoles": ["reader"]"#))
        try await scene.use()
        // When the realm is written, and before its people are.
        try await scene.database.database.write { transaction in
            try transaction.run(
                """
                CREATE TRIGGER anew AFTER UPDATE ON realm_version BEGIN
                DELETE FROM roles WHERE name = 'writer';
                INSERT INTO roles (id, realm_id, client_id, name, description, attributes)
                SELECT 'anew', id, NULL, 'writer', '', '{}' FROM realms;
                END
                """,
                []
            )
        }
        try await scene.write(
            file(
                #"""
                "realmRoles": ["writer"]},
                {"id": "p-2", "username": "bob", "enabled": true, "realmRoles": ["writer"]
                """#
            )
        )
        let roles = try await scene.database.realms.roles(realmID: try await scene.realm.id)
        #expect(roles.contains { $0.id == "anew" })
        #expect(try await ann.roles.isEmpty)
        #expect(try await scene.person("p-2")?.roles == [])
    }
}
