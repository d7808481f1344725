import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// No one raises their rights: each test is an attack by someone with few rights, and what remains.
@Suite("Attacks on the administration by those with few rights") struct AdminRightsTests {
    private static let ann = "/users/\(AdminUnderTest.annID)"
    private static let chief = "/users/\(AdminUnderTest.chiefID)"

    /// What the person may do now.
    private func roles(of person: String, _ admin: AdminUnderTest, by token: String) async throws
        -> Set<String>
    {
        let id = try await admin.id(ofClient: "realm-management", by: token)
        let path = "\(person)/role-mappings/clients/\(id)/composite"
        return Set(
            try await admin.send(.get, path, by: token).list.compactMap { $0.string("name") }
        )
    }

    @Test("attack: manage-users gives administrative roles, directly, by a composite or by a group")
    func give() async throws {
        let admin = try await AdminUnderTest(["manage-users+view-clients", "realm-admin"])
        let root = try await admin.token("realm-admin")
        let helper = try await admin.token("manage-users+view-clients")
        let management = try await admin.id(ofClient: "realm-management", by: root)
        let base = "/clients/\(management)/roles"
        for name in ["realm-admin", "manage-clients", "manage-realm", "impersonation"] {
            let role = try await admin.role("\(base)/\(name)", by: helper)
            let path = "\(Self.ann)/role-mappings/clients/\(management)"
            #expect(try await admin.send(.post, path, role, by: helper).status == 403, "\(name)")
            let available = try await admin.send(.get, path + "/available", by: helper).list
            #expect(!available.contains { $0.string("name") == name })
        }
        let boss = try await admin.role("/roles/boss", by: helper)
        let realm = "\(Self.ann)/role-mappings/realm"
        #expect(try await admin.send(.post, realm, boss, by: helper).status == 403)
        for path in ["/bosses", "/bosses/helpers"] {
            let group = try await admin.id(ofGroup: path, by: helper)
            let put = try await admin.send(.put, "\(Self.ann)/groups/\(group)", by: helper)
            #expect(put.status == 403, "\(path)")
            let user = #"{"username": "eve", "enabled": true, "groups": ["\#(path)"]}"#
            #expect(try await admin.send(.post, "/users", user, by: helper).status == 403)
        }
        #expect(try await admin.send(.get, "/users?username=eve", by: root).list.isEmpty)
        let staff = try await admin.id(ofGroup: "/staff", by: helper)
        let mapping = "/groups/\(staff)/role-mappings/realm"
        #expect(try await admin.send(.post, mapping, boss, by: helper).status == 403)
        // A group that lies in one with more rights gives its members these.
        let bosses = try await admin.id(ofGroup: "/bosses", by: helper)
        let moved = #"{"id": "\#(staff)", "name": "staff"}"#
        let move = try await admin.send(.post, "/groups/\(bosses)/children", moved, by: helper)
        #expect(move.status == 403)
        #expect(try await roles(of: Self.ann, admin, by: root).isEmpty)
        // What they have themselves, and what is not administrative, they may give.
        let own = try await admin.role("\(base)/manage-users", by: helper)
        let mine = "\(Self.ann)/role-mappings/clients/\(management)"
        #expect(try await admin.send(.post, mine, own, by: helper).status == 204)
        let editor = try await admin.role("/roles/editor", by: helper)
        #expect(try await admin.send(.post, realm, editor, by: helper).status == 204)
        #expect(try await roles(of: Self.ann, admin, by: root) == ["manage-users"])
    }

