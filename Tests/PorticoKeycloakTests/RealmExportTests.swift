import Foundation
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("Realm export")
struct RealmExportTests {
    @Test(
        "KC-M-1: an export of an imported realm says what its file said, by another program's eyes"
    )
    func carried() async throws {
        let harbour = try await ExportSample.harbour()
        let lines = try await harbour.comparedByPython(with: ExportSample.harbourFile)
        // What the import has made, as Keycloak does, because the file has none.
        let made = [
            "roles/client/broker: null", "roles/client/realm-management: null",
            "roles/realm/name=uma_authorization: null", "clients/clientId=account-console: null",
            "clients/clientId=admin-cli: null", "clients/clientId=broker: null",
            "clients/clientId=realm-management: null",
            "clients/clientId=security-admin-console: null",
        ]
        #expect(lines.filter { line in !made.contains { line.hasPrefix($0) } } == [])
        #expect(lines.count == made.count)
    }

    @Test("KC-M-1: what was exported is imported again, and nothing of it differs")
    func again() async throws {
        let harbour = try await ExportSample.harbour()
        let export = try await harbour.bytes()
        #expect(try await harbour.diff(export).differences == [])
        let other = try await ExportSample(export)
        #expect(try await other.bytes() == export)
    }

    @Test("KC-M-2: a scope whose roles are gone is for no one, there where it is imported, too")
    func limited() async throws {
        let file = #"""
            {"realm": "r", "roles": {"realm": [{"name": "reader"}]},
             "clientScopes": [{"name": "tools"}, {"name": "open"}],
             "scopeMappings": [{"clientScope": "tools", "roles": ["reader"]}]}
            """#
        let sample = try await ExportSample(Array(file.utf8))
        let realms = sample.database.realms
        let reader = try await realms.roles(realmID: sample.realm.id).first { $0.name == "reader" }
        #expect(try await realms.deleteRole(id: try #require(reader).id) == .changed)
        let again = try await ExportSample.read(try await sample.bytes(), ring: sample.ring)
        let new = try #require(again.first).realm
        #expect(new.scopes.filter(\.isLimited).map(\.name) == ["tools"])
        #expect(new.scopes.count == 2 && new.roleLimits.isEmpty)
    }

    @Test("Members stand in Keycloak's order, people in theirs, each on a line of its own")
    func order() async throws {
        let bytes = try await ExportSample.harbour().bytes()
        let object = try JSONObject(parsing: bytes, limits: JSONLimits(size: 1 << 20, depth: 64))
        let file = try Data(contentsOf: ExportSample.harbourFile)
        let original = try JSONObject(
            parsing: Array(file),
            limits: JSONLimits(size: 1 << 20, depth: 64)
        )
        #expect(object.map(\.name) == original.map(\.name))
        let names = object.array("users")?.compactMap { $0.object?.string("username") }
        #expect(
            names == ["ada", "björn", "cleo", "dora", "otto", "service-account-daemon"]
        )
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix(#"{"id":"#) && $0.contains(#""username":"ada""#) })
    }

    @Test("Neither people nor a secret is in an export that was not asked for them")
    func masked() async throws {
        let harbour = try await ExportSample.harbour()
        let text = String(
            decoding: try await harbour.bytes(people: false, secrets: false),
            as: UTF8.self
        )
        #expect(!text.contains("\"users\""))
        #expect(!text.contains("harbour-secret"))
        #expect(!text.contains("ada@"))
        let json = try await harbour.json(people: false, secrets: false)
        let clients = json.array("clients")?.compactMap(\.object) ?? []
        let quay = try #require(clients.first { $0.string("clientId") == "quay" })
        #expect(quay.string("secret") == "**********")
        #expect(json.object("smtpServer")?.string("password") == "**********")
        #expect(json.object("smtpServer")?.string("host") == "mail.harbour.example")
        let house = json.array("identityProviders")?.first?.object?.object("config")
        #expect(house?.string("clientSecret") == "**********")
        let components = try #require(json.object("components"))
        let tree = components.array("org.keycloak.storage.UserStorageProvider")?.first?.object
        #expect(tree?.object("config")?.strings("bindCredential") == ["**********"])
        let keys = components.array("org.keycloak.keys.KeyProvider")?.compactMap(\.object) ?? []
        #expect(keys.count == 5)
        for key in keys {
            let config = try #require(key.object("config"))
            for name in ["privateKey", "ecdsaPrivateKey", "eddsaPrivateKey", "secret"] {
                #expect(config[name] == nil, "\(key.string("name") ?? "")")
            }
        }
    }

    @Test("People come without the secrets of the realm, and the other way round")
    func each() async throws {
        let harbour = try await ExportSample.harbour()
        let people = try await harbour.json(people: true, secrets: false)
        #expect(people.array("users")?.count == 6)
        #expect(!String(decoding: people.serialized(), as: UTF8.self).contains("harbour-secret"))
        let secrets = try await harbour.json(people: false, secrets: true)
        #expect(secrets["users"] == nil)
        #expect(secrets.object("smtpServer")?.string("password")?.hasPrefix("harbour") == true)
    }

    @Test("A recovery code that is spent is in no export")
    func spent() async throws {
        let harbour = try await ExportSample.harbour()
        let otto = try #require(
            try await harbour.database.people.whole(
                realmID: harbour.realm.id,
                id: "00000000-0000-4000-8000-000000000048"
            )
        )
        var credential = try #require(otto.credentials.first { $0.kind == .recoveryCodes })
        credential.used = 0b101
        let seal = CredentialSeal(ring: harbour.ring)
        let json = try CredentialRepresentation(credential, seal: seal).json
        let secret = try JSONObject(parsing: Array((json.string("secretData") ?? "").utf8))
        let numbers = secret.array("codes")?.compactMap { $0.object?.int64("number") }
        #expect(numbers == [2, 4])
        let data = try JSONObject(parsing: Array((json.string("credentialData") ?? "").utf8))
        #expect(data.int64("remainingCodes") == 2)
    }

    @Test("A realm that was made here is written so that an import of it makes the same")
    func own() async throws {
        let ring = try KeyRing(random: .system)
        var new = try RealmCreation(ring: ring)(
            name: "field",
            displayName: "The Field",
            baseURL: "https://op.example.com",
            at: RealmImportTests.noon
        )
        new.realm.lifetimes.accessToken = 120
        new.realm.notBefore = 5
        var app = Client.app("app", "The App", realmID: new.realm.id)
        app.takeStandardScopes()
        app.redirectURIs = [RedirectURI("com.example.app:/cb")]
        app.mappers = [
            ClaimMapper(.fixedClaim(5), "a.b", into: [.idToken]),
            ClaimMapper(.realmRoles(prefix: ""), "roles"),
        ]
        new.clients = [app]
        let field = try await ExportSample(new, ring)
        let json = try await field.json()
        #expect(json.string("displayName") == "The Field")
        #expect(json.int64("accessTokenLifespan") == 120)
        #expect(json.int64("notBefore") == 5)
        #expect(json.string("defaultSignatureAlgorithm") == "ES256")
        let client = try #require(json.array("clients")?.first?.object)
        #expect(client.string("name") == "The App")
        #expect(client.strings("redirectUris") == ["com.example.app:/cb"])
        #expect(client.object("attributes")?.string("pkce.code.challenge.method") == "S256")
        #expect(client.strings("optionalClientScopes")?.contains("offline_access") == true)
        let mappers = client.array("protocolMappers")?.compactMap(\.object) ?? []
        #expect(mappers.first?.object("config")?.string("claim.name") == #"a\.b"#)
        #expect(mappers.first?.object("config")?.string("jsonType.label") == "long")
        #expect(mappers.first?.object("config")?.string("access.token.claim") == "false")
        let again = try await RealmImportTests.read(try await field.bytes())[0].realm
        #expect(again.realm.lifetimes == new.realm.lifetimes)
        #expect(again.realm.signingAlgorithm == .es256)
        #expect(again.clients.first?.redirectURIs == app.redirectURIs)
        // Its keys are the same, under the names that Keycloak gives them.
        #expect(Set(again.keys.map(\.algorithm)) == [.rs256, .es256])
        #expect(again.keys.allSatisfy { $0.component != nil })
    }

    @Test(
        "A key that waits to sign does not sign elsewhere either; one that is retired is left out"
    )
    func keys() async throws {
        let ring = try KeyRing(random: .system)
        var new = try RealmCreation(ring: ring)(
            name: "field",
            baseURL: "https://op.example.com",
            at: RealmImportTests.noon
        )
        let (waiting, retired) = (new.keys[0].keyID, new.keys[1].keyID)
        new.keys[0].activeFrom = ExportSample.now + 1
        new.keys[1].retiredFrom = ExportSample.now
        let json = try await ExportSample(new, ring).json()
        let keys = json.object("components")?.array("org.keycloak.keys.KeyProvider") ?? []
        #expect(keys.compactMap { $0.object?.string("id") } == [waiting])
        #expect(keys.first?.object?.object("config")?.strings("active") == ["false"])
        #expect(retired != waiting)
    }

    @Test("What was changed here since is in the export, and what was not stays as it was")
    func changed() async throws {
        let harbour = try await ExportSample.harbour()
        let snapshot = try await harbour.database.realms.snapshot()
        var realm = try #require(snapshot.realms.first)
        realm.lifetimes.accessToken = 300
        realm.allowsPasswordReset = false
        realm.displayName = "Haven"
        #expect(try await harbour.database.realms.update(realm) == .changed)
        var quay = try #require(snapshot.clients.first { $0.clientID == "quay" })
        quay.isEnabled = false
        quay.mappers = []
        quay.accessTokenLifetime = nil
        quay.grantTypes.remove(.refreshToken)
        quay.optionalScopes = ["cargo"]
        quay.redirectURIs = [RedirectURI("https://quay.example/cb")]
        quay.backchannelLogoutURI = nil
        quay.backchannelLogoutSessionRequired = false
        #expect(try await harbour.database.realms.update(quay) == .changed)
        let file = Array(try Data(contentsOf: ExportSample.harbourFile))
        let report = try await harbour.diff(file)
        #expect(
            report.differences.map { "\($0.kind.rawValue) \($0.path)" }.sorted() == [
                "added clients.quay.attributes[\"access.token.lifespan\"]",
                "added clients.quay.attributes[\"backchannel.logout.url\"]",
                "added clients.quay.protocolMappers",
                "changed accessTokenLifespan", "changed clients.quay.enabled",
                "changed clients.quay.optionalClientScopes", "changed clients.quay.redirectUris",
                "changed displayName", "changed resetPasswordAllowed",
                "removed clients.quay.attributes[\"use.refresh.tokens\"]",
            ]
        )
        let json = try await harbour.json()
        #expect(json.int64("accessCodeLifespan") == 900, "out of bounds here, and as it was there")
    }

    @Test("People are written page by page, each once, and compared one by one")
    func pages() async throws {
        let users = (0..<450).map { #"{"username": "p\#($0)", "enabled": true}"# }
        let file = Array(
            #"{"realm": "r", "roles": {}, "users": [\#(users.joined(separator: ","))]}"#.utf8
        )
        let sample = try await ExportSample(file)
        let export = RealmExport(
            realms: sample.database.realms,
            people: sample.database.people,
            ring: sample.ring
        )
        var sizes: [Int] = []
        let summary = try await export(
            sample.realm.id,
            RealmExport.Contents(people: true, secrets: false),
            at: ExportSample.now
        ) { sizes.append($0.count) }
        #expect(summary?.people == 450)
        // What stands before them, three pages, and what stands behind them.
        #expect(sizes.count == 5)
        #expect(sizes.allSatisfy { $0 < 100_000 })
        let json = try await sample.json()
        let names = json.array("users")?.compactMap { $0.object?.string("username") } ?? []
        #expect(names.count == 450 && Set(names).count == 450)
        #expect(try await sample.diff(file).differences == [])
    }

    @Test("Of no realm, and with another key ring, nothing is written")
    func nothing() async throws {
        let harbour = try await ExportSample.harbour()
        let database = harbour.database
        func export(_ id: String, _ ring: KeyRing) async throws -> RealmExport.Summary? {
            try await RealmExport(realms: database.realms, people: database.people, ring: ring)(
                id,
                RealmExport.Contents(people: true, secrets: true),
                at: ExportSample.now
            ) { _ in Issue.record("Nothing may be written.") }
        }
        #expect(try await export("nowhere", harbour.ring) == nil)
        let other = try KeyRing(random: .system)
        await #expect(throws: SealError.self) { try await export(harbour.realm.id, other) }
    }
}
