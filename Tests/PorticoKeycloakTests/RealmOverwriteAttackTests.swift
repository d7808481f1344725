import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: attacks by files that are written over realms, and mishaps")
struct RealmOverwriteAttackTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let all = ImportConflict.overwrite(people: true, prune: true)
    private static let noon = RealmImportTests.noon
    private static let admin = RoleName(clientID: nil, name: "admin")
    private static let password =
        #""credentials": [{"type": "password", "value": "correct horse battery 1"}]"#

    private func expectRefused(_ file: String, _ conflict: ImportConflict) async throws {
        let before = try await scene.database.realms.whole(id: try await scene.realm.id)
        let root = try await scene.person("root")
        await #expect(throws: RealmImporter.LastAdministrator.self) {
            try await scene.write(file, conflict)
        }
        let after = try await scene.database.realms.whole(id: try await scene.realm.id)
        #expect(after?.realm == before?.realm && after?.clients == before?.clients)
        #expect(after?.groups == before?.groups)
        #expect(try await scene.person("root") == root)
    }

    // MARK: The last administrator

    /// Someone who would be left, and cannot administer; and other members.
    private static let pretenders: [(person: String, members: String)] = [
        (#""enabled": true, "realmRoles": ["admin"]"#, ""),
        (#""enabled": false, "realmRoles": ["admin"], \#(password)"#, ""),
        (#""enabled": true, "notBefore": 4102444800, "realmRoles": ["admin"], \#(password)"#, ""),
        (#""enabled": true, "realmRoles": ["create-realm"], \#(password)"#, ""),
        (
            #""enabled": true, "clientRoles": {"b-realm": ["admin"]}, \#(password)"#,
            #""roles": {"client": {"b-realm": [{"name": "admin"}]}},"#
        ),
        (#""enabled": true, "realmRoles": ["admin"], "serviceAccountClientId": "job""#, ""),
        (
            #""enabled": true, "groups": ["/admins"], "serviceAccountClientId": "job""#,
            #""groups": [{"name": "admins", "realmRoles": ["admin"]}],"#
        ),
        (
            #""enabled": true, "realmRoles": ["admin"], \#(password)"#,
            #""notBefore": 4102444800,"#
        ),
    ]

    @Test(
        "attack: someone who cannot sign in, or has another role of that name, counts as an administrator",
        arguments: pretenders.indices
    )
    func pretender(_ index: Int) async throws {
        try await scene.write(#"{"realm": "master", "enabled": true}"#)
        try await scene.make("root", [Self.admin])
        let (person, members) = Self.pretenders[index]
        let file = #"""
            {"realm": "master", "enabled": true, \#(members)
             "clients": [{"clientId": "b-realm"}, {"clientId": "job", "enabled": false,
                "secret": "a secret that is long", "serviceAccountsEnabled": true}],
             "users": [{"id": "root", "username": "root", "enabled": true, \#(Self.password)},
                {"id": "p-1", "username": "ann", \#(person)}]}
            """#
        try await expectRefused(file, .overwrite(people: true))
    }

    @Test("attack: a file switches realm master off, and no one can sign in to switch it on")
    func masterOff() async throws {
        try await scene.write(#"{"realm": "master", "enabled": true}"#)
        try await scene.make("root", [Self.admin])
        try await expectRefused(#"{"realm": "master", "enabled": false}"#, .overwrite())
    }

    @Test(
        "attack: another administrator goes while a file is read: the last one stays all the same",
        arguments: [
            #""users": [{"id": "root", "username": "root", "enabled": true}]"#,
            #""groups": [{"name": "admins"}], "scopeMappings": []"#,
        ]
    )
    func goneMeanwhile(_ members: String) async throws {
        try await scene.write(
            #"{"realm": "master", "enabled": true, "groups": [{"name": "admins", "realmRoles": ["admin"]}]}"#
        )
        try await scene.make("root", members.contains("users") ? [Self.admin] : [])
        if members.contains("groups") {
            let id = try #require(try await scene.groups()["admins"]).group.id
            try await scene.run(
                "INSERT INTO person_groups (person_id, group_id) SELECT 'root', id FROM groups"
            )
            #expect(try await scene.person("root")?.groupIDs == [id])
        }
        try await scene.make("eve", [Self.admin])
        let before = try #require(try await scene.person("root"))
        let importer = scene.importer(.overwrite(people: true))
        let file = #"{"realm": "master", "enabled": true, \#(members)}"#
        let staged = try await scene.stage(file, importer)
        try await scene.change(person: "eve") { $0.isEnabled = false }
        let error = await #expect(throws: RealmImporter.Unfinished.self) {
            try await importer.publish(staged, at: Self.noon)
        }
        #expect(error?.reason is RealmImporter.LastAdministrator)
        #expect(try await scene.person("root") == before)
        #expect(try await scene.groups()["admins"]?.roles == [Self.admin])
    }

    @Test(
        "decision 0054: an administrator takes the place of another one, hundreds of people later"
    )
    func order() async throws {
        try await scene.write(#"{"realm": "master", "enabled": true}"#)
        try await scene.make("a-root", [Self.admin])
        let others = (0..<250).map {
            #"{"id": "m-\#($0)", "username": "m-\#($0)", "enabled": true},"#
        }.joined()
        try await scene.write(
            #"""
            {"realm": "master", "enabled": true, "users": [
                {"id": "a-root", "username": "a-root", "enabled": true}, \#(others)
                {"id": "z-ann", "username": "z-ann", "enabled": true, "realmRoles": ["admin"],
                 \#(Self.password)}]}
            """#,
            .overwrite(people: true)
        )
        #expect(try await scene.person("a-root")?.roles == [])
        #expect(try await scene.person("z-ann")?.roles == [Self.admin])
    }

    @Test("attack: --prune in realm master deletes a client whose own account may administer")
    func serviceClients() async throws {
        let job =
            #"{"clientId": "job", "secret": "a secret that is long", "serviceAccountsEnabled": true}"#
        let file = #"{"realm": "master", "enabled": true, "clients": [JOB{"clientId": "web"}]}"#
        try await scene.write(file.replacing("JOB", with: job + ", "))
        try await scene.write(
            file.replacing("JOB", with: "").replacing("web", with: "other"),
            Self.all
        )
        #expect(try await scene.client("job") != nil)
        #expect(try await scene.client("web") == nil)
    }

    // MARK: What is deleted

    @Test("attack: --prune deletes who came, or was changed, after it was shown")
    func prunedMeanwhile() async throws {
        let file = #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "web"}],
             "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
            """#
        try await scene.write(file)
        for id in ["old", "changed", "given"] { try await scene.make(id) }
        let realmID = try await scene.realm.id
        let realms = scene.database.realms
        #expect(try await realms.create(Client.app("old", realmID: realmID)) == .created)
        let importer = scene.importer(Self.all)
        let staged = try await scene.stage(file, importer)
        #expect(
            staged[0].report.lines(.deleted).map(\.subject).sorted()
                == ["client old", "user changed", "user given", "user old"]
        )
        try await scene.make("new")
        try await scene.change(person: "changed") { $0.givenName = "Ann" }
        try await scene.run(
            "INSERT INTO person_roles (person_id, role_id) SELECT 'given', id FROM roles WHERE name = 'offline_access'"
        )
        #expect(try await realms.create(Client.app("new", realmID: realmID)) == .created)
        var news: [ImportReport] = []
        try await importer.publish(staged, at: Self.noon) { news.append($0) }
        #expect(try await scene.person("old") == nil)
        #expect(try await scene.client("old") == nil)
        for id in ["new", "changed", "given"] {
            #expect(try await scene.person(id) != nil, "\(id)")
            let words = "made or changed here while it was read"
            #expect(news.first?.says(.stays, "user \(id)", words) == true, "\(id)")
        }
        #expect(try await scene.client("new") != nil)
        // Once they are shown, they go.
        try await scene.write(file, Self.all)
        for id in ["new", "changed", "given"] { #expect(try await scene.person(id) == nil) }
        #expect(try await scene.client("new") == nil)
    }

    @Test(
        "attack: a person who is twice in a file: nothing is written, and no one deleted",
        arguments: [
            #"{"id": "p-2", "username": "ann", "enabled": true}"#,
            #"{"id": "p-1", "username": "bob", "enabled": true}"#,
            #"{"id": "p-2", "username": "ANN", "enabled": true}"#,
        ]
    )
    func twice(_ second: String) async throws {
        let ann = #"{"id": "p-1", "username": "ann", "enabled": true}"#
        func file(_ people: String, _ lifespan: Int) -> String {
            #"{"realm": "a", "enabled": true, "accessTokenLifespan": \#(lifespan), "users": [\#(people)]}"#
        }
        try await scene.write(file(ann, 300))
        try await scene.make("own")
        let error = RealmFileError(file: "file", reason: .repeatedPerson(path: "users[1]"))
        for conflict in [ImportConflict.overwrite(), Self.all] {
            await #expect(throws: error) {
                try await scene.write(file("\(ann), \(second)", 240), conflict)
            }
        }
        #expect(try await scene.realm.lifetimes.accessToken == 300)
        for id in ["p-1", "own"] { #expect(try await scene.person(id) != nil) }
    }

    @Test("decision 0054: a person who is in the file and left out is not deleted")
    func leftOut() async throws {
        try await scene.write(#"{"realm": "a", "enabled": true}"#)
        for id in ["own", "other"] { try await scene.make(id) }
        let report = try await scene.write(
            #"""
            {"realm": "a", "enabled": true, "users": [
                {"id": "own", "username": "x", "serviceAccountClientId": "gone"},
                {"username": "other", "serviceAccountClientId": "gone"}]}
            """#,
            Self.all
        ).report
        #expect(report.lines(.deleted).isEmpty, "\(report.lines(.deleted))")
        for id in ["own", "other"] { #expect(try await scene.person(id) != nil) }
    }

    @Test("attack: a later client of a deleted one's name gives its roles to everyone")
    func defaultRoles() async throws {
        let shop = #"{"clientId": "shop", "defaultRoles": ["editor"]}"#
        func file(_ members: String) -> String { #"{"realm": "a", "enabled": true, \#(members)}"# }
        try await scene.write(
            file(
                #"""
                "defaultRoles": ["reader"], "clients": [\#(shop)],
                "roles": {"realm": [{"name": "reader"}], "client": {"shop": [{"name": "editor"}]}}
                """#
            )
        )
        let reader = RoleName(clientID: nil, name: "reader")
        let editor = RoleName(clientID: "shop", name: "editor")
        #expect(try await scene.realm.defaultRoles == [reader, editor])
        // What the file does not say of them stays.
        #expect(try await scene.write(#"{"realm": "a"}"#).differences == .init())
        try await scene.write(
            file(#""defaultRoles": ["gone"], "clients": []"#),
            .overwrite(prune: true)
        )
        #expect(try await scene.client("shop") == nil)
        #expect(try await scene.realm.defaultRoles == [reader])
    }

    // MARK: What a file does not say

    /// As it is made here, with every protection that there is.
    private func protected(_ clientID: String) async throws -> Client {
        var client = Client(
            id: UniqueID(random: .system).text,
            realmID: try await scene.realm.id,
            clientID: clientID,
            name: "Ours",
            type: .confidential,
            authentication: .clientSecretPost
        )
        client.authenticatesStrictly = true
        client.secret = ClientSecretSeal(ring: TestRealm.ring).keep(
            SecretText("a secret of our own"),
            of: client.id,
            random: .system
        )
        client.redirectURIs = [RedirectURI("https://ours.example/cb")]
        client.requiresPushedRequests = true
        client.dpopBoundAccessTokens = true
        client.requiresConsent = true
        client.seesAllRoles = false
        client.accessTokenLifetime = 120
        client.isEnabled = false
        return client
    }

    @Test("attack: a file names a client that was made here, and takes its protection")
    func madeHere() async throws {
        func file(_ client: String) -> String {
            #"{"realm": "a", "enabled": true, "clients": [\#(client)]}"#
        }
        try await scene.write(file(#"{"clientId": "web"}"#))
        let ours = try await protected("ours")
        #expect(try await scene.database.realms.create(ours) == .created)
        let before = try #require(try await scene.client("ours"))
        for said in [
            #"{"clientId": "ours"}"#, #"{"clientId": "ours", "name": null, "enabled": null}"#,
            #"""
            {"clientId": "ours", "secret": "**********",
             "attributes": {"pkce.code.challenge.method": ""}}
            """#,
        ] {
            let report = try await scene.write(file(said)).report
            var after = try #require(try await scene.client("ours"))
            after.kept = before.kept
            #expect(after == before)
            #expect(report.lines(.weaker).isEmpty)
            #expect(try await scene.write(file(said)).differences == .init())
        }
        // What it says counts, and what is weaker by that is named.
        let said = #"""
            {"clientId": "ours", "enabled": true, "fullScopeAllowed": true, "consentRequired": false,
             "attributes": {"require.pushed.authorization.requests": "false",
                "dpop.bound.access.tokens": "false"}}
            """#
        let report = try await scene.write(file(said)).report
        let after = try #require(try await scene.client("ours"))
        #expect(after.isEnabled && !after.requiresPushedRequests && !after.requiresConsent)
        #expect(after.codeProtection == .pkce && after.authentication == .clientSecretPost)
        let losses = [
            "had to push requests here", "had tokens bound to a key here",
            "asked people for their consent here", "was shown some roles of people only here",
        ]
        #expect(Set(report.lines(.weaker).map(\.words)) == Set(losses))
        #expect(report.lines(.weaker).allSatisfy { $0.subject == "client ours" })
    }

    @Test("attack: a file makes a client public, or takes PKCE from it, and does not say so")
    func weaker() async throws {
        func file(_ client: String) -> String {
            #"{"realm": "a", "enabled": true, "clients": [{"clientId": "web" \#(client)}]}"#
        }
        try await scene.write(
            file(
                #", "secret": "a secret that is long", "attributes": {"pkce.code.challenge.method": "S256"}"#
            )
        )
        let report = try await scene.write(file(#", "publicClient": true"#)).report
        #expect(report.says(.weaker, "client web", "had to protect its codes by PKCE"))
        #expect(report.says(.weaker, "client web", "had to prove itself here"))
        #expect(try await scene.client("web")?.type == .public)
        let again = try await scene.write(file(#", "publicClient": true"#)).report
        #expect(again.lines(.weaker).isEmpty)
    }

    @Test(
        "KC-M-1: a list of a client's scopes that the file does not have stays",
        arguments: [
            (#""defaultClientScopes": ["one"]"#, ["one"], ["three", "four"]),
            (#""optionalClientScopes": ["one", "two"]"#, ["two"], ["one"]),
            (#""defaultClientScopes": ["three"]"#, ["three"], ["four"]),
            (#""name": "Web""#, ["two"], ["three", "four"]),
        ]
    )
    func lists(_ said: String, _ defaults: [String], _ optionals: [String]) async throws {
        func file(_ client: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "web", \#(client)}],
             "clientScopes": [{"name": "one"}, {"name": "two"}, {"name": "three"}, {"name": "four"}],
             "defaultDefaultClientScopes": ["one"], "defaultOptionalClientScopes": ["four"]}
            """#
        }
        let both = #""defaultClientScopes": ["two"], "optionalClientScopes": ["three", "four"]"#
        try await scene.write(file(both))
        let written = file(said)
        try await scene.write(written)
        let web = try #require(try await scene.client("web"))
        #expect(web.defaultScopes == defaults && web.optionalScopes == optionals)
        #expect(try await scene.write(written).differences == .init())
    }

    @Test("attack: a scope for people with a role becomes everyone's once its roles are gone")
    func limitedScope() async throws {
        func file(_ members: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clientScopes": [{"name": "tools"}],
             "roles": {"realm": [{"name": "reader"}]} \#(members)}
            """#
        }
        let mapping = #", "scopeMappings": [{"clientScope": "tools", "roles": ["reader"]}]"#
        try await scene.write(file(mapping))
        func isLimited() async throws -> Bool? {
            let scopes = try await scene.database.realms.snapshot().scopes
            return scopes.first { $0.name == "tools" }?.isLimited
        }
        #expect(try await isLimited() == true)
        try await scene.run("DELETE FROM scope_role_limits")
        for unsaid in ["", #", "scopeMappings": []"#, #", "clientScopeMappings": {}"#] {
            let report = try await scene.write(file(unsaid)).report
            #expect(try await isLimited() == true)
            #expect(report.lines(.weaker).isEmpty)
        }
        let open = #", "scopeMappings": [], "clientScopeMappings": {}"#
        let report = try await scene.write(file(open)).report
        #expect(try await isLimited() == false)
        #expect(report.says(.weaker, "scope tools", "was for people with one of its roles here"))
    }

    @Test("attack: a file that switches a client off does not, because it was given a secret here")
    func disabled() async throws {
        func file(_ isEnabled: Bool) -> String {
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "web", "enabled": \#(isEnabled),
                "clientAuthenticatorType": "client-x509", "secret": "a secret that is long"}]}
            """#
        }
        try await scene.write(file(true))
        #expect(try await scene.client("web")?.isEnabled == false)
        try await scene.change(client: "web") { $0.isEnabled = true }
        try await scene.write(file(true))
        #expect(try await scene.client("web")?.isEnabled == true)
        try await scene.write(file(false))
        #expect(try await scene.client("web")?.isEnabled == false)
    }

    @Test("attack: tokens of a client that were revoked here are good again by an old file")
    func revoked() async throws {
        func file(_ time: Int) -> String {
            #"{"realm": "a", "enabled": true, "clients": [{"clientId": "web", "notBefore": \#(time)}]}"#
        }
        try await scene.write(file(0))
        try await scene.change(client: "web") { $0.notBefore = 1_700_000_000 }
        for (said, now) in [(5, 1_700_000_000), (0, 1_700_000_000), (1_700_000_001, 1_700_000_001)]
        {
            try await scene.write(file(said))
            #expect(try await scene.client("web")?.notBefore == Int64(now))
        }
    }

    // MARK: Parts

    private static func ldap(_ config: String) -> String {
        #"""
        {"realm": "a", "enabled": true, "components": {"org.keycloak.storage.UserStorageProvider": [
            {"id": "c-1", "name": "ldap", "providerId": "ldap", "config": {\#(config)}}]},
         "identityProviders": []}
        """#
    }

    @Test("attack: a mask of a file takes the place of a secret, in a list or wherever it stands")
    func masks() async throws {
        let mask = #""**********""#
        let open = #""connectionUrl": ["ldap://a"], "pattern": ["*"]"#
        try await scene.write(
            Self.ldap(
                #""bindCredential": ["hidden"], "secret": ["other"], "note": ["shown"], "# + open
            )
        )
        let secrets = RealmSecrets(ring: TestRealm.ring, areShown: true)
        func part() async throws -> RealmPart {
            let realmID = try await scene.realm.id
            let parts = try await scene.database.realms.parts(nil, realmID: realmID)
            return try #require(parts.first { $0.kind == PartImport.components })
        }
        func config() async throws -> JSONObject? {
            try secrets.whole(try await part()).object("config")
        }
        let sealed = try await part().sealed
        for masked in [
            #""bindCredential": [\#(mask)], "secret": \#(mask), "note": [\#(mask)]"#,
            #""bindCredential": ["x", \#(mask)], "note": \#(mask)"#,
            #""bindCredential": [{"a": \#(mask)}], "note": ["shown"]"#,
        ] {
            try await scene.write(Self.ldap(masked + ", " + open))
            let config = try #require(try await config())
            #expect(config["bindCredential"] == ["hidden"] && config["secret"] == ["other"])
            #expect(config["note"] == ["shown"] && config["pattern"] == ["*"])
            #expect(try await part().sealed == sealed)
        }
        // A secret beside a mask is taken.
        try await scene.write(
            Self.ldap(#""bindCredential": [\#(mask)], "secret": ["new"], "# + open)
        )
        let after = try #require(try await config())
        #expect(after["bindCredential"] == ["hidden"] && after["secret"] == ["new"])
    }

    @Test("KC-M-1: a part that is changed meanwhile is seen, and compared again")
    func parts() async throws {
        try await scene.write(Self.ldap(#""connectionUrl": ["ldap://a"]"#))
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        var part = try #require(try await realms.parts(nil, realmID: realmID).first)
        let importer = scene.importer()
        let staged = try await scene.stage(Self.ldap(#""connectionUrl": ["ldap://b"]"#), importer)
        let state = try await realms.state(of: realmID)
        part.document["name"] = "other"
        try await realms.put(part)
        #expect(try await realms.version() > state.number)
        await #expect(throws: ChangedMeanwhile.self) {
            try await realms.overwrite(realmID, with: RealmChanges(), from: state)
        }
        var news: [ImportReport] = []
        try await importer.publish(staged, at: Self.noon) { news.append($0) }
        #expect(news.first?.lines(.written).contains { $0.words.contains("name") } == true)
        let version = try await realms.version()
        #expect(try await realms.deletePart(part.kind, id: part.id, realmID: realmID) == .changed)
        #expect(try await realms.version() > version)
    }

    // MARK: Other realms

    @Test("attack: things are written over those of another realm that has their ids")
    func foreignThings() async throws {
        let ids = (1...4).map { "66666666-6666-4666-8666-66666666666\($0)" }
        try await scene.write(#"{"realm": "a", "enabled": true}"#)
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        let theirs = try RealmCreation(ring: TestRealm.ring)(
            id: "r-2",
            name: "b",
            baseURL: "https://op.example.com",
            at: Self.noon
        )
        #expect(try await realms.create(theirs) == .created)
        func changes(_ realmID: String) -> [RealmChanges] {
            var changes = [RealmChanges](repeating: RealmChanges(), count: 4)
            changes[0].clients = [Client.app("mine", id: ids[0], realmID: realmID)]
            changes[1].scopes = [ClientScope(id: ids[1], realmID: realmID, name: "mine")]
            changes[2].roles = [
                Role(
                    id: ids[2],
                    realmID: realmID,
                    clientID: nil,
                    name: "mine",
                    description: realmID
                )
            ]
            changes[3].groups = [Group(id: ids[3], realmID: realmID, parentID: nil, name: "mine")]
            return changes
        }
        for change in changes("r-2") {
            let state = try await realms.state(of: "r-2")
            try await realms.overwrite("r-2", with: change, from: state)
        }
        let before = try await realms.whole(id: "r-2")
        for change in changes(realmID) {
            let state = try await realms.state(of: realmID)
            await #expect(throws: StoreConflict.self) {
                try await realms.overwrite(realmID, with: change, from: state)
            }
        }
        let after = try await realms.whole(id: "r-2")
        #expect(after?.clients == before?.clients && after?.scopes == before?.scopes)
        #expect(after?.roles == before?.roles && after?.groups == before?.groups)
        // Nor are they deleted by a list of another realm.
        var deleting = RealmChanges()
        deleting.deletions = [
            .role(id: ids[2]), .group(id: ids[3]), .scope(id: ids[1], claims: []),
        ]
        let state = try await realms.state(of: realmID)
        try await realms.overwrite(realmID, with: deleting, from: state)
        let rest = try await realms.whole(id: "r-2")
        #expect(rest?.roles == before?.roles && rest?.groups == before?.groups)
        #expect(rest?.scopes == before?.scopes)
    }
}
