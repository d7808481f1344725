import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: files for a realm that is here: fail, skip, overwrite, prune")
struct RealmOverwriteTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let nothing = RealmImporter.Differences()
    private static let all = ImportConflict.overwrite(people: true, prune: true)

    private static func name(_ name: String) -> RoleName { RoleName(clientID: nil, name: name) }

    /// A hash of a password (PBKDF2), told from others by its salt.
    private static func hash(_ salt: String) -> String {
        """
        {"type": "password", "createdDate": 5,
         "secretData": "{\\"value\\": \\"ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=\\", \\"salt\\": \\"\(salt)\\"}",
         "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\"}"}
        """
    }

    private static let (before, after) = (
        hash("c2FsdHNhbHRzYWx0MQ=="), hash("c2FsdHNhbHRzYWx0Mg==")
    )
    private static let phone = #"""
        {"id": "55555555-5555-4555-8555-555555555555", "type": "otp", "userLabel": "phone", "createdDate": 6,
         "secretData": "{\"value\": \"abcdefghijklmnop\"}",
         "credentialData": "{\"subType\": \"totp\", \"digits\": 6}"}
        """#
    private static let key = #"""
        {"name": "e", "providerId": "eddsa-generated", "config": {"eddsaPrivateKey":
         ["MC4CAQAwBQYDK2VwBCIEIHW9w2/MhZMyriUA0eAburHNEgefTM44/kfgdcscoZUE"], "active": ["true"]}}
        """#

    /// With something of every kind. Each text that is replaced stands once.
    private static let file = #"""
        {"realm": "a", "enabled": true, "accessTokenLifespan": 300, "defaultGroups": ["/guests"],
         "clients": [
            {"id": "11111111-1111-4111-8111-111111111111", "clientId": "web",
             "secret": "a secret that is long", "redirectUris": ["https://a.example/cb"]},
            {"clientId": "masked", "secret": "**********"},
            {"clientId": "job", "secret": "a secret that is long", "serviceAccountsEnabled": true},
            {"clientId": "app", "publicClient": true, "fullScopeAllowed": false}],
         "clientScopes": [{"id": "22222222-2222-4222-8222-222222222222", "name": "tools",
            "description": "before"}],
         "roles": {"realm": [
                {"id": "33333333-3333-4333-8333-333333333333", "name": "reader"}, {"name": "writer"},
                {"name": "boss", "composite": true, "composites": {"realm": ["reader", "writer"]}}],
            "client": {"web": [{"name": "editor"}]}},
         "scopeMappings": [{"client": "app", "roles": ["reader", "writer"]}],
         "groups": [{"id": "44444444-4444-4444-8444-444444444444", "name": "staff",
            "realmRoles": ["reader"], "subGroups": [{"name": "ios"}]}, {"name": "guests"}],
         "identityProviders": [{"alias": "idp", "internalId": "i-1", "providerId": "oidc",
            "config": {"clientSecret": "hidden one"}}],
         "components": {"org.keycloak.keys.KeyProvider": [{"name": "h", "providerId": "hmac-generated",
            "config": {"kid": ["k"], "secret": ["c2VjcmV0IG9mIHRoZSBiZWZvcmU"], "algorithm": ["HS512"]}}]},
         "users": [
            {"id": "p-1", "username": "ann", "enabled": true, "email": "ann@example.com",
             "realmRoles": ["reader", "boss"], "groups": ["/staff", "/staff/ios"],
             "federatedIdentities": [{"identityProvider": "idp", "userId": "77"}],
             "clientConsents": [{"clientId": "app", "grantedClientScopes": ["tools"]}],
             "credentials": [\#(before), \#(phone)]},
            {"id": "p-2", "username": "bob", "enabled": true},
            {"username": "service-account-job", "enabled": true, "serviceAccountClientId": "job", "realmRoles": ["reader"]},
            {"username": "noid", "enabled": true}]}
        """#

    private static func changed(_ replacements: (String, String)...) throws -> String {
        var text = file
        for (old, new) in replacements {
            try #require(text.contains(old), "\(old)")
            text = text.replacing(old, with: new)
        }
        return text
    }

    /// Every kind of thing and a person, otherwise than before.
    private static func other() throws -> String {
        try changed(
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
            (#""realmRoles": ["reader"], "subGroups""#, #""realmRoles": ["writer"], "subGroups""#),
            (#""providerId": "oidc""#, #""providerId": "keycloak-oidc""#),
            ("ann@example.com", "ann@new.example"),
            (
                #""realmRoles": ["reader", "boss"], "groups": ["/staff", "/staff/ios"]"#,
                #""realmRoles": ["writer"], "groups": ["/staff"], "firstName": "Ann""#
            ),
            (
                #"{"username": "noid", "enabled": true}"#,
                #"{"username": "noid", "enabled": false}, {"id": "p-3", "username": "cid", "enabled": true}"#
            )
        )
    }

    /// The realm with everything in it, as an export has it.
    private func export() async throws -> [UInt8] {
        let export = RealmExport(
            realms: scene.database.realms,
            people: scene.database.people,
            ring: TestRealm.ring
        )
        var bytes: [UInt8] = []
        _ = try await export(
            try await scene.realm.id,
            RealmExport.Contents(people: true, secrets: true),
            at: RealmImportTests.noon.seconds
        ) { bytes += $0 }
        return bytes
    }

    // MARK: Fail, skip

    @Test("KC-M-1: without a word on conflicts a realm that is here is refused, and stays")
    func fail() async throws {
        try await scene.write(Self.file, .fail)
        let before = try await export()
        await #expect(throws: RealmStore.TakenName.self) {
            try await scene.write(try Self.other(), .fail)
        }
        #expect(try await export() == before)
    }

    @Test(
        "KC-M-1: the same file again changes nothing, and nothing differs",
        arguments: [.skip, .overwrite(), .overwrite(prune: true), all] as [ImportConflict]
    )
    func again(_ conflict: ImportConflict) async throws {
        #expect(try await scene.write(Self.file).differences == nil)
        #expect(try await scene.diff(Self.file) == [])
        let before = try await export()
        for isDryRun in [true, false] {
            let staged = try await scene.write(Self.file, conflict, isDryRun: isDryRun)
            #expect(staged.differences == Self.nothing, "\(staged.report.lines(.written))")
        }
        #expect(try await export() == before)
        #expect(try await scene.diff(Self.file) == [])
    }

    @Test("KC-M-1: skip adds what is missing, and changes nothing that is here")
    func skip() async throws {
        try await scene.write(Self.file)
        let before = try await export()
        // What differs, and no more: not even a role of a role, or an account of a client.
        let onlyOther = try Self.other().replacing(
            #", {"id": "p-3", "username": "cid", "enabled": true}"#,
            with: ""
        )
        #expect(try await scene.write(onlyOther, .skip).differences == Self.nothing)
        #expect(try await export() == before)
        let more = try Self.other()
            .replacing(
                #"{"clientId": "masked""#,
                with: #"{"clientId": "new"}, {"clientId": "masked""#
            )
            .replacing(#"{"name": "writer"}"#, with: #"{"name": "writer"}, {"name": "new"}"#)
            .replacing(#"{"name": "ios"}"#, with: #"{"name": "ios"}, {"name": "new"}"#)
            .replacing(
                #""clientScopes": ["#,
                with: #""clientScopes": [{"name": "new"}, "#
            )
            .replacing(
                #""identityProviders": ["#,
                with: #""identityProviders": [{"alias": "new", "providerId": "oidc"}, "#
            )
            .replacing(
                #"{"id": "p-2", "username": "bob", "enabled": true}"#,
                with: #"""
                    {"id": "p-2", "username": "else", "enabled": true},
                    {"id": "p-8", "username": "bob", "enabled": true},
                    {"id": "p-9", "username": "dan", "enabled": true, "email": "ANN@example.com"}
                    """#
            )
        let dry = try await scene.write(more, .skip, isDryRun: true)
        let report = try await scene.write(more, .skip).report
        #expect(dry.differences == .init(things: 5, people: 1), "\(report.lines(.written))")
        #expect(dry.report == report)
        #expect(report.says(.stays, "client web", "stays as it is"))
        #expect(report.says(.stays, "user else", "stays as it is"))
        #expect(report.says(.skipped, "user bob", "another person here has the username"))
        #expect(report.says(.skipped, "user dan", "another person here has the email address"))
        let groups = try await scene.groups()
        #expect(groups["new"]?.group.parentID == groups["staff"]?.group.id)
        #expect(try await scene.client("new") != nil)
        #expect(try await scene.roles()["new"] != nil)
        #expect(try await scene.person("p-3") != nil)
        for id in ["p-8", "p-9"] { #expect(try await scene.person(id) == nil) }
        #expect(try await scene.realm.lifetimes.accessToken == 300)
        #expect(groups["staff"]?.roles == [Self.name("reader")])
        #expect(try await scene.person("p-1")?.person.email == "ann@example.com")
    }

    @Test("attack: skip brings a client that is here an account with rights")
    func skipAccount() async throws {
        let file =
            #"{"realm": "a", "enabled": true, "clients": [{"clientId": "job", "secret": "a secret that is long" JOB}]}"#
        try await scene.write(file.replacing("JOB", with: ""))
        let with = file.replacing("JOB", with: #", "serviceAccountsEnabled": true"#)
        let report = try await scene.write(with, .skip).report
        let job = try #require(try await scene.client("job"))
        #expect(!job.grantTypes.contains(.clientCredentials))
        let account = try await scene.database.people.serviceAccount(
            of: job.id,
            realmID: job.realmID
        )
        #expect(account == nil && report.says(.stays, "user service-account-job", "stays"))
    }

    // MARK: Overwrite

    @Test("KC-M-1: overwrite makes things what the file says; ids stay, and so do people")
    func things() async throws {
        try await scene.write(Self.file)
        let before = try await scene.database.realms.snapshot()
        let (ann, file) = (try await scene.person("p-1"), try Self.other())
        let dry = try await scene.write(file, isDryRun: true)
        #expect(try await scene.realm.lifetimes.accessToken == 300)
        let done = try await scene.write(file)
        #expect(dry.differences == done.differences && dry.report == done.report)
        #expect(done.differences == .init(things: 7, people: 1), "\(done.report.lines(.written))")
        let after = try await scene.database.realms.snapshot()
        #expect(after.version > before.version && after.keys == before.keys)
        #expect(after.clients.map(\.id) == before.clients.map(\.id))
        #expect(after.realms.map(\.issuer) == before.realms.map(\.issuer))
        #expect(try await scene.realm.lifetimes.accessToken == 240)
        let web = try #require(try await scene.client("web"))
        #expect(web.redirectURIs.map(\.text) == ["https://b.example/cb"])
        #expect(web.secret == before.clients.first { $0.clientID == "web" }?.secret)
        #expect(after.scopes.first?.description == "after")
        let boss = RolePart(role: Self.name("boss"), part: Self.name("reader"))
        let parts = try await scene.database.realms.roleParts(realmID: web.realmID)
        #expect(parts.filter { !$0.role.isMade } == [boss])
        let app = try #require(try await scene.client("app"))
        #expect(after.roleLimits[.client(app.id)] == [Self.name("writer")])
        #expect(try await scene.groups()["staff"]?.roles == [Self.name("writer")])
        // Those who are here stay as they are, and new ones come.
        #expect(try await scene.person("p-1") == ann)
        #expect(try await scene.person("p-3") != nil)
        #expect(done.report.says(.stays, "user ann", "is here already"))
        #expect(try await scene.write(file).differences == Self.nothing)
    }

    @Test("KC-M-1: the difference is shown before, and there is none afterwards")
    func diff() async throws {
        try await scene.write(Self.file)
        let file = try Self.other()
        let differences = try await scene.diff(file)
        for path in [
            "accessTokenLifespan", "clients.web.redirectUris", "clientScopes.tools.description",
            "users.ann.email", "users.noid.enabled",
        ] { #expect(differences.contains { $0.contains(path) }, "\(path): \(differences)") }
        try await scene.write(file, .overwrite(people: true))
        #expect(try await scene.diff(file) == [])
    }

    @Test("KC-M-1: the report names what would be switched on again, and who gets a role back")
    func switchedOn() async throws {
        try await scene.write(Self.file)
        try await scene.change(client: "web") { $0.isEnabled = false }
        try await scene.change(person: "p-1") { $0.isEnabled = false }
        let id = try #require(try await scene.roles()["boss"]).roleName
        let realmID = try await scene.realm.id
        _ = try await scene.database.people.remove(id, from: "p-1", realmID: realmID)
        let part = RolePart(role: id, part: Self.name("writer"))
        _ = try await scene.database.realms.remove(part, realmID: realmID)
        let report = try await scene.write(
            Self.file,
            .overwrite(people: true),
            isDryRun: true
        ).report
        #expect(report.says(.written, "client web", "enabled on"))
        #expect(report.says(.written, "user ann", "enabled on"))
        #expect(report.says(.written, "user ann", "+boss"))
        #expect(report.says(.written, "role boss", "contains +writer"))
        #expect(try await scene.client("web")?.isEnabled == false)
    }

    @Test("KC-M-1: what a file leaves out at its top stays as it is here")
    func unsaid() async throws {
        try await scene.write(Self.file)
        var realm = try await scene.realm
        realm.lifetimes.accessToken = 120
        realm.confirmsEmail = true
        #expect(try await scene.database.realms.update(realm) == .changed)
        try await scene.change(client: "admin-cli") { $0.isEnabled = false }
        let before = try await export()
        let report = try await scene.write(#"{"realm": "a"}"#, Self.all).report
        #expect(try await export() == before, "\(report.lines(.written)) \(report.lines(.deleted))")
    }

    @Test("KC-M-1: what no file has a word for stays, such as a host of the AT Protocol")
    func ours() async throws {
        try await scene.write(Self.file)
        var host = try await scene.realm
        host.profile = .atProtocol(resource: "https://pds.example.com")
        host.lifetimes.appIdle = 86_400
        host.accessTokenType = .jwt
        host.errorStyle = .code
        _ = try await scene.database.realms.update(host)
        try await scene.change(client: "web") {
            $0.authenticatesStrictly = true
            $0.takesTokenEndpointAudience = true
            $0.isDevelopment = true
            $0.loginTokenTargets = [LoginTokenTarget(clientID: "job")]
            $0.staySignedIn = .idle(3600)
            $0.assertionAlgorithm = .es256
            $0.consentMemory = .none
        }
        let before = try #require(try await scene.client("web"))
        let report = try await scene.write(try Self.other()).report
        let skipped = report.lines(.skipped).filter { $0.subject.hasPrefix("client") }
        #expect(skipped.isEmpty, "\(skipped)")
        let realm = try await scene.realm
        #expect(realm.profile == host.profile && realm.lifetimes.appIdle == 86_400)
        #expect(realm.errorStyle == .code)
        #expect(realm.accessTokenType == .jwt && realm.lifetimes.accessToken == 240)
        let after = try #require(try await scene.client("web"))
        #expect(after.redirectURIs.map(\.text) == ["https://b.example/cb"])
        #expect(after.authenticatesStrictly && after.takesTokenEndpointAudience)
        #expect(after.isDevelopment && after.loginTokenTargets == before.loginTokenTargets)
        #expect(after.staySignedIn == .idle(3600) && after.consentMemory == .none)
        #expect(after.assertionAlgorithm == .es256)
    }

    @Test(
        "attack: a file moves an app of the backend, opens it at the Provider, or deletes it",
        arguments: [
            #""redirectUris": ["https://evil.example/cb"]"#, #""redirectUris": ["*"]"#,
            #""enabled": true, "standardFlowEnabled": true"#,
            #""publicClient": false, "secret": "a secret that is long", "serviceAccountsEnabled": true"#,
            #"""
            "publicClient": false, "clientAuthenticatorType": "client-jwt", "attributes": {
                "use.jwks.string": "true", "jwks.string": "{\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \#
            \"kid\": \"p\", \"use\": \"sig\", \"alg\": \"EdDSA\", \"x\": \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"}
            """#,
        ]
    )
    func app(_ said: String) async throws {
        try await scene.write(Self.file)
        var app = Client.app("notes", "https://app.example.com/cb")
        app.realmID = try await scene.realm.id
        app.isEnabled = false
        #expect(try await scene.database.realms.create(app) == .created)
        let file = try Self.changed(
            (#"{"clientId": "masked""#, #"{"clientId": "notes", \#(said)}, {"clientId": "masked""#)
        )
        for (text, isNamed) in [(file, true), (Self.file, false)] {
            let report = try await scene.write(text, .overwrite(prune: true)).report
            #expect(report.says(.stays, "client notes", "an app of the backend") == isNamed)
            #expect(!report.lines(.skipped).contains { $0.subject == "client notes" })
            let after = try #require(try await scene.client("notes"))
            #expect(after.id == app.id && after.handOff == app.handOff && !after.isEnabled)
            #expect(after.redirectURIs == app.redirectURIs && after.redirectRule == .exact)
            #expect(after.type == .public && after.authentication == .none)
            #expect(after.secret == nil && after.keySet == app.keySet && after.grantTypes == [])
        }
    }

    @Test("KC-M-1: a secret of a provider that a file masks is not lost")
    func masked() async throws {
        try await scene.write(Self.file)
        let realmID = try await scene.realm.id
        let before = try await scene.database.realms.parts(nil, realmID: realmID)
        try await scene.write(
            try Self.changed(
                ("hidden one", "**********"),
                (#""providerId": "oidc""#, #""providerId": "keycloak-oidc""#)
            )
        )
        let after = try await scene.database.realms.parts(nil, realmID: realmID)
        #expect(after != before && after.map(\.sealed) == before.map(\.sealed))
    }

    @Test("KC-M-1: a client's secret stays where the file has none; another one takes its place")
    func secrets() async throws {
        try await scene.write(Self.file)
        let registration = ClientRegistration(ring: TestRealm.ring)
        let before = try await scene.client("masked")?.secret
        #expect(before != nil)
        for secret in [#""secret": "**********", "#, ""] {
            try await scene.write(
                try Self.changed(
                    (
                        #""secret": "a secret that is long", "redirectUris""#,
                        secret + #""redirectUris""#
                    )
                )
            )
            let web = try #require(try await scene.client("web"))
            #expect(registration.isSecret(SecretText("a secret that is long"), of: web))
        }
        try await scene.write(
            try Self.changed(
                (
                    #""clientId": "masked", "secret": "**********""#,
                    #""clientId": "masked", "secret": "one of the file's""#
                )
            )
        )
        let masked = try #require(try await scene.client("masked"))
        #expect(masked.secret != before)
        #expect(registration.isSecret(SecretText("one of the file's"), of: masked))
    }

    @Test("attack: a key that was replaced here comes back by an old file: keys here go on alone")
    func keys() async throws {
        let hmac = #""algorithm": ["HS512"]}}"#
        try await scene.write(try Self.changed((hmac, hmac + ", " + Self.key)))
        let before = try await scene.database.realms.snapshot()
        #expect(before.keptKeys.map(\.kind) == [.hmac])
        let off = #""active": ["true"], "enabled": ["false"]"#
        let disabled = try Self.changed((hmac, hmac + ", " + Self.key))
            .replacing(#""active": ["true"]"#, with: off)
            .replacing(
                #""algorithm": ["HS512"]"#,
                with: #""algorithm": ["HS512"], "enabled": ["false"]"#
            )
        try await scene.write(disabled)
        let same = try await scene.database.realms.snapshot()
        #expect(same.keys == before.keys && same.keptKeys == before.keptKeys)

        let bare = try OverwriteScene()
        try await bare.write(#"{"realm": "a", "enabled": true}"#)
        let own = try await bare.database.realms.snapshot().keys
        let report = try await bare.write(try Self.changed((hmac, hmac + ", " + Self.key))).report
        for key in ["key h", "key e"] {
            #expect(report.says(.skipped, key, "not taken: what it signed is not good here"))
        }
        // Those of another algorithm neither, and none that is only published.
        let others = [
            Self.key.replacing(#""active": ["true"]"#, with: #""active": ["false"]"#),
            Self.key.replacing(#""active": ["true"]"#, with: #""keyUse": ["enc"]"#),
        ]
        for other in others + [Self.key] {
            for conflict in [ImportConflict.skip, .overwrite(), Self.all] {
                try await bare.write(try Self.changed((hmac, hmac + ", " + other)), conflict)
            }
        }
        let keys = try await bare.database.realms.snapshot()
        #expect(keys.keptKeys.isEmpty && keys.keys == own)
    }

    @Test("KC-M-1: an account of a client stays the same person, and is what the file says")
    func serviceAccount() async throws {
        try await scene.write(Self.file)
        let job = try #require(try await scene.client("job"))
        let people = scene.database.people
        let before = try #require(
            try await people.serviceAccount(of: job.id, realmID: job.realmID)
        )
        let account = #""enabled": true, "serviceAccountClientId": "job", "realmRoles": "#
        let file = try Self.changed(
            (account + #"["reader"]"#, #""id": "p-7", "# + account + #"["writer"]"#)
        )
        #expect(try await scene.write(file).differences == .init(things: 0, people: 1))
        let after = try #require(
            try await people.serviceAccount(of: job.id, realmID: job.realmID)
        )
        #expect(after.person.id == before.person.id && after.roles == [Self.name("writer")])
        #expect(try await scene.person("p-7") == nil)
        #expect(try await scene.diff(file) == [])
        // No one becomes an account by its id, nor the account someone.
        let taken = try Self.changed(
            (
                #"{"id": "p-2", "username": "bob""#,
                #"{"id": "\#(after.person.id)", "username": "bob""#
            )
        )
        await #expect(throws: RealmFileError.self) {
            try await scene.write(taken, .overwrite(people: true))
        }
        // Nor where the file has no account.
        let own = try #require(
            taken.split(separator: "\n").first { $0.contains("service-account-job") }
        )
        let report = try await scene.write(
            taken.replacing(own, with: ""),
            .overwrite(people: true)
        ).report
        #expect(report.says(.skipped, "user bob", "is not the account of the same client here"))
        let kept = try await scene.person(after.person.id)
        #expect(kept?.person.username == "service-account-job" && kept?.roles == after.roles)
        // It goes with its client.
        let gone = file.replacing(#""clientId": "job""#, with: #""clientId": "other""#)
        try await scene.write(gone, .overwrite(prune: true))
        #expect(try await scene.client("job") == nil)
        #expect(try await scene.person(after.person.id) == nil)
    }

    @Test(
        "KC-M-1: a client that cannot be what a file says stays, and so do those who have its roles"
    )
    func refused() async throws {
        let web = #""clientRoles": {"web": ["editor"]}, "#
        let file = try Self.changed(
            ("https://a.example/cb", "https://a.example/*"),
            (
                #""composites": {"realm": ["reader", "writer"]}"#,
                #""composites": {"realm": ["reader", "writer"], "client": {"web": ["editor"]}}"#
            ),
            (
                #""realmRoles": ["reader"], "subGroups""#,
                web + #""realmRoles": ["reader"], "subGroups""#
            ),
            (#""realmRoles": ["reader", "boss"]"#, web + #""realmRoles": ["reader", "boss"]"#)
        )
        try await scene.write(file)
        try await scene.change(client: "web") {
            $0.redirectRule = .exact
            $0.redirectURIs = [RedirectURI("https://a.example/cb")]
        }
        let before = try await export()
        // Nor does it show another role than it does here.
        let shown = #""scopeMappings": [{"client": "web", "roles": ["writer"]}, "#
        for file in [file, file.replacing(#""scopeMappings": ["#, with: shown)] {
            let report = try await scene.write(file, Self.all).report
            #expect(report.says(.skipped, "client web", "redirect"), "\(report.lines(.skipped))")
            #expect(try await export() == before, "\(report.lines(.written))")
        }
    }

    // MARK: Ids and names

    @Test(
        "attack: a thing whose id is here under another name is left out, and nothing is deleted",
        arguments: [
            (#""clientId": "web","#, #""clientId": "app2","#, "client app2"),
            (#""name": "tools","#, #""name": "tools2","#, "scope tools2"),
            (#""name": "reader"}"#, #""name": "reader2"}"#, "role reader2"),
            (#""name": "staff","#, #""name": "staff2","#, "group /staff2"),
            (#""alias": "idp","#, #""alias": "idp2","#, "identityProviders idp2"),
        ]
    )
    func renamed(_ old: String, _ new: String, _ subject: String) async throws {
        try await scene.write(Self.file)
        let before = try await scene.database.realms.whole(id: try await scene.realm.id)
        for conflict in [ImportConflict.skip, .overwrite(), Self.all] {
            let report = try await scene.write(try Self.changed((old, new)), conflict).report
            #expect(report.says(.skipped, subject, "its id is here under another name"))
            #expect(report.lines(.deleted).isEmpty, "\(report.lines(.deleted))")
        }
        let after = try #require(
            try await scene.database.realms.whole(id: try await scene.realm.id)
        )
        #expect(after.clients.map(\.id) == before?.clients.map(\.id))
        #expect(after.roles.map(\.id) == before?.roles.map(\.id))
        #expect(after.groups.map(\.group.id) == before?.groups.map(\.group.id))
        #expect(after.scopes.map(\.id) == before?.scopes.map(\.id))
        #expect(after.parts.map(\.id) == before?.parts.map(\.id))
    }

    @Test("attack: the id finds one group, the name another: no one gets its rights by its name")
    func crossed() async throws {
        try await scene.write(Self.file)
        let staff = try #require(try await scene.groups()["staff"])
        var admins = Group(
            id: UniqueID(random: .system).text,
            realmID: staff.group.realmID,
            parentID: nil,
            name: "admins"
        )
        admins.description = "made here"
        #expect(try await scene.database.realms.create(admins) == .created)
        let file = try Self.changed(
            (#""name": "staff","#, #""name": "admins","#),
            (#""defaultGroups": ["/guests"]"#, #""defaultGroups": ["/guests", "/admins"]"#),
            (
                #"{"id": "p-2", "username": "bob""#,
                #"{"id": "p-2", "groups": ["/admins"], "username": "bob""#
            )
        )
        let report = try await scene.write(file, Self.all).report
        #expect(report.says(.skipped, "group /admins", "its id is here under another name"))
        #expect(report.says(.changed, "realm", "defaultGroups /admins"))
        let guests = try await scene.groups()["guests"]?.group.id
        #expect(try await scene.realm.defaultGroupIDs == [guests])
        #expect(try await scene.person("p-2")?.groupIDs == [])
        #expect(try await scene.groups()["admins"]?.group == admins)
        #expect(try await scene.groups()["staff"]?.group == staff.group)
    }

    @Test("KC-M-1: a thing of another id is found by its name, and keeps its id")
    func byName() async throws {
        try await scene.write(Self.file)
        let before = try await scene.client("web")
        let file = try Self.changed(
            ("11111111-1111-4111-8111-111111111111", "11111111-1111-4111-8111-111111111112"),
            ("33333333-3333-4333-8333-333333333333", "33333333-3333-4333-8333-333333333334")
        )
        #expect(try await scene.write(file, Self.all).differences == Self.nothing)
        #expect(try await scene.client("web") == before)
        #expect(try await scene.diff(file) == [])
    }

    // MARK: People

    @Test("KC-M-1: --people overwrite makes a person what the file says, credentials too")
    func people() async throws {
        try await scene.write(Self.file)
        let realmID = try await scene.realm.id
        var own = try #require(try await scene.person("p-1")?.credentials.first)
        let seal = CredentialSeal(ring: TestRealm.ring)
        own.id = UniqueID(random: .system).text
        own.label = "lost"
        own.sealedSecret = seal.seal(SecretText("{}"), of: own.id, random: .system)
        #expect(try await scene.database.people.add(own, realmID: realmID) == .changed)
        try await scene.run("UPDATE credentials SET used = 7 WHERE label = 'phone'")
        try await scene.change(person: "p-1") { $0.notBefore = 1_800_000_000 }
        let hashed = try await scene.person("p-1")?.password
        let file = try Self.other().replacing(Self.before, with: Self.after)
        let done = try await scene.write(file, .overwrite(people: true))
        #expect(done.differences?.people == 3, "\(done.report.lines(.written))")
        let ann = try #require(try await scene.person("p-1"))
        #expect(ann.person.email == "ann@new.example" && ann.person.givenName == "Ann")
        #expect(ann.roles == [Self.name("writer")] && ann.groupIDs.count == 1)
        #expect(ann.password != hashed && ann.password != nil)
        #expect(ann.credentials.map(\.label) == ["phone"] && ann.credentials.map(\.used) == [7])
        #expect(ann.identities.map(\.subject) == ["77"] && ann.consents.count == 1)
        // Someone who was signed out everywhere stays so.
        #expect(ann.person.notBefore == 1_800_000_000)
        let noid = Person.madeID(of: "noid", in: realmID)
        #expect(try await scene.person(noid)?.person.isEnabled == false)
        // What the file has no word of goes.
        let bare = file.replacing(Self.after + ", " + Self.phone, with: "")
        try await scene.write(bare, .overwrite(people: true))
        let gone = try #require(try await scene.person("p-1"))
        #expect(gone.password == nil && gone.credentials.isEmpty)
    }

    @Test("attack: a person of a file takes the name, address, DID or account of another one here")
    func taken() async throws {
        try await scene.write(Self.file)
        let did = "did:plc:abcdefghijklmnopqrstuvwx"
        try await scene.make("own", email: "own@example.com")
        try await scene.change(person: "own") { $0.attributes["did"] = [did] }
        let before = (try await scene.person("own"), try await scene.person("p-2"))
        for (said, what) in [
            (#""username": "own""#, "username"),
            (#""username": "bob", "email": "OWN@example.com""#, "email address"),
            (#""username": "bob", "attributes": {"did": ["\#(did)"]}"#, "DID"),
        ] {
            let file = try Self.changed(
                (#""id": "p-2", "username": "bob""#, #""id": "p-2", "# + said)
            )
            let report = try await scene.write(file, Self.all).report
            let lines = report.lines(.skipped).filter {
                $0.subject == "user \(what == "username" ? "own" : "bob")"
            }
            #expect(lines.count == 1 && lines[0].words.contains(what), "\(what): \(lines)")
            // Neither is changed, nor deleted.
            #expect(try await scene.person("own") == before.0)
            #expect(try await scene.person("p-2") == before.1)
        }
        // Of an account elsewhere too, where the other one is not in the file.
        let account = #"{"identityProvider": "idp", "userId": "77"}"#
        let file = try Self.changed(
            (account, ""),
            (#""id": "p-1", "username": "ann""#, #""id": "p-5", "username": "ann2""#),
            ("ann@example.com", "ann2@example.com"),
            (
                #""id": "p-2", "username": "bob""#,
                #""id": "p-2", "username": "bob", "federatedIdentities": [\#(account)]"#
            )
        )
        let report = try await scene.write(file, .overwrite(people: true)).report
        #expect(report.says(.skipped, "user bob", "account at a provider"))
        #expect(try await scene.person("p-1")?.identities.map(\.subject) == ["77"])
        #expect(try await scene.person("p-2") == before.1)
    }

    @Test("attack: a person who was deleted here comes back, or someone gets their id")
    func deleted() async throws {
        try await scene.write(Self.file)
        let realmID = try await scene.realm.id
        #expect(
            try await scene.database.people.deletePerson(id: "p-1", realmID: realmID) == .changed
        )
        let report = try await scene.write(Self.file, Self.all).report
        #expect(report.says(.skipped, "user ann", "was deleted here"))
        #expect(try await scene.person("p-1") == nil)
    }

    @Test("attack: a provider of a file has the id of another realm's client, to write over that")
    func foreignIDs() async throws {
        let other = Client.app(
            "theirs",
            "Theirs",
            id: "66666666-6666-4666-8666-666666666666",
            realmID: "r-2"
        )
        let moment = Moment(now: RealmImportTests.noon.now, random: .system)
        let realm = try RealmCreation(ring: TestRealm.ring)(
            id: "r-2",
            name: "b",
            baseURL: "https://op.example.com",
            at: moment
        )
        #expect(try await scene.database.realms.create(realm) == .created)
        #expect(try await scene.database.realms.create(other) == .created)
        let hostile = try Self.changed((#""internalId": "i-1""#, #""internalId": "\#(other.id)""#))
        try await scene.write(hostile)
        let client =
            #"{"id": "\#(other.id)", "clientId": "mine", "publicClient": true}, {"clientId": "job""#
        let next = hostile.replacing(#"{"clientId": "job""#, with: client)
        // Before anything is written.
        let taken = RealmFileError(file: "file", reason: .idTaken(path: "client mine"))
        await #expect(throws: taken) { try await scene.write(next, .overwrite()) }
        let after = try await scene.database.realms.snapshot().clients
        #expect(after.first { $0.id == other.id } == other)
        #expect(!after.contains { $0.clientID == "mine" })
    }

    // MARK: Prune

    @Test("KC-M-1: what is here and not in the file stays and is named; --prune deletes it")
    func prune() async throws {
        try await scene.write(Self.file)
        let realm = try await scene.realm
        let realms = scene.database.realms
        let before = try await realms.snapshot()
        let scope = ClientScope(
            id: UniqueID(random: .system).text,
            realmID: realm.id,
            name: "more"
        )
        #expect(try await realms.create(scope) == .created)
        try await scene.change(client: "app") { $0.optionalScopes.append("more") }
        #expect(try await realms.create(Client.app("ours", "Ours", realmID: realm.id)) == .created)
        try await scene.make("own", [Self.name("boss")])
        let file = try Self.changed(
            (#"{"clientId": "masked", "secret": "**********"},"#, ""),
            (#"{"name": "writer"},"#, ""),
            (#""roles": ["reader", "writer"]"#, #""roles": ["reader"]"#),
            (#"{"realm": ["reader", "writer"]}"#, #"{"realm": ["reader"]}"#),
            (#", "subGroups": [{"name": "ios"}]"#, ""),
            (#", "/staff/ios""#, ""),
            (#""client": {"web": [{"name": "editor"}]}"#, #""client": {}"#),
            (#"{"id": "p-2", "username": "bob", "enabled": true},"#, "")
        )
        let missing = [
            "client masked", "client ours", "group ios", "role web/editor", "role writer",
            "scope more",
        ]
        let named = try await scene.write(file).report.lines(.stays).filter {
            $0.words.contains("not in the file")
        }
        #expect(named.map(\.subject).sorted() == missing + ["user bob", "user own"])
        #expect(try await scene.client("ours") != nil)
        let differences = try await scene.diff(file)
        for path in ["clients.ours", "groups.staff.subGroups", "roles.realm.writer"] {
            #expect(differences.contains("removed \(path)"), "\(path): \(differences)")
        }

        let dry = try await scene.write(file, .overwrite(prune: true), isDryRun: true)
        #expect(try await scene.client("ours") != nil)
        let done = try await scene.write(file, .overwrite(prune: true))
        #expect(dry.report == done.report && dry.differences == done.differences)
        #expect(done.report.lines(.deleted).map(\.subject).sorted() == missing)
        let after = try await realms.snapshot()
        #expect(
            Set(after.clients.map(\.clientID)) == Client.builtIn.union(["web", "job", "app"])
        )
        #expect(after.scopes.map(\.name) == ["tools"])
        #expect(try await scene.client("app")?.optionalScopes.contains("more") == false)
        let roles = try await scene.roles()
        #expect(roles["writer"] == nil && roles["web/editor"] == nil && roles["reader"] != nil)
        #expect(roles["offline_access"] != nil && roles["realm-management/realm-admin"] != nil)
        #expect(try await scene.groups()["ios"] == nil)
        #expect(after.keys == before.keys && after.keptKeys == before.keptKeys)
        // People only where both is asked for.
        #expect(try await scene.person("own") != nil)
        #expect(try await scene.person("p-2") != nil)
        let people = try await scene.write(file, Self.all).report
        #expect(people.lines(.deleted).map(\.subject) == ["user bob", "user own"])
        #expect(try await scene.person("own") == nil)
        #expect(try await scene.person("p-2") == nil)
        #expect(try await scene.person("p-1") != nil)
        #expect(try await scene.diff(file) == [])
    }

    @Test(
        "KC-M-1: a group above one that the file has is not deleted, nor what is below one left out"
    )
    func pruneGroups() async throws {
        try await scene.write(Self.file)
        let ios = try #require(try await scene.groups()["ios"]).group.id
        let moved = try Self.changed(
            (#""name": "staff","#, #""name": "staff2","#),
            (#""id": "44444444-4444-4444-8444-444444444444", "#, ""),
            (#"[{"name": "ios"}]"#, #"[{"id": "\#(ios)", "name": "ios"}]"#)
        )
        let report = try await scene.write(moved, Self.all).report
        #expect(report.lines(.deleted).isEmpty, "\(report.lines(.deleted))")
        #expect(try await scene.groups()["ios"]?.group.id == ios)
    }

    // MARK: Administrators

    private static let master = #"""
        {"realm": "master", "enabled": true, "clients": [{"clientId": "tool"}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """#

    @Test("attack: the last administrator is taken away by a file for realm master, and is not")
    func lastAdministrator() async throws {
        try await scene.write(Self.master)
        // As by `portico user create root --realm master --role admin`.
        try await scene.make("root", [Self.name("admin")])
        let before = try await export()
        let report = try await scene.write(Self.master, Self.all).report
        #expect(report.says(.stays, "user root", "administers this server"))
        for root in [
            #"{"id": "root", "username": "root", "enabled": true}"#,
            #"{"id": "root", "username": "root", "enabled": false, "realmRoles": ["admin"]}"#,
        ] {
            let file = Self.master.replacing(
                "\"users\": [",
                with: "\"accessTokenLifespan\": 240, \"users\": [\(root), "
            )
            await #expect(throws: RealmImporter.LastAdministrator.self) {
                try await scene.write(file, .overwrite(people: true))
            }
            #expect(try await export() == before)
        }
        // Where someone else is one, the file's word counts.
        let both = Self.master.replacing(
            #""username": "ann", "enabled": true"#,
            with:
                #""username": "ann", "enabled": true, "realmRoles": ["admin"], "credentials": [\#(Self.before)]"#
        ).replacing(
            "\"users\": [",
            with: #""users": [{"id": "root", "username": "root", "enabled": true}, "#
        )
        try await scene.write(both, .overwrite(people: true))
        #expect(try await scene.person("root")?.roles == [])
        #expect(try await scene.person("p-1")?.roles == [Self.name("admin")])
    }

    @Test("attack: a role of someone who is not in the file becomes an administrator's")
    func administers() async throws {
        try await scene.write(Self.file)
        try await scene.make("dora", [Self.name("writer")])
        let file = try Self.changed(
            (
                #"{"name": "writer"}"#,
                #"{"name": "writer", "composites": {"client": {"realm-management": ["realm-admin"]}}}"#
            )
        )
        let by = "realm-management/realm-admin"
        for (isDryRun, age) in [(true, "new"), (false, "new"), (true, "as before")] {
            let report = try await scene.write(file, isDryRun: isDryRun).report
            for subject in ["user dora", "user ann"] {
                let words = "\(by): \(age): administers the realm"
                #expect(report.says(.administers, subject, words), "\(report.lines(.administers))")
            }
        }
        // And by the file's word of them.
        let bob = #"{"id": "p-2", "username": "bob""#
        let giving = file.replacing(bob, with: bob + #", "realmRoles": ["writer"]"#)
        let report = try await scene.write(giving, .overwrite(people: true)).report
        #expect(report.says(.administers, "user bob", "\(by): new: administers the realm"))
        #expect(report.says(.administers, "user ann", "\(by): as before: administers the realm"))
    }

    // MARK: Ended, changed meanwhile

    @Test("KC-M-1: an import that is ended between things and people is completed by the next")
    func ended() async throws {
        try await scene.write(Self.file)
        let file = try Self.other()
        try await scene.run(
            "CREATE TRIGGER ended BEFORE UPDATE ON people BEGIN SELECT RAISE(ABORT, 'ended'); END"
        )
        await #expect(throws: RealmImporter.Unfinished.self) {
            try await scene.write(file, .overwrite(people: true))
        }
        #expect(try await scene.realm.lifetimes.accessToken == 240)
        #expect(try await scene.person("p-1")?.person.email == "ann@example.com")
        try await scene.run("DROP TRIGGER ended")
        try await scene.write(file, .overwrite(people: true))
        #expect(try await scene.person("p-1")?.person.email == "ann@new.example")
        #expect(try await scene.diff(file) == [])
    }

    @Test("KC-M-1: things are written all or none")
    func wholeAtOnce() async throws {
        try await scene.write(Self.file)
        let before = try await export()
        try await scene.run(
            "CREATE TRIGGER ended BEFORE UPDATE ON realms BEGIN SELECT RAISE(ABORT, 'ended'); END"
        )
        await #expect(throws: RealmImporter.Unfinished.self) {
            try await scene.write(try Self.other())
        }
        try await scene.run("DROP TRIGGER ended")
        #expect(try await export() == before)
    }

    @Test("KC-M-1: what is changed here meanwhile is compared again, and told")
    func meanwhile() async throws {
        try await scene.write(Self.file)
        let importer = scene.importer()
        let staged = try await scene.stage(try Self.other(), importer)
        #expect(staged.first?.report.says(.written, "client app", "enabled") == false)
        try await scene.change(client: "app") { $0.isEnabled = false }
        var news: [ImportReport] = []
        try await importer.publish(staged, at: RealmImportTests.noon) { news.append($0) }
        #expect(news.count == 1 && news.first?.says(.written, "client app", "enabled on") == true)
        #expect(try await scene.client("app")?.isEnabled == true)
        #expect(try await scene.realm.lifetimes.accessToken == 240)
    }

    @Test("KC-M-1: a role that is deleted before people are written is made again")
    func retried() async throws {
        try await scene.write(Self.file)
        // Once: when the realm is written, and before its people are.
        try await scene.run("CREATE TABLE once (n INTEGER)")
        try await scene.run(
            """
            CREATE TRIGGER gone AFTER INSERT ON realm_changes
            WHEN NOT EXISTS (SELECT 1 FROM once)
            BEGIN DELETE FROM roles WHERE name = 'writer'; INSERT INTO once VALUES (1); END
            """
        )
        try await scene.write(try Self.other(), .overwrite(people: true))
        #expect(try await scene.person("p-1")?.roles == [Self.name("writer")])
        #expect(try await scene.groups()["staff"]?.roles == [Self.name("writer")])
        #expect(try await scene.diff(try Self.other()) == [])
    }

    @Test("KC-M-1: a realm that is deleted before a file is written over it is not made anew")
    func deletedRealm() async throws {
        try await scene.write(Self.file)
        let importer = scene.importer()
        let staged = try await scene.stage(Self.file, importer)
        let realmID = try await scene.realm.id
        #expect(try await scene.database.realms.deleteRealm(id: realmID) == .changed)
        let error = await #expect(throws: RealmImporter.Unfinished.self) {
            try await importer.publish(staged, at: RealmImportTests.noon)
        }
        #expect((error?.reason as? RealmImporter.Deleted)?.name == "a")
        #expect(try await scene.database.realms.snapshot().realms.isEmpty)
    }

    @Test("KC-M-1: a realm whose deletion was ended can be imported again, with its ids")
    func endedDeletion() async throws {
        try await scene.write(Self.file)
        let former = try await scene.realm.id
        // As `RealmStore.deleteRealm` leaves it where it is killed.
        try await scene.run("UPDATE realms SET name = '~removed-' || id, issuer = id")
        try await scene.run(
            """
            INSERT INTO realm_changes (number, realm_id)
            SELECT MAX(number) + 1, '' FROM realm_changes
            """
        )
        try await scene.write(Self.file)
        #expect(try await scene.realm.id != former)
        #expect(try await scene.person("p-1") != nil)
        #expect(try await scene.roles()["reader"]?.id == "33333333-3333-4333-8333-333333333333")
    }

    @Test("KC-M-1: a file is not read again after all of it is written: it may be gone by then")
    func readBefore() async throws {
        try await scene.write(Self.file)
        let bytes = Array(try Self.other().utf8)
        // Before the last people are written, it is asked whether the file has changed.
        let isLast = Locked(false)
        let file = RealmFile(
            name: "file",
            hasChanged: {
                isLast.withLock { $0 = true }
                return false
            },
            open: { offset throws(FileBytes.Refusal) in
                isLast.withLock { $0 = false }
                return BytesSource(Array(bytes[offset...]))
            }
        )
        let importer = scene.importer(.overwrite(people: true))
        let moment = RealmImportTests.noon
        let staged = try await importer.stage(try RealmSource([file]).realms, at: moment)
        try await importer.publish(staged, at: moment)
        #expect(try await scene.person("p-1")?.person.email == "ann@new.example")
        #expect(isLast.withLock { $0 })
    }

    @Test("KC-M-1: a file that is broken at its end writes nothing over a realm")
    func broken() async throws {
        try await scene.write(Self.file)
        let before = try await export()
        let file = try Self.changed(
            (#""accessTokenLifespan": 300"#, #""accessTokenLifespan": 240"#),
            (#"{"username": "noid", "enabled": true}"#, #"{"username": {}}"#)
        )
        await #expect(
            throws: RealmFileError(
                file: "file",
                reason: .wrongType(path: "users[3].username", expected: "a text")
            )
        ) { try await scene.write(file, Self.all) }
        #expect(try await export() == before)
    }
}
