import Foundation
import PorticoAdministration
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("Realm files that are refused or incomplete")
struct RealmImportRefusalTests {
    private func refusal(_ text: String) async throws -> RealmImportError? {
        do {
            _ = try await RealmImportTests.read(text)
            return nil
        } catch let error as RealmImportError {
            return error
        }
    }

    @Test(
        "A member of another type is refused with the place where it stands",
        arguments: [
            (#"7"#, ""),
            (#"{"realm": {}}"#, "realm"),
            (#"{"realm": "r", "enabled": "yes"}"#, "enabled"),
            (#"{"realm": "r", "accessTokenLifespan": "soon"}"#, "accessTokenLifespan"),
            (#"{"realm": "r", "accessTokenLifespan": 1e300}"#, "accessTokenLifespan"),
            (#"{"realm": "r", "clients": {}}"#, "clients"),
            (#"{"realm": "r", "clients": [{"clientId": "a"}, 7]}"#, "clients[1]"),
            (
                #"{"realm": "r", "clients": [{"clientId": "a", "redirectUris": ["x", {}]}]}"#,
                "clients[0].redirectUris[1]"
            ),
            (
                #"{"realm": "r", "clients": [{"clientId": "a", "attributes": {"jwks.string": []}}]}"#,
                "clients[0].attributes.jwks.string"
            ),
            (#"{"realm": "r", "roles": []}"#, "roles"),
            (
                #"{"realm": "r", "clients": [{"clientId": "a\u001b"}], "roles": {"client": {"a\u001b": 7}}}"#,
                #"roles.client.a\u{1b}"#
            ),
            (
                #"[{"realm": "r"}, {"realm": "s", "enabled": true, "users": [{"username": []}]}]"#,
                "[1].users[0].username"
            ),
            (
                #"{"realm": "r", "enabled": true, "users": [{"username": "u", "attributes": {"a": {}}}]}"#,
                "users[0].attributes.a"
            ),
            (
                #"{"realm": "r", "enabled": true, "users": [{"username": "u", "credentials": "secret"}]}"#,
                "users[0].credentials"
            ),
            (
                #"{"realm": "r", "enabled": true, "users": [{"username": "u", "credentials": [{"type": "otp", "credentialData": {}}]}]}"#,
                "users[0].credentials[0].credentialData"
            ),
            (
                #"{"realm": "r", "enabled": true, "users": [{"username": "u", "clientConsents": [7]}]}"#,
                "users[0].clientConsents[0]"
            ),
            (
                #"{"realm": "r", "groups": [{"name": "g", "subGroups": [{"name": "h", "attributes": {"a": {}}}]}]}"#,
                "groups[0].subGroups[0].attributes.a"
            ),
            (
                #"{"realm": "r", "clientScopes": [{"name": "s", "protocolMappers": [{"config": {"a": []}}]}]}"#,
                "clientScopes[0].protocolMappers[0].config.a"
            ),
            (#"{"realm": "r", "clientScopeMappings": {"a": 7}}"#, "clientScopeMappings.a"),
            (#"{"realm": "r", "components": {"x": [7]}}"#, "components.x[0]"),
            (#"{"realm": "r", "smtpServer": []}"#, "smtpServer"),
        ]
    )
    func wrongType(text: String, path: String) async throws {
        let refusal = try await refusal(text)
        #expect(refusal?.path == path)
        guard case .wrongType = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
    }

    @Test(
        "What names a thing must be there",
        arguments: [
            (#"{}"#, "realm"), (#"{"realm": ""}"#, "realm"), (#"[{}]"#, "[0].realm"),
            (#"{"realm": "r", "clients": [{}]}"#, "clients[0].clientId"),
            (#"{"realm": "r", "enabled": true, "users": [{}]}"#, "users[0].username"),
            (#"{"realm": "r", "roles": {"realm": [{}]}}"#, "roles.realm[0].name"),
            (#"{"realm": "r", "clientScopes": [{}]}"#, "clientScopes[0].name"),
            (
                #"{"realm": "r", "groups": [{"name": "g", "subGroups": [{}]}]}"#,
                "groups[0].subGroups[0].name"
            ),
        ]
    )
    func missing(text: String, path: String) async throws {
        #expect(try await refusal(text) == .missing(path: path))
    }

    @Test("A realm whose name cannot stand in an address, or stands twice in a file, is refused")
    func names() async throws {
        #expect(try await refusal(#"{"realm": "a/b"}"#) == .realm(path: "realm", .name))
        #expect(
            try await refusal(#"[{"realm": "a"}, {"realm": "a"}]"#) == .repeatedRealm(path: "[1]")
        )
    }

    @Test(
        "RFC 8259: a file that is not strict JSON is refused",
        arguments: [
            ("", JSONError.unexpectedEnd), ("{\"realm\": \"r\",}", .unexpectedByte),
            ("{\"realm\": \"r\", \"realm\": \"s\"}", .duplicateName),
            (#"{"x": "# + String(repeating: "[", count: 100_000), .tooDeep),
        ]
    )
    func notJSON(text: String, error: JSONError) async throws {
        guard case .notJSON(let read)? = try await refusal(text) else {
            Issue.record("not refused as JSON: \(text.prefix(40))")
            return
        }
        #expect(read.reason == .json(error))
    }

    @Test("What is missing has Keycloak's defaults, and null is missing")
    func defaults() async throws {
        let imported = try await RealmImportTests.read(
            """
            [{"realm": "r", "displayName": null, "clients": null, "users": null, "roles": null},
             {"realm": "s", "enabled": true, "accessTokenLifespan": 0, "ssoSessionIdleTimeout": -5,
              "clients": [{"clientId": "a", "redirectUris": ["https://a.example/cb"]}]}]
            """
        )
        #expect(imported.map(\.realm.realm.name) == ["r", "s"])
        let empty = imported[0].realm
        #expect(!empty.realm.isEnabled && empty.people.isEmpty)
        #expect(Set(empty.clients.map(\.clientID)) == Client.builtIn)
        #expect(empty.realm.displayName == "r")
        let realm = imported[1].realm.realm
        #expect(realm.signingAlgorithm == .rs256)
        #expect(realm.signsInWithEmail)
        #expect(realm.lifetimes.accessToken == 300)
        #expect(realm.lifetimes.sessionIdle == 60)
        let client = try #require(imported[1].realm.clients.first)
        #expect(client.isEnabled && client.type == .confidential && client.codeProtection == .none)
        #expect(client.grantTypes == [.authorizationCode, .refreshToken])
    }

    @Test(
        "Every kind of file that Keycloak writes is read without a trap, with a report",
        arguments: [
            // An old version's realm without its people, and those in a file beside it.
            ("orchard", ["orchard"]),
            // A newer version's server, in one file: service accounts, brokers, authorization services.
            ("several", ["master", "market", "shed"]),
            // By hand.
            ("kiosk", ["kiosk"]),
        ]
    )
    func exports(file: String, names: [String]) async throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/\(file).json")
        let imported = try await RealmImportTests.read(Array(try Data(contentsOf: url)))
        #expect(imported.map(\.realm.realm.name) == names)
        for one in imported {
            #expect(!one.report.lines.isEmpty)
            let names = Set(one.realm.roles.map(\.roleName))
            let groups = Set(one.realm.groups.map(\.group.id))
            for person in one.realm.people {
                #expect(names.isSuperset(of: person.roles))
                #expect(groups.isSuperset(of: person.groupIDs))
            }
            #expect(one.realm.groups.allSatisfy { names.isSuperset(of: $0.roles) })
            #expect(names.isSuperset(of: one.realm.roleParts.map(\.part)))
            #expect(names.isSuperset(of: one.realm.roleLimits.map(\.role)))
            for client in one.realm.clients where Client.builtIn.contains(client.clientID) {
                #expect(client.type == .public && client.secret == nil)
                // What the password grant of the realm master gives.
                let refreshes = client.clientID == "admin-cli" && one.realm.realm.name == "master"
                #expect(client.grantTypes == (refreshes ? [.refreshToken] : []))
                #expect(client.redirectURIs.isEmpty)
            }
        }
    }
}
