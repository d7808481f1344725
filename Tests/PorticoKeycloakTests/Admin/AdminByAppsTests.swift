import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What an administrator's sign-in is worth at an app (docs/decisions/0071).
@Suite("Attacks on the administration by apps that administrators sign in to")
struct AdminByAppsTests {
    private static let reset = "/users/\(AdminUnderTest.annID)/reset-password"
    /// The same as before: setting it signs ann out.
    private static let credential =
        #"{"type": "password", "value": "\#(AdminUnderTest.password)"}"#

    /// A public client of the realm `acme`.
    private func make(_ name: String, _ more: String = "", _ admin: AdminUnderTest, _ root: String)
        async throws -> String
    {
        let client = """
            {"clientId": "\(name)", "publicClient": true, \(more)
             "redirectUris": ["https://\(name).example/cb"]}
            """
        let made = try await admin.send(.post, "/clients", client, by: root)
        #expect(made.status == 201, "\(made.text)")
        return made.madeID
    }

    /// What the chief's token of a client does: reads, and sets a password.
    private func statuses(_ client: String, _ admin: AdminUnderTest, scope: String = "openid")
        async throws -> [Int]
    {
        let token = try await admin.token(ofPerson: "chief", client: client, scope: scope)
        let read = try await admin.send(.get, "/users", by: token).status
        return [
            read, try await admin.send(.put, Self.reset, Self.credential, by: token).status,
        ]
    }

    @Test("attack: an app that the chief signs in to administers; with consent, or without")
    func thirdParty() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let basic = #""defaultClientScopes": ["basic"], "optionalClientScopes": ["roles"],"#
        _ = try await make("quiz", #""consentRequired": true, \#(basic)"#, admin, root)
        _ = try await make("game", basic, admin, root)
        _ = try await make("shop", "", admin, root)
        let asked = #""consentRequired": true, "fullScopeAllowed": true,"#
        _ = try await make("asked", asked, admin, root)
        let ann = try await admin.token(ofPerson: "ann")
        for client in ["quiz", "game", "shop", "asked"] {
            let isBasic = client == "quiz" || client == "game"
            for scope in isBasic ? ["openid", "openid roles"] : ["openid"] {
                let answers = try await statuses(client, admin, scope: scope)
                #expect(answers == [403, 403], "\(client) \(scope)")
            }
        }
        let mine = try await admin.server.send(
            .get,
            ProviderUnderTest.path("userinfo", "acme"),
            headers: [.authorization: "Bearer \(ann)"]
        )
        #expect(mine.status == 200)
    }

