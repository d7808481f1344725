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

extension RealmImport {
    static func underTest(
        _ ring: KeyRing = TestRealm.ring,
        hashing: PasswordHashing = TestRealm.hashing
    ) -> RealmImport {
        RealmImport(
            creation: RealmCreation(ring: ring),
            clients: ClientRegistration(ring: ring),
            people: PersonRegistration(hashing: hashing),
            ring: ring,
            baseURL: "https://op.example.com"
        )
    }
}

@Suite("Realm import")
struct RealmImportTests {
    static let noon = Moment(now: Date(timeIntervalSince1970: 1_795_262_400), random: .system)

    // One pool for all: it is never shut down, so it must not be given back.
    private static let hashing = PasswordHashing(threads: 2, mostWaiting: 100, random: .system)

    /// - Parameter ring: Opens what the import seals; `nil`: no one needs to.
    static func read(_ bytes: [UInt8], ring given: KeyRing? = nil) async throws
        -> [ReadRealm]
    {
        let ring = try given ?? KeyRing(random: .system)
        let realmImport = RealmImport.underTest(ring, hashing: hashing)
        do {
            return try await ReadRealm.all([RealmFile(bytes)], realmImport, at: noon)
        } catch let error as RealmFileError {
            throw error.reason
        }
    }

    static func read(_ text: String, ring: KeyRing? = nil) async throws
        -> [ReadRealm]
    {
        try await read(Array(text.utf8), ring: ring)
    }

    private func garden() async throws -> ReadRealm {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/garden.json")
        let imported = try await Self.read(Array(try Data(contentsOf: url)))
        try #require(imported.count == 1)
        return imported[0]
    }

    private func client(_ clientID: String, of new: NewRealm) throws -> Client {
        try #require(new.clients.first { $0.clientID == clientID })
    }

    @Test("A realm keeps its name, its lifetimes and its signature algorithm")
    func realm() async throws {
        let new = try await garden().realm
        #expect(new.realm.name == "garden")
        #expect(new.realm.displayName == "The Garden Shop")
        #expect(new.realm.issuer == "https://op.example.com/realms/garden")
        #expect(new.realm.isEnabled)
        #expect(!new.realm.signsInWithEmail)
        #expect(new.realm.signsOutByHintAlone, "its apps sign out by a bare request")
        #expect(new.realm.signingAlgorithm == .es256)
        var lifetimes = Realm.Lifetimes()
        lifetimes.accessToken = 240
        lifetimes.code = 45
        lifetimes.sessionIdle = 900
        lifetimes.sessionMaximum = 28_800
        lifetimes.offlineIdle = 1_296_000
        lifetimes.offlineMaximum = 7_776_000
        #expect(new.realm.lifetimes == lifetimes)
        // EdDSA because a client asks for it.
        #expect(Set(new.keys.map(\.algorithm)) == [.es256, .rs256, .edDSA])
    }