    @Test("attack: manage-users becomes someone with more rights by their password or address")
    func become() async throws {
        let admin = try await AdminUnderTest(["manage-users", "realm-admin"])
        let helper = try await admin.token("manage-users")
        let root = try await admin.token("realm-admin")
        let credential = #"{"type": "password", "value": "Another-123 one"}"#
        let group = try await admin.id(ofGroup: "/staff", by: helper)
        let bosses = try await admin.id(ofGroup: "/bosses", by: helper)
        let attempts: [(HTTPRequest.Method, String, String?)] = [
            (.put, "\(Self.chief)/reset-password", credential),
            (.put, Self.chief, #"{"email": "mine@evil.example", "emailVerified": true}"#),
            (.put, Self.chief, #"{"credentials": [\#(credential)]}"#),
            (.put, Self.chief, #"{"enabled": false}"#), (.delete, Self.chief, nil),
            (.put, "\(Self.chief)/disable-credential-types", #"["otp"]"#),
            (.post, "\(Self.chief)/federated-identity/google", #"{"userId": "1"}"#),
            (.put, "\(Self.chief)/groups/\(group)", nil),
            (.delete, "\(Self.chief)/groups/\(bosses)", nil),
            (.delete, "\(Self.chief)/credentials/password", nil),
            (.delete, "\(Self.chief)/federated-identity/google", nil),
            (.delete, "\(Self.chief)/consents/web", nil),
        ]
        for (method, path, body) in attempts {
            let reply = try await admin.send(method, path, body, by: helper)
            #expect(reply.status == 403, "\(method) \(path) \(body ?? "")")
        }
        let kept = try await admin.send(.get, Self.chief, by: root).json
        #expect(kept.string("email") == "chief@example.com")
        #expect(kept.bool("enabled") == true)
        let access = try await admin.send(.get, Self.chief, by: helper).json.object("access")
        #expect(access?.bool("resetPassword") == false && access?.bool("impersonate") == false)
        _ = try await admin.token(ofPerson: "chief")
        let path = "\(Self.ann)/reset-password"
        #expect(try await admin.send(.put, path, credential, by: helper).status == 204)
        #expect(
            try await admin.send(.put, "\(Self.chief)/reset-password", credential, by: root).status
                == 204
        )
    }

    @Test("attack: manage-realm makes a role that everyone has contain an administrative one")
    func compose() async throws {
        let admin = try await AdminUnderTest(["manage-realm+view-clients", "realm-admin"])
        let ruler = try await admin.token("manage-realm+view-clients")
        let root = try await admin.token("realm-admin")
        let management = try await admin.id(ofClient: "realm-management", by: root)
        let role = try await admin.role("/clients/\(management)/roles/manage-users", by: ruler)
        let boss = try await admin.role("/roles/boss", by: ruler)
        for path in ["/roles/default-roles-acme/composites", "/roles/editor/composites"] {
            #expect(try await admin.send(.post, path, role, by: ruler).status == 403)
            #expect(try await admin.send(.post, path, boss, by: ruler).status == 403)
        }
        let new = #"""
            {"name": "mine", "composites": {"client": {"realm-management": ["manage-users"]}}}
            """#
        #expect(try await admin.send(.post, "/roles", new, by: ruler).status == 403)
        #expect(try await admin.send(.get, "/roles/mine", by: root).status == 404)
        let group = try await admin.id(ofGroup: "/bosses", by: root)
        #expect(try await admin.send(.put, "/default-groups/\(group)", by: ruler).status == 403)
        let other = #"{"defaultRole": {"name": "boss"}, "defaultGroups": ["/bosses"]}"#
        #expect(try await admin.send(.put, "", other, by: ruler).status == 204)
        let realm = try await admin.send(.get, "", by: root).json
        #expect(realm.object("defaultRole")?.string("name") == "default-roles-acme")
        #expect(realm["defaultGroups"] == nil)
        #expect(try await roles(of: Self.ann, admin, by: root).isEmpty)
    }

    @Test("attack: manage-clients renames, makes or deletes roles that give rights")
    func ownRoles() async throws {
        let admin = try await AdminUnderTest(["manage-clients+manage-realm", "realm-admin"])
        let keeper = try await admin.token("manage-clients+manage-realm")
        let root = try await admin.token("realm-admin")
        let management = try await admin.id(ofClient: "realm-management", by: root)
        let base = "/clients/\(management)"
        let attempts: [(HTTPRequest.Method, String, String?)] = [
            (.post, "\(base)/roles", #"{"name": "manage-everything"}"#),
            (.put, "\(base)/roles/view-realm", #"{"name": "manage-users"}"#),
            (.delete, "\(base)/roles/view-realm", nil),
            (.put, "\(base)/roles/manage-realm", #"{"name": "of-no-one"}"#),
            (.delete, "\(base)/roles/manage-realm", nil),
            (.post, "\(base)/roles/view-realm/composites", "[]"),
            (.put, base, #"{"publicClient": true}"#), (.delete, base, nil),
            (.post, "\(base)/client-secret", nil),
        ]
        for (method, path, body) in attempts {
            let reply = try await admin.send(method, path, body, by: keeper)
            #expect(reply.status == 403, "\(method) \(path)")
        }
        let names = try await admin.send(.get, "\(base)/roles", by: root).list
        #expect(names.count == 22)
        // Nor one that goes with the client whose it is.
        let strong = #"""
            {"name": "strong", "composites": {"client": {"realm-management": ["realm-admin"]}}}
            """#
        let app = "/clients/\(AdminUnderTest.appID)"
        #expect(try await admin.send(.post, "\(app)/roles", strong, by: root).status == 201)
        #expect(try await admin.send(.delete, app, by: keeper).status == 403)
        #expect(try await admin.send(.get, "\(app)/roles/strong", by: root).status == 200)
        #expect(try await admin.send(.delete, "\(app)/roles/strong", by: root).status == 204)
        #expect(try await admin.send(.delete, app, by: keeper).status == 204)
        // Not even where there is none any more.
        #expect(try await admin.send(.delete, base, by: root).status == 204)
        let again = #"{"clientId": "realm-management", "redirectUris": ["https://evil.example/"]}"#
        #expect(try await admin.send(.post, "/clients", again, by: keeper).status != 201)
    }

    @Test(
        "attack: manage-clients reads, or replaces, the secret of a client whose account has more"
    )
    func accounts() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let strong = try await admin.id(ofClient: "realm-admin", by: root)
        let base = "/clients/\(strong)"
        let mapper = #"""
            {"name": "m", "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper",
             "config": {"included.custom.audience": "a"}}
            """#
        let attempts: [(HTTPRequest.Method, String, String?)] = [
            (.get, "\(base)/client-secret", nil), (.post, "\(base)/client-secret", nil),
            (.put, base, #"{"secret": "one that the attacker knows"}"#), (.delete, base, nil),
            (.post, "\(base)/protocol-mappers/models", mapper),
        ]
        for (method, path, body) in attempts {
            let reply = try await admin.send(method, path, body, by: keeper)
            #expect(reply.status == 403, "\(method) \(path)")
            #expect(!reply.text.contains(AdminUnderTest.secret))
        }
        for path in [base, "/clients", "/clients?clientId=realm-admin"] {
            let text = try await admin.send(.get, path, by: keeper).text
            let shown = text.contains(#""clientId":"realm-admin""#)
            #expect(shown)
            let part = text.split(separator: #""clientId":"realm-admin""#).last ?? ""
            #expect(!part.prefix(600).contains(AdminUnderTest.secret), "\(path)")
        }
        _ = try await admin.token("realm-admin")
        let weak = "/clients/\(AdminUnderTest.appID)/client-secret"
        let read = try await admin.send(.get, weak, by: keeper)
        #expect(read.json.string("value") == AdminUnderTest.secret)
    }

    @Test("attack: who may only view clients sees no secret")
    func viewers() async throws {
        let admin = try await AdminUnderTest(["view-clients", "create-client", "manage-clients"])
        let viewer = try await admin.token("view-clients")
        let (maker, keeper) = try await (
            admin.token("create-client"), admin.token("manage-clients")
        )
        // Nor of one that lends nothing to anyone, because two with other rights changed it.
        let client = #"{"clientId": "made", "secret": "\#(AdminUnderTest.secret)"}"#
        let made = try await admin.send(.post, "/clients", client, by: maker)
        let path = "/clients/\(made.madeID)"
        #expect(try await admin.send(.put, path, #"{"name": "M"}"#, by: keeper).status == 204)
        #expect(try await admin.send(.get, path, by: keeper).json["secret"] != nil)
        for path in ["/clients", "/clients/\(AdminUnderTest.appID)", path] {
            let reply = try await admin.send(.get, path, by: viewer)
            #expect(reply.status == 200)
            #expect(!reply.text.contains(AdminUnderTest.secret))
        }
        for path in ["/clients/\(AdminUnderTest.appID)", path] {
            let reply = try await admin.send(.get, path + "/client-secret", by: viewer)
            #expect(reply.status == 403)
        }
    }

    @Test("attack: manage-clients puts administrative roles into tokens by a mapper or a scope")
    func mappers() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let configs = [
            ("oidc-hardcoded-role-mapper", #""role": "realm-management.realm-admin""#),
            ("oidc-hardcoded-role-mapper", #""role": "boss""#),
            (
                "oidc-role-name-mapper",
                #""role": "editor", "new.role.name": "realm-management.realm-admin""#
            ),
            (
                "oidc-hardcoded-claim-mapper",
                #""claim.name": "resource_access.realm-management.roles", "claim.value": "x""#
            ),
            (
                "oidc-usermodel-attribute-mapper",
                #""claim.name": "realm_access.roles", "user.attribute": "x""#
            ),
            (
                "oidc-hardcoded-claim-mapper",
                #""claim.name": "\\realm_access.roles", "claim.value": "x""#
            ),
            (
                "oidc-usermodel-client-role-mapper",
                """
                "claim.name": "resource_access.realm-management.roles",
                "usermodel.clientRoleMapping.clientId": "mine"
                """
            ),
            (
                "oidc-usermodel-realm-role-mapper",
                """
                "claim.name": "resource_access.realm-management.roles",
                "usermodel.realmRoleMapping.rolePrefix": "realm-"
                """
            ),
        ]
        let scopes = try await admin.send(.get, "/client-scopes", by: keeper).list
        let scope = try #require(scopes.first { $0.string("name") == "profile" }?.string("id"))
        for (index, (kind, config)) in configs.enumerated() {
            let mapper = """
                {"name": "m\(index)", "protocol": "openid-connect", "protocolMapper": "\(kind)",
                 "config": {\(config), "access.token.claim": "true"}}
                """
            let client =
                #"{"clientId": "mine", "publicClient": true, "protocolMappers": [\#(mapper)]}"#
            let body = #"{"protocolMappers": [\#(mapper)]}"#
            let attempts: [(HTTPRequest.Method, String, String)] = [
                (.post, "/clients/\(AdminUnderTest.appID)/protocol-mappers/models", mapper),
                (.post, "/client-scopes/\(scope)/protocol-mappers/add-models", "[\(mapper)]"),
                (.put, "/clients/\(AdminUnderTest.appID)", body), (.post, "/clients", client),
                (.put, "/client-scopes/\(scope)", body),
            ]
            for (method, path, body) in attempts {
                let reply = try await admin.send(method, path, body, by: keeper)
                #expect([400, 403].contains(reply.status), "\(kind) \(method) \(path)")
                #expect(reply.status == 403 || index > 2, "\(kind) \(path): \(reply.text)")
            }
        }
        #expect(try await admin.send(.get, "/clients?clientId=mine", by: root).list.isEmpty)
        let models = "/clients/\(AdminUnderTest.appID)/protocol-mappers/models"
        #expect(try await admin.send(.get, models, by: root).text == "[]")
        let management = try await admin.id(ofClient: "realm-management", by: root)
        let role = try await admin.role("/clients/\(management)/roles/realm-admin", by: root)
        for owner in ["clients/\(AdminUnderTest.appID)", "client-scopes/\(scope)"] {
            let path = "/\(owner)/scope-mappings/clients/\(management)"
            #expect(try await admin.send(.post, path, role, by: keeper).status == 403)
            #expect(try await admin.send(.get, path, by: keeper).text == "[]")
        }
    }

    @Test("attack: what others have rights by is renamed, removed, or made a default")
    func renamed() async throws {
        let admin = try await AdminUnderTest(["manage-users+manage-realm", "realm-admin"])
        let root = try await admin.token("realm-admin")
        let helper = try await admin.token("manage-users+manage-realm")
        let bosses = try await admin.id(ofGroup: "/bosses", by: helper)
        let inner = try await admin.id(ofGroup: "/bosses/helpers", by: helper)
        for id in [bosses, inner] {
            let name = #"{"name": "newcomers"}"#
            #expect(try await admin.send(.put, "/groups/\(id)", name, by: helper).status == 403)
            #expect(try await admin.send(.delete, "/groups/\(id)", by: helper).status == 403)
            let child = #"{"name": "mine"}"#
            let made = try await admin.send(.post, "/groups/\(id)/children", child, by: helper)
            #expect(made.status == 403)
        }
        let twin = #"{"name": "bosses/helpers"}"#
        #expect(try await admin.send(.post, "/groups", twin, by: helper).status == 409)
        for request in [#"{"name": "default-roles-acme"}"#, #"{"name": "x"}"#] {
            let put = try await admin.send(.put, "/roles/boss", request, by: helper)
            #expect(put.status == 403)
        }
        #expect(try await admin.send(.delete, "/roles/boss", by: helper).status == 403)
        // Where the default is administrative already, who has fewer rights makes no one.
        let path = "/default-groups/\(bosses)"
        #expect(try await admin.send(.put, path, by: root).status == 204)
        let user = #"{"username": "eve", "enabled": true}"#
        #expect(try await admin.send(.post, "/users", user, by: helper).status == 403)
        #expect(try await admin.send(.get, "/users?username=eve", by: root).list.isEmpty)
        // Nor are people with more rights signed out.
        let chief = "/users/\(AdminUnderTest.chiefID)/logout"
        #expect(try await admin.send(.post, chief, by: helper).status == 403)
    }

    @Test("attack: manage-clients lets the chief sign in to a client whose tokens it gets")
    func lending() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let chief = try await admin.token(ofPerson: "chief")
        #expect(try await admin.send(.get, "/users", by: chief).status == 200)
        let evil = #"""
            {"clientId": "evil", "publicClient": true, "fullScopeAllowed": true,
             "redirectUris": ["https://evil.example/cb"]}
            """#
        let made = try await admin.send(.post, "/clients", evil, by: keeper)
        #expect(made.status == 201)
        // Even where the administrator is talked into letting people administer by it.
        let mark = "{\(AdminUnderTest.mark)}"
        let marked = try await admin.send(.put, "/clients/\(made.madeID)", mark, by: root)
        #expect(marked.status == 204)
        let stolen = try await admin.token(ofPerson: "chief", client: "evil")
        #expect(try await admin.send(.get, "/users", by: stolen).status == 403)
        #expect(try await admin.send(.get, "/clients", by: stolen).status == 200)
        // Nor by one that was there, from when it was changed.
        let path = "/clients/\(AdminUnderTest.webID)"
        let change = #"{"redirectUris": ["https://web.example/cb", "https://evil.example/x"]}"#
        #expect(try await admin.send(.put, path, change, by: keeper).status == 204)
        #expect(try await admin.send(.get, "/users", by: chief).status == 403)
        // The realm's administrator does not lift it by the way, and no one sees it.
        let name = try await admin.send(.put, path, #"{"name": "Web"}"#, by: root)
        #expect(name.status == 204)
        #expect(try await admin.send(.get, "/users", by: chief).status == 403)
        let shown = try await admin.send(.get, path, by: root)
        #expect(!shown.text.contains("portico.lends"))
        let lifted = try await admin.send(.put, path, #"{"portico.lends": []}"#, by: root)
        #expect(lifted.status == 400)
    }
}
