import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// A realm `acme` behind the administration over HTTP. Each administrator is the account of a client
/// with that name, and has the roles of `realm-management` that the client's name says, with `+`
/// between them.
struct AdminUnderTest: Sendable {
    let server: ProviderUnderTest

    static let secret = "a secret of forty characters, more or less"

    /// - Parameters:
    ///   - administrators: `view-users+manage-clients`; `none` has no right.
    ///   - more: Members of the realm besides.
    ///   - master: The file of the realm `master`.
    ///   - takesPasswords: Whether the password grant is on; as `hasMaster` if `nil`.
    ///   - sendsMail: Whether the outbox is emptied.
    ///   - administering: The clients that people administer by.
    init(
        _ administrators: [String] = ["realm-admin"],
        more: String = "",
        master: String? = nil,
        hasMaster: Bool = false,
        takesPasswords: Bool? = nil,
        sendsMail: Bool = false,
        hashing: PasswordHashing = TestRealm.hashing,
        administering: Set<String> = ["web", "app"]
    ) async throws {
        let clients = administrators.map { name in
            """
            {"clientId": "\(name)", "serviceAccountsEnabled": true, "standardFlowEnabled": false,
             "secret": "\(Self.secret)"}
            """
        }
        let people = administrators.map { name in
            let roles = name.split(separator: "+").filter { $0 != "none" }.map { "\"\($0)\"" }
            return """
                {"username": "service-account-\(name)", "enabled": true,
                 "serviceAccountClientId": "\(name)",
                 "clientRoles": {"realm-management": [\(roles.joined(separator: ", "))]}}
                """
        }
        let file = """
            {"realm": "acme", "enabled": true, \(more)
             "groups": [{"name": "staff", "subGroups": [{"name": "ios"}]},
               {"name": "bosses", "clientRoles": {"realm-management": ["realm-admin"]},
                "subGroups": [{"name": "helpers"}]}],
             "roles": {"realm": [{"name": "editor"}, {"name": "boss", "composites":
                 {"client": {"realm-management": ["realm-admin"]}}}],
               "client": {"app": [{"name": "reader"}]}},
             "clients": [\((clients + [Self.app, Self.web]).joined(separator: ", "))],
             "users": [\((people + [Self.ann, Self.chief]).joined(separator: ", "))]}
            """
        let json = try JSONObject(parsing: Array(file.utf8))
        let whole = JSONValue.object(BuiltInRealm("acme").completing(json)).serialized()
        let database = try TestDatabase.inMemory()
        var imported = try await RealmImportTests.read(
            String(decoding: whole, as: UTF8.self),
            ring: TestRealm.ring
        )
        if let master { imported += try await RealmImportTests.read(master, ring: TestRealm.ring) }
        for realm in imported {
            #expect(realm.report.lines(.skipped) == [])
            var new = realm.realm
            for index in new.clients.indices {
                new.clients[index].administers = administering.contains(
                    new.clients[index].clientID
                )
            }
            #expect(try await database.realms.create(new) == .created)
        }
        server = try await ProviderUnderTest(
            database: database,
            hashing: hashing,
            sendsMail: sendsMail,
            administered: true,
            hasMaster: hasMaster,
            takesAdminPasswords: takesPasswords
        )
    }

    /// What a client's representation says where people administer by way of it.
    static let mark = #""attributes": {"portico.administers": "true"}"#

    static let annID = "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01"
    static let chiefID = "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e02"
    static let appID = "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e03"
    static let webID = "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e04"
    static let password = "correct horse battery 1"

    private static let app = """
        {"id": "\(appID)", "clientId": "app", "secret": "\(secret)",
         "redirectUris": ["https://app.example/*"]}
        """
    /// Where the chief administers from.
    private static let web = """
        {"id": "\(webID)", "clientId": "web", "publicClient": true,
         "redirectUris": ["https://web.example/cb"], "webOrigins": ["https://web.example"]}
        """
    private static let ann = """
        {"id": "\(annID)", "username": "ann", "email": "ann@example.com", "firstName": "Ann",
         "lastName": "Lee", "enabled": true, "emailVerified": true,
         "credentials": [{"value": "\(password)"}]}
        """
    private static let chief = """
        {"id": "\(chiefID)", "username": "chief", "email": "chief@example.com", "enabled": true,
         "groups": ["/bosses"], "credentials": [{"value": "\(password)"}]}
        """

    /// A file of the realm `master`, whose client `root` administers all realms.
    static let masterFile = """
        {"realm": "master", "enabled": true,
         "roles": {"realm": [{"name": "admin"}, {"name": "create-realm"}]},
         "clients": [{"clientId": "root", "serviceAccountsEnabled": true,
            "standardFlowEnabled": false, "secret": "\(secret)"}],
         "users": [{"username": "service-account-root", "enabled": true,
            "serviceAccountClientId": "root", "realmRoles": ["admin"]}]}
        """

    /// The access token of an administrator.
    func token(_ client: String, realm: String = "acme") async throws -> String {
        let reply = try await server.post(
            "/realms/\(realm)/protocol/openid-connect/token",
            [
                ("grant_type", "client_credentials"), ("client_id", client),
                ("client_secret", Self.secret),
            ]
        )
        return try #require(reply.json.string("access_token"), "\(reply.text)")
    }

