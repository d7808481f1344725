import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("What Keycloak puts into every realm, for realms of files")
struct CompletedRealmTests {
    private let scene: OverwriteScene
    private var database: TestDatabase { scene.database }

    init() throws {
        scene = try OverwriteScene()
    }

    private func write(_ text: String) async throws -> RealmImporter.Staged {
        try await scene.write(text)
    }

    private static let file = #"""
        {"realm": "r", "enabled": true,
         "clients": [{"clientId": "jobs", "secret": "a secret that is long", "serviceAccountsEnabled": true}],
         "users": [{"username": "ann", "enabled": true, "realmRoles": ["offline_access"],
                    "clientRoles": {"realm-management": ["realm-admin"], "account": ["view-profile"]}}]}
        """#

    @Test("J2: a hand-written file's realm has Keycloak's clients, its roles and a default role")
    func handWritten() async throws {
        let report = try await write(Self.file).report
        let snapshot = try await database.realms.snapshot()
        let realm = try #require(snapshot.realms.first)
        let clients = Set(snapshot.clients.map(\.clientID))
        #expect(clients == Client.builtIn.union(["jobs"]))
        let roles = Set(try await database.realms.roles(realmID: realm.id).map(\.roleName))
        for (client, name) in [
            (nil, "offline_access"), (nil, "uma_authorization"), (nil, "default-roles-r"),
            ("realm-management", "realm-admin"), ("account", "manage-account"),
            ("broker", "read-token"),
        ] { #expect(roles.contains(RoleName(clientID: client, name: name)), "\(name)") }
        #expect(realm.defaultRoles == [RoleName(clientID: nil, name: "default-roles-r")])
        let ann = try await database.people.person(
            id: Person.madeID(of: "ann", in: realm.id),
            realmID: realm.id
        )
        #expect(
            ann?.roles.count == 3 && report.lines(.skipped).isEmpty,
            "\(report.lines(.skipped))"
        )
    }

    @Test(
        "J1: a client that acts for itself has an account, whose tokens have a sub and the default roles"
    )
    func account() async throws {
        _ = try await write(Self.file)
        let client = try await database.realms.snapshot().clients.first { $0.clientID == "jobs" }
        let id = try #require(client?.id)
        let realmID = try #require(client?.realmID)
        let account = try await database.people.serviceAccount(of: id, realmID: realmID)
        #expect(account?.person.username == "service-account-jobs")
        #expect(account?.roles == [RoleName(clientID: nil, name: "default-roles-r")])
        // The same file again changes nothing, and makes no second one.
        let again = try await write(Self.file)
        #expect(again.differences?.isEmpty == true, "\(again.report.lines)")
        let same = try await database.people.serviceAccount(of: id, realmID: realmID)
        #expect(same?.person.id == account?.person.id)
        #expect(try await scene.diff(Self.file) == [])
    }

    @Test(
        "A file that has them keeps its own; an old one's default roles stay lists; a master is another"
    )
    func own() async throws {
        let read = try await RealmImportTests.read(
            #"""
            [{"realm": "a", "clients": [{"clientId": "account", "baseUrl": "/own"}],
              "roles": {"realm": [{"name": "staff"}], "client": {"account": [{"name": "only"}]}},
              "defaultRoles": ["staff"]},
             {"realm": "master"}]
            """#
        )
        let first = read[0].realm
        #expect(first.roles.filter { $0.clientID == "account" }.map(\.name) == ["only"])
        #expect(first.realm.defaultRoles == [RoleName(clientID: nil, name: "staff")])
        #expect(first.clients.count { $0.clientID == "account" } == 1)
        let master = read[1].realm
        #expect(master.clients.contains { $0.clientID == "master-realm" })
        #expect(!master.clients.contains { $0.clientID == "realm-management" })
        #expect(master.roles.contains { $0.name == "admin" && $0.clientID == nil })
    }

    @Test(
        "A realm that is here has another default role only where the file describes it and says so"
    )
    func defaultRole() async throws {
        let moment = Moment(now: RealmImportTests.noon.now, random: .system)
        var new = try RealmCreation(ring: TestRealm.ring)(
            name: "r",
            baseURL: "https://op.example.com",
            at: moment
        )
        new.roles = [
            Role(id: "m", realmID: new.realm.id, clientID: nil, name: "member", description: "")
        ]
        new.realm.defaultRoles = [RoleName(clientID: nil, name: "member")]
        #expect(try await database.realms.create(new) == .created)
        for (said, expected) in [
            ("", "member"), (#""defaultRole": {"name": "nowhere"},"#, "member"),
            (
                #""defaultRole": {"name": "everyone"}, "roles": {"realm": [{"name": "everyone"}]},"#,
                "everyone"
            ),
            ("", "everyone"),
        ] {
            let report = try await write(#"{"realm": "r", \#(said) "enabled": true}"#).report
            let realm = try #require(try await database.realms.realm(id: new.realm.id))
            #expect(realm.defaultRoles == [RoleName(clientID: nil, name: expected)], "\(said)")
            let isSkipped = report.says(.skipped, "realm", "default role nowhere")
            #expect(isSkipped == said.contains("nowhere"))
        }
    }

    @Test("A8: the report says whom a file makes an administrator, and by what")
    func administers() async throws {
        let read = try await RealmImportTests.read(
            #"""
            [{"realm": "a", "enabled": true, "registrationAllowed": true,
              "defaultRole": {"name": "everyone"},
              "roles": {"realm": [{"name": "everyone", "composites": {"realm": ["boss"]}},
                  {"name": "boss", "composites": {"client": {"realm-management": ["realm-admin"]}}},
                  {"name": "plain"}]},
              "groups": [{"name": "it", "clientRoles": {"realm-management": ["view-users"]},
                          "subGroups": [{"name": "night"}]}, {"name": "others", "realmRoles": ["plain"]}],
              "clients": [{"clientId": "jobs", "serviceAccountsEnabled": true}],
              "users": [{"username": "ann", "realmRoles": ["boss"]}, {"username": "bob", "groups": ["/it/night"]},
                        {"username": "cid", "realmRoles": ["plain"], "groups": ["/others"]},
                        {"username": "service-account-jobs", "serviceAccountClientId": "jobs",
                         "clientRoles": {"realm-management": ["manage-users"]}}]},
             {"realm": "master", "enabled": true, "users": [{"username": "root", "realmRoles": ["admin"]}]},
             {"realm": "calm", "registrationAllowed": true, "users": [{"username": "ann"}]}]
            """#
        )
        let viewing =
            "realm-management/query-groups, realm-management/query-users, realm-management/view-users"
        let lines = read.map { read in
            read.report.lines(.administers).map { "\($0.subject): \($0.words)" }
        }
        #expect(
            Set(lines[0]) == [
                "group it: \(viewing): its members administer the realm",
                "group night: \(viewing): its members administer the realm",
                "role everyone: realm-management/realm-admin: everyone who registers gets it, and administers the realm",
                "user ann: realm-management/realm-admin: administers the realm",
                "user bob: \(viewing): administers the realm",
                "user service-account-jobs: realm-management/manage-users: a client's own account, which administers the realm",
            ]
        )
        #expect(
            Set(lines[1]) == [
                "realm master: its administrators administer every realm, where admin.master is on",
                "user root: admin: administers realms of this server",
            ]
        )
        #expect(lines[2] == [])
        let outcomes = read[0].report.groups.map(\.outcome)
        #expect(
            outcomes
                == outcomes.sorted { one, other in
                    let all = ImportReport.Outcome.allCases
                    return (all.firstIndex(of: one) ?? 0) < (all.firstIndex(of: other) ?? 0)
                }
        )
    }

    @Test("K14: right after an import nothing differs, but for what someone changed")
    func diff() async throws {
        let file = #"""
            {"realm": "r", "enabled": true,
             "clients": [{"clientId": "saml", "protocol": "saml"}, {"clientId": "account", "secret": "x"},
                         {"clientId": "spa", "publicClient": true, "secret": "dummy"},
                         {"clientId": "cert", "clientAuthenticatorType": "client-x509", "secret": "beside"}],
             "roles": {"client": {"saml": [{"name": "there"}]}},
             "components": {"org.keycloak.keys.KeyProvider": [
                {"name": "aes-generated", "providerId": "aes-generated", "config": {"secret": ["c2VjcmV0"]}},
                {"name": "rsa-generated", "providerId": "rsa-generated", "config": {"privateKey": ["**********"]}}]}}
            """#
        let sample = try await ExportSample(Array(file.utf8))
        let report = try await sample.diff(Array(file.utf8))
        #expect(report.differences == [])
        let other = file.replacing(
            #""enabled": true"#,
            with: #""enabled": true, "verifyEmail": true"#
        )
        #expect(try await sample.diff(Array(other.utf8)).counts.count == 1)
    }
}
