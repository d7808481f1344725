import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What other programs ask of Keycloak's administration, in the way in which they ask it.
@Suite("Neighbours at the administration") struct AdminNeighbourTests {
    @Test("KC-A-2: a slash at the end of an address says nothing, and no Location has two")
    func slashes() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let token = try await admin.token("realm-admin")
        for path in ["/", "/users/", "/clients/?clientId=app", "/groups/", "/users/count/"] {
            #expect(try await admin.send(.get, path, by: token).status == 200, "\(path)")
        }
        let made = try await admin.send(.post, "/users/", #"{"username": "eve"}"#, by: token)
        #expect(made.status == 201)
        let path = "https://op.example.com/admin/realms/acme/users/\(made.madeID)"
        #expect(made.location == path)
        #expect(try await admin.send(.delete, "/users/\(made.madeID)/", by: token).status == 204)
        for path in ["/nothing/", "/users/profile/none/"] {
            let reply = try await admin.send(.get, path, by: token)
            #expect(reply.status == 404 && reply.error == "HTTP 404 Not Found", "\(path)")
        }
        #expect(try await admin.send(.get, "/users//", by: token).status == 404)
        #expect(try await admin.send(.get, "/users/", by: nil).status == 401)
        #expect(try await admin.send(.patch, "/users/", by: token).status == 405)
        #expect(try await admin.send(.get, "/admin/realms/", by: token).list.count == 1)
    }

    @Test("KC-A-2: what the server is, is told to whoever administers something")
    func information() async throws {
        let admin = try await AdminUnderTest(["view-users", "none"])
        let path = "/admin/serverinfo"
        let token = try await admin.token("view-users")
        let json = try await admin.send(.get, path, by: token).json
        #expect(json.object("systemInfo")?.string("version") == "26.7.3")
        let login = json.object("themes")?.array("login") ?? []
        #expect(login.contains(["name": "keycloak"]))
        let rules = json.object("providers")?.object("password-policy")?.object("providers")
        #expect(rules?.object("length") != nil)
        #expect(try await admin.send(.get, path, by: nil).status == 401)
        let none = try await admin.token("none")
        #expect(try await admin.send(.get, path, by: none).status == 403)
        let whoami = "/admin/acme/console/whoami?currentRealm=acme"
        #expect(try await admin.send(.get, whoami, by: token).status == 401)
    }

