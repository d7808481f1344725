import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what a file takes away, moves and gives otherwise")
struct RealmMergeGivenTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static func file(_ members: String) -> String {
        #"""
        {"realm": "a", "enabled": true, \#(members),
         "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
        """#
    }

    @Test("KC-M-1: what new people get and the file takes away goes, whatever it names now")
    func takenAway() async throws {
        func file(_ name: String) -> String {
            Self.file(
                #"""
                "roles": {"realm": [{"name": "a"}], "client": {"c": [{"name": "a"}]}},
                "groups": [{"name": "a"}],
                "clientScopes": [{"name": "a", "protocol": "openid-connect"}],
                "clients": [{"clientId": "c", "publicClient": true, "defaultRoles": ["\#(name)"],
                    "defaultClientScopes": [], "optionalClientScopes": []}],
                "defaultGroups": ["/\#(name)"], "defaultRoles": ["\#(name)"],
                "defaultDefaultClientScopes": ["\#(name)"],
                "defaultOptionalClientScopes": ["\#(name)"]
                """#
            )
        }
        let members = [
            "defaultRoles", "defaultDefaultClientScopes", "defaultOptionalClientScopes",
        ]
        try await scene.write(file("a"))
        try await scene.use()
        let before = try #require(try await scene.realm.keycloak)
        for member in members { #expect(before.strings(member) == ["a"], "\(member)") }
        let first = try await scene.write(file("x")).report
        #expect(first.says(.skipped, "realm", "defaultGroups /x: is not the file's"))
        #expect(first.says(.skipped, "client c", "defaultRoles x: is not the file's"))
        for _ in 0..<2 {
            let kept = try #require(try await scene.realm.keycloak)
            #expect(kept.strings("defaultGroups") == [])
            for member in members { #expect(kept.strings(member) == [], "\(member)") }
            #expect(try await scene.client("c")?.keycloak?.strings("defaultRoles") == [])
            try await scene.write(file("x"))
        }
    }

    @Test("KC-M-1: a scope that was taken from a client stays so, where the file moves it, too")
    func movedScope() async throws {
        func file(_ defaults: String, _ optionals: String) -> String {
            Self.file(
                #"""
                "clientScopes": [{"name": "sa", "protocol": "openid-connect"},
                    {"name": "sb", "protocol": "openid-connect"}],
                "clients": [{"clientId": "app", "publicClient": true,
                    "defaultClientScopes": [\#(defaults)],
                    "optionalClientScopes": [\#(optionals)]}]
                """#
            )
        }
        let words = "scopes.sa: changed here and in the file"
        let cases = [
            (file(#""sa", "sb""#, ""), file(#""sb""#, #""sa""#)),
            (file(#""sb""#, #""sa""#), file(#""sa", "sb""#, "")),
        ]
        for (first, second) in cases {
            let scene = try OverwriteScene()
            try await scene.write(first)
            try await scene.use()
            #expect(try await scene.write(first).differences == RealmImporter.Differences())
            try await scene.change(client: "app") { client in
                client.defaultScopes.removeAll { $0 == "sa" }
                client.optionalScopes.removeAll { $0 == "sa" }
            }
            let report = try await scene.write(second).report
            #expect(report.says(.skipped, "client app", words))
            for text in [second, first, second] {
                try await scene.write(text)
                let app = try #require(try await scene.client("app"))
                #expect(app.defaultScopes == ["sb"] && app.optionalScopes.isEmpty)
            }
            // One that is here as the file of before said is moved with it.
            try await scene.write(file("", #""sa", "sb""#))
            let app = try #require(try await scene.client("app"))
            #expect(app.defaultScopes.isEmpty && app.optionalScopes == ["sb"])
        }
    }

    private static let keys = #"""
        "clientAuthenticatorType": "client-jwt", "attributes": {"use.jwks.string": "true",
            "jwks.string": "{\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"use\": \"sig\", \"alg\": \"EdDSA\", \"kid\": \"p\", \"x\": \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"}
        """#

    @Test("KC-M-1: a secret beside a certificate is none, and what replaces it is taken")
    func secretBesideCertificate() async throws {
        let registration = ClientRegistration(ring: TestRealm.ring)
        let secret = #""secret": "a secret that is long""#
        func file(_ proof: String) -> String {
            Self.file(#""clients": [{"clientId": "app", \#(secret), \#(proof)}]"#)
        }
        for type in ["client-x509", "client-jwt"] {
            let first = file(#""clientAuthenticatorType": "\#(type)""#)
            for isSecret in [true, false] {
                let scene = try OverwriteScene()
                try await scene.write(first)
                try await scene.use()
                #expect(try await scene.write(first).differences == RealmImporter.Differences())
                let made = try #require(try await scene.client("app"))
                #expect(!registration.isSecret(SecretText("a secret that is long"), of: made))
                let known = #""clientAuthenticatorType": "client-secret""#
                let report = try await scene.write(file(isSecret ? known : Self.keys)).report
                #expect(!report.says(.skipped, "client app", "changed here and in the file"))
                let app = try #require(try await scene.client("app"))
                #expect((app.authentication == .privateKeyJWT) == !isSecret)
                #expect((app.keySet != nil) == !isSecret)
                let real = SecretText("a secret that is long")
                #expect(registration.isSecret(real, of: app) == isSecret)
            }
        }
    }

    private typealias Provider = (alias: String, id: String?, name: String)

    private static func providers(_ providers: Provider...) -> String {
        let list = providers.map { provider in
            let id = provider.id.map { #""internalId": "\#($0)", "# } ?? ""
            return #"""
                {"alias": "\#(provider.alias)", \#(id)"providerId": "oidc",
                 "displayName": "\#(provider.name)"}
                """#
        }
        return file(
            #"""
            "clients": [{"clientId": "c", "publicClient": true}],
            "identityProviders": [\#(list.joined(separator: ", "))]
            """#
        )
    }

    @Test("KC-M-1: identity providers that a file renames, exchanges or replaces are left out")
    func renamedProviders() async throws {
        let hub: Provider = ("hub", "i2", "H")
        let (renamed, other) = ("is here under another name", "has the id of another one")
        let moved = "what has its name here has another id in the file"
        let cases: [(file: String, words: [(alias: String, words: String)])] = [
            (Self.providers(("google2", "i1", "G"), hub), [("google2", renamed)]),
            (
                Self.providers(("hub", "i1", "G"), ("google", "i2", "H")),
                [("google", other), ("hub", other)]
            ),
            (
                Self.providers(("google2", "i1", "G"), ("google", "i9", "N"), hub),
                [("google2", renamed), ("google", moved)]
            ),
        ]
        for isForgotten in [false, true] {
            let scene = try OverwriteScene()
            func names() async throws -> [String] {
                let realmID = try await scene.realm.id
                let parts = try await scene.database.realms
                    .parts("identityProviders", realmID: realmID)
                return parts.map { "\($0.id) \($0.document.string("displayName") ?? "")" }.sorted()
            }
            try await scene.write(Self.providers(("google", "i1", "G"), hub))
            try await scene.use()
            if isForgotten {
                let file = Self.providers(("google", nil, "G"), ("hub", nil, "H"))
                #expect(try await scene.write(file).differences == RealmImporter.Differences())
            }
            for (file, expected) in cases + cases {
                let report = try await scene.write(file).report
                for (alias, words) in expected {
                    #expect(report.says(.skipped, "identityProviders \(alias)", words), "\(alias)")
                }
                #expect(try await names() == ["google G", "hub H"])
            }
            // What the file itself replaces under a new id is the same by its name.
            let file = Self.providers(("google", "i9", "N"), hub)
            let report = try await scene.write(file).report
            #expect(!report.lines(.skipped).contains { $0.subject == "identityProviders google" })
            #expect(try await names() == ["google N", "hub H"])
        }
    }

    @Test("KC-M-1: other parts of a realm that were deleted or made here stay so")
    func otherParts() async throws {
        func file(_ flows: String) -> String {
            Self.file(
                #"""
                "clients": [{"clientId": "c", "publicClient": true}],
                "authenticationFlows": [\#(flows)]
                """#
            )
        }
        let (kind, first) = ("authenticationFlows", #"{"id": "f1", "alias": "one"}"#)
        try await scene.write(file(first))
        try await scene.use()
        let (realms, realmID) = (scene.database.realms, try await scene.realm.id)
        #expect(try await realms.deletePart(kind, id: "f1", realmID: realmID) == .changed)
        let ours = RealmPart(
            realmID: realmID,
            kind: kind,
            id: "f2",
            document: ["id": "f2", "alias": "ours"]
        )
        try await realms.put(ours)
        for alias in ["two", "more"] {
            let second = #"{"id": "f2", "alias": "\#(alias)"}"#
            let report = try await scene.write(file("\(first), \(second)")).report
            #expect(report.says(.skipped, "\(kind) f1", "was deleted here"))
            #expect(report.says(.skipped, "\(kind) f2", "another one was made here"))
            #expect(try await realms.parts(kind, realmID: realmID) == [ours])
        }
    }

    @Test("KC-M-1: a key that is retired here verifies no longer by being disabled for a while")
    func retiredKey() async throws {
        func file(isEnabled: Bool) -> String {
            Self.file(
                #"""
                "clients": [{"clientId": "c", "publicClient": true}],
                "components": {"org.keycloak.keys.KeyProvider": [
                    {"name": "e", "providerId": "eddsa-generated", "config": {
                     "eddsaPrivateKey":
                       ["MC4CAQAwBQYDK2VwBCIEIHW9w2/MhZMyriUA0eAburHNEgefTM44/kfgdcscoZUE"],
                     "active": ["true"], "enabled": ["\#(isEnabled)"]}}]}
                """#
            )
        }
        try await scene.write(file(isEnabled: true))
        try await scene.use()
        let realms = scene.database.realms
        var key = try #require(try await realms.snapshot().keys.first { $0.algorithm == .edDSA })
        let keyID = key.keyID
        let end = RealmImportTests.noon.seconds + 36_000
        key.retiredFrom = end
        try await realms.rotate(adding: [], changing: [key])
        for _ in 0..<2 {
            // Noted for good, though a second file disables it, too.
            for _ in 0..<2 { try await scene.write(file(isEnabled: false)) }
            let disabled = try await realms.snapshot()
            #expect(!disabled.keys.contains { $0.keyID == keyID })
            #expect(disabled.keptKeys.map(\.keyID) == [keyID])
            try await scene.write(file(isEnabled: true))
            let again = try await realms.snapshot().keys.first { $0.keyID == keyID }
            #expect(again?.retiredFrom == end)
        }
    }

    @Test("KC-M-1: a realm that is deleted before a file is written over it is not made anew")
    func deletedRealm() async throws {
        let file = Self.file(#""clients": [{"clientId": "c", "publicClient": true}]"#)
        try await scene.write(file)
        try await scene.use()
        let (importer, moment) = (scene.importer(), RealmImportTests.noon)
        let staged = try await importer.stage(
            try RealmSource([RealmFile(file)]).realms,
            at: moment
        )
        let realmID = try await scene.realm.id
        let realms = scene.database.realms
        #expect(try await realms.deleteRealm(id: realmID) == .changed)
        let error = await #expect(throws: RealmImporter.Unfinished.self) {
            try await importer.publish(staged, at: moment)
        }
        #expect((error?.reason as? RealmImporter.Deleted)?.name == "a")
        #expect(try await realms.snapshot().realms.isEmpty)
    }

    @Test("KC-M-1: a realm whose deletion was ended can be imported again, with its ids")
    func endedDeletion() async throws {
        let file = Self.file(
            #"""
            "clients": [{"clientId": "c", "publicClient": true}],
            "roles": {"realm": [{"id": "11111111-1111-4111-8111-111111111111", "name": "a"}]}
            """#
        )
        try await scene.write(file)
        let former = try await scene.realm.id
        // As `RealmStore.deleteRealm` leaves it where it is killed.
        try await scene.database.database.write { transaction in
            try transaction.run("UPDATE realms SET name = '~removed-' || id, issuer = id", [])
            try transaction.run("UPDATE realm_version SET version = version + 1", [])
        }
        try await scene.write(file)
        #expect(try await scene.realm.id != former)
        #expect(try await scene.person("p-1") != nil)
        let roles = try await scene.database.realms.roles(realmID: try await scene.realm.id)
        #expect(roles.map(\.id).contains("11111111-1111-4111-8111-111111111111"))
    }
}
