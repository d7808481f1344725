import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what a file written over a realm neither opens nor brings back")
struct RealmMergeThingsTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let nothing = RealmImporter.Differences()

    private func run(_ sql: SQLText, _ values: [SQLValue] = []) async throws {
        try await scene.database.database.write { try $0.run(sql, values) }
    }

    @Test("KC-M-1: how Keycloak's own clients sign in here stays, whatever a file says")
    func ownClients() async throws {
        #expect(
            try await MasterRealm.underTest.create(
                in: scene.database.realms,
                at: RealmImportTests.noon
            )
        )
        try await scene.change(client: "admin-cli") { $0.accessTokenLifetime = 60 }
        let before = try #require(try await scene.client("admin-cli"))
        let file = #"{"realm": "master", "enabled": true, "clients": [{"clientId": "admin-cli"}]}"#
        for round in 0..<2 {
            try await scene.write(file)
            let now = try #require(try await scene.client("admin-cli"))
            #expect(now.grantTypes == [.authorizationCode, .refreshToken], "\(round)")
            #expect(now.redirectURIs == before.redirectURIs && now.accessTokenLifetime == 60)
        }
        let shut = file.replacing(#""admin-cli""#, with: #""admin-cli", "enabled": false"#)
        try await scene.write(shut)
        #expect(try await scene.client("admin-cli")?.isEnabled == false)
    }

    @Test("KC-M-1: a client that is disabled here is not enabled with its protection gone")
    func notOpened() async throws {
        let bound = #"""
            "publicClient": true,
            "attributes": {"tls.client.certificate.bound.access.tokens": "true"}
            """#
        let secret = #""secret": "a secret that is long""#
        let x509 = secret + #", "clientAuthenticatorType": "client-x509""#
        func file(_ one: String, _ two: String, _ three: String) -> String {
            let clients = [("one", one), ("two", two), ("three", three)].map {
                #"{"clientId": "\#($0)", \#($1)}"#
            }
            return #"""
                {"realm": "a", "enabled": true, "clients": [\#(clients.joined(separator: ", "))],
                 "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
                """#
        }
        let (on, off) = (#", "enabled": true"#, #", "enabled": false"#)
        let all = ["one", "two", "three"]
        func enabled() async throws -> [String] {
            try await scene.database.realms.snapshot().clients
                .filter { all.contains($0.clientID) && $0.isEnabled }.map(\.clientID)
        }
        try await scene.write(file(bound + off, secret + off, secret + on))
        try await scene.use()
        #expect(try await enabled() == ["three"])
        let open = file(bound + on, x509 + on, x509 + on)
        // Once by themselves, and once after they were off in the file, too.
        for round in 0..<2 {
            let report = try await scene.write(open).report
            for client in all {
                #expect(
                    report.lines(.disabled).contains { $0.subject == "client \(client)" },
                    "\(round)"
                )
            }
            #expect(try await enabled().isEmpty)
            let again = try await scene.write(open)
            #expect(again.differences == Self.nothing && again.report.lines(.disabled).isEmpty)
            try await scene.write(file(bound + off, x509 + off, x509 + off))
        }
        try await scene.write(open)
        // An administrator does.
        try await scene.change(client: "one") { $0.isEnabled = true }
        let report = try await scene.write(open).report
        #expect(report.lines(.disabled).isEmpty)
        #expect(try await enabled() == ["one"])
    }

    @Test("KC-M-1: how a client proves itself here stays, and no secret of a file comes beside it")
    func ownProof() async throws {
        func file(_ app: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "app", \#(app)}],
             "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
            """#
        }
        let secret = #""secret": "a secret that is long""#
        let others = [
            #""secret": "another secret that is long""#,
            secret + #", "clientAuthenticatorType": "client-x509""#,
        ]
        for other in others {
            let scene = try OverwriteScene()
            try await scene.write(file(secret))
            try await scene.use()
            try await scene.change(client: "app") {
                $0.authentication = .privateKeyJWT
                $0.secret = nil
            }
            let before = try #require(try await scene.client("app"))
            for description in ["one", "two"] {
                let report = try await scene.write(
                    file(other + #", "description": "\#(description)""#)
                ).report
                #expect(report.lines(.disabled).isEmpty, "\(other)")
                let after = try #require(try await scene.client("app"))
                #expect(after.isEnabled && after.authentication == .privateKeyJWT)
                #expect(after.secret == nil && after.keySet == before.keySet)
                #expect(after.keycloak?.string("description") == description)
            }
        }
    }

    private static let (shop, boss, staff) = (
        "33333333-3333-4333-8333-333333333333", "55555555-5555-4555-8555-555555555555",
        "77777777-7777-4777-8777-777777777777"
    )

    private static func named(
        _ client: String,
        _ role: String,
        _ group: String,
        description: String = "one"
    ) -> String {
        #"""
        {"realm": "a", "enabled": true,
         "clients": [{"id": "\#(shop)", "clientId": "\#(client)", "description": "\#(description)",
            "secret": "a secret that is long"}],
         "roles": {"realm": [{"id": "\#(boss)", "name": "\#(role)"}]},
         "groups": [{"id": "\#(staff)", "name": "\#(group)"}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true, "realmRoles": ["\#(role)"],
            "groups": ["/\#(group)"]}]}
        """#
    }

    @Test("KC-M-1: what was deleted here does not come back under another name of the file's")
    func renamed() async throws {
        try await scene.write(Self.named("shop", "boss", "staff"))
        try await scene.use()
        let realmID = try await scene.realm.id
        let realms = scene.database.realms
        #expect(try await realms.deleteClient(id: Self.shop) == .changed)
        #expect(try await realms.deleteRole(id: Self.boss) == .changed)
        #expect(try await realms.deleteGroup(id: Self.staff, realmID: realmID) == .changed)
        // Nor where the name of before was given anew.
        let ours = Client.app("shop", "Ours", realmID: realmID)
        for round in 0..<3 {
            if round == 1 { #expect(try await realms.create(ours) == .created) }
            let done = try await scene.write(Self.named("shop2", "chief", "crew"))
            for subject in ["client shop2", "role chief", "group crew"] {
                #expect(done.report.says(.skipped, subject, "was deleted here"), "\(round)")
            }
            #expect(try await scene.client("shop2") == nil)
            #expect(try await realms.roles(realmID: realmID).allSatisfy { $0.roleName.isMade })
            #expect(try await realms.groups(realmID: realmID).isEmpty)
            let ann = try #require(try await scene.person("p-1"))
            #expect(ann.roles.isEmpty && ann.groupIDs.isEmpty)
        }
        #expect(try await scene.client("shop") == ours)
    }

    @Test("KC-M-1: one that came with the id of another stays the file's when that one is deleted")
    func renamedBefore() async throws {
        let secret = #""secret": "a secret that is long"}"#
        let twin = #"{"id": "\#(Self.shop)", "clientId": "shop2", "description": "one", \#(secret)"#
        try await scene.write(
            Self.named("shop", "boss", "staff").replacing(secret, with: "\(secret), \(twin)")
        )
        try await scene.use()
        #expect(try await scene.database.realms.deleteClient(id: Self.shop) == .changed)
        let report = try await scene.write(
            Self.named("shop2", "boss", "staff", description: "two")
        ).report
        #expect(report.lines(.skipped).isEmpty, "\(report.lines(.skipped))")
        #expect(try await scene.client("shop2")?.keycloak?.string("description") == "two")
        #expect(try await scene.client("shop") == nil)
    }

    private static func providers(
        name: String = "Google",
        secret: String = "the secret of google",
        other: String = "the secret of other",
        description: String = "one"
    ) -> String {
        #"""
        {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
         "identityProviders": [
            {"alias": "gh", "internalId": "1", "providerId": "github", "enabled": true,
             "displayName": "\#(description)", "config": {"clientSecret": "the secret of gh"}},
            {"alias": "google", "internalId": "2", "providerId": "google", "enabled": true,
             "displayName": "\#(name)", "config": {"clientSecret": "\#(secret)", "clientId": "c"}},
            {"alias": "other", "providerId": "oidc", "enabled": true,
             "config": {"clientSecret": "\#(other)"}}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """#
    }

    private func provider(_ alias: String) async throws -> (part: RealmPart, secret: String?)? {
        let parts = try await scene.database.realms.parts(
            "identityProviders",
            realmID: try await scene.realm.id
        )
        guard let part = parts.first(where: { $0.id == alias }) else { return nil }
        let secrets = try RealmPartSeal(ring: TestRealm.ring).secrets(of: part)
        return (part, secrets.object("config")?.string("clientSecret"))
    }

    /// As an administrator does.
    private func put(_ part: RealmPart, secret: String) async throws {
        var part = part
        part.sealed = RealmPartSeal(ring: TestRealm.ring).seal(
            ["config": ["clientSecret": .string(secret)]],
            of: part.kind,
            id: part.id,
            realmID: part.realmID,
            random: .system
        )
        try await scene.database.realms.put(part)
    }

    @Test("KC-M-1: identity providers that were changed or deleted here stay so")
    func identityProviders() async throws {
        try await scene.write(Self.providers())
        try await scene.use()
        let realmID = try await scene.realm.id
        #expect(try await scene.write(Self.providers()).differences == Self.nothing)
        let gh = try #require(try await provider("gh")).part
        let realms = scene.database.realms
        #expect(
            try await realms.deletePart("identityProviders", id: "gh", realmID: realmID) == .changed
        )
        var google = try #require(try await provider("google")).part
        google.document["enabled"] = false
        try await put(google, secret: "ours, of google")
        for isDryRun in [true, false] {
            let done = try await scene.write(Self.providers(), isDryRun: isDryRun)
            #expect(done.differences == Self.nothing)
            #expect(done.report.says(.skipped, "identityProviders gh", "was deleted here"))
        }
        let renamed = Self.providers().replacing(#""alias": "gh""#, with: #""alias": "hub""#)
        let said = try await scene.write(renamed).report
        #expect(said.says(.skipped, "identityProviders hub", "was deleted here"))
        #expect(try await provider("hub") == nil)
        // What the file changed is written beside; what both changed is named.
        let report = try await scene.write(
            Self.providers(name: "Google 2", secret: "a new one of google", other: "a new one")
        ).report
        #expect(report.says(.skipped, "identityProviders google", "secrets: changed here and in"))
        let kept = try #require(try await provider("google"))
        #expect(kept.part.document.bool("enabled") == false)
        #expect(kept.part.document.string("displayName") == "Google 2")
        #expect(kept.secret == "ours, of google")
        #expect(try await provider("other")?.secret == "a new one")
        #expect(try await provider("gh") == nil)
        // What a file masks says nothing, and the next is compared with the one before.
        let mask = RealmSecrets.mask
        try await scene.write(
            Self.providers(name: "Google 2", secret: mask, other: mask)
        )
        #expect(try await provider("other")?.secret == "a new one")
        try await scene.write(Self.providers(name: "Google 2", secret: mask, other: "the last one"))
        #expect(try await provider("other")?.secret == "the last one")
        // One without an id of its own is known by its alias.
        _ = try await realms.deletePart("identityProviders", id: "other", realmID: realmID)
        try await scene.write(Self.providers(name: "Google 2", secret: mask, other: "the last one"))
        #expect(try await provider("other") == nil)
        // One that is made here anew is another's.
        var ours = gh
        ours.document["internalId"] = "9"
        try await put(ours, secret: "ours, of gh")
        for description in ["two", "three"] {
            let report = try await scene.write(
                Self.providers(name: "Google 2", secret: mask, description: description)
            ).report
            #expect(report.says(.skipped, "identityProviders gh", "another one was made here"))
            let gh = try #require(try await provider("gh"))
            #expect(gh.part.document == ours.document && gh.secret == "ours, of gh")
        }
    }

    @Test("KC-M-1: a secret of an identity provider that a file masked gives way to the real one")
    func maskedProvider() async throws {
        try await scene.write(Self.providers(other: RealmSecrets.mask))
        try await scene.use()
        try await scene.write(Self.providers(other: "the real one"))
        #expect(try await provider("other")?.secret == "the real one")
    }

    private static func scopes(
        _ scopes: String,
        mappings: String = #"[{"clientScope": "api", "roles": ["reader"]}]"#
    ) -> String {
        #"""
        {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
         "roles": {"realm": [{"name": "reader"}, {"name": "writer"}]},
         "clientScopes": [\#(scopes)], "scopeMappings": \#(mappings),
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """#
    }

    private func scope(_ name: String) async throws -> ClientScope? {
        try await scene.database.realms.snapshot().scopes.first { $0.name == name }
    }

    @Test("KC-M-1: a file without client scopes says nothing of them, nor of what they show")
    func unsaidScopes() async throws {
        let file = Self.scopes(#"{"name": "api", "protocol": "openid-connect"}"#)
        try await scene.write(file)
        try await scene.use()
        var api = try #require(try await scope("api"))
        api.representation["protocolMappers"] = [["name": "aud"]]
        #expect(try await scene.database.realms.update(api, replacing: nil) == .changed)
        let limits = try await scene.database.realms.snapshot().roleLimits
        #expect(limits[.scope(api.id)]?.map(\.name) == ["reader"])
        for text in [#"{"realm": "a", "enabled": true}"#, file, file] {
            try await scene.write(text)
            #expect(try await scope("api") == api)
            #expect(try await scene.database.realms.snapshot().roleLimits == limits)
        }
    }

    @Test("KC-M-1: a client scope that was made here is changed by no file")
    func madeScope() async throws {
        try await scene.write(Self.scopes(""))
        try await scene.use()
        let ours = ClientScope(
            id: UniqueID(random: .system).text,
            realmID: try await scene.realm.id,
            name: "api",
            representation: ["description": "ours", "protocol": "openid-connect"]
        )
        #expect(try await scene.database.realms.create(ours) == .created)
        for word in ["openid-connect", "saml"] {
            try await scene.write(
                Self.scopes(
                    #"{"name": "api", "description": "theirs", "protocol": "\#(word)"}"#,
                    mappings: "[]"
                )
            )
            #expect(try await scope("api") == ours)
        }
    }

    @Test("KC-M-1: nor one that was made here after the file's was deleted, alike or not")
    func madeAnewScope() async throws {
        let words = #""name": "api", "protocol": "openid-connect""#
        try await scene.write(Self.scopes(#"{\#(words), "description": "one"}"#))
        try await scene.use()
        let theirs = try #require(try await scope("api"))
        let deletion = try await scene.database.realms.deleteScope(
            id: theirs.id,
            realmID: theirs.realmID
        )
        #expect(deletion == .changed)
        let ours = ClientScope(
            id: UniqueID(random: .system).text,
            realmID: theirs.realmID,
            name: "api",
            representation: theirs.representation
        )
        #expect(try await scene.database.realms.create(ours) == .created)
        try await scene.write(Self.scopes(#"{\#(words), "description": "two"}"#))
        #expect(try await scope("api") == ours)
    }

    /// More than 500 differences, so that they are not written in one transaction.
    private static func many(_ word: String) -> String {
        let roles =
            (0..<500).map { #"{"name": "r\#($0)"}"# } + [
                #"{"name": "late", "description": "\#(word)"}"#
            ]
        let providers = (0..<250).map {
            #"{"alias": "idp\#($0)", "providerId": "oidc", "displayName": "\#(word)"}"#
        }
        return #"""
            {"realm": "a", "enabled": true, "accessTokenLifespan": 240,
             "clients": [{"clientId": "late", "description": "\#(word)",
                "secret": "a secret that is long"}],
             "clientScopes": [{"name": "late", "description": "\#(word)"}],
             "roles": {"realm": [\#(roles.joined(separator: ","))]},
             "groups": [{"name": "late", "attributes": {"word": ["\#(word)"]}}],
             "identityProviders": [\#(providers.joined(separator: ","))],
             "users": [{"id": "p-1", "username": "ann", "enabled": true, "realmRoles": ["late"],
                "groups": ["/late"]}]}
            """#
    }

    @Test("KC-M-1: an import that is ended before its people are written is completed by the next")
    func endedHalfWay() async throws {
        try await scene.write(
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
             "clientScopes": [], "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
            """#
        )
        try await scene.use()
        try await run(
            """
            CREATE TRIGGER ended BEFORE UPDATE ON people
            BEGIN SELECT RAISE(ABORT, 'ended'); END
            """
        )
        await #expect(throws: RealmImporter.Unfinished.self) {
            try await scene.write(Self.many("one"))
        }
        #expect(try await scene.client("late") != nil)
        #expect(try await provider("idp0") != nil)
        #expect(try await scene.person("p-1")?.roles.isEmpty == true)
        try await run("DROP TRIGGER ended")
        for word in ["one", "two"] {
            let report = try await scene.write(Self.many(word)).report
            for words in ["made here", "changed here", "deleted here"] {
                #expect(!report.lines.contains { $0.words.contains(words) }, "\(report.lines)")
            }
            let realmID = try await scene.realm.id
            let roles = try await scene.database.realms.roles(realmID: realmID)
            let groups = try await scene.database.realms.groups(realmID: realmID)
            #expect(try await scene.client("late")?.keycloak?.string("description") == word)
            #expect(try await scope("late")?.representation.string("description") == word)
            #expect(roles.first { $0.name == "late" }?.description == word)
            #expect(groups.first?.group.attributes == ["word": [word]])
            #expect(try await provider("idp0")?.part.document.string("displayName") == word)
            let ann = try #require(try await scene.person("p-1"))
            #expect(ann.roles.map(\.name) == ["late"] && ann.groupIDs.count == 1)
        }
    }

    @Test("KC-M-1: a role that is deleted while people are written ends no import")
    func roleGone() async throws {
        func file(_ role: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
             "roles": {"realm": [{"name": "reader"}, {"name": "writer"}]},
             "users": [{"id": "p-1", "username": "ann", "enabled": true, "realmRoles": ["\#(role)"]}]}
            """#
        }
        try await scene.write(file("reader"))
        try await scene.use()
        // When the realm is written, and before its people are.
        try await run(
            """
            CREATE TRIGGER gone AFTER UPDATE ON realm_version
            BEGIN DELETE FROM roles WHERE name = 'writer'; END
            """
        )
        try await scene.write(file("writer"))
        let ann = try #require(try await scene.person("p-1"))
        #expect(ann.roles.isEmpty)
        let roles = try await scene.database.realms.roles(realmID: try await scene.realm.id)
        #expect(roles.map(\.roleName).filter { !$0.isMade }.map(\.name) == ["reader"])
    }
}