    @Test("A confidential client keeps its secret, sealed, its addresses and its scopes")
    func confidentialClient() async throws {
        let client = try client("garden-web", of: try await garden().realm)
        #expect(client.type == .confidential && client.authentication == .clientSecretBasic)
        guard case .sealed(let sealed) = try #require(client.secret) else {
            Issue.record("The secret is not sealed.")
            return
        }
        #expect(!sealed.contains("garden"))
        #expect(
            client.redirectURIs.map(\.text)
                == ["/signed-in", "https://garden.example/callback", "https://garden.example/*"]
        )
        #expect(
            client.postLogoutRedirectURIs.map(\.text)
                == ["+", "https://garden.example/bye", "https://garden.example/x/*"]
        )
        #expect(client.webOrigins == ["+", "https://admin.garden.example/", "*"])
        #expect(client.rootURI == "https://garden.example")
        #expect(client.grantTypes == [.authorizationCode, .refreshToken, .clientCredentials])
        #expect(client.codeProtection == .pkce && client.requiresConsent && client.isEnabled)
        #expect(client.accessTokenLifetime == 600)
        #expect(client.idTokenAlgorithm == .rs256)
        // Those that the file's realm has.
        #expect(client.defaultScopes == ["tools"])
        #expect(client.optionalScopes == ["harvest"])
    }

    @Test("Decision 0032: a public client whose realm did not force PKCE gets it as optional")
    func publicClient() async throws {
        let imported = try await garden()
        let client = try client("garden-app", of: imported.realm)
        #expect(client.type == .public && client.authentication == .none && client.secret == nil)
        #expect(client.codeProtection == .none)
        #expect(
            client.redirectURIs.map(\.text) == [
                "com.example.garden:/cb", "http://127.0.0.1/cb", "garden://cb",
                "http://localhost:4200/*",
            ]
        )
        #expect(client.postLogoutRedirectURIs.map(\.text) == ["-"])
        #expect(client.grantTypes == [.authorizationCode])
        // Without full scope it sees its own roles only.
        #expect(!client.seesAllRoles)
        // Keycloak's own scopes are the default, and the file's realm has none of them.
        #expect(client.defaultScopes.isEmpty && client.optionalScopes.isEmpty)
        let lines = imported.report.lines.filter { $0.subject == "client garden-app" }
        #expect(lines.contains { $0.words.contains("PKCE is optional") })
    }

    @Test("RFC 7523: a client that signs assertions keeps its registered keys")
    func signingClient() async throws {
        let new = try await garden().realm
        let pump = try client("pump", of: new)
        #expect(pump.authentication == .privateKeyJWT && pump.secret == nil)
        #expect(pump.keySet?.object?.array("keys")?.count == 1)
        #expect(pump.grantTypes == [.clientCredentials])
        #expect(pump.accessTokenAlgorithm == .edDSA)
        let meter = try client("meter", of: new)
        #expect(meter.grantTypes.isEmpty)
        guard case .hashed = try #require(meter.secret) else {
            Issue.record("A masked secret was taken for one.")
            return
        }
    }

    @Test("The report says what was left out or changed, and no secret")
    func report() async throws {
        let report = try await garden().report
        func says(_ outcome: ImportReport.Outcome, _ subject: String, _ words: String) -> Bool {
            report.says(outcome, subject, words)
        }
        #expect(says(.changed, "client account", "Keycloak's own"))
        #expect(says(.read, "client garden-web", "redirect URI https://garden.example/*"))
        #expect(says(.read, "client garden-web", "https://garden.example/x/*"))
        #expect(says(.skipped, "client garden-web", "https://old.garden.example/cb#x"))
        #expect(says(.changed, "client garden-web", "implicit flow is switched off"))
        #expect(says(.changed, "client garden-web", "password grant is switched off"))
        #expect(says(.skipped, "client garden-web", "scope offline_access"))
        #expect(!says(.skipped, "client garden-web", "mapper nested"))
        #expect(says(.skipped, "client garden-web", "mapper who"))
        #expect(says(.skipped, "client garden-web", "mapper script"))
        #expect(says(.read, "client garden-app", "garden://cb"))
        #expect(says(.read, "client garden-app", "http://localhost:4200/*"))
        #expect(says(.disabled, "client certificate-only", "authentication"))
        #expect(says(.changed, "client meter", "make a new one"))
        #expect(says(.skipped, "client https://old.example/sp", "OpenID Connect"))
        #expect(says(.skipped, "role bad\\u{a}name", "one line"))
        #expect(says(.skipped, "roles of nowhere", "not imported"))
        #expect(
            says(.read, "user rose", "second factor (otp)")
                || says(.weaker, "user rose", "second factor (otp)")
        )
        #expect(says(.skipped, "user Rose", "unknown-role"))
        #expect(says(.changed, "user basil", "new id"))
        #expect(says(.changed, "user basil", "email"))
        #expect(says(.skipped, "user thyme", "its password: credentialData.hashIterations"))
        #expect(says(.read, "user service-account-pump", "without a password"))
        #expect(says(.skipped, "user ROSE", "twice"))
        #expect(says(.read, "user two words", "password"))
        #expect(report.lines(.read).contains { $0.subject == "group /Growers" })
        for field in ["browserFlow", "loginTheme", "sslRequired"] {
            #expect(report.lines(.ignored).contains { $0.subject == field }, "\(field)")
        }
        let text = report.lines.map { $0.subject + $0.words }.joined()
        for secret in ["a-chosen-secret-of-the-garden", "compost-heap-at-noon", "weed"] {
            #expect(!text.contains(secret))
        }
    }
}
