import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Clients, client scopes and mappers, by the administration over HTTP.
@Suite("Clients by the administration") struct AdminClientTests {
    @Test("KC-A-2: a confidential client is made with a secret and an account that work")
    func confidential() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let made = try await admin.send(
            .post,
            "/clients",
            #"""
            {"clientId": "svc", "publicClient": false, "serviceAccountsEnabled": true,
             "redirectUris": ["https://svc.example/cb"]}
            """#,
            by: token
        )
        #expect(made.status == 201 && made.body.isEmpty, "\(made.text)")
        let path = "/clients/\(made.madeID)"
        let client = try await admin.send(.get, path, by: token).json
        #expect(client.strings("webOrigins") == ["https://svc.example"])
        #expect(client.bool("publicClient") == false)
        #expect(client.object("access")?.bool("manage") == true)
        let secret = try await admin.send(.get, path + "/client-secret", by: token).json
        let value = try #require(secret.string("value"))
        #expect(value.utf8.count == 86 && client.string("secret") == value)
        func answer(_ secret: String) async throws -> Reply {
            try await admin.server.post(
                "/realms/acme/protocol/openid-connect/token",
                [
                    ("grant_type", "client_credentials"), ("client_id", "svc"),
                    ("client_secret", secret),
                ]
            )
        }
        let own = try #require(try await answer(value).json.string("access_token"))
        #expect(try await admin.send(.get, "/users", by: own).status == 403)
        let account = try await admin.send(.get, path + "/service-account-user", by: token).json
        #expect(account.string("username") == "service-account-svc")
        let id = try #require(account.string("id"))
        let management = try await admin.id(ofClient: "realm-management", by: token)
        let role = try await admin.role("/clients/\(management)/roles/view-users", by: token)
        let mapping = "/users/\(id)/role-mappings/clients/\(management)"
        #expect(try await admin.send(.post, mapping, role, by: token).status == 204)
        #expect(try await admin.send(.get, "/users", by: own).status == 200)
        let fresh = try await admin.send(.post, path + "/client-secret", by: token).json
        #expect(try await answer(value).error == "invalid_client")
        #expect(try await answer(try #require(fresh.string("value"))).status == 200)
        let off = #"{"serviceAccountsEnabled": false}"#
        #expect(try await admin.send(.put, path, off, by: token).status == 204)
        #expect(try await admin.send(.get, "/users/\(id)", by: token).status == 404)
        #expect(try await admin.send(.get, "/users", by: own).status == 401)
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        let gone = try await admin.send(.delete, path, by: token)
        #expect(gone.status == 404 && gone.json == ["error": "Could not find client"])
    }

    @Test("KC-A-2: a client's PUT changes what it names, and what is absent stays")
    func merge() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.appID)"
        let before = try await admin.send(.get, path, by: token).json
        let change = #"""
            {"clientId": "app", "name": "App", "attributes": {"pkce.code.challenge.method": "S256"}}
            """#
        #expect(try await admin.send(.put, path, change, by: token).status == 204)
        let after = try await admin.send(.get, path, by: token).json
        #expect(after.string("name") == "App")
        #expect(after.object("attributes")?.string("pkce.code.challenge.method") == "S256")
        #expect(after.string("secret") == AdminUnderTest.secret)
        // A pattern that came with it stays.
        #expect(after["redirectUris"] == before["redirectUris"])
        #expect(after.strings("redirectUris") == ["https://app.example/*"])
        #expect(after["defaultClientScopes"] == before["defaultClientScopes"])
        // The whole representation, sent back as it came.
        let whole = String(decoding: JSONValue.object(after).serialized(), as: UTF8.self)
        #expect(try await admin.send(.put, path, whole, by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).json == after)
        let taken = try await admin.send(.put, path, #"{"clientId": "web"}"#, by: token)
        #expect(taken.status == 409)
        #expect(
            taken.json == ["error": "conflict", "error_description": "Duplicate resource error"]
        )
    }

    @Test(
        "attack: a redirect URI that is set by the administration is written out",
        arguments: [
            "https://evil.example/*", "*", "http://a b/", "https://x/#f", "http://evil.example/cb",
            "javascript:alert(1)", "https://user@evil.example/",
        ]
    )
    func redirects(uri: String) async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let body = #"{"clientId": "new", "publicClient": true, "redirectUris": ["\#(uri)"]}"#
        let reply = try await admin.send(.post, "/clients", body, by: token)
        #expect(reply.status == 400)
        #expect(reply.error == "invalid_input")
        let change = #"{"redirectUris": ["https://app.example/*", "\#(uri)"]}"#
        let path = "/clients/\(AdminUnderTest.appID)"
        #expect(try await admin.send(.put, path, change, by: token).status == 400)
        let kept = try await admin.send(.get, path, by: token).json.strings("redirectUris")
        #expect(kept == ["https://app.example/*"])
        #expect(try await admin.send(.get, "/clients?clientId=new", by: token).list.isEmpty)
    }

    @Test("decision 0032: a new public client must use PKCE, also where the attribute is emptied")
    func pkce() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        for attributes in ["", #", "attributes": {"pkce.code.challenge.method": ""}"#] {
            let name = attributes.isEmpty ? "one" : "two"
            let body = """
                {"clientId": "\(name)", "publicClient": true, "redirectUris": ["exp://10.0.0.1:8081"]
                 \(attributes)}
                """
            let made = try await admin.send(.post, "/clients", body, by: token)
            #expect(made.status == 201, "\(made.text)")
            let empty = #"{"attributes": {"pkce.code.challenge.method": ""}}"#
            let put = try await admin.send(.put, "/clients/\(made.madeID)", empty, by: token)
            #expect(put.status == 204)
            let client = try await admin.server.provider.realms.realm(named: "acme")?
                .client(clientID: name)
            #expect(client?.codeProtection == .pkce)
        }
    }

    @Test("KC-A-2: what new clients are refused for, in Keycloak's words")
    func refused() async throws {
        let admin = try await AdminUnderTest(["create-client", "realm-admin"])
        let creator = try await admin.token("create-client")
        let token = try await admin.token("realm-admin")
        let taken = try await admin.send(.post, "/clients", #"{"clientId": "app"}"#, by: creator)
        #expect(taken.status == 409)
        #expect(taken.json == ["errorMessage": "Client app already exists"])
        let nameless = try await admin.send(.post, "/clients", #"{"name": "x"}"#, by: creator)
        #expect(nameless.status == 201, "\(nameless.text)")
        let client = try await admin.send(.get, "/clients/\(nameless.madeID)", by: token).json
        #expect(client.string("clientId") == nameless.madeID)
        #expect(try await admin.send(.get, "/clients", by: creator).status == 403)
        let unknown = try await admin.send(.get, "/clients/nope", by: token)
        #expect(unknown.status == 404 && unknown.json == ["error": "Could not find client"])
        let rotated = "/clients/\(AdminUnderTest.appID)/client-secret/rotated"
        #expect(try await admin.send(.get, rotated, by: token).status == 404)
    }

    @Test("KC-M-2: a mapper that is added puts its claim into the next token")
    func mappers() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.webID)/protocol-mappers/models"
        let mapper = #"""
            {"name": "roles", "protocol": "openid-connect",
             "protocolMapper": "oidc-usermodel-realm-role-mapper",
             "config": {"claim.name": "roles", "jsonType.label": "String", "multivalued": "true",
               "access.token.claim": "true"}}
            """#
        let made = try await admin.send(.post, path, mapper, by: token)
        #expect(made.status == 201, "\(made.text)")
        let twice = try await admin.send(.post, path, mapper, by: token)
        #expect(twice.status == 409)
        #expect(twice.json == ["errorMessage": "Protocol mapper exists with same name"])
        let nonsense = #"{"name": "x", "protocol": "openid-connect", "protocolMapper": "nonsense"}"#
        let unknown = try await admin.send(.post, path, nonsense, by: token)
        #expect(unknown.status == 404)
        #expect(unknown.json == ["error": "ProtocolMapper provider not found"])
        let ann = "/users/\(AdminUnderTest.annID)/role-mappings/realm"
        let editor = try await admin.role("/roles/editor", by: token)
        #expect(try await admin.send(.post, ann, editor, by: token).status == 204)
        let claims = try JWT(parsing: try await admin.token(ofPerson: "ann")).uncheckedClaims()
        #expect(claims.strings("roles")?.contains("editor") == true)
        let id = made.madeID
        #expect(try await admin.send(.delete, "\(path)/\(id)", by: token).status == 204)
        #expect(try await admin.send(.get, path, by: token).text == "[]")
    }

    @Test("KC-A-2: a client scope is made, given to a client and taken")
    func scopes() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let body = #"""
            {"name": "team", "protocol": "openid-connect",
             "attributes": {"include.in.token.scope": "true"}}
            """#
        let made = try await admin.send(.post, "/client-scopes", body, by: token)
        #expect(made.status == 201)
        let twice = try await admin.send(.post, "/client-scopes", body, by: token)
        #expect(twice.json == ["errorMessage": "Client Scope team already exists"])
        let read = try await admin.send(.get, "/client-scopes/\(made.madeID)", by: token).json
        #expect(
            read == [
                "id": .string(made.madeID), "name": "team", "protocol": "openid-connect",
                "attributes": ["include.in.token.scope": "true"],
            ]
        )
        let optional = "/clients/\(AdminUnderTest.webID)/optional-client-scopes"
        let path = "\(optional)/\(made.madeID)"
        #expect(try await admin.send(.put, path, by: token).status == 204)
        func names() async throws -> [String] {
            try await admin.send(.get, optional, by: token).list.compactMap { $0.string("name") }
        }
        #expect(try await names().contains("team"))
        #expect(try await admin.send(.delete, path, by: token).status == 204)
        #expect(try await !names().contains("team"))
        let fallback = "/default-optional-client-scopes/\(made.madeID)"
        #expect(try await admin.send(.put, fallback, by: token).status == 204)
        let new = try await admin.send(.post, "/clients", #"{"clientId": "n"}"#, by: token)
        let given = try await admin.send(.get, "/clients/\(new.madeID)", by: token).json
        #expect(given.strings("optionalClientScopes")?.contains("team") == true)
        #expect(
            try await admin.send(.delete, "/client-scopes/\(made.madeID)", by: token).status == 204
        )
        #expect(
            try await admin.send(.delete, "/client-scopes/\(made.madeID)", by: token).status == 404
        )
        // Nothing is left that names it, and the client can be changed as before.
        let client = "/clients/\(new.madeID)"
        let left = try await admin.send(.get, client, by: token).json
        #expect(left.strings("optionalClientScopes")?.contains("team") == false)
        let change = try await admin.send(.put, client, #"{"description": "x"}"#, by: token)
        #expect(change.status == 204, "\(change.text)")
        let realm = try await admin.send(.get, "", by: token).json
        #expect(realm.strings("defaultOptionalClientScopes")?.contains("team") == false)
    }

    @Test("KC-A-2: a realm's settings are changed, and what is absent stays")
    func realm() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let change = #"""
            {"displayName": "Acme", "accessTokenLifespan": 600, "attributes": {"own": "x"}}
            """#
        #expect(try await admin.send(.put, "", change, by: token).status == 204)
        let realm = try await admin.send(.get, "", by: token).json
        #expect(realm.string("displayName") == "Acme" && realm.bool("enabled") == true)
        #expect(realm.int64("accessTokenLifespan") == 600)
        let live = admin.server.provider.realms.realm(named: "acme")
        #expect(live?.lifetimes.accessToken == 600 && live?.displayName == "Acme")
        #expect(try await admin.send(.put, "", #"{"realm": "other"}"#, by: token).status == 400)
        let keys = try await admin.send(.get, "/keys", by: token).json
        #expect(keys.object("active")?.string("RS256") != nil)
        #expect(keys.array("keys")?.isEmpty == false)
        #expect(try await admin.send(.put, "", #"{"enabled": false}"#, by: token).status == 204)
        // Its own tokens are no good any more.
        #expect(try await admin.send(.get, "", by: token).status == 401)
    }
    @Test("attack: a client's own account is given a password, or is signed out by one")
    func noPassword() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let client = try await admin.id(ofClient: "realm-admin", by: root)
        let account = "/clients/\(client)/service-account-user"
        let user = try #require(try await admin.send(.get, account, by: root).json.string("id"))
        let credential = #"{"type": "password", "value": "\#(AdminUnderTest.password)"}"#
        for (path, body) in [
            ("/users/\(user)", #"{"credentials": [\#(credential)]}"#),
            ("/users/\(user)/reset-password", credential),
        ] {
            let reply = try await admin.send(.put, path, body, by: root)
            #expect(reply.status == 400, "\(path): \(reply.text)")
            #expect(reply.text.contains("account of a client"), "\(path)")
        }
        #expect(try await admin.send(.get, "/users", by: root).status == 200)
    }
}
