import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Parts of a realm's file that are changed over HTTP: what protects people there is no empty word here,
/// and the rest of them stays.
@Suite("Parts of a file by the administration") struct AdminKeptPartTests {
    private static let actions = "/authentication/required-actions"

    /// A part, with its secrets.
    private func part(_ kind: String, _ id: String, _ admin: AdminUnderTest) async throws
        -> JSONObject
    {
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let parts = try await admin.server.database.realms.parts(kind, realmID: realmID)
        let part = try #require(parts.first { $0.id == id }, "\(parts.map(\.id))")
        return try RealmSecrets(ring: TestRealm.ring, areShown: true).whole(part)
    }

    @Test(
        "KC-M-2: an action that nothing here asks for does not become one for every new person",
        arguments: ["webauthn-register", "CONFIGURE_RECOVERY_AUTHN_CODES", "UPDATE_PROFILE"]
    )
    func unasked(alias: String) async throws {
        let admin = try await AdminUnderTest(
            more: #"""
                "requiredActions": [{"alias": "\#(alias)", "name": "It", "enabled": true},
                    {"alias": "there", "enabled": true, "defaultAction": true},
                    {"alias": "CONFIGURE_TOTP", "enabled": false}],
                """#
        )
        let token = try await admin.token("realm-admin")
        func put(_ alias: String, _ body: String) async throws -> Int {
            try await admin.send(.put, "\(Self.actions)/\(alias)", body, by: token).status
        }
        #expect(try await put(alias, #"{"defaultAction": true}"#) == 400)
        #expect(try await part("requiredActions", alias, admin)["defaultAction"] == nil)
        #expect(try await put(alias, #"{"enabled": false, "defaultAction": true}"#) == 204)
        #expect(try await put(alias, #"{"enabled": true}"#) == 400)
        // One that came so stays, and those that pages lead through may be asked.
        #expect(try await put("there", #"{"name": "There"}"#) == 204)
        let asked = #"{"enabled": true, "defaultAction": true}"#
        #expect(try await put("CONFIGURE_TOTP", asked) == 204)
        let made = try await admin.send(.post, "/users", #"{"username": "eve"}"#, by: token)
        let eve = try await admin.send(.get, "/users/\(made.madeID)", by: token).json
        #expect(Set(eve.strings("requiredActions") ?? []) == ["there", "CONFIGURE_TOTP"])
    }

    @Test("attack: a setting of a required action is shown, or lost by a change of another one")
    func actionSecrets() async throws {
        let admin = try await AdminUnderTest(
            more: #"""
                "requiredActions": [
                    {"alias": "one", "enabled": true, "config": {"secret": "hidden-one"}},
                    {"alias": "two", "enabled": true, "config": {"password": "hidden-two"}}],
                """#
        )
        let token = try await admin.token("realm-admin")
        let path = "\(Self.actions)/two"
        let shown = try await admin.send(.get, path, by: token)
        #expect(shown.json.object("config") == ["password": "**********"])
        for body in [#"{"priority": 7}"#, shown.text] {
            #expect(try await admin.send(.put, path, body, by: token).status == 204)
            let (one, two) = (
                try await part("requiredActions", "one", admin),
                try await part("requiredActions", "two", admin)
            )
            #expect(one.object("config") == ["secret": "hidden-one"], "\(body)")
            #expect(two.object("config") == ["password": "hidden-two"], "\(body)")
        }
        let new = #"{"config": {"password": "hidden-new", "a": "b"}}"#
        #expect(try await admin.send(.put, path, new, by: token).status == 204)
        let all = try await admin.send(.get, Self.actions, by: token)
        #expect(all.list.count == 2 && !all.text.contains("hidden-"), "\(all.text)")
        let two = try await part("requiredActions", "two", admin)
        #expect(two.object("config") == ["a": "b", "password": "hidden-new"])
    }

    @Test("KC-A-2: policies for clients in a PUT of the realm are kept or refused as by themselves")
    func realmPolicies() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/client-policies/policies"
        let off = #"{"policies": [{"name": "a", "enabled": false}]}"#
        #expect(try await admin.send(.put, path, off, by: token).status == 204)
        let kept = try await admin.send(.get, path, by: token).json.array("policies")
        let on = #"{"policies": [{"name": "a", "enabled": true}]}"#
        let profiles = "/client-policies/profiles"
        let profile = #"{"profiles": [{"name": "p", "executors": []}]}"#
        let refused = #"{"displayName": "Acme", "clientPolicies": \#(on)}"#
        #expect(try await admin.send(.put, "", refused, by: token).status == 400)
        let realm = try await admin.send(.get, "", by: token).json
        #expect(realm.string("displayName") != "Acme")
        #expect(try await admin.send(.get, path, by: token).json.array("policies") == kept)
        let none = #"{"clientPolicies": {"policies": []}, "clientProfiles": {"profiles": []}}"#
        #expect(try await admin.send(.put, "", none, by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).json == ["policies": []])
        #expect(try await admin.send(.get, profiles, by: token).json == ["profiles": []])
        let both = #"{"clientPolicies": \#(off), "clientProfiles": \#(profile)}"#
        #expect(try await admin.send(.put, "", both, by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).json.array("policies") == kept)
        let listed = try await admin.send(.get, profiles, by: token).json.array("profiles")
        #expect(listed == [["name": "p", "executors": []]])
    }

    @Test("KC-A-2: a policy that came with a file is taken back as it is shown, and no other")
    func importedPolicies() async throws {
        let admin = try await AdminUnderTest(
            more: #""clientPolicies": {"policies": [{"name": "a", "enabled": true}]},"#
        )
        let token = try await admin.token("realm-admin")
        let path = "/client-policies/policies"
        let shown = try await admin.send(.get, path, by: token)
        #expect(shown.json.array("policies") == [["name": "a", "enabled": true]])
        #expect(try await admin.send(.put, path, shown.text, by: token).status == 204)
        let whole = #"{"clientPolicies": \#(shown.text)}"#
        #expect(try await admin.send(.put, "", whole, by: token).status == 204)
        let other = shown.text.replacing(#""a""#, with: #""b""#)
        #expect(try await admin.send(.put, path, other, by: token).status == 400)
        #expect(try await admin.send(.get, path, by: token).json == shown.json)
    }

    private static let flows = "/authentication/flows"

    /// - Parameter id: A member, or nothing.
    private static func flow(_ alias: String, _ id: String = "") -> String {
        #"""
        {\#(id) "alias": "\#(alias)", "topLevel": true, "authenticationExecutions": [
            {"authenticator": "auth-cookie", "requirement": "ALTERNATIVE"}]}
        """#
    }

    private func disable(_ flow: String, _ admin: AdminUnderTest, _ token: String) async throws {
        let path = "\(Self.flows)/\(flow)/executions"
        let step = try #require(try await admin.send(.get, path, by: token).list.first)
        let id = try #require(step.string("id"))
        let body = #"{"id": "\#(id)", "requirement": "DISABLED"}"#
        #expect(try await admin.send(.put, path, body, by: token).status == 202)
    }

    @Test("KC-A-2: flows of a file that says no ids are changed and deleted, each by itself")
    func flowsWithoutIDs() async throws {
        let list = "[\(Self.flow("a")), \(Self.flow("b"))]"
        let admin = try await AdminUnderTest(more: #""authenticationFlows": \#(list),"#)
        let token = try await admin.token("realm-admin")
        for flow in ["a", "b"] { try await disable(flow, admin, token) }
        let all = try await admin.send(.get, Self.flows, by: token).list
        #expect(all.map { $0.string("alias") } == ["a", "b"])
        for flow in all {
            let steps = flow.array("authenticationExecutions")?.compactMap(\.object) ?? []
            #expect(steps.map { $0.string("requirement") } == ["DISABLED"])
        }
        // A file that says ids later finds them by their names.
        #expect(try await part("authenticationFlows", "a", admin)["id"] == nil)
        let path = "\(Self.flows)/\(try #require(all[0].string("id")))"
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        let left = try await admin.send(.get, Self.flows, by: token).list
        #expect(left.map { $0.string("alias") } == ["b"])
        #expect(try await admin.send(.delete, path, by: token).status == 404)
    }

    @Test("KC-A-2: a thing whose id a file has in capitals is changed and deleted in its place")
    func capitals() async throws {
        let id = "ABCDEF01-2345-4789-8ABC-DEF012345678"
        let flow = Self.flow("a", "\"id\": \"\(id)\",")
        let admin = try await AdminUnderTest(
            more: #"""
                "authenticationFlows": [\#(flow)],
                "components": {"org.keycloak.storage.UserStorageProvider": [
                    {"id": "\#(id)", "name": "ldap", "providerId": "ldap"}]},
                """#
        )
        let token = try await admin.token("realm-admin")
        try await disable("a", admin, token)
        #expect(try await admin.send(.get, Self.flows, by: token).list.count == 1)
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let mapper = RealmPart(
            realmID: realmID,
            kind: "identityProviderMappers",
            id: id.lowercased(),
            document: ["id": .string(id), "name": "m", "identityProviderAlias": "corp"]
        )
        try await admin.server.database.realms.put(mapper)
        let corp = #"{"alias": "corp", "providerId": "oidc"}"#
        let providers = "/identity-provider/instances"
        #expect(try await admin.send(.post, providers, corp, by: token).status == 201)
        #expect(try await part("authenticationFlows", id.lowercased(), admin).string("id") == id)
        for base in [Self.flows, providers + "/corp/mappers", "/components"] {
            func listed() async throws -> [String] {
                try await admin.send(.get, base, by: token).list
                    .filter { $0.string("providerType") != PartImport.keyComponents }
                    .compactMap { $0.string("id") }
            }
            let shown = try #require(try await listed().first)
            #expect(shown.lowercased() == id.lowercased())
            let path = "\(base)/\(shown)"
            #expect(try await admin.send(.delete, path, by: token).status == 204, "\(base)")
            // Keycloak's own flows are those of a realm without any.
            #expect(try await !listed().contains(shown), "\(base)")
            #expect(try await admin.send(.delete, path, by: token).status == 404, "\(base)")
        }
    }

    @Test("attack: secrets of a part grow, masked one by one, until nothing reads them any more")
    func longSecrets() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let secret = String(repeating: "s", count: 1_000_000)
        let long = RealmPartSeal(ring: TestRealm.ring).part(
            ["alias": "corp", "config": ["clientSecret": .string(secret)]],
            of: "identityProviders",
            id: "corp",
            realmID: realmID,
            random: .system
        )
        try await admin.server.database.realms.put(long)
        let path = "/identity-provider/instances/corp"
        let more = String(repeating: "p", count: 60_000)
        let body = #"{"config": {"clientSecret": "**********", "password": "\#(more)"}}"#
        let reply = try await admin.send(.put, path, body, by: token)
        #expect(reply.status == 400 && reply.text.contains("1 MiB"), "\(reply.text)")
        let shown = try await admin.send(.get, path, by: token)
        #expect(shown.json.object("config") == ["clientSecret": "**********"], "\(shown.text)")
        let kept = try await part("identityProviders", "corp", admin)
        #expect(kept.object("config")?.string("clientSecret") == secret)
    }
}