    @Test(
        "decision 0071: by the mark, what the token says; without the scope roles it says nothing"
    )
    func marked() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let basic = #"\#(AdminUnderTest.mark), "defaultClientScopes": ["basic"],"#
        let id = try await make(
            "desk2",
            basic + #" "optionalClientScopes": ["roles"],"#,
            admin,
            root
        )
        #expect(try await statuses("desk2", admin) == [403, 403])
        #expect(try await statuses("desk2", admin, scope: "openid roles") == [200, 204])
        // What the person has lost since, the token does not give.
        let token = try await admin.token(ofPerson: "chief", client: "desk2", scope: "openid roles")
        let off = #"{"attributes": {"portico.administers": "false"}}"#
        let on = "{\(AdminUnderTest.mark)}"
        for (body, status) in [(off, 403), (on, 200)] {
            #expect(try await admin.send(.put, "/clients/\(id)", body, by: root).status == 204)
            #expect(try await admin.send(.get, "/users", by: token).status == status)
        }
        let bosses = try await admin.id(ofGroup: "/bosses", by: root)
        let member = "/users/\(AdminUnderTest.chiefID)/groups/\(bosses)"
        #expect(try await admin.send(.delete, member, by: root).status == 204)
        #expect(try await admin.send(.get, "/users", by: token).status == 403)
        // What they have got since, an earlier token does not say.
        let management = try await admin.id(ofClient: "realm-management", by: root)
        let role = try await admin.send(
            .get,
            "/clients/\(management)/roles/view-users",
            by: root
        ).text
        let roles = "/users/\(AdminUnderTest.annID)/role-mappings/clients/\(management)"
        #expect(try await admin.send(.post, roles, "[\(role)]", by: root).status == 204)
        let ann = try await admin.token(ofPerson: "ann", client: "desk2", scope: "openid roles")
        let join = "/users/\(AdminUnderTest.annID)/groups/\(bosses)"
        #expect(try await admin.send(.put, join, by: root).status == 204)
        #expect(try await admin.send(.get, "/users", by: ann).status == 200)
        #expect(try await admin.send(.put, Self.reset, Self.credential, by: ann).status == 403)
    }

    @Test("RFC 9700 §2.3: a token that is meant for another server administers nothing here")
    func audience() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        for (name, audience, status) in [("a1", "orders", 403), ("a2", "realm-management", 200)] {
            let mappers = #"""
                \#(AdminUnderTest.mark), "defaultClientScopes": ["basic"], "protocolMappers": [
                 {"name": "r", "protocol": "openid-connect",
                  "protocolMapper": "oidc-usermodel-client-role-mapper", "config": {
                    "claim.name": "resource_access.${client_id}.roles", "multivalued": "true",
                    "access.token.claim": "true"}},
                 {"name": "a", "protocol": "openid-connect",
                  "protocolMapper": "oidc-audience-mapper", "config": {
                    "included.custom.audience": "\#(audience)", "access.token.claim": "true"}}],
                """#
            _ = try await make(name, mappers, admin, root)
            let token = try await admin.token(ofPerson: "chief", client: name)
            #expect(try await admin.send(.get, "/users", by: token).status == status, "\(name)")
        }
    }

    @Test("decision 0071: only the realm's administrator marks a client, and no file does")
    func whoMarks() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let id = try await make("plain", "", admin, root)
        let mark = "{\(AdminUnderTest.mark)}"
        let new = #"{"clientId": "mine", "publicClient": true, \#(AdminUnderTest.mark)}"#
        let attempts: [(HTTPRequest.Method, String, String)] = [
            (.put, "/clients/\(id)", mark), (.post, "/clients", new),
        ]
        for (method, path, body) in attempts {
            #expect(try await admin.send(method, path, body, by: keeper).status == 403, "\(path)")
        }
        #expect(try await admin.send(.get, "/clients?clientId=mine", by: root).list.isEmpty)
        #expect(try await statuses("plain", admin) == [403, 403])
        #expect(try await admin.send(.put, "/clients/\(id)", mark, by: root).status == 204)
        let shown = try await admin.send(.get, "/clients/\(id)", by: root)
        #expect(shown.json.object("attributes")?.string("portico.administers") == "true")
        let spelled = mark.replacing("true", with: "True")
        #expect(try await admin.send(.put, "/clients/\(id)", spelled, by: root).status == 204)
        let kept = try await admin.send(.get, "/clients/\(id)", by: root)
        #expect(kept.json.object("attributes")?.string("portico.administers") == "true")
        // No one is asked to lend it, and who may not set it changes the rest.
        let consent = #"{"consentRequired": true}"#
        #expect(try await admin.send(.put, "/clients/\(id)", consent, by: root).status == 400)
        let whole = try await admin.send(.put, "/clients/\(id)", shown.text, by: keeper)
        #expect(whole.status == 204, "\(whole.text)")
        let off = #"{"attributes": {"portico.administers": null}}"#
        #expect(try await admin.send(.put, "/clients/\(id)", off, by: keeper).status == 403)
        #expect(try await admin.send(.put, "/clients/\(id)", off, by: root).status == 204)
        let gone = try await admin.send(.get, "/clients/\(id)", by: root).text
        #expect(!gone.contains("portico."))
    }

    @Test("attack: a file of a partial import marks a client, by whoever sends it")
    func partlyImported() async throws {
        let admin = try await AdminUnderTest(["realm-admin"])
        let root = try await admin.token("realm-admin")
        let plain = try await make("plain", "", admin, root)
        let marked = try await make("marked", AdminUnderTest.mark + ",", admin, root)
        let clients = ["mine", "plain", "marked"].map { name in
            #"""
            {"clientId": "\#(name)", "publicClient": true, \#(AdminUnderTest.mark),
             "redirectUris": ["https://\#(name).example/cb"]}
            """#
        }
        let file = #"""
            {"ifResourceExists": "OVERWRITE", "clients": [\#(clients.joined(separator: ", "))]}
            """#
        let done = try await admin.send(.post, "/partialImport", file, by: root)
        #expect(done.status == 200, "\(done.text)")
        let mine = try await admin.id(ofClient: "mine", by: root)
        for (id, isMarked) in [(mine, false), (plain, false), (marked, true)] {
            let shown = try await admin.send(.get, "/clients/\(id)", by: root).text
            #expect(shown.contains("portico.administers") == isMarked, "\(shown)")
        }
    }

    @Test("decision 0071: a file that says it marks no one, and the mark of a client here stays")
    func imported() async throws {
        let file = #"""
            {"realm": "acme", "clients": [{"clientId": "shop", "publicClient": true,
             "redirectUris": ["https://shop.example/cb"], \#(AdminUnderTest.mark)}]}
            """#
        let imported = try await RealmImportTests.read(file, ring: TestRealm.ring)
        let shop = try #require(imported.first?.realm.clients.first { $0.clientID == "shop" })
        #expect(!shop.administers)
        #expect(shop.kept.object.attribute("portico.administers") == nil)
        let report = try #require(imported.first?.report)
        #expect(report.lines(.changed).contains { $0.words.contains("administer") })
        #expect(!report.lines(.ignored).contains { $0.words.contains("portico.administers") })
        var here = shop
        here.administers = true
        var again = shop
        again.keep(here, withProof: false)
        #expect(again.administers)
        again = shop
        again.requiresConsent = true
        again.keep(here, withProof: false)
        #expect(!again.administers)
    }

    @Test("decision 0071: by Keycloak's own consoles people do what they may, whatever tokens say")
    func consoles() async throws {
        for name in ["admin-cli", "security-admin-console"] {
            let admin = try await AdminUnderTest()
            try await admin.change(client: name) { client in
                client.grantTypes = [.authorizationCode]
                client.redirectURIs = [RedirectURI("https://\(name).example/cb")]
                client.defaultScopes = ["basic"]
                client.seesAllRoles = false
            }
            #expect(try await statuses(name, admin) == [200, 204], "\(name)")
            try await admin.change(client: name) { $0.requiresConsent = true }
            #expect(try await statuses(name, admin) == [403, 403], "\(name)")
        }
    }

    @Test("attack: in master, an app of Portico's own kind makes realms for who signs in to it")
    func master() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let database = admin.server.database
        let realmID = try await admin.makeMaster().realmID
        var client = Client.app("spa1", "Spa", realmID: realmID)
        client.takeStandardScopes()
        client.redirectURIs = [RedirectURI("https://spa1.example/cb")]
        #expect(try await database.realms.create(client) == .created)
        try await admin.server.provider.realms.refresh()
        func make(_ name: String) async throws -> Int {
            let token = try await admin.token(ofPerson: "root", client: "spa1", realm: "master")
            #expect(try await admin.send(.get, "/users", by: token).status != 401)
            let body = #"{"realm": "\#(name)"}"#
            return try await admin.send(.post, "/admin/realms", body, by: token).status
        }
        #expect(try await make("one") == 403)
        try await admin.change(client: "spa1") { $0.requiresConsent = true }
        #expect(try await make("two") == 403)
        try await admin.change(client: "spa1") {
            $0.requiresConsent = false
            $0.administers = true
        }
        #expect(try await make("three") == 201)
        #expect(admin.server.provider.realms.kept(named: "one") == nil)
    }

    @Test("attack: query-groups and query-users read attributes and roles of groups and roles")
    func queries() async throws {
        let admin = try await AdminUnderTest([
            "query-groups", "query-users", "view-users", "view-realm", "view-clients",
            "realm-admin",
        ])
        let root = try await admin.token("realm-admin")
        let bosses = try await admin.id(ofGroup: "/bosses", by: root)
        let group = #"{"name": "bosses", "attributes": {"cost": ["secret-42"]}}"#
        #expect(try await admin.send(.put, "/groups/\(bosses)", group, by: root).status == 204)
        let role = #"{"name": "editor", "attributes": {"key": ["secret-43"]}}"#
        #expect(try await admin.send(.put, "/roles/editor", role, by: root).status == 204)
        let app = "/clients/\(AdminUnderTest.appID)/roles"
        let reader = #"{"name": "reader", "attributes": {"key": ["secret-44"]}}"#
        #expect(try await admin.send(.put, app + "/reader", reader, by: root).status == 204)
        let id = try await admin.send(.get, "/roles/editor", by: root).json.string("id") ?? ""
        let groups = [
            "/groups?briefRepresentation=false", "/groups/\(bosses)", "/group-by-path/bosses",
            "/groups?search=boss&briefRepresentation=false",
        ]
        let roles = ["/roles?briefRepresentation=false", "/roles/editor", "/roles-by-id/\(id)"]
        for (name, seesGroups, seesRoles, seesReader) in [
            ("query-groups", false, false, false), ("query-users", false, false, false),
            ("view-users", true, false, false), ("view-realm", false, true, true),
            ("view-clients", false, false, true), ("realm-admin", true, true, true),
        ] {
            let token = try await admin.token(name)
            for path in groups where !["query-users", "view-realm", "view-clients"].contains(name) {
                let reply = try await admin.send(.get, path, by: token)
                #expect(reply.status == 200 && reply.text.contains("bosses"), "\(name) \(path)")
                #expect(reply.text.contains("secret-42") == seesGroups, "\(name) \(path)")
                #expect(reply.text.contains("realm-admin") == seesGroups, "\(name) \(path)")
            }
            for path in ["/groups?q=cost:secret-42", "/groups/count?q=cost:nothing"]
            where name.hasPrefix("query-") || name == "view-users" {
                let reply = try await admin.send(.get, path, by: token)
                #expect(reply.status == (seesGroups ? 200 : 403), "\(name) \(path)")
                #expect(seesGroups || !reply.text.contains("bosses"), "\(name) \(path)")
            }
            for path in roles {
                let reply = try await admin.send(.get, path, by: token)
                #expect(reply.status == 200 && reply.text.contains("editor"), "\(name) \(path)")
                #expect(reply.text.contains("secret-43") == seesRoles, "\(name) \(path)")
            }
            let holders = try await admin.send(.get, "/roles/editor/groups", by: token)
            #expect(holders.status == (seesGroups ? 200 : 403), "\(name)")
            let reply = try await admin.send(.get, app + "/reader", by: token)
            #expect(reply.text.contains("secret-44") == seesReader, "\(name)")
        }
    }
}
