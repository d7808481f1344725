import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Who is let in to the administration, and what others are told.
@Suite("Access to the administration") struct AdminAccessTests {
    @Test("KC-A-2: without a good token it is 401 with a challenge, before anything is said")
    func noToken() async throws {
        let admin = try await AdminUnderTest()
        for token in [nil, "x", "eyJhbGciOiJub25lIn0.eyJpc3MiOiJhIn0."] {
            for path in ["", "/users", "/admin/realms", "/admin/realms/nowhere"] {
                let reply = try await admin.send(.get, path, by: token)
                #expect(reply.status == 401)
                #expect(reply.json == ["error": "HTTP 401 Unauthorized"])
                // RFC 9110 §15.5.2, RFC 9449 §7.1.
                let challenges = reply.headers[values: .wwwAuthenticate]
                let ours = #"Bearer realm="https://op.example.com/admin""#
                #expect(challenges.count == 2 && challenges.first?.hasPrefix("DPoP algs=") == true)
                #expect(challenges.last?.hasPrefix(ours) == true)
            }
        }
    }

    @Test("KC-A-2: a token without the right is 403, an unknown realm 404")
    func refusals() async throws {
        let admin = try await AdminUnderTest(["none", "view-users", "realm-admin"])
        let none = try await admin.token("none")
        let viewer = try await admin.token("view-users")
        for (path, token) in [
            ("/users", none), ("", none), ("/clients", viewer), ("/keys", viewer),
        ] {
            let reply = try await admin.send(.get, path, by: token)
            #expect(reply.status == 403, "\(path)")
            #expect(reply.json == ["error": "HTTP 403 Forbidden"])
        }
        let reply = try await admin.send(.get, "/admin/realms/nowhere", by: viewer)
        #expect(reply.status == 404)
        #expect(reply.json == ["error": "Realm not found."])
        // Another realm than the token's.
        #expect(try await admin.send(.get, "/admin/realms/test/users", by: viewer).status == 403)
        let made = try await admin.send(.post, "/users", #"{"username": "eve"}"#, by: viewer)
        #expect(made.status == 403)
        let users = try await admin.send(.get, "/users?username=eve", by: viewer)
        #expect(users.json.isEmpty && users.list.isEmpty)
    }

    private static let long = ClaimMapper(
        .fixedClaim(.string(String(repeating: "x", count: 15_000))),
        "long"
    )

    @Test(
        "attack: a long body is read only for a token that master has signed, and that is not over"
    )
    func longBodies() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let server = admin.server
        let tokens = AdministratorTokens(server.provider)
        let foreign = try await admin.token("realm-admin")
        // Without a realm of that name no one makes realms.
        #expect(!tokens.mayMakeRealms("Bearer \(foreign)"))
        let realmID = try await admin.makeMaster().realmID
        func granted() async throws -> String {
            let reply = try await admin.rootGrant()
            return try #require(reply.json.string("access_token"), "\(reply.text)")
        }
        let token = try await granted()
        #expect(tokens.mayMakeRealms("Bearer \(token)"))
        for other in [
            token, "Bearer", "Basic \(token)", "Bearer \(token.dropLast(8))AAAAAAAA",
            "Bearer \(foreign)", "Bearer \(token) x",
        ] { #expect(!tokens.mayMakeRealms(other), "\(other)") }
        // A long token is as good (docs/decisions/0102).
        let clients = try await server.database.realms.snapshot().clients
        var client = try #require(
            clients.first { $0.realmID == realmID && $0.clientID == "admin-cli" }
        )
        client.mappers = [Self.long]
        #expect(try await server.database.realms.update(client) == .changed)
        try await server.provider.realms.refresh()
        let long = try await granted()
        #expect(long.utf8.count > 16_384 && tokens.mayMakeRealms("Bearer \(long)"))
        server.clock.advance(by: 86_400)
        #expect(!tokens.mayMakeRealms("Bearer \(token)"))
    }

    @Test("KC-A-2: with few rights the realm is short, and lists have what one may see")
    func short() async throws {
        let admin = try await AdminUnderTest(["view-users", "query-users", "query-clients"])
        let viewer = try await admin.token("view-users")
        let realm = try await admin.send(.get, "", by: viewer).json
        #expect(realm.string("realm") == "acme")
        #expect(realm["clients"] == nil && realm["enabled"] == nil && realm["id"] == nil)
        let realms = try await admin.send(.get, "/admin/realms", by: viewer)
        #expect(realms.list == [["realm": "acme"]])
        let looking = try await admin.token("query-users")
        #expect(try await admin.send(.get, "/users", by: looking).text == "[]")
        #expect(try await admin.send(.get, "/users/count", by: looking).text == "0")
        let path = "/users/\(AdminUnderTest.annID)"
        #expect(try await admin.send(.get, path, by: looking).status == 403)
        let clients = try await admin.token("query-clients")
        #expect(try await admin.send(.get, "/clients", by: clients).text == "[]")
    }

