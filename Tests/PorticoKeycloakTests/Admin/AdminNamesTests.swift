import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Rights are found by names: of roles, groups, scopes and realms. Nobody gets one by giving something
/// a name.
@Suite("Attacks on the administration by names") struct AdminNamesTests {
    @Test("attack: in master, a role gets the name that administrators have their rights by")
    func admin() async throws {
        let master = try await MasterUnderTest()
        let admin = master.admin
        let helper = try await admin.token("helper", realm: "master")
        let realms = admin.server.database.realms
        let realmID = try #require(admin.server.provider.realms.realm(named: "master")?.id)
        let role = try #require(
            try await realms.roles(realmID: realmID).first { $0.roleName.name == "admin" }
        )
        #expect(try await realms.deleteRole(id: role.id) == .changed)
        try await admin.server.provider.realms.refresh()
        let base = "/admin/realms/master"
        let name = #"{"name": "admin"}"#
        let file = #"{"roles": {"realm": [{"name": "admin"}]}}"#
        for (method, path, body) in [
            (HTTPRequest.Method.post, "/roles", name), (.put, "/roles/guide", name),
            (.post, "/partialImport", file),
        ] {
            let reply = try await admin.send(method, base + path, body, by: helper)
            #expect(reply.status == 403, "\(method) \(path): \(reply.text)")
        }
        let kept = try await admin.send(.get, base + "/roles", by: helper).list
        let names = kept.compactMap { $0.string("name") }
        #expect(names.contains("guide") && !names.contains("admin"))
        let free = try await admin.send(.put, base + "/roles/guide", #"{"name": "g"}"#, by: helper)
        #expect(free.status == 204)
    }