    /// The access token of a person who signs in with the client `web`.
    func token(
        ofPerson name: String,
        client: String = "web",
        realm: String = "acme",
        scope: String = "openid"
    ) async throws -> String {
        let reply = try await signIn(name, client: client, realm: realm, scope: scope)
        return try #require(reply.json.string("access_token"), "\(reply.text)")
    }

    /// What a client gets for a person who signs in, and allows what they are asked.
    ///
    /// - Parameter hint: A login token in place of name and password.
    func signIn(
        _ name: String,
        client: String = "web",
        realm: String = "acme",
        scope: String = "openid",
        hint: String? = nil
    ) async throws -> Reply {
        let browser = TestBrowser(server)
        let redirect = "https://\(client).example/cb"
        var answer = try await browser.get(
            FormEncoding.appending(
                [
                    ("client_id", client), ("response_type", "code"), ("redirect_uri", redirect),
                    ("scope", scope), ("code_challenge", TestFlow.challenge),
                    ("code_challenge_method", "S256"),
                ] + (hint.map { [("login_hint", $0)] } ?? []),
                to: "/realms/\(realm)/protocol/openid-connect/auth"
            )
        )
        if hint == nil {
            answer = try await browser.submit(
                answer,
                [("username", name), ("password", Self.password)]
            )
        }
        if answer.formAction?.hasSuffix("/consent") == true {
            answer = try await browser.submit(answer, [("action", "allow")])
        }
        return try await server.post(
            "/realms/\(realm)/protocol/openid-connect/token",
            [
                ("grant_type", "authorization_code"), ("code", answer.redirected["code"] ?? ""),
                ("client_id", client), ("redirect_uri", redirect),
                ("code_verifier", TestFlow.verifier),
            ] + (["app", "desk"].contains(client) ? [("client_secret", Self.secret)] : [])
        )
    }

    /// - Parameter path: Below `/admin/realms/acme`, unless it begins with `/admin`.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        by token: String?,
        headers: HTTPFields = [:]
    ) async throws -> Reply {
        var fields = headers
        if let token { fields[.authorization] = "Bearer \(token)" }
        if body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
        let whole = path.hasPrefix("/admin") ? path : "/admin/realms/acme" + path
        return try await server.send(method, whole, headers: fields, body: Array((body ?? "").utf8))
    }

    /// The role as a mapping names it.
    func role(_ path: String, by token: String) async throws -> String {
        let reply = try await send(.get, path, by: token)
        #expect(reply.status == 200, "\(path): \(reply.text)")
        return "[\(reply.text)]"
    }

    /// Changes a client's registration while the server runs.
    func change(client clientID: String, _ change: (inout Client) -> Void) async throws {
        let clients = try await server.database.realms.snapshot().clients
        var client = try #require(clients.first { $0.clientID == clientID })
        change(&client)
        #expect(try await server.database.realms.update(client) == .changed)
        try await server.provider.realms.refresh()
    }

    /// The id of the client, as the administration says.
    func id(ofClient clientID: String, by token: String) async throws -> String {
        let reply = try await send(.get, "/clients?clientId=\(clientID)", by: token)
        return try #require(reply.list.first?.string("id"))
    }

    /// The id of the group at a path.
    func id(ofGroup path: String, by token: String) async throws -> String {
        let reply = try await send(.get, "/group-by-path\(path)", by: token)
        return try #require(reply.json.string("id"))
    }
}

extension AdminUnderTest {
    /// Makes the realm `master`, with `root`, who administers it.
    @discardableResult
    func makeMaster(
        _ username: String = "root",
        password: String = Self.password,
        configure: (inout NewPerson) -> Void = { _ in }
    ) async throws -> Person {
        let moment = Moment(now: server.clock.now, random: .system)
        let database = server.database
        #expect(try await MasterRealm.make(in: database, at: moment))
        try await server.provider.realms.refresh()
        let realmID = try #require(server.provider.realms.realm(named: "master")?.id)
        var root = NewPerson(
            person: Person(id: "root", realmID: realmID, username: username, createdAt: 0),
            password: try await TestRealm.hash(of: password),
            roles: [RoleName(clientID: nil, name: "admin")]
        )
        configure(&root)
        #expect(try await database.people.create(root) == .created)
        return root.person
    }

    /// A token for the password of `root`.
    func rootGrant(_ password: String = Self.password) async throws -> Reply {
        try await server.post(
            "/realms/master/protocol/openid-connect/token",
            [
                ("grant_type", "password"), ("client_id", "admin-cli"), ("username", "root"),
                ("password", password),
            ]
        )
    }
}

extension MasterRealm {
    /// As the server makes it.
    static func make(in database: TestDatabase, at moment: Moment) async throws -> Bool {
        let operations = RealmAdministration(
            store: database.realms,
            people: database.people,
            sessions: database.sessions,
            ring: TestRealm.ring,
            registration: PersonRegistration(hashing: TestRealm.hashing),
            clock: Clock { moment.now }
        )
        return try await create(by: operations, baseURL: "https://op.example.com", at: moment)
    }
}

extension Reply {
    /// The objects of a JSON array.
    var list: [JSONObject] {
        // `try?`: what is no array has no objects, and the test says so.
        ((try? JSONValue(parsing: body))?.array ?? []).compactMap(\.object)
    }

    /// The last part of `Location`.
    var madeID: String {
        location.flatMap { $0.split(separator: "/").last.map(String.init) } ?? ""
    }
}