    @Test("KC-A-2: rights are those the person has now, and end with the grant")
    func now() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let chief = try await admin.token(ofPerson: "chief")
        #expect(try await admin.send(.get, "/users", by: chief).status == 200)
        let group = try await admin.id(ofGroup: "/bosses", by: token)
        let member = "/users/\(AdminUnderTest.chiefID)/groups/\(group)"
        #expect(try await admin.send(.delete, member, by: token).status == 204)
        #expect(try await admin.send(.get, "/users", by: chief).status == 403)
        #expect(try await admin.send(.put, member, by: token).status == 204)
        #expect(try await admin.send(.get, "/users", by: chief).status == 200)
        let out = "/users/\(AdminUnderTest.chiefID)/logout"
        #expect(try await admin.send(.post, out, by: token).status == 204)
        #expect(try await admin.send(.get, "/users", by: chief).status == 401)
    }

    @Test("KC-A-2: only pages of an origin that the token's client names may use it")
    func origins() async throws {
        let admin = try await AdminUnderTest()
        let chief = try await admin.token(ofPerson: "chief")
        let good = try await admin.send(
            .get,
            "/users/count",
            by: chief,
            headers: [.origin: "https://web.example"]
        )
        #expect(good.status == 200)
        #expect(good.headers[.accessControlAllowOrigin] == "https://web.example")
        #expect(good.headers[.accessControlAllowCredentials] == nil)
        let evil = try await admin.send(
            .get,
            "/users/count",
            by: chief,
            headers: [.origin: "https://evil.example"]
        )
        #expect(evil.status == 403)
        #expect(evil.json == ["error": "Invalid origin"])
        #expect(evil.headers[.accessControlAllowOrigin] == nil)
        let preflight = try await admin.send(
            .options,
            "/users",
            by: nil,
            headers: [.origin: "https://web.example", .accessControlRequestMethod: "GET"]
        )
        #expect(preflight.status == 204)
        #expect(preflight.headers[.accessControlAllowOrigin] == "*")
    }

    @Test("KC-A-2: what cannot be read is refused in Keycloak's words")
    func bodies() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let broken = try await admin.send(.post, "/users", "{", by: token)
        #expect(broken.status == 400)
        #expect(broken.json == ["errorMessage": "unable to read contents from stream"])
        let unknown = try await admin.send(
            .post,
            "/users",
            #"{"username": "carl", "foo": 1}"#,
            by: token
        )
        #expect(unknown.status == 400)
        #expect(unknown.error?.contains("Unrecognized field \"foo\"") == true)
        let form = try await admin.send(
            .post,
            "/users",
            "{}",
            by: token,
            headers: [.contentType: "application/x-www-form-urlencoded"]
        )
        #expect(form.status == 415)
        let wrong = try await admin.send(.post, "/users", #"{"username": ["a"]}"#, by: token)
        #expect(wrong.status == 400)
        #expect(try await admin.send(.patch, "/users", "{}", by: token).status == 405)
        #expect(try await admin.send(.get, "/nothing/here", by: token).status == 404)
        #expect(try await admin.send(.get, "/nothing/", by: token).status == 404)
    }

    @Test("attack: escapes in paths are decoded once, one segment at a time")
    func paths() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let name = #"R&D / "Täst" 'role'"#
        let made = try await admin.send(
            .post,
            "/roles",
            #"{"name": "R&D / \"Täst\" 'role'"}"#,
            by: token
        )
        #expect(made.status == 201, "\(made.text)")
        let escaped = "R%26D%20%2F%20%22T%C3%A4st%22%20%27role%27"
        #expect(made.location == "https://op.example.com/admin/realms/acme/roles/\(escaped)")
        let read = try await admin.send(.get, "/roles/\(escaped)", by: token)
        #expect(read.json.string("name") == name)
        for path in [
            "/roles/%2e%2e", "/roles/%2E", "/roles/%00", "/roles/%", "/roles/%4", "/roles/%FF",
            "/roles/%25", "/%72oles",
        ] {
            #expect(try await admin.send(.get, path, by: token).status == 404, "\(path)")
        }
        let elsewhere = try await admin.server.send(.get, "/realms/ac%6de")
        #expect(elsewhere.status == 404 && elsewhere.body.isEmpty)
    }

    @Test("KC-A-2: a token of master reaches other realms only where that is on")
    func master() async throws {
        for hasMaster in [false, true] {
            let admin = try await AdminUnderTest(hasMaster: hasMaster)
            let database = admin.server.database
            let moment = Moment(now: admin.server.clock.now, random: .system)
            try await admin.makeMaster { $0.person.email = "root@example.com" }
            #expect(try await !MasterRealm.make(in: database, at: moment))
            let reply = try await admin.rootGrant()
            guard hasMaster else {
                #expect(reply.error == "unsupported_grant_type")
                continue
            }
            #expect(try await admin.rootGrant("wrong").error == "invalid_grant")
            let token = try #require(reply.json.string("access_token"))
            #expect(try await admin.send(.get, "/users", by: token).status == 200)
            let made = try await admin.send(
                .post,
                "/admin/realms",
                #"{"realm": "fresh", "enabled": true}"#,
                by: token
            )
            #expect(made.status == 201, "\(made.text)")
            #expect(made.location == "https://op.example.com/admin/realms/fresh")
            let clients = try await admin.send(.get, "/admin/realms/fresh/clients", by: token)
            #expect(clients.list.contains { $0.string("clientId") == "realm-management" })
            let again = try await admin.send(
                .post,
                "/admin/realms",
                #"{"realm": "fresh"}"#,
                by: token
            )
            #expect(again.status == 409)
            #expect(again.json == ["errorMessage": "Realm fresh already exists"])
            for (body, json): (String, JSONObject) in [
                (#"{"enabled": true}"#, ["errorMessage": "Realm name cannot be empty"]),
                (#"{"realm": "a/b"}"#, ["error": "Character '/' not allowed."]),
                (
                    #"{"realm": "x", "nonsense": 1}"#,
                    ["errorMessage": "unable to read contents from stream"]
                ),
            ] {
                let refused = try await admin.send(.post, "/admin/realms", body, by: token)
                #expect(refused.status == 400)
                #expect(refused.json == json)
            }
            let own = try await admin.token("realm-admin")
            for (method, path) in [
                (HTTPRequest.Method.post, "/admin/realms"), (.delete, "/admin/realms/acme"),
            ] {
                let refused = try await admin.send(method, path, #"{"realm": "y"}"#, by: own)
                #expect(refused.status == 403)
            }
            let gone = try await admin.send(.delete, "/admin/realms/fresh", by: token)
            #expect(gone.status == 204)
            let twice = try await admin.send(.delete, "/admin/realms/fresh", by: token)
            #expect(twice.status == 404)
        }
    }

    @Test("RFC 9700 §2.3: in a master of Portico's own kind a token for others gives no right")
    func otherAudience() async throws {
        let admin = try await AdminUnderTest(hasMaster: true)
        let database = admin.server.database
        let moment = Moment(now: admin.server.clock.now, random: .system)
        var new = try RealmCreation(ring: TestRealm.ring)(
            name: "master",
            baseURL: "https://op.example.com",
            at: moment
        )
        let realmID = new.realm.id
        new.roles = [
            Role(id: "r-admin", realmID: realmID, clientID: nil, name: "admin", description: "")
        ]
        var client = Client.app("admin-cli", id: "c-admin-cli", realmID: realmID)
        client.takeStandardScopes()
        new.clients = [client]
        #expect(try await database.realms.create(new) == .created)
        let root = Person(id: "root", realmID: realmID, username: "root", createdAt: 0)
        _ = try await database.people.create(
            NewPerson(
                person: root,
                password: try await TestRealm.hash(of: AdminUnderTest.password),
                roles: [RoleName(clientID: nil, name: "admin")]
            )
        )
        func status() async throws -> Int {
            try await admin.server.provider.realms.refresh()
            let reply = try await admin.server.post(
                "/realms/master/protocol/openid-connect/token",
                [
                    ("grant_type", "password"), ("client_id", "admin-cli"),
                    ("username", "root"), ("password", AdminUnderTest.password),
                ]
            )
            let token = reply.json.string("access_token")
            return try await admin.send(.get, "/users", by: token).status
        }
        #expect(try await status() == 200)
        var other = client
        other.mappers = [ClaimMapper(.audience("orders"), into: [.accessToken])]
        #expect(try await database.realms.update(other) == .changed)
        #expect(try await status() == 403)
    }
}