    @Test("attack: the role admin of another realm than master reaches no other one")
    func otherRealm() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let root = try await admin.token("realm-admin")
        let made = try await admin.send(.post, "/roles", #"{"name": "admin"}"#, by: root)
        #expect(made.status == 201)
        let role = try await admin.role("/roles/admin", by: root)
        let path = "/users/\(AdminUnderTest.annID)/role-mappings"
        #expect(try await admin.send(.post, path + "/realm", role, by: root).status == 204)
        // In master a client of that name has the roles of the realm test.
        let named = try await admin.send(
            .post,
            "/clients",
            #"{"clientId": "test-realm"}"#,
            by: root
        )
        #expect(named.status == 201)
        let client = try await admin.id(ofClient: "test-realm", by: root)
        for name in ["view-realm", "manage-users"] {
            let base = "/clients/\(client)/roles"
            let made = try await admin.send(.post, base, #"{"name": "\#(name)"}"#, by: root)
            #expect(made.status == 201)
            let role = try await admin.role("\(base)/\(name)", by: root)
            let given = try await admin.send(.post, path + "/clients/\(client)", role, by: root)
            #expect(given.status == 204)
        }
        let ann = try await admin.token(ofPerson: "ann")
        for path in ["/admin/realms/test", "/admin/realms/test/users", ""] {
            #expect(try await admin.send(.get, path, by: ann).status == 403, "\(path)")
        }
        #expect(try await admin.send(.get, "/admin/realms", by: ann).list.isEmpty)
        let realm = #"{"realm": "mine"}"#
        #expect(try await admin.send(.post, "/admin/realms", realm, by: ann).status == 403)
    }

    @Test("attack: a role that others have is renamed to what Unicode holds equal to a strong one")
    func twins() async throws {
        let admin = try await AdminUnderTest(["manage-realm", "realm-admin"])
        let ruler = try await admin.token("manage-realm")
        let root = try await admin.token("realm-admin")
        let strong = #"""
            {"name": "Kings", "composites": {"client": {"realm-management": ["realm-admin"]}}}
            """#
        #expect(try await admin.send(.post, "/roles", strong, by: root).status == 201)
        let editor = try await admin.role("/roles/editor", by: root)
        let path = "/users/\(AdminUnderTest.annID)/role-mappings/realm"
        #expect(try await admin.send(.post, path, editor, by: root).status == 204)
        // U+212A is a K to whoever compares characters.
        let twin = "{\"name\": \"\u{212A}ings\"}"
        #expect(try await admin.send(.put, "/roles/editor", twin, by: ruler).status == 204)
        let ann = try await admin.token(ofPerson: "ann")
        #expect(try await admin.send(.get, "/users", by: ann).status == 403)
        let effective = try await admin.send(.get, path + "/composite", by: root).list
        #expect(effective.compactMap { $0.string("name") } == ["\u{212A}ings"])
    }

    @Test("attack: manage-clients gives clients scopes that show, or make up, more than it has")
    func scopes() async throws {
        let admin = try await AdminUnderTest(["manage-clients+manage-realm", "realm-admin"])
        let keeper = try await admin.token("manage-clients+manage-realm")
        let root = try await admin.token("realm-admin")
        let management = try await admin.id(ofClient: "realm-management", by: root)
        let role = try await admin.role("/clients/\(management)/roles/realm-admin", by: root)
        let boss = try await admin.role("/roles/boss", by: root)
        let mapper = #"""
            {"name": "m", "protocol": "openid-connect",
             "protocolMapper": "oidc-hardcoded-role-mapper",
             "config": {"role": "realm-management.realm-admin"}}
            """#
        var ids: [String: String] = [:]
        for (name, mappers) in [("shows", ""), ("makes", mapper), ("plain", "")] {
            let scope = """
                {"name": "\(name)", "protocol": "openid-connect", "protocolMappers": [\(mappers)]}
                """
            ids[name] = try await admin.send(.post, "/client-scopes", scope, by: root).madeID
        }
        let shows = "/client-scopes/\(ids["shows"] ?? "")/scope-mappings/clients/\(management)"
        #expect(try await admin.send(.post, shows, role, by: root).status == 204)
        let app = "/clients/\(AdminUnderTest.appID)"
        let before = try await admin.send(.get, app, by: root).text
        for name in ["shows", "makes"] {
            let id = ids[name] ?? ""
            let client = #"{"clientId": "x", "defaultClientScopes": ["\#(name)"]}"#
            var attempts: [(HTTPRequest.Method, String, String?)] = [
                (.post, "/clients", client), (.delete, "/client-scopes/\(id)", nil),
                (.post, "/partialImport", #"{"clients": [\#(client)]}"#),
                (.put, "/client-scopes/\(id)", #"{"description": "x"}"#),
            ]
            for kind in ["default", "optional"] {
                attempts += [
                    (.put, "/default-\(kind)-client-scopes/\(id)", nil),
                    (.put, "\(app)/\(kind)-client-scopes/\(id)", nil),
                    (.put, app, #"{"\#(kind)ClientScopes": ["\#(name)"]}"#),
                ]
            }
            for (method, path, body) in attempts {
                let reply = try await admin.send(method, path, body, by: keeper)
                #expect(reply.status == 403, "\(name) \(method) \(path): \(reply.text)")
            }
        }
        let editor = try await admin.role("/roles/editor", by: root)
        for (owner, given) in [
            (app, boss), ("/client-scopes/\(ids["plain"] ?? "")", boss),
            // Whom it shows it to is who gets it.
            ("/client-scopes/\(ids["makes"] ?? "")", editor),
        ] {
            let path = "\(owner)/scope-mappings/realm"
            #expect(try await admin.send(.post, path, given, by: keeper).status == 403, "\(path)")
        }
        let models = "/client-scopes/\(ids["makes"] ?? "")/protocol-mappers/models"
        let harmless = #"{"name": "n", "protocolMapper": "oidc-full-name-mapper"}"#
        #expect(try await admin.send(.post, models, harmless, by: keeper).status == 403)
        // What has addresses of its own is not changed by the realm's.
        let defaults = #"{"defaultDefaultClientScopes": ["shows"]}"#
        #expect(try await admin.send(.put, "", defaults, by: keeper).status == 204)
        let names = try await admin.send(.get, "/default-default-client-scopes", by: root).list
        #expect(names.contains { $0.string("name") == "profile" })
        #expect(!names.contains { $0.string("name") == "shows" })
        #expect(try await admin.send(.get, app, by: root).text == before)
        #expect(try await admin.send(.get, "/clients?clientId=x", by: root).list.isEmpty)
        let plain = "\(app)/default-client-scopes/\(ids["plain"] ?? "")"
        #expect(try await admin.send(.put, plain, by: keeper).status == 204)
        let made = try await admin.send(.post, "/clients", #"{"clientId": "x"}"#, by: keeper)
        #expect(made.status == 201, "\(made.text)")
    }

    @Test("attack: what every new person or account gets is turned on for oneself")
    func defaults() async throws {
        let admin = try await AdminUnderTest(
            ["manage-clients+manage-realm", "realm-admin"],
            more: #""defaultRoles": ["editor"], "#
        )
        let keeper = try await admin.token("manage-clients+manage-realm")
        let root = try await admin.token("realm-admin")
        let boss = try await admin.role("/roles/boss", by: root)
        let app = "/clients/\(AdminUnderTest.appID)"
        let reader = "\(app)/roles/reader/composites"
        #expect(try await admin.send(.post, reader, boss, by: root).status == 204)
        // Files from before version 13 name default roles at their client.
        let mine = #"{"defaultRoles": ["reader"]}"#
        #expect(try await admin.send(.put, app, mine, by: keeper).status == 403)
        let file = #"""
            {"ifResourceExists": "OVERWRITE",
             "clients": [{"clientId": "app", "defaultRoles": ["reader"]}]}
            """#
        #expect(try await admin.send(.post, "/partialImport", file, by: keeper).status == 403)
        #expect(try await admin.send(.put, app, #"{"name": "App"}"#, by: keeper).status == 204)
        let on = #"{"registrationAllowed": true}"#
        #expect(try await admin.send(.put, "", on, by: keeper).status == 204)
        let off = #"{"registrationAllowed": false}"#
        #expect(try await admin.send(.put, "", off, by: root).status == 204)
        let bosses = try await admin.id(ofGroup: "/bosses", by: root)
        let group = "/default-groups/\(bosses)"
        #expect(try await admin.send(.put, group, by: root).status == 204)
        #expect(try await admin.send(.put, "", on, by: keeper).status == 403)
        #expect(try await admin.send(.delete, group, by: root).status == 204)
        let composites = "/roles/editor/composites"
        #expect(try await admin.send(.post, composites, boss, by: root).status == 204)
        #expect(try await admin.send(.put, "", on, by: keeper).status == 403)
        let robot = #"{"clientId": "robot", "serviceAccountsEnabled": true}"#
        #expect(try await admin.send(.post, "/clients", robot, by: keeper).status == 403)
        let account = #"{"serviceAccountsEnabled": true}"#
        #expect(try await admin.send(.put, app, account, by: keeper).status == 403)
        #expect(try await admin.send(.get, "/clients?clientId=robot", by: root).list.isEmpty)
        let realm = try await admin.send(.get, "", by: root).json
        #expect(realm.bool("registrationAllowed") == false)
        #expect(try await admin.send(.put, "", #"{"displayName": "A"}"#, by: keeper).status == 204)
    }

    @Test("attack: a partial import changes a strong role, or a group inside another one")
    func importing() async throws {
        let admin = try await AdminUnderTest(["manage-realm+manage-users", "realm-admin"])
        let both = try await admin.token("manage-realm+manage-users")
        let root = try await admin.token("realm-admin")
        for members in [
            #""roles": {"realm": [{"name": "boss", "attributes": {"a": ["b"]}}]}"#,
            #""groups": [{"name": "bosses", "attributes": {"a": ["b"]}}]"#,
        ] {
            let body = #"{"ifResourceExists": "OVERWRITE", \#(members)}"#
            let reply = try await admin.send(.post, "/partialImport", body, by: both)
            #expect(reply.status == 403, "\(members): \(reply.text)")
        }
        var ids: [String] = []
        for path in ["/bosses", "/bosses/helpers"] {
            ids.append(try await admin.id(ofGroup: path, by: root))
        }
        // A slash is a part of the name, and no way into the other one.
        let slash = #"""
            {"ifResourceExists": "OVERWRITE",
             "groups": [{"name": "bosses/helpers", "attributes": {"a": ["b"]}}]}
            """#
        let reply = try await admin.send(.post, "/partialImport", slash, by: both)
        #expect(reply.status == 409, "\(reply.text)")
        for id in ids {
            let json = try await admin.send(.get, "/groups/\(id)", by: root).json
            #expect(json.object("attributes")?.isEmpty ?? true)
        }
    }

    @Test("attack: a group is moved to where it, or what lies in it, is a default with rights")
    func moves() async throws {
        let admin = try await AdminUnderTest(["manage-users", "realm-admin"])
        let helper = try await admin.token("manage-users")
        let root = try await admin.token("realm-admin")
        let staff = try await admin.id(ofGroup: "/staff", by: root)
        let ios = try await admin.id(ofGroup: "/staff/ios", by: root)
        let boss = try await admin.role("/roles/boss", by: root)
        let mapping = "/groups/\(ios)/role-mappings/realm"
        #expect(try await admin.send(.post, mapping, boss, by: root).status == 204)
        let open = try await admin.send(.post, "/groups", #"{"name": "open"}"#, by: helper).madeID
        let moved = #"{"id": "\#(staff)", "name": "staff"}"#
        let move = try await admin.send(.post, "/groups/\(open)/children", moved, by: helper)
        #expect(move.status == 403)
        #expect(try await admin.id(ofGroup: "/staff/ios", by: root) == ios)
    }

    @Test("attack: manage-users ends the session of someone with more rights")
    func sessions() async throws {
        let admin = try await AdminUnderTest(["manage-users", "realm-admin"])
        let helper = try await admin.token("manage-users")
        let root = try await admin.token("realm-admin")
        let chief = try await admin.token(ofPerson: "chief")
        let path = "/users/\(AdminUnderTest.chiefID)/sessions"
        let session = try await admin.send(.get, path, by: helper).list.first?.string("id")
        let ended = "/sessions/\(try #require(session))"
        #expect(try await admin.send(.delete, ended, by: helper).status == 403)
        #expect(try await admin.send(.get, "/users", by: chief).status == 200)
        #expect(try await admin.send(.delete, ended, by: root).status == 204)
        #expect(try await admin.send(.get, "/users", by: chief).status == 401)
    }
}
