import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("Files written over a realm that is here")
struct RealmOverwriteTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase.inMemory()
    }

    private func write(
        _ text: String,
        isDryRun: Bool = false,
        mayOverwrite: Bool = true
    ) async throws -> RealmImporter.Staged {
        let importer = RealmImporter(
            .underTest(),
            store: database.realms,
            people: database.people,
            isDryRun: isDryRun,
            mayOverwrite: mayOverwrite
        )
        let source = try RealmSource([RealmFile(text)])
        let staged = try await importer.stage(source.realms, at: RealmImportTests.noon)
        try await importer.publish(staged, at: RealmImportTests.noon)
        return try #require(staged.first)
    }

    private func realm() async throws -> Realm {
        try #require(try await database.realms.snapshot().realms.first)
    }

    private func person(_ id: String) async throws -> KeptPerson? {
        try await database.people.kept([id], realmID: try await realm().id)[id]
    }

    /// With something of every kind. Each text that is replaced stands once.
    private static let file = #"""
        {"realm": "a", "enabled": true, "accessTokenLifespan": 300,
         "clients": [
            {"clientId": "web", "secret": "a secret that is long", "redirectUris": ["https://a.example/cb"]},
            {"clientId": "masked", "secret": "**********"},
            {"clientId": "app", "publicClient": true, "fullScopeAllowed": false}],
         "clientScopes": [{"name": "tools", "description": "before"}],
         "roles": {"realm": [{"name": "reader"}, {"name": "writer"},
            {"name": "boss", "composite": true, "composites": {"realm": ["reader", "writer"]}}]},
         "scopeMappings": [{"client": "app", "roles": ["reader", "writer"]}],
         "groups": [{"name": "staff", "realmRoles": ["reader"], "subGroups": [{"name": "ios"}]}],
         "identityProviders": [{"alias": "idp", "providerId": "oidc", "config": {"clientSecret": "hidden one"}}],
         "components": {"org.keycloak.keys.KeyProvider": [{"name": "h", "providerId": "hmac-generated",
            "config": {"kid": ["k"], "secret": ["c2VjcmV0IG9mIHRoZSBiZWZvcmU"], "algorithm": ["HS512"]}}]},
         "users": [
            {"id": "p-1", "username": "ann", "enabled": true, "email": "ann@example.com",
             "realmRoles": ["reader", "boss"], "groups": ["/staff", "/staff/ios"],
             "federatedIdentities": [{"identityProvider": "idp", "userId": "77"}],
             "clientConsents": [{"clientId": "app", "grantedClientScopes": ["tools"]}],
             "credentials": [{"type": "otp", "userLabel": "phone",
                "secretData": "{\"value\": \"abcdefghijklmnop\"}",
                "credentialData": "{\"subType\": \"totp\", \"digits\": 6}"}]},
            {"username": "noid", "enabled": true}]}
        """#

    private func changed(_ text: String, _ replacements: [(String, String)]) throws -> String {
        var text = text
        for (old, new) in replacements {
            try #require(text.contains(old), "\(old)")
            text = text.replacing(old, with: new)
        }
        return text
    }

    @Test("KC-M-1: the same file again changes nothing, and says so")
    func idempotent() async throws {
        #expect(try await write(Self.file).differences == nil)
        let before = try await database.realms.snapshot()
        let people = try await database.people.people(
            realmID: try await realm().id,
            after: nil,
            limit: 10
        )
        for isDryRun in [true, false] {
            let again = try await write(Self.file, isDryRun: isDryRun)
            #expect(again.differences == RealmImporter.Differences(), "\(again.report.lines)")
        }
        let after = try await database.realms.snapshot()
        #expect(before.clients == after.clients && before.keys == after.keys)
        #expect(
            try await database.people.people(
                realmID: try await realm().id,
                after: nil,
                limit: 10
            ) == people
        )
    }

    @Test("KC-M-1: a realm that came meanwhile is not written over by who did not ask for it")
    func notAsked() async throws {
        _ = try await write(Self.file)
        let before = try await realm()
        let file = try changed(
            Self.file,
            [("\"accessTokenLifespan\": 300", "\"accessTokenLifespan\": 240")]
        )
        await #expect(throws: RealmStore.TakenName.self) {
            try await write(file, mayOverwrite: false)
        }
        #expect(try await realm() == before)
    }

    @Test("KC-M-1: a realm in use of which nothing tells what a file said is not written over")
    func inUse() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file)
        let file = try changed(Self.file, [("ann@example.com", "ann@new.example")])
        // A realm of before there were notes.
        try await scene.database.database.write { transaction in
            try transaction.run("DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'", [])
        }
        try await scene.use()
        let before = try await scene.person("p-1")
        await #expect(throws: RealmImporter.InUse.self) { try await scene.write(file) }
        #expect(try await scene.person("p-1") == before)
        // As long as nobody has, the file's word counts, and is noted.
        try await scene.database.database.write { transaction in
            try transaction.run("DELETE FROM grants", [])
        }
        #expect(try await scene.write(file).differences == .init(things: 0, people: 1))
        try await scene.use()
        #expect(try await scene.write(file).differences == RealmImporter.Differences())
    }

    @Test("KC-M-1: a host of the AT Protocol stays one, whatever is known of the file before")
    func hostOfATProtocol() async throws {
        _ = try await write(Self.file)
        var host = try await realm()
        host.atProtocol = ATProtocolRealm(resource: "https://pds.example.com")
        _ = try await database.realms.update(host)
        #expect(try await write(Self.file).differences?.isEmpty == true)
        #expect(try await realm().atProtocol == host.atProtocol)
        // A realm of before there were notes.
        try await database.database.write { transaction in
            try transaction.run("DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'", [])
        }
        _ = try await write(Self.file)
        #expect(try await realm().atProtocol == host.atProtocol)
    }

    @Test("KC-M-1: a secret that a file masks is not lost")
    func masked() async throws {
        _ = try await write(Self.file)
        let realmID = try await realm().id
        let before = try await database.realms.parts(nil, realmID: realmID)
        let file = try changed(
            Self.file,
            [
                ("hidden one", "**********"),
                (#""providerId": "oidc""#, #""providerId": "keycloak-oidc""#),
            ]
        )
        _ = try await write(file)
        let after = try await database.realms.parts(nil, realmID: realmID)
        #expect(after != before)
        #expect(after.map(\.sealed) == before.map(\.sealed))
    }

    @Test("KC-M-1: what differs is written over, of every kind, and ids stay")
    func changes() async throws {
        _ = try await write(Self.file)
        let before = try await database.realms.snapshot()
        let file = try changed(
            Self.file,
            [
                (#""accessTokenLifespan": 300"#, #""accessTokenLifespan": 240"#),
                ("https://a.example/cb", "https://b.example/cb"),
                (#""description": "before""#, #""description": "after""#),
                (
                    #""composites": {"realm": ["reader", "writer"]}"#,
                    #""composites": {"realm": ["reader"]}"#
                ),
                (
                    #""client": "app", "roles": ["reader", "writer"]"#,
                    #""client": "app", "roles": ["writer"]"#
                ),
                (
                    #""name": "staff", "realmRoles": ["reader"]"#,
                    #""name": "staff", "realmRoles": ["writer"]"#
                ),
                (#""email": "ann@example.com""#, #""email": "ann@new.example""#),
                (
                    #""realmRoles": ["reader", "boss"], "groups": ["/staff", "/staff/ios"]"#,
                    #""realmRoles": ["reader"], "groups": ["/staff"]"#
                ),
                (
                    #"{"username": "noid", "enabled": true}"#,
                    #"{"username": "noid", "enabled": false}, {"id": "p-2", "username": "bob", "enabled": true}"#
                ),
            ]
        )
        let dry = try await write(file, isDryRun: true)
        #expect(try await realm().lifetimes.accessToken == 300)
        let done = try await write(file)
        #expect(dry.differences == done.differences && done.differences?.people == 3)
        let after = try await database.realms.snapshot()
        #expect(after.version > before.version)
        #expect(after.clients.map(\.id) == before.clients.map(\.id))
        #expect(after.keys == before.keys)
        #expect(try await realm().lifetimes.accessToken == 240)
        let web = try #require(after.clients.first { $0.clientID == "web" })
        #expect(web.redirectURIs.map(\.text) == ["https://b.example/cb"])
        #expect(web.secret == before.clients.first { $0.clientID == "web" }?.secret)
        #expect(after.scopes.first?.representation.string("description") == "after")
        let (reader, writer) = (
            RoleName(clientID: nil, name: "reader"), RoleName(clientID: nil, name: "writer")
        )
        let boss = RoleName(clientID: nil, name: "boss")
        #expect(
            try await database.realms.roleParts(realmID: try await realm().id)
                .filter { !$0.role.isMade }
                == [RolePart(role: boss, part: reader)]
        )
        let app = try #require(after.clients.first { $0.clientID == "app" })
        #expect(after.roleLimits[.client(app.id)] == [writer])
        let groups = try await database.realms.groups(realmID: try await realm().id)
        #expect(groups.first { $0.group.name == "staff" }?.roles == [writer])
        let ann = try #require(try await person("p-1"))
        #expect(ann.person.email == "ann@new.example" && ann.roles == [reader])
        #expect(ann.groupIDs.count == 1 && ann.credentials.count == 1)
        #expect(ann.identities.map(\.subject) == ["77"])
        #expect(try await person("p-2") != nil)
        // And from there nothing differs.
        #expect(try await write(file).differences?.isEmpty == true)
    }

    @Test("KC-M-1, decision 0051: a key that the file has disabled signs and verifies nothing here")
    func disabledKeys() async throws {
        let key = #"""
            {"name": "e", "providerId": "eddsa-generated", "config": {"eddsaPrivateKey":
             ["MC4CAQAwBQYDK2VwBCIEIHW9w2/MhZMyriUA0eAburHNEgefTM44/kfgdcscoZUE"], "active": ["true"]}}
            """#
        let hmac = #""algorithm": ["HS512"]"#
        let on = try changed(Self.file, [(hmac + "}}", hmac + "}}, " + key)])
        let disabled = #", "enabled": ["false"]"#
        let off = try changed(
            on,
            [(hmac, hmac + disabled), (#""active": ["true"]"#, #""active": ["true"]"# + disabled)]
        )
        _ = try await write(on)
        let before = try await database.realms.snapshot()
        #expect(before.keptKeys.map(\.kind) == [.hmac])
        #expect(before.keys.filter { $0.algorithm == .edDSA }.count == 1)
        #expect(try await write(off, isDryRun: true).differences?.things == 2)
        #expect(try await database.realms.snapshot().keptKeys == before.keptKeys)

        _ = try await write(off)
        let after = try await database.realms.snapshot()
        #expect(after.version > before.version)
        #expect(after.keptKeys.map(\.kind) == [.silent, .silent])
        #expect(
            after.keptKeys.allSatisfy {
                $0.component.object("config")?.strings("enabled") == ["false"]
            }
        )
        #expect(after.keys == before.keys.filter { $0.algorithm != .edDSA })
        #expect(try await write(off).differences?.isEmpty == true)
        // One that is enabled again verifies; not what could make refresh tokens.
        _ = try await write(on)
        let last = try await database.realms.snapshot()
        #expect(last.keptKeys.map(\.kind) == [.silent])
        #expect(last.keys.filter { $0.algorithm == .edDSA }.count == 1)
    }

    @Test("KC-M-1: a realm whose signing key a file has disabled signs with another one")
    func disabledSigningKey() async throws {
        let key = #"""
            "defaultSignatureAlgorithm": "EdDSA", "components": {"org.keycloak.keys.KeyProvider": [
             {"name": "e", "providerId": "eddsa-generated", "config": {"eddsaPrivateKey":
             ["MC4CAQAwBQYDK2VwBCIEIHW9w2/MhZMyriUA0eAburHNEgefTM44/kfgdcscoZUE"], "active": ["true"]}},
            """#
        let on = try changed(
            Self.file,
            [(#""components": {"org.keycloak.keys.KeyProvider": ["#, key)]
        )
        let active = #""active": ["true"]"#
        let off = try changed(on, [(active, active + #", "enabled": ["false"]"#)])
        _ = try await write(on)
        let before = try await database.realms.snapshot().keys.filter { $0.algorithm == .edDSA }
        _ = try await write(off)
        let after = try await database.realms.snapshot().keys.filter { $0.algorithm == .edDSA }
        #expect(before.count == 1 && after.count == 1)
        #expect(before.map(\.keyID) != after.map(\.keyID))
    }

    @Test("What was made here, and what the file does not hold, stays")
    func stays() async throws {
        _ = try await write(Self.file)
        let realm = try await realm()
        let client = Client.app("ours", "Ours", realmID: realm.id)
        #expect(try await database.realms.create(client) == .created)
        let second = Credential(
            id: UniqueID(random: .system).text,
            personID: "p-1",
            kind: .recoveryCodes,
            label: "",
            createdAt: 5,
            priority: 9,
            parameters: [:],
            sealedSecret: CredentialSeal(ring: TestRealm.ring).seal(
                SecretText("{}"),
                of: "x",
                random: .system
            )
        )
        #expect(try await database.people.add(second, realmID: realm.id) == .changed)
        var ann = try #require(try await person("p-1")).person
        ann.notBefore = 1_800_000_000
        #expect(try await database.people.update(ann) == .changed)
        let masked = try await database.realms.snapshot().clients.first { $0.clientID == "masked" }
        #expect(try await write(Self.file).differences?.isEmpty == true)
        let changed = try changed(Self.file, [("ann@example.com", "ann@new.example")])
        #expect(try await write(changed).differences == .init(things: 0, people: 1))
        let after = try await database.realms.snapshot()
        #expect(after.clients.contains { $0.clientID == "ours" })
        #expect(after.clients.first { $0.clientID == "masked" }?.secret == masked?.secret)
        let kept = try #require(try await person("p-1"))
        #expect(kept.person.notBefore == 1_800_000_000 && kept.credentials.count == 2)
    }

    @Test("Who was deleted here stays so, and no one gets another's name or address")
    func people() async throws {
        _ = try await write(Self.file)
        let realm = try await realm()
        let noid = try await database.people.credentials(
            realmID: realm.id,
            login: "noid",
            byEmail: false
        )
        let id = try #require(noid?.person.id)
        #expect(try await database.people.deletePerson(id: "p-1", realmID: realm.id) == .changed)
        let file = try changed(
            Self.file,
            [
                (
                    #"{"username": "noid", "enabled": true}"#,
                    #"{"username": "noid", "enabled": false}, {"id": "p-9", "username": "noid2"}"#
                )
            ]
        )
        let renamed = try changed(file, [(#""username": "noid2""#, #""username": "noid3""#)])
        let done = try await write(renamed)
        #expect(done.report.says(.skipped, "user ann", "was deleted here"))
        #expect(try await person("p-1") == nil)
        #expect(try await person(id)?.person.isEnabled == false)
        var other = Person(id: "ours", realmID: realm.id, username: "cid", createdAt: 5)
        other.email = "cid@example.com"
        #expect(
            try await database.people.create(NewPerson(person: other, password: nil)) == .created
        )
        let taken = try changed(
            Self.file,
            [
                (
                    #"{"username": "noid", "enabled": true}"#,
                    #"{"id": "p-7", "username": "cid"}, {"id": "p-8", "username": "dan", "email": "cid@example.com"}"#
                )
            ]
        )
        let report = try await write(taken).report
        #expect(report.says(.skipped, "user cid", "someone else here"))
        #expect(report.says(.changed, "user dan", "another person has the email"))
        #expect(try await person("p-7") == nil)
        #expect(try await person("p-8")?.person.email == nil)
        #expect(try await person("ours")?.person == other)
    }

    @Test("KC-M-1: a file that is broken at its end writes nothing over a realm")
    func broken() async throws {
        _ = try await write(Self.file)
        let before = try await database.realms.snapshot()
        let file = try changed(
            Self.file,
            [
                (#""accessTokenLifespan": 300"#, #""accessTokenLifespan": 240"#),
                (#"{"username": "noid", "enabled": true}"#, #"{"username": {}}"#),
            ]
        )
        await #expect(
            throws: RealmFileError(
                file: "file",
                reason: .wrongType(path: "users[1].username", expected: "a text")
            )
        ) { try await write(file) }
        #expect(try await database.realms.snapshot().version == before.version)
        #expect(try await realm().lifetimes.accessToken == 300)
    }
}
