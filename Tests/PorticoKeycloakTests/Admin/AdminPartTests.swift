import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What is kept of a realm and acts on nothing, by the administration.
@Suite("Kept parts by the administration") struct AdminPartTests {
    private static let base = "/identity-provider/instances"
    private static let google = #"""
        {"alias": "google", "providerId": "google",
         "config": {"clientId": "a", "clientSecret": "hidden-here"}}
        """#

    private func secret(_ admin: AdminUnderTest) async throws -> String? {
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let part = try await admin.server.database.realms.parts(
            "identityProviders",
            realmID: realmID
        )
        let secrets = RealmSecrets(ring: TestRealm.ring, areShown: true)
        return try part.first.map { try secrets.whole($0) }?.object("config")?
            .string("clientSecret")
    }

    @Test(
        "KC-A-2: identity providers are kept as data, with masked secrets that stay what they are"
    )
    func providers() async throws {
        let admin = try await AdminUnderTest(["manage-identity-providers"])
        let token = try await admin.token("manage-identity-providers")
        let made = try await admin.send(.post, Self.base, Self.google, by: token)
        #expect(made.status == 201 && made.madeID == "google", "\(made.text)")
        let again = try await admin.send(.post, Self.base, Self.google, by: token)
        #expect(again.status == 409)
        #expect(again.json == ["errorMessage": "Identity Provider google already exists"])
        let list = try await admin.send(.get, Self.base, by: token)
        #expect(list.list.map { $0.string("alias") } == ["google"])
        let path = "\(Self.base)/google"
        let one = try await admin.send(.get, path, by: token)
        #expect(one.json.object("config")?.string("clientSecret") == "**********")
        #expect(one.json.bool("enabled") == true && one.json.string("internalId") != nil)
        #expect(!(list.text + one.text).contains("hidden-here"))
        // As it was read, with one change.
        var changed = one.json
        changed["displayName"] = "Google"
        let body = String(decoding: changed.serialized(), as: UTF8.self)
        #expect(try await admin.send(.put, path, body, by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).json.string("displayName") == "Google")
        #expect(try await secret(admin) == "hidden-here")
        let other = #"{"alias": "facebook"}"#
        #expect(try await admin.send(.put, path, other, by: token).status == 400)
        let unknown = #"{"alias": "x", "nonsense": 1}"#
        #expect(try await admin.send(.post, Self.base, unknown, by: token).status == 400)
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).status == 404)
        #expect(try await admin.send(.get, Self.base, by: token).text == "[]")
    }

    @Test("attack: identity providers are seen and changed with their own rights only")
    func rights() async throws {
        let admin = try await AdminUnderTest(
            ["view-identity-providers", "manage-realm+manage-users", "realm-admin"]
        )
        let root = try await admin.token("realm-admin")
        let viewer = try await admin.token("view-identity-providers")
        let helper = try await admin.token("manage-realm+manage-users")
        #expect(try await admin.send(.post, Self.base, Self.google, by: root).status == 201)
        #expect(try await admin.send(.get, Self.base, by: viewer).status == 200)
        #expect(try await admin.send(.get, Self.base, by: helper).status == 403)
        let path = "\(Self.base)/google"
        let attempts: [(HTTPRequest.Method, String, String?)] = [
            (.post, Self.base, #"{"alias": "mine"}"#), (.put, path, #"{"enabled": false}"#),
            (.delete, path, nil),
        ]
        for (method, path, body) in attempts {
            for token in [viewer, helper] {
                let reply = try await admin.send(method, path, body, by: token)
                #expect(reply.status == 403, "\(method) \(path)")
            }
        }
        #expect(try await admin.send(.get, path, by: root).json.bool("enabled") == true)
    }

    @Test("KC-A-2: flows and required actions are those of the file, or those that act here")
    func parts() async throws {
        let more = #"""
            "authenticationFlows": [{"id": "f1", "alias": "browser", "topLevel": true}],
            "requiredActions": [{"alias": "VERIFY_EMAIL", "enabled": true}],
            "localizationTexts": {"de": {"a": "b"}},
            """#
        let admin = try await AdminUnderTest(["view-realm", "view-users"], more: more)
        let token = try await admin.token("view-realm")
        let flows = try await admin.send(.get, "/authentication/flows", by: token).list
        #expect(flows.map { $0.string("alias") } == ["browser"])
        let path = "/authentication/required-actions"
        let actions = try await admin.send(.get, path, by: token).list
        #expect(actions.map { $0.string("alias") } == ["VERIFY_EMAIL"])
        #expect(try await admin.send(.get, path + "/VERIFY_EMAIL", by: token).status == 200)
        #expect(try await admin.send(.get, path + "/NONSENSE", by: token).status == 404)
        let viewer = try await admin.token("view-users")
        for path in [path, "/authentication/flows", "/localization"] {
            #expect(try await admin.send(.get, path, by: viewer).status == 403)
        }
        let bare = try await AdminUnderTest(["view-realm"])
        let own = try await bare.send(.get, path, by: try await bare.token("view-realm")).list
        #expect(own.compactMap { $0.string("alias") }.contains("UPDATE_PASSWORD"))
    }
}
