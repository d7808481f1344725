import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Addresses of Keycloak's whose things are kept as data, and those that are refused with a word.
@Suite("Data by the administration") struct AdminDataTests {
    @Test("KC-A-2: the user profile is read, kept, and shown with a person")
    func profile() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/users/profile"
        var profile = try await admin.send(.get, path, by: token).json
        let names = (profile.array("attributes") ?? []).compactMap { $0.object?.string("name") }
        #expect(names == ["username", "email", "firstName", "lastName"])
        var attributes = profile.array("attributes") ?? []
        attributes.append(["name": "team", "displayName": "Team"])
        profile["attributes"] = .array(attributes)
        let body = String(decoding: profile.serialized(), as: UTF8.self)
        let kept = try await admin.send(.put, path, body, by: token)
        #expect(kept.status == 200, "\(kept.text)")
        #expect(try await admin.send(.get, path, by: token).json == profile)
        let ann = "/users/\(AdminUnderTest.annID)"
        let shown = try await admin.send(.get, ann + "?userProfileMetadata=true", by: token).json
        let shownAttributes = shown.object("userProfileMetadata")?.array("attributes") ?? []
        #expect(shownAttributes.compactMap { $0.object?.string("name") } == names + ["team"])
        let brief = try await admin.send(.get, ann, by: token).json
        #expect(brief["userProfileMetadata"] == nil)
        #expect(try await admin.send(.get, path + "/metadata", by: token).status == 200)
        for body in [#"{"attributes": []}"#, #"{"attributes": [{"name": ""}]}"#, "[]"] {
            #expect(try await admin.send(.put, path, body, by: token).status == 400, "\(body)")
        }
        #expect(try await admin.send(.get, path, by: token).json == profile)
    }

    @Test("KC-A-2: components are the realm's keys and what is kept, with masked secrets")
    func components() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let keys = "/components?type=org.keycloak.keys.KeyProvider"
        let before = try await admin.send(.get, keys, by: token)
        #expect(!before.list.isEmpty && !before.text.contains("rivateKey"))
        let base = "/components"
        let ldap = #"""
            {"name": "ldap", "providerId": "ldap", "parentId": "acme",
             "providerType": "org.keycloak.storage.UserStorageProvider",
             "config": {"bindCredential": ["hidden-here"], "vendor": ["other"], "empty": [""]}}
            """#
        let made = try await admin.send(.post, base, ldap, by: token)
        #expect(made.status == 201, "\(made.text)")
        let path = "\(base)/\(made.madeID)"
        let shown = try await admin.send(.get, path, by: token)
        #expect(!shown.text.contains("hidden-here"))
        #expect(
            shown.json.object("config") == ["bindCredential": ["**********"], "vendor": ["other"]]
        )
        var changed = shown.json
        changed["name"] = "directory"
        let body = String(decoding: changed.serialized(), as: UTF8.self)
        #expect(try await admin.send(.put, path, body, by: token).status == 204)
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let parts = try await admin.server.database.realms.parts("components", realmID: realmID)
        let secrets = RealmSecrets(ring: TestRealm.ring, areShown: true)
        let whole = try parts.map { try secrets.whole($0) }
        #expect(whole.first?.object("config")?["bindCredential"] == ["hidden-here"])
        let named = try await admin.send(.get, "\(base)?name=directory", by: token).list
        #expect(named.map { $0.string("id") } == [made.madeID])
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).status == 404)
        for body in [
            #"{"name": "x"}"#, #"{"providerId": "x", "providerType": "y", "nonsense": 1}"#,
        ] {
            #expect(try await admin.send(.post, base, body, by: token).status == 400)
        }
    }

    @Test("KC-A-2: a key provider makes the first key of its algorithm, and replaces none")
    func keys() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        func component(_ kind: String, _ algorithm: String) -> String {
            #"""
            {"name": "more", "providerId": "\#(kind)",
             "providerType": "org.keycloak.keys.KeyProvider",
             "config": {"priority": ["50"], "algorithm": ["\#(algorithm)"]}}
            """#
        }
        let new = component("rsa-generated", "PS256")
        let made = try await admin.send(.post, "/components", new, by: token)
        #expect(made.status == 201, "\(made.text)")
        let path = "/components/\(made.madeID)"
        let shown = try await admin.send(.get, path, by: token).json
        #expect(shown.string("name") == "more")
        let keys = try await admin.send(.get, "/keys", by: token).json.array("keys") ?? []
        #expect(keys.contains { $0.object?.string("algorithm") == "PS256" })
        // Another one would sign in place of one that is known everywhere.
        for body in [
            new, component("rsa-generated", "RS256"), component("hmac-generated", "HS256"),
            component("rsa", "RS256"),
        ] { #expect(try await admin.send(.post, "/components", body, by: token).status == 400) }
        #expect(try await admin.send(.delete, path, by: token).status == 400)
        let after = try await admin.send(.get, "/keys", by: token).json.array("keys") ?? []
        #expect(after.count == keys.count)
    }

    @Test("KC-A-2: a realm without flows has Keycloak's by name; one is copied, listed and deleted")
    func flows() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let base = "/authentication/flows"
        let own = try await admin.send(.get, base, by: token).list
        let aliases = own.compactMap { $0.string("alias") }
        #expect(aliases.contains("browser") && aliases.contains("direct grant"))
        #expect(own.allSatisfy { $0.bool("topLevel") == true })
        let again = try await admin.send(.get, base, by: token).list
        #expect(again.map { $0.string("id") } == own.map { $0.string("id") })
        let steps = try await admin.send(.get, base + "/browser/executions", by: token).list
        #expect(steps.contains { $0.string("providerId") == "auth-username-password-form" })
        #expect(Set(steps.compactMap { $0.string("id") }).count == steps.count)
        let copied = try await admin.send(
            .post,
            base + "/browser/copy",
            #"{"newName": "mine"}"#,
            by: token
        )
        #expect(copied.status == 201, "\(copied.text)")
        let copies = try await admin.send(.get, base + "/mine/executions", by: token).list
        #expect(copies.count == steps.count)
        #expect(try await admin.send(.get, base, by: token).list.count == own.count + 1)
        let twice = try await admin.send(
            .post,
            base + "/browser/copy",
            #"{"newName": "mine"}"#,
            by: token
        )
        #expect(twice.status == 409)
        let path = "\(base)/\(copied.madeID)"
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        let builtIn = try #require(own.first?.string("id"))
        #expect(try await admin.send(.delete, "\(base)/\(builtIn)", by: token).status == 400)
        let none = base + "/none/executions"
        #expect(try await admin.send(.get, none, by: token).status == 404)
    }

    @Test("KC-A-2: a flow of one's own is made, with steps and settings, and stays data")
    func ownFlow() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let base = "/authentication/flows"
        let body = #"{"alias": "mine", "providerId": "basic-flow", "topLevel": true}"#
        let made = try await admin.send(.post, base, body, by: token)
        #expect(made.status == 201, "\(made.text)")
        #expect(try await admin.send(.post, base, body, by: token).status == 409)
        let steps = base + "/mine/executions"
        for provider in ["auth-cookie", "auth-otp-form", "auth-cookie"] {
            let step = #"{"provider": "\#(provider)"}"#
            let reply = try await admin.send(.post, steps + "/execution", step, by: token)
            #expect(reply.status == 201, "\(reply.text)")
        }
        let inner = #"{"alias": "inside", "type": "basic-flow", "provider": "x"}"#
        #expect(try await admin.send(.post, steps + "/flow", inner, by: token).status == 201)
        func shown() async throws -> [JSONObject] {
            try await admin.send(.get, steps, by: token).list
        }
        func names() async throws -> [String] {
            try await shown().compactMap { $0.string("displayName") }
        }
        #expect(try await names() == ["auth-cookie", "auth-otp-form", "auth-cookie", "inside"])
        let otp = try #require(try await shown()[1].string("id"))
        let required = #"{"id": "\#(otp)", "requirement": "REQUIRED"}"#
        #expect(try await admin.send(.put, steps, required, by: token).status == 202)
        let one = "/authentication/executions/\(otp)"
        let raise = one + "/raise-priority"
        #expect(try await admin.send(.post, raise, by: token).status == 204)
        #expect(try await names() == ["auth-otp-form", "auth-cookie", "auth-cookie", "inside"])
        // Its id does not follow its place.
        let step = try await admin.send(.get, one, by: token).json
        #expect(step.string("requirement") == "REQUIRED" && step.string("id") == otp)
        let config = #"{"alias": "c", "config": {"a": "b", "none": ""}}"#
        let set = try await admin.send(.post, one + "/config", config, by: token)
        #expect(set.status == 201, "\(set.text)")
        let kept = try await admin.send(.get, "/authentication/config/\(set.madeID)", by: token)
        #expect(kept.json.object("config") == ["a": "b"])
        #expect(try await shown()[0].string("authenticationConfig") == set.madeID)
        #expect(try await admin.send(.delete, one, by: token).status == 204)
        #expect(try await admin.send(.get, one, by: token).status == 404)
        let flow = "\(base)/\(made.madeID)"
        let named = #"{"alias": "yours", "description": "Data"}"#
        #expect(try await admin.send(.put, flow, named, by: token).status == 202)
        #expect(try await admin.send(.get, flow, by: token).json.string("alias") == "yours")
        // What Keycloak has of itself is copied, not changed.
        let own = base + "/browser/executions/execution"
        let more = #"{"provider": "x"}"#
        #expect(try await admin.send(.post, own, more, by: token).status == 400)
        // No one relies on it.
        let binding = try await admin.send(.put, "", #"{"browserFlow": "yours"}"#, by: token)
        #expect(binding.status == 400)
        #expect(binding.json.string("errorMessage")?.hasPrefix("browserFlow") == true)
        let same = try await admin.send(.put, "", #"{"browserFlow": "browser"}"#, by: token)
        #expect(same.status == 204)
        #expect(try await admin.send(.delete, flow, by: token).status == 204)
    }

    @Test("KC-A-2: a required action that becomes a default is asked of every new person")
    func requiredActions() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let base = "/authentication/required-actions"
        let path = base + "/CONFIGURE_TOTP"
        var action = try await admin.send(.get, path, by: token).json
        action["defaultAction"] = true
        let body = String(decoding: action.serialized(), as: UTF8.self)
        #expect(try await admin.send(.put, path, body, by: token).status == 204)
        let all = try await admin.send(.get, base, by: token).list
        #expect(all.count == 3)
        #expect(try await admin.send(.get, path, by: token).json.bool("defaultAction") == true)
        let made = try await admin.send(.post, "/users", #"{"username": "eve"}"#, by: token)
        let eve = try await admin.send(.get, "/users/\(made.madeID)", by: token).json
        #expect(eve.strings("requiredActions") == ["CONFIGURE_TOTP"])
        #expect(try await admin.send(.put, base + "/NONE", body, by: token).status == 404)
        let unregistered = "/authentication/unregistered-required-actions"
        #expect(try await admin.send(.get, unregistered, by: token).text == "[]")
        let more = "/authentication/register-required-action"
        #expect(try await admin.send(.post, more, "{}", by: token).status == 400)
    }

    @Test(
        "KC-A-2: how a realm sends mail is kept with a masked password; its default role is whole"
    )
    func mail() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let smtp =
            #"{"smtpServer": {"host": "mail", "from": "a@x.example", "password": "hidden-here"}}"#
        #expect(try await admin.send(.put, "", smtp, by: token).status == 204)
        let shown = try await admin.send(.get, "", by: token)
        #expect(!shown.text.contains("hidden-here"))
        #expect(shown.json.object("smtpServer")?.string("password") == "**********")
        let role = shown.json.object("defaultRole")
        #expect(role?.string("name") == "default-roles-acme" && role?.string("id") != nil)
        #expect(role?.bool("composite") == true && role?.bool("clientRole") == false)
        // As it was read.
        #expect(try await admin.send(.put, "", shown.text, by: token).status == 204)
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let parts = try await admin.server.database.realms.parts("smtpServer", realmID: realmID)
        let secrets = RealmSecrets(ring: TestRealm.ring, areShown: true)
        let kept = try parts.map { try secrets.whole($0) }
        #expect(kept.first?.string("password") == "hidden-here")
        #expect(kept.first?.string("host") == "mail")
        #expect(try await admin.send(.put, "", #"{"smtpServer": {}}"#, by: token).status == 204)
        #expect(try await admin.send(.get, "", by: token).json.object("smtpServer") == [:])
    }

    @Test("KC-A-2: texts of pages are kept by language and key")
    func texts() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let base = "/localization"
        #expect(try await admin.send(.get, base, by: token).text == "[]")
        #expect(try await admin.send(.get, base + "/en", by: token).text == "{}")
        let texts = #"{"greeting": "Hello", "bye": "Goodbye"}"#
        #expect(try await admin.send(.post, base + "/en", texts, by: token).status == 204)
        let plain: HTTPFields = [.contentType: "text/plain"]
        let key = base + "/en/greeting"
        let put = try await admin.send(.put, key, "Gr\u{FC}\u{DF}e", by: token, headers: plain)
        #expect(put.status == 204, "\(put.text)")
        let one = try await admin.send(.get, key, by: token)
        #expect(one.text == "Gr\u{FC}\u{DF}e")
        #expect(one.headers[.contentType]?.hasPrefix("text/plain") == true)
        #expect(try await admin.send(.put, key, #""x""#, by: token).status == 415)
        #expect(try await admin.send(.delete, base + "/en/bye", by: token).status == 204)
        let left = try await admin.send(.get, base + "/en", by: token).json
        #expect(left == ["greeting": "Gr\u{FC}\u{DF}e"])
        #expect(try await admin.send(.get, base, by: token).text == #"["en"]"#)
        #expect(try await admin.send(.delete, base + "/en", by: token).status == 204)
        #expect(try await admin.send(.delete, base + "/en", by: token).status == 404)
        let long = String(repeating: "x", count: 5000)
        let refused = try await admin.send(.put, key, long, by: token, headers: plain)
        #expect(refused.status == 400)
    }

    @Test("KC-A-2: a policy for clients is kept while it is off, and refused where it would act")
    func policies() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/client-policies/policies"
        #expect(try await admin.send(.get, path, by: token).json == ["policies": []])
        let off = #"{"policies": [{"name": "a", "enabled": false}]}"#
        #expect(try await admin.send(.put, path, off, by: token).status == 204)
        let on = #"{"policies": [{"name": "a", "enabled": true}]}"#
        #expect(try await admin.send(.put, path, on, by: token).status == 400)
        let kept = try await admin.send(.get, path, by: token).json.array("policies")
        #expect(kept == [["name": "a", "enabled": false]])
        let profiles = "/client-policies/profiles"
        #expect(try await admin.send(.get, profiles, by: token).json == ["profiles": []])
        let profile = #"{"profiles": [{"name": "p", "executors": []}]}"#
        #expect(try await admin.send(.put, profiles, profile, by: token).status == 204)
    }

    @Test("KC-A-2: mappers of an identity provider are kept with it, and go with it")
    func mappers() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let provider = #"""
            {"alias": "corp", "providerId": "oidc",
             "config": {"clientId": "a", "clientSecret": "hidden-here", "loginHint": "", "x": null}}
            """#
        let base = "/identity-provider/instances"
        #expect(try await admin.send(.post, base, provider, by: token).status == 201)
        let shown = try await admin.send(.get, base + "/corp", by: token).json.object("config")
        #expect(shown == ["clientId": "a", "clientSecret": "**********"])
        let path = base + "/corp/mappers"
        #expect(try await admin.send(.get, path, by: token).text == "[]")
        let mapper = #"""
            {"name": "m", "identityProviderAlias": "corp",
             "identityProviderMapper": "oidc-user-attribute-idp-mapper",
             "config": {"claim": "a", "user.attribute": "b", "none": ""}}
            """#
        let made = try await admin.send(.post, path, mapper, by: token)
        #expect(made.status == 201, "\(made.text)")
        #expect(try await admin.send(.post, path, mapper, by: token).status == 400)
        let one = try await admin.send(.get, "\(path)/\(made.madeID)", by: token).json
        #expect(one.object("config") == ["claim": "a", "user.attribute": "b"])
        let other = mapper.replacing(#""claim": "a""#, with: #""claim": "c""#)
        #expect(
            try await admin.send(.put, "\(path)/\(made.madeID)", other, by: token).status == 204
        )
        let list = try await admin.send(.get, path, by: token).list
        #expect(list.first?.object("config")?.string("claim") == "c")
        #expect(try await admin.send(.delete, base + "/corp", by: token).status == 204)
        #expect(try await admin.send(.post, base, provider, by: token).status == 201)
        #expect(try await admin.send(.get, path, by: token).text == "[]")
    }

    @Test("KC-A-2: a part of the realm is exported without people, and with masked secrets")
    func export() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let bare = try await admin.send(.post, "/partial-export", by: token)
        #expect(bare.status == 200 && bare.json.string("realm") == "acme")
        #expect(bare.json["clients"] == nil && bare.json["roles"] == nil)
        let all = try await admin.send(
            .post,
            "/partial-export?exportClients=true&exportGroupsAndRoles=true",
            "{}",
            by: token
        )
        #expect(all.json["users"] == nil && all.json["groups"] != nil && all.json["roles"] != nil)
        let app = (all.json.array("clients") ?? []).compactMap(\.object).first {
            $0.string("clientId") == "app"
        }
        #expect(app?.string("secret") == "**********")
        #expect(!all.text.contains(AdminUnderTest.secret) && !all.text.contains("rivateKey"))
    }

    @Test("KC-A-2: an adapter's file has the secret only where the client is shown with it")
    func adapter() async throws {
        let admin = try await AdminUnderTest(["realm-admin", "view-clients"])
        let root = try await admin.token("realm-admin")
        let viewer = try await admin.token("view-clients")
        let base = "/clients/\(AdminUnderTest.appID)/installation/providers"
        let path = base + "/keycloak-oidc-keycloak-json"
        let whole = try await admin.send(.get, path, by: root).json
        #expect(whole.string("auth-server-url") == "https://op.example.com/")
        #expect(whole.string("resource") == "app" && whole.string("realm") == "acme")
        #expect(whole.object("credentials")?.string("secret") == AdminUnderTest.secret)
        let seen = try await admin.send(.get, path, by: viewer)
        #expect(seen.status == 200 && !seen.text.contains(AdminUnderTest.secret))
        #expect(try await admin.send(.get, base + "/saml", by: root).status == 404)
        let mappers = "/clients/\(AdminUnderTest.appID)/evaluate-scopes/protocol-mappers"
        let list = try await admin.send(.get, mappers + "?scope=openid%20phone", by: root).list
        #expect(list.contains { $0.string("containerName") == "phone" })
        let fewer = try await admin.send(.get, mappers, by: root).list
        #expect(!fewer.contains { $0.string("containerName") == "phone" })
    }

    @Test("KC-A-2: what a role contains is listed by its id, too; caches are cleared")
    func composites() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let role = try await admin.send(.get, "/roles/editor", by: token).json.string("id") ?? ""
        let path = "/roles-by-id/\(role)/composites"
        let reader = try await admin.role(
            "/clients/\(AdminUnderTest.appID)/roles/reader",
            by: token
        )
        #expect(try await admin.send(.post, path, reader, by: token).status == 204)
        let ofApp = try await admin.send(
            .get,
            path + "/clients/\(AdminUnderTest.appID)",
            by: token
        ).list
        #expect(ofApp.compactMap { $0.string("name") } == ["reader"])
        #expect(try await admin.send(.get, path + "/realm", by: token).text == "[]")
        for cache in ["realm", "user", "keys"] {
            let reply = try await admin.send(.post, "/clear-\(cache)-cache", by: token)
            #expect(reply.status == 204)
        }
    }

    @Test("KC-A-2: what is not offered is refused with a word")
    func refused() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let none = try await admin.send(.get, "/organizations", by: token)
        #expect(none.status == 404)
        #expect(none.json == ["errorMessage": "Organizations not enabled for this realm."])
        #expect(try await admin.send(.get, "/clients-initial-access", by: token).text == "[]")
        let access = try await admin.send(.post, "/clients-initial-access", "{}", by: token)
        #expect(access.status == 400)
        let label = "/users/\(AdminUnderTest.annID)/credentials/password/userLabel"
        let plain: HTTPFields = [.contentType: "text/plain"]
        let named = try await admin.send(.put, label, "mine", by: token, headers: plain)
        #expect(named.status == 400)
    }

    @Test("KC-A-2: a second factor gets the name that an administrator gives it")
    func label() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let factorID = "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e55"
        let factor = Credential.app(factorID, of: AdminUnderTest.annID)
        let people = admin.server.database.people
        #expect(try await people.add(factor, realmID: realmID) == .changed)
        let plain: HTTPFields = [.contentType: "text/plain"]
        func label(_ person: String, _ text: String) async throws -> Int {
            let path = "/users/\(person)/credentials/\(factor.id)/userLabel"
            return try await admin.send(.put, path, text, by: token, headers: plain).status
        }
        #expect(try await label(AdminUnderTest.annID, "mine") == 204)
        #expect(try await label(AdminUnderTest.chiefID, "theirs") == 404)
        #expect(try await label(AdminUnderTest.annID, "a\u{7}b") == 400)
        let kept = try await people.secondFactors(of: AdminUnderTest.annID, realmID: realmID)
        #expect(kept.map(\.label) == ["mine"])
    }

    @Test("attack: manage-users names no second factor of someone who has more rights")
    func labelOfStronger() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let path = "/users/\(AdminUnderTest.chiefID)/credentials/x/userLabel"
        let plain: HTTPFields = [.contentType: "text/plain"]
        let reply = try await admin.send(.put, path, "mine", by: token, headers: plain)
        #expect(reply.status == 403)
    }

    @Test("attack: nothing of all this is read or changed without the right for it")
    func rights() async throws {
        let admin = try await AdminUnderTest(
            ["query-clients", "view-realm", "manage-users+manage-clients", "manage-realm"]
        )
        let looking = try await admin.token("query-clients")
        let viewer = try await admin.token("view-realm")
        let helper = try await admin.token("manage-users+manage-clients")
        let manager = try await admin.token("manage-realm")
        let client = "/clients/\(AdminUnderTest.appID)"
        let reads = [
            "/components", "/authentication/flows", "/authentication/flows/browser/executions",
            "/authentication/required-actions", "/localization/en", "/client-policies/policies",
            "/identity-provider/instances/a/mappers", "/users/profile", "/organizations",
            "\(client)/installation/providers/keycloak-oidc-keycloak-json",
            "\(client)/evaluate-scopes/protocol-mappers", "/clients-initial-access",
        ]
        for path in reads {
            #expect(try await admin.send(.get, path, by: looking).status == 403, "\(path)")
            #expect(try await admin.send(.get, path, by: nil).status == 401, "\(path)")
        }
        let writes: [(HTTPRequest.Method, String, String)] = [
            (.post, "/components", #"{"providerId": "a", "providerType": "b"}"#),
            (.post, "/authentication/flows/browser/copy", #"{"newName": "mine"}"#),
            (.put, "/authentication/required-actions/CONFIGURE_TOTP", #"{"enabled": false}"#),
            (.post, "/authentication/flows", #"{"alias": "mine"}"#),
            (.post, "/authentication/flows/browser/executions/execution", #"{"provider": "x"}"#),
            (.delete, "/authentication/executions/x", "{}"),
            (.post, "/localization/en", #"{"a": "b"}"#), (.delete, "/localization/en", "{}"),
            (.put, "/client-policies/policies", #"{"policies": []}"#),
            (.put, "/users/profile", #"{"attributes": []}"#), (.post, "/partial-export", "{}"),
            (.post, "/identity-provider/instances/a/mappers", #"{"name": "a"}"#),
            (.post, "/clear-realm-cache", "{}"),
        ]
        for (method, path, body) in writes {
            for token in [looking, viewer, helper] {
                let reply = try await admin.send(method, path, body, by: token)
                #expect(reply.status == 403, "\(method) \(path)")
            }
        }
        // An export shows what has rights of its own to those who have them.
        for query in ["exportClients=true", "exportGroupsAndRoles=true"] {
            let reply = try await admin.send(.post, "/partial-export?\(query)", by: manager)
            #expect(reply.status == 403, "\(query)")
        }
        #expect(try await admin.send(.post, "/partial-export", by: manager).status == 200)
    }
}
