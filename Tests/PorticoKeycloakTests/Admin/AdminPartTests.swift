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

    @Test(
        "attack: a secret that was not shown goes to no other issuer or client",
        arguments: ["clientId", "issuer", "tokenUrl", "providerId"]
    )
    func movedSecret(_ member: String) async throws {
        let admin = try await AdminUnderTest(["manage-identity-providers"])
        let token = try await admin.token("manage-identity-providers")
        _ = try await admin.send(.post, Self.base, Self.google, by: token)
        let path = "\(Self.base)/google"
        var moved = try await admin.send(.get, path, by: token).json
        var config = try #require(moved.object("config"))
        if member == "providerId" {
            moved[member] = "oidc"
        } else {
            config[member] = "https://evil.example"
        }
        moved["config"] = .object(config)
        let refused = try await admin.send(
            .put,
            path,
            String(decoding: moved.serialized(), as: UTF8.self),
            by: token
        )
        #expect(refused.status == 400, "\(refused.text)")
        #expect(try await secret(admin) == "hidden-here")
        // Whoever knows it can say where it goes.
        config["clientSecret"] = "hidden-here"
        moved["config"] = .object(config)
        let body = String(decoding: moved.serialized(), as: UTF8.self)
        #expect(try await admin.send(.put, path, body, by: token).status == 204)
    }

    /// The parts of a kind with their secrets, and what of them stands in the database as it is.
    private func kept(_ kind: String, _ admin: AdminUnderTest) async throws -> (
        whole: [JSONObject], clear: String
    ) {
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let parts = try await admin.server.database.realms.parts(kind, realmID: realmID)
        let secrets = RealmSecrets(ring: TestRealm.ring, areShown: true)
        let clear = parts.map { String(decoding: $0.document.serialized(), as: UTF8.self) }
        return (try parts.map { try secrets.whole($0) }, clear.joined())
    }

    @Test("attack: settings of steps have their secrets sealed and masked, and keep them")
    func stepSettings() async throws {
        let more = #"""
            "authenticatorConfig": [{"id": "c1", "alias": "captcha", "config": {"site.key": "s",
                "secret.key": "hidden-here", "api.key": "hidden-there"}}],
            """#
        let admin = try await AdminUnderTest(more: more)
        let token = try await admin.token("realm-admin")
        let path = "/authentication/config/c1"
        let shown = try await admin.send(.get, path, by: token)
        #expect(!shown.text.contains("hidden"))
        #expect(shown.json.object("config")?.string("secret.key") == "**********")
        // As it was read.
        #expect(try await admin.send(.put, path, shown.text, by: token).status == 204)
        let whole = try await kept("authenticatorConfig", admin).whole.first?.object("config")
        #expect(whole?.string("secret.key") == "hidden-here")
        #expect(whole?.string("api.key") == "hidden-there" && whole?.string("site.key") == "s")
        let flow = #"{"alias": "mine", "providerId": "basic-flow", "topLevel": true}"#
        let flows = "/authentication/flows"
        #expect(try await admin.send(.post, flows, flow, by: token).status == 201)
        let steps = flows + "/mine/executions"
        let step = #"{"provider": "registration-recaptcha-action"}"#
        #expect(try await admin.send(.post, steps + "/execution", step, by: token).status == 201)
        let id = try #require(
            try await admin.send(.get, steps, by: token).list.first?.string("id")
        )
        let config = #"{"alias": "new", "config": {"secret.key": "hidden-new"}}"#
        let set = "/authentication/executions/\(id)/config"
        #expect(try await admin.send(.post, set, config, by: token).status == 201)
        let all = try await kept("authenticatorConfig", admin)
        #expect(all.whole.contains { $0.object("config")?.string("secret.key") == "hidden-new" })
        #expect(!all.clear.contains("hidden"))
    }

    @Test("attack: mappers of providers have their secrets sealed and masked, and keep them")
    func mapperSecrets() async throws {
        let admin = try await AdminUnderTest(["manage-identity-providers"])
        let token = try await admin.token("manage-identity-providers")
        #expect(try await admin.send(.post, Self.base, Self.google, by: token).status == 201)
        let path = "\(Self.base)/google/mappers"
        let mapper = #"""
            {"name": "m", "identityProviderMapper": "x",
             "config": {"claim": "a", "secret": "hidden-here"}}
            """#
        let made = try await admin.send(.post, path, mapper, by: token)
        #expect(made.status == 201, "\(made.text)")
        let one = "\(path)/\(made.madeID)"
        let shown = try await admin.send(.get, one, by: token)
        #expect(shown.json.object("config") == ["claim": "a", "secret": "**********"])
        #expect(try await !admin.send(.get, path, by: token).text.contains("hidden"))
        #expect(try await admin.send(.put, one, shown.text, by: token).status == 204)
        let all = try await kept("identityProviderMappers", admin)
        #expect(all.whole.first?.object("config")?.string("secret") == "hidden-here")
        #expect(!all.clear.contains("hidden"))
    }

    @Test("KC-A-2: each secret of how a realm sends mail stays where it comes back masked")
    func mailSecrets() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let mail = #"""
            {"smtpServer": {"host": "mail", "authType": "token", "password": "hidden-one",
                "authTokenClientSecret": "hidden-two"}}
            """#
        #expect(try await admin.send(.put, "", mail, by: token).status == 204)
        let shown = try await admin.send(.get, "", by: token)
        #expect(!shown.text.contains("hidden"))
        #expect(try await admin.send(.put, "", shown.text, by: token).status == 204)
        let all = try await kept("smtpServer", admin)
        #expect(all.whole.first?.string("password") == "hidden-one")
        #expect(all.whole.first?.string("authTokenClientSecret") == "hidden-two")
        #expect(!all.clear.contains("hidden"))
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

    @Test(
        "attack: an export names identity providers to those who may see them, and masks their secrets"
    )
    func exported() async throws {
        let seeing = "manage-realm+view-identity-providers"
        let admin = try await AdminUnderTest(["manage-identity-providers", "manage-realm", seeing])
        let keeper = try await admin.token("manage-identity-providers")
        #expect(try await admin.send(.post, Self.base, Self.google, by: keeper).status == 201)
        let mapper = #"""
            {"name": "m", "identityProviderAlias": "google",
             "identityProviderMapper": "oidc-user-attribute-idp-mapper",
             "config": {"claim": "a", "user.attribute": "b"}}
            """#
        let path = "\(Self.base)/google/mappers"
        #expect(try await admin.send(.post, path, mapper, by: keeper).status == 201)
        let members = ["identityProviders", "identityProviderMappers"]
        let manager = try await admin.token("manage-realm")
        let bare = try await admin.send(.post, "/partial-export", by: manager)
        #expect(bare.status == 200 && bare.json.string("realm") == "acme")
        for member in members { #expect(bare.json[member] == nil, "\(member)") }
        let viewer = try await admin.token(seeing)
        let whole = try await admin.send(.post, "/partial-export", by: viewer)
        for member in members { #expect(whole.json.array(member)?.count == 1, "\(member)") }
        let google = whole.json.array("identityProviders")?.first?.object
        #expect(google?.object("config")?.string("clientSecret") == "**********")
        #expect(!whole.text.contains("hidden-here"))
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
