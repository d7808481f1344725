import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What the chief's sign-in is worth at clients that someone with few rights made, changed, or knows
/// the secret of (docs/decisions/0053).
@Suite("Attacks on the administration by way of clients") struct AdminLendingTests {
    /// What a client gets that another one hands its sign-in on to.
    private func handOn(
        _ first: Reply,
        _ source: String,
        to target: String,
        _ admin: AdminUnderTest
    ) async throws -> Reply {
        let live = try #require(admin.server.provider.realms.realm(named: "acme"))
        var client = try #require(try await live.client(clientID: source))
        client.loginTokenTargets = [LoginTokenTarget(clientID: target, isSilent: true)]
        #expect(try await admin.server.database.realms.update(client) == .changed)
        try await admin.server.provider.realms.refresh()
        let reply = try await admin.server.post(
            "/realms/acme/protocol/openid-connect/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("client_id", source), ("audience", target),
                ("requested_token_type", "urn:portico:token-type:login-token"),
                ("subject_token", first.json.string("refresh_token") ?? ""),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
            ]
        )
        let token = try #require(reply.json.string("access_token"), "\(reply.text)")
        return try await admin.signIn("chief", client: target, hint: token)
    }

    @Test("attack: what manage-clients made hands the chief's sign-in on, once and twice")
    func handedOn() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        for (name, maker) in [("evil", keeper), ("third", root)] {
            let client = """
                {"clientId": "\(name)", "publicClient": true,
                 "redirectUris": ["https://\(name).example/cb"]}
                """
            let made = try await admin.send(.post, "/clients", client, by: maker)
            #expect(made.status == 201)
            // The administrator trusts both.
            let body = "{\(AdminUnderTest.mark)}"
            let path = "/clients/\(made.madeID)"
            #expect(try await admin.send(.put, path, body, by: root).status == 204)
        }
        let good = try await admin.signIn("chief")
        let passed = try await handOn(good, "web", to: "third", admin)
        let own = try #require(passed.json.string("access_token"), "\(passed.text)")
        #expect(try await admin.send(.get, "/users", by: own).status == 200)
        let first = try await admin.signIn("chief", client: "evil")
        let second = try await handOn(first, "evil", to: "web", admin)
        let third = try await handOn(second, "web", to: "third", admin)
        for reply in [second, third] {
            let stolen = try #require(reply.json.string("access_token"), "\(reply.text)")
            #expect(try await admin.send(.get, "/users", by: stolen).status == 403)
            // What its maker has, it has.
            #expect(try await admin.send(.get, "/clients", by: stolen).status == 200)
        }
    }

    @Test("attack: in master, a right in one realm stands for that of the same name in another")
    func otherRealm() async throws {
        let master = try await MasterUnderTest()
        let admin = master.admin
        func dual() async throws -> [Int] {
            let token = try await admin.token(ofPerson: "dual", realm: "master")
            var answers: [Int] = []
            for realm in ["acme", "test"] {
                let path = "/admin/realms/\(realm)/users"
                answers.append(try await admin.send(.get, path, by: token).status)
            }
            return answers
        }
        #expect(try await dual() == [200, 200])
        let helper = try await admin.token("helper", realm: "master")
        let clients = "/admin/realms/master/clients"
        let found = try await admin.send(.get, clients + "?clientId=web", by: helper).list.first
        let path = "\(clients)/\(try #require(found?.string("id")))"
        let change = try await admin.send(.put, path, #"{"name": "Web"}"#, by: helper)
        #expect(change.status == 204, "\(change.text)")
        #expect(try await dual() == [200, 403])
    }

    @Test("attack: manage-clients reads or sets a client's secret, and the chief signs in to it")
    func secrets() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let desk = """
            {"clientId": "desk", "secret": "\(AdminUnderTest.secret)", \(AdminUnderTest.mark),
             "redirectUris": ["https://desk.example/cb"]}
            """
        let made = try await admin.send(.post, "/clients", desk, by: root)
        let app = "/clients/\(AdminUnderTest.appID)"
        var chiefs: [String: String] = [:]
        for name in ["app", "desk"] {
            chiefs[name] = try await admin.token(ofPerson: "chief", client: name)
        }
        // A list of all clients tells no secret that their makers had more rights than its reader by.
        for path in ["/clients", "/clients?clientId=app", app] {
            let text = try await admin.send(.get, path, by: keeper).text
            #expect(!text.contains(AdminUnderTest.secret), "\(path)")
            #expect(try await admin.send(.get, path, by: root).text.contains(AdminUnderTest.secret))
        }
        _ = try await admin.send(.get, app + "/client-secret", by: root)
        for (_, chief) in chiefs {
            #expect(try await admin.send(.get, "/users", by: chief).status == 200)
        }
        let read = try await admin.send(.get, app + "/client-secret", by: keeper)
        #expect(read.json.string("value") == AdminUnderTest.secret)
        let other = "/clients/\(made.madeID)/client-secret"
        #expect(try await admin.send(.post, other, by: keeper).status == 200)
        for (name, chief) in chiefs {
            #expect(try await admin.send(.get, "/users", by: chief).status == 403, "\(name)")
            #expect(try await admin.send(.get, "/clients", by: chief).status == 200, "\(name)")
        }
        // From then on it is shown to who knows it, but not once the client has an account with more.
        #expect(try await admin.send(.get, app, by: keeper).text.contains(AdminUnderTest.secret))
        let on = #"{"serviceAccountsEnabled": true}"#
        #expect(try await admin.send(.put, app, on, by: root).status == 204)
        let account = try await admin.send(.get, app + "/service-account-user", by: root).json
        let mapping = "/users/\(account.string("id") ?? "")/role-mappings/realm"
        let boss = try await admin.role("/roles/boss", by: root)
        #expect(try await admin.send(.post, mapping, boss, by: root).status == 204)
        for path in [app, app + "/client-secret"] {
            let shown = try await admin.send(.get, path, by: keeper).text
            #expect(!shown.contains(AdminUnderTest.secret), "\(path)")
        }
    }

    @Test("attack: manage-clients changes a client elsewhere, and the chief signs in to it")
    func otherAddresses() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let scopes = try await admin.send(.get, "/client-scopes", by: root).list
        let scope = try #require(scopes.first { $0.string("name") == "phone" }?.string("id"))
        let mapper = #"""
            {"name": "m", "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper",
             "config": {"included.custom.audience": "a", "access.token.claim": "true"}}
            """#
        let changes: [(HTTPRequest.Method, String, String?)] = [
            (.post, "/protocol-mappers/models", mapper),
            (.put, "/default-client-scopes/\(scope)", nil),
            (.delete, "/optional-client-scopes/\(scope)", nil),
        ]
        for (index, (method, part, body)) in changes.enumerated() {
            let client = """
                {"clientId": "c\(index)", "publicClient": true, \(AdminUnderTest.mark),
                 "redirectUris": ["https://c\(index).example/cb"]}
                """
            let made = try await admin.send(.post, "/clients", client, by: root)
            let chief = try await admin.token(ofPerson: "chief", client: "c\(index)")
            #expect(try await admin.send(.get, "/users", by: chief).status == 200)
            let path = "/clients/\(made.madeID)\(part)"
            let reply = try await admin.send(method, path, body, by: keeper)
            #expect([201, 204].contains(reply.status), "\(path): \(reply.text)")
            #expect(try await admin.send(.get, "/users", by: chief).status == 403, "\(part)")
            #expect(try await admin.send(.get, "/clients", by: chief).status == 200, "\(part)")
        }
    }

    @Test("attack: manage-clients takes over a client that came with no file")
    func ownClients() async throws {
        let admin = try await AdminUnderTest(["manage-clients", "realm-admin"])
        let keeper = try await admin.token("manage-clients")
        let root = try await admin.token("realm-admin")
        let live = try #require(admin.server.provider.realms.realm(named: "acme"))
        var client = Client(
            id: UniqueID(random: .system).text,
            realmID: live.id,
            clientID: "own",
            name: "Own",
            type: .confidential,
            authentication: .clientSecretBasic
        )
        client.secret = ClientSecretSeal(ring: TestRealm.ring).keep(
            SecretText(AdminUnderTest.secret),
            of: client.id,
            random: .system
        )
        client.administers = true
        #expect(try await admin.server.database.realms.create(client) == .created)
        try await admin.server.provider.realms.refresh()
        let path = "/clients/\(client.id)"
        #expect(try await admin.send(.get, path, by: root).status == 200)
        let read = try await admin.send(.get, path + "/client-secret", by: keeper)
        #expect(read.json.string("value") == AdminUnderTest.secret)
        let kept = try await admin.server.database.realms.snapshot().clients
            .first { $0.id == client.id }
        #expect(
            kept?.lends == [RoleName(clientID: "realm-management", name: "manage-clients")]
        )
    }
}

/// The realm `master` beside `acme` and `test`: the client `helper` has `manage-clients` and
/// `manage-realm` there and `manage-users` in `acme`, the person `dual` has `manage-users` in both.
struct MasterUnderTest {
    let admin: AdminUnderTest

    init() async throws {
        admin = try await AdminUnderTest(["realm-admin"], master: Self.file, hasMaster: true)
    }

    private static let file = """
        {"realm": "master", "enabled": true,
         "roles": {"realm": [{"name": "admin"}, {"name": "create-realm"}, {"name": "guide"}],
           "client": {"master-realm": [{"name": "manage-clients"}, {"name": "manage-realm"}],
             "acme-realm": [{"name": "manage-users"}], "test-realm": [{"name": "manage-users"}]}},
         "clients": [{"clientId": "master-realm"}, {"clientId": "acme-realm"},
           {"clientId": "test-realm"},
           {"clientId": "web", "publicClient": true, "redirectUris": ["https://web.example/cb"]},
           {"clientId": "helper", "serviceAccountsEnabled": true, "standardFlowEnabled": false,
            "secret": "\(AdminUnderTest.secret)"}],
         "users": [{"username": "service-account-helper", "enabled": true,
             "serviceAccountClientId": "helper",
             "clientRoles": {"master-realm": ["manage-clients", "manage-realm"],
               "acme-realm": ["manage-users"]}},
           {"username": "dual", "enabled": true,
            "credentials": [{"value": "\(AdminUnderTest.password)"}],
            "clientRoles": {"acme-realm": ["manage-users"], "test-realm": ["manage-users"]}}]}
        """
}
