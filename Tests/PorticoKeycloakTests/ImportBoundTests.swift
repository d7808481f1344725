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

@Suite("Realm import: what is too long to be kept")
struct ImportBoundTests {
    private static let longest = RealmImport.longestDocument

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Each with one thing that is a little too long: every process would read it, and none could.
    private static let long = [
        #""clients": [{"clientId": "a", "publicClient": true, "description": "TEXT"}]"#,
        #""clients": [{"clientId": "account", "description": "TEXT"}]"#,
        #""clientScopes": [{"name": "a", "description": "TEXT"}]"#,
        #""identityProviders": [{"alias": "a", "providerId": "TEXT"}]"#,
        #""displayNameHtml": "TEXT""#,
    ]

    @Test(
        "A document that is longer than the store reads is refused, wherever it stands",
        arguments: long
    )
    func documents(_ members: String) async throws {
        await #expect(throws: RealmImportError.tooLarge(path: "")) {
            _ = try await ImportSample.realm(
                members.replacing("TEXT", with: Self.text(Self.longest + 1))
            )
        }
        _ = try await ImportSample.realm(
            members.replacing("TEXT", with: Self.text(Self.longest - 4096))
        )
    }

    @Test("What is sealed of a part opens again, or the file is refused")
    func sealed() async throws {
        func members(_ count: Int) -> String {
            #""identityProviders": [{"alias": "a", "config": {"clientSecret": "\#(Self.text(count))"}}]"#
        }
        let ring = try KeyRing(random: .system)
        // Base64 is a third longer.
        let realm = try await ImportSample.realm(
            members(RealmPartSeal.longest / 4 * 3 - 200),
            ring: ring
        )
        let part = try #require(realm.realm.parts.first)
        let secrets = try RealmPartSeal(ring: ring).open(
            try #require(part.sealed),
            of: part.kind,
            id: part.id,
            realmID: part.realmID
        )
        #expect(secrets.object("config")?.string("clientSecret")?.utf8.count ?? 0 > 700_000)
        await #expect(throws: RealmImportError.tooLarge(path: "")) {
            _ = try await ImportSample.realm(members(RealmPartSeal.longest / 4 * 3 + 200))
        }
    }

    @Test("KC-M-1: a person who is longer than lists of people may be is refused with the place")
    func person() async throws {
        let scene = try OverwriteScene()
        func file(_ count: Int) -> String {
            #"""
            {"realm": "a", "enabled": true, "users": [{"username": "ann", "enabled": true},
                {"username": "bob", "enabled": true, "other": "\#(Self.text(count))"}]}
            """#
        }
        do {
            try await scene.write(file(Self.longest + 1))
            Issue.record("It was imported.")
        } catch let error as RealmFileError {
            guard case .tooLarge(let path) = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(path.hasPrefix("users[1]"), "\(path)")
        }
        #expect(try await scene.database.realms.snapshot().realms.isEmpty)
        try await scene.importer().abandon()
        try await scene.write(file(1000))
        #expect(try await scene.realm.name == "a")
    }

    @Test(
        "Decision 0038: the secret of the mail server's token stands in no export without secrets"
    )
    func mailSecret() async throws {
        let file = #"""
            {"realm": "a", "enabled": true, "smtpServer": {"host": "mail.example.com",
                "authTokenClientSecret": "s3cret of the mail"}}
            """#
        let sample = try await ExportSample(Array(file.utf8))
        let open = try await sample.json(secrets: false)
        #expect(open.object("smtpServer")?.string("host") == "mail.example.com")
        #expect(open.object("smtpServer")?.string("authTokenClientSecret") == RealmSecrets.mask)
        let whole = try await sample.json(secrets: true)
        #expect(
            whole.object("smtpServer")?.string("authTokenClientSecret") == "s3cret of the mail"
        )
    }

    @Test("KC-M-1: an export says who may register as it is here now")
    func registration() async throws {
        let file = #"{"realm": "a", "enabled": true, "registrationAllowed": true}"#
        let sample = try await ExportSample(Array(file.utf8))
        #expect(try await sample.json().bool("registrationAllowed") == true)
        #expect(try await sample.json().bool("registrationEmailAsUsername") != true)
        var realm = sample.realm
        realm.registration = .email
        #expect(try await sample.database.realms.update(realm, replacing: nil) == .changed)
        #expect(try await sample.json().bool("registrationEmailAsUsername") == true)
        realm.registration = nil
        #expect(try await sample.database.realms.update(realm, replacing: nil) == .changed)
        #expect(try await sample.json().bool("registrationAllowed") == false)
    }
}

@Suite("Realm import: what a file may not take")
struct ImportKeepsTests {
    @Test("decision 0053: what a client may not lend stays so when a file is written over it")
    func lends() async throws {
        let scene = try OverwriteScene()
        func file(_ description: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true,
                "description": "\#(description)", "portico.lends": ["realm-admin"]}],
             "users": [{"id": "p-1", "username": "ann", "enabled": true}]}
            """#
        }
        try await scene.write(file("one"))
        let lent = RoleName(clientID: AdminRights.management, name: "view-users")
        try await scene.change(client: "c") { $0.lends = [lent] }
        try await scene.write(file("two"))
        let client = try #require(try await scene.client("c"))
        #expect(client.kept["description"] == "two")
        #expect(client.lends == [lent])
    }

    @Test("KC-M-1: of a key that a partial export masks, the report says nothing that is not so")
    func maskedKey() async throws {
        let scene = try OverwriteScene()
        let file = #"""
            {"realm": "a", "enabled": true, "components": {"org.keycloak.keys.KeyProvider": [
                {"name": "rsa", "providerId": "rsa-generated", "config": {"privateKey": ["**********"]}}]}}
            """#
        #expect(try await scene.write(file).report.says(.skipped, "key rsa", "is void"))
        let words = "not taken: keys that are here stay as they are"
        #expect(try await scene.write(file).report.says(.read, "key rsa", words))
    }
}