    @Test("KC-A-2: null is as absent, and members of 26.7 are known")
    func nulls() async throws {
        let admin = try await AdminUnderTest(master: AdminUnderTest.masterFile, hasMaster: true)
        let root = try await admin.token("root", realm: "master")
        let realm = """
            {"realm": "fresh", "enabled": true, "clientScopes": null, "clients": null, "roles": null,
             "groups": null, "somethingNewer": null, "webAuthnPolicyPasswordlessPasskeysEnabled": true,
             "webAuthnPolicyPasswordlessMediation": "conditional"}
            """
        let made = try await admin.send(.post, "/admin/realms", realm, by: root)
        #expect(made.status == 201, "\(made.text)")
        let fresh = "/admin/realms/fresh"
        let scopes = try await admin.send(.get, fresh + "/client-scopes", by: root).list
        #expect(scopes.contains { $0.string("name") == "profile" })
        let kept = try await admin.send(.get, fresh, by: root).json
        #expect(kept.bool("webAuthnPolicyPasswordlessPasskeysEnabled") == true)
        let client = #"{"clientId": "a", "name": null, "protocol": null, "attributes": null}"#
        let clients = fresh + "/clients"
        #expect(try await admin.send(.post, clients, client, by: root).status == 201)
        let user = #"""
            {"username": "eve", "verifiableCredentials": [], "issuedVerifiableCredentials": null,
             "attributes": {"a": null}, "credentials": [{"type": "password",
               "value": "plenty of words", "secretData": null, "credentialData": null,
               "hashedSaltedValue": null, "temporary": null}]}
            """#
        let eve = try await admin.send(.post, fresh + "/users", user, by: root)
        #expect(eve.status == 201, "\(eve.text)")
        let reset = #"{"value": "plenty of words 2", "secretData": null, "credentialData": null}"#
        let path = fresh + "/users/\(eve.madeID)/reset-password"
        #expect(try await admin.send(.put, path, reset, by: root).status == 204)
        // What would be lost in silence, and what no one knows.
        for body in [
            #"{"username": "x", "verifiableCredentials": [{"credentialScopeName": "a"}]}"#,
            #"{"username": "x", "nonsense": 1}"#,
        ] { #expect(try await admin.send(.post, fresh + "/users", body, by: root).status == 400) }
        let unknown = #"{"realm": "y", "nonsense": 1}"#
        #expect(try await admin.send(.post, "/admin/realms", unknown, by: root).status == 400)
    }

    @Test("KC-A-2: numbers for texts stay as they are written; a byte order mark says nothing")
    func written() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let user = #"{"username": "eve", "firstName": 1.10, "lastName": 12345678901234567890}"#
        let made = try await admin.send(.post, "/users", "\u{FEFF}" + user, by: token)
        #expect(made.status == 201, "\(made.text)")
        let eve = try await admin.send(.get, "/users/\(made.madeID)", by: token).json
        #expect(eve.string("firstName") == "1.10")
        #expect(eve.string("lastName") == "12345678901234567890")
        let twice = "\u{FEFF}\u{FEFF}" + #"{"username": "bob"}"#
        #expect(try await admin.send(.post, "/users", twice, by: token).status == 400)
    }

    @Test("KC-A-2: null takes an attribute away, and an empty text does")
    func attributes() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.appID)"
        func put(_ attributes: String) async throws -> JSONObject? {
            let body = #"{"attributes": \#(attributes)}"#
            #expect(try await admin.send(.put, path, body, by: token).status == 204)
            return try await admin.send(.get, path, by: token).json.object("attributes")
        }
        #expect(try await put(#"{"a": "1", "b": "2"}"#)?.string("b") == "2")
        let left = try await put(#"{"a": null, "b": ""}"#)
        #expect(left?["a"] == nil && left?["b"] == nil)
    }

    @Test(
        "KC-A-2: first and max go as far as Keycloak's",
        arguments: [
            ("first=0&max=2147483647", 200), ("first=2147483647", 200), ("max=2147483648", 404),
            ("max=99999999999999999999", 404), ("first=x", 404), ("max=-1", 200),
        ]
    )
    func numbers(query: String, status: Int) async throws {
        let admin = try await AdminUnderTest(["realm-admin"])
        let token = try await admin.token("realm-admin")
        for path in ["/users", "/groups", "/clients", "/roles", "/events"] {
            let reply = try await admin.send(.get, "\(path)?\(query)", by: token)
            #expect(reply.status == status, "\(path): \(reply.text)")
        }
    }

    @Test("KC-A-2: a group is found by its path without the first slash, and with each written out")
    func paths() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let ios = try await admin.id(ofGroup: "/staff/ios", by: token)
        for path in ["staff/ios", "staff%2Fios", "%2Fstaff%2Fios", "staff/ios/"] {
            let reply = try await admin.send(.get, "/group-by-path/\(path)", by: token)
            #expect(reply.json.string("id") == ios, "\(path)")
        }
        for (number, path) in ["staff", "/staff", "staff/ios"].enumerated() {
            let user = #"{"username": "p\#(number)", "groups": ["\#(path)"]}"#
            let made = try await admin.send(.post, "/users", user, by: token)
            #expect(made.status == 201, "\(path): \(made.text)")
            let groups = try await admin.send(.get, "/users/\(made.madeID)/groups", by: token).list
            #expect(groups.count == 1)
        }
        let helper = #"{"username": "x", "groups": ["nobody"]}"#
        #expect(try await admin.send(.post, "/users", helper, by: token).status == 404)
    }

    @Test("attack: a path without its slash leads no one into a group that gives more")
    func strongPaths() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let user = #"{"username": "eve", "groups": ["bosses/helpers"]}"#
        #expect(try await admin.send(.post, "/users", user, by: token).status == 403)
        #expect(try await admin.send(.get, "/users?username=eve", by: token).list.isEmpty)
    }

    @Test("KC-A-2: of a second client it is said that the client is there, not its account")
    func taken() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let client = #"{"clientId": "svc", "serviceAccountsEnabled": true}"#
        #expect(try await admin.send(.post, "/clients", client, by: token).status == 201)
        let again = try await admin.send(.post, "/clients", client, by: token)
        #expect(again.status == 409)
        #expect(again.json == ["errorMessage": "Client svc already exists"])
        // Its account is somebody else's.
        let user = #"{"username": "service-account-other"}"#
        #expect(try await admin.send(.post, "/users", user, by: token).status == 201)
        let other = #"{"clientId": "other", "serviceAccountsEnabled": true}"#
        let refused = try await admin.send(.post, "/clients", other, by: token)
        #expect(refused.json == ["errorMessage": "User exists with same username"])
    }

    @Test("KC-A-2: a client keeps the scope of accounts, and a PUT of it is taken")
    func accountScope() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let client = #"{"clientId": "svc", "serviceAccountsEnabled": true}"#
        let made = try await admin.send(.post, "/clients", client, by: token)
        let path = "/clients/\(made.madeID)"
        let shown = try await admin.send(.get, path, by: token)
        #expect(shown.json.strings("defaultClientScopes")?.contains("service_account") == true)
        #expect(try await admin.send(.put, path, shown.text, by: token).status == 204)
        let reply = try await admin.send(.get, path + "/client-secret", by: token)
        // Scopes that Keycloak has of itself are passed over, others are not.
        let more = #"{"optionalClientScopes": ["phone", "organization"]}"#
        #expect(try await admin.send(.put, path, more, by: token).status == 204)
        let unknown = #"{"optionalClientScopes": ["phone", "nonsense"]}"#
        #expect(try await admin.send(.put, path, unknown, by: token).status == 400)
        let answer = try await admin.server.post(
            "/realms/acme/protocol/openid-connect/token",
            [
                ("grant_type", "client_credentials"), ("client_id", "svc"),
                ("client_secret", reply.json.string("value") ?? ""),
            ]
        )
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.claims("access_token").string("client_id") == "svc")
    }
}
