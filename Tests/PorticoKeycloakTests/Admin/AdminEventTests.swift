import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What happened in a realm, as its administrators see it.
@Suite("Events by the administration") struct AdminEventTests {
    private static let enabled = #""eventsEnabled": true, "adminEventsEnabled": true,"#
    private static let ofAdministrators = "/admin/realms/acme/admin-events"
    private static let ann = "/users/\(AdminUnderTest.annID)"

    private func kinds(_ query: String, _ admin: AdminUnderTest, by token: String) async throws
        -> [String]
    {
        let reply = try await admin.send(.get, "/events?\(query)", by: token)
        #expect(reply.status == 200, "\(query) \(reply.text)")
        return reply.list.compactMap { $0.string("type") }
    }

    /// Ann signs in once with a wrong password and once with the right one.
    private func signIn(_ admin: AdminUnderTest) async throws {
        let browser = TestBrowser(admin.server)
        let page = try await browser.get(
            "/realms/acme/protocol/openid-connect/auth?client_id=web&response_type=code"
                + "&redirect_uri=https%3A%2F%2Fweb.example%2Fcb&scope=openid"
                + "&code_challenge=\(TestFlow.challenge)&code_challenge_method=S256"
        )
        _ = try await browser.submit(page, [("username", "ann"), ("password", "wrong one")])
        _ = try await admin.token(ofPerson: "ann")
    }

    @Test(
        "KC-A-2: events have Keycloak's words and members, the latest first, and are found by them"
    )
    func events() async throws {
        let admin = try await AdminUnderTest(["view-events", "none"], more: Self.enabled)
        let token = try await admin.token("view-events")
        try await signIn(admin)
        let all = try await admin.send(.get, "/events", by: token).list
        #expect(all.compactMap { $0.string("type") } == ["LOGIN", "LOGIN_ERROR"])
        let realm = try #require(admin.server.provider.realms.realm(named: "acme"))
        let login = try #require(all.first)
        #expect(login.int64("time") == admin.server.clock.seconds * 1000)
        #expect(login.string("realmId") == realm.realm.kept.object.string("id") ?? realm.id)
        #expect(login.string("clientId") == "web")
        #expect(login.string("userId") == AdminUnderTest.annID)
        #expect(login.string("sessionId")?.isEmpty == false)
        #expect(login.string("ipAddress") == "192.0.2.1")
        #expect(login.object("details") != nil)
        #expect(all.last?.string("error") == "invalid_user_credentials")
        let queries: [(String, [String])] = [
            ("type=LOGIN", ["LOGIN"]), ("type=LOGIN&type=LOGIN_ERROR", ["LOGIN", "LOGIN_ERROR"]),
            ("type=LOGOUT", []), ("client=web", ["LOGIN"]), ("client=app", []),
            ("user=\(AdminUnderTest.annID)", ["LOGIN"]), ("user=other", []),
            ("ipAddress=192.0.2.1", ["LOGIN", "LOGIN_ERROR"]), ("ipAddress=192.0.2.9", []),
            ("max=1", ["LOGIN"]), ("first=1", ["LOGIN_ERROR"]),
            ("max=-1", ["LOGIN", "LOGIN_ERROR"]),
            ("direction=asc", ["LOGIN_ERROR", "LOGIN"]), ("dateFrom=2000-01-01&max=1", ["LOGIN"]),
            ("dateTo=2000-01-01", []), ("dateTo=9999999999999&max=1", ["LOGIN"]),
        ]
        for (query, expected) in queries {
            #expect(try await kinds(query, admin, by: token) == expected, "\(query)")
        }
        for query in ["dateFrom=yesterday", "dateTo=2026-13-01", "type=LOGIN%2CLOGOUT", "type='"] {
            #expect(try await admin.send(.get, "/events?\(query)", by: token).status == 400)
        }
    }

    @Test("KC-A-2: what an administrator did is kept without what was sent")
    func adminEvents() async throws {
        let admin = try await AdminUnderTest(["realm-admin"], more: Self.enabled)
        let token = try await admin.token("realm-admin")
        let credential = #"{"type": "password", "value": "Another-123 one"}"#
        let made = try await admin.send(
            .post,
            "/users",
            #"{"username": "bea", "credentials": [\#(credential)]}"#,
            by: token
        )
        _ = try await admin.send(.put, "\(Self.ann)/reset-password", credential, by: token)
        _ = try await admin.send(.delete, "/users/\(made.madeID)", by: token)
        // Refused: nothing was done.
        _ = try await admin.send(.delete, "/users/\(made.madeID)", by: token)
        _ = try await admin.send(.get, Self.ann, by: token)
        let reply = try await admin.send(.get, Self.ofAdministrators, by: token)
        #expect(
            reply.list.compactMap { $0.string("operationType") } == ["DELETE", "ACTION", "CREATE"]
        )
        #expect(reply.list.allSatisfy { $0.string("resourceType") == "USER" })
        #expect(reply.list.last?.string("resourcePath") == "users/\(made.madeID)")
        let who = try #require(reply.list.first?.object("authDetails"))
        #expect(who.string("userId")?.isEmpty == false && who.string("ipAddress") == "192.0.2.1")
        #expect(!reply.text.contains("Another-123"))
        let query = Self.ofAdministrators + "?operationTypes=CREATE"
        #expect(try await admin.send(.get, query, by: token).list.count == 1)
        #expect(try await admin.send(.get, "/events", by: token).text == "[]")
    }

    @Test("KC-A-2: events are kept only where a realm wants them, and of the kinds it wants")
    func settings() async throws {
        let admin = try await AdminUnderTest(["manage-events"])
        let token = try await admin.token("manage-events")
        try await signIn(admin)
        #expect(try await kinds("", admin, by: token).isEmpty)
        let config = try await admin.send(.get, "/events/config", by: token).json
        #expect(config.bool("eventsEnabled") == false)
        #expect(config.strings("enabledEventTypes")?.contains("LOGIN") == true)
        let change = #"{"eventsEnabled": true, "enabledEventTypes": ["LOGIN"]}"#
        #expect(try await admin.send(.put, "/events/config", change, by: token).status == 204)
        try await signIn(admin)
        #expect(try await kinds("", admin, by: token) == ["LOGIN"])
        let unknown = try await admin.send(.put, "/events/config", #"{"x": 1}"#, by: token)
        #expect(unknown.status == 400)
        let long = #"{"enabledEventTypes": ["\#(String(repeating: "A", count: 101))"]}"#
        #expect(try await admin.send(.put, "/events/config", long, by: token).status == 400)
        // Over after an hour.
        let short = #"{"eventsExpiration": 3600}"#
        #expect(try await admin.send(.put, "/events/config", short, by: token).status == 204)
        #expect(try await kinds("", admin, by: token) == ["LOGIN"])
        admin.server.clock.advance(by: 3601)
        let later = try await admin.token("manage-events")
        #expect(try await kinds("", admin, by: later).isEmpty)
    }

    @Test("attack: events are read with view-events only, and removed with manage-events only")
    func rights() async throws {
        let admin = try await AdminUnderTest(
            ["view-events", "manage-events", "manage-users+view-realm"],
            more: Self.enabled
        )
        let viewer = try await admin.token("view-events")
        let helper = try await admin.token("manage-users+view-realm")
        try await signIn(admin)
        for path in ["/events", Self.ofAdministrators, "/events/config"] {
            #expect(try await admin.send(.get, path, by: helper).status == 403, "\(path)")
            #expect(try await admin.send(.get, path, by: viewer).status == 200, "\(path)")
        }
        for path in ["/events", Self.ofAdministrators] {
            for token in [helper, viewer] {
                #expect(try await admin.send(.delete, path, by: token).status == 403, "\(path)")
            }
        }
        let off = #"{"eventsEnabled": false}"#
        #expect(try await admin.send(.put, "/events/config", off, by: viewer).status == 403)
        #expect(try await kinds("", admin, by: viewer) == ["LOGIN", "LOGIN_ERROR"])
        let keeper = try await admin.token("manage-events")
        #expect(try await admin.send(.delete, "/events", by: keeper).status == 204)
        #expect(try await kinds("", admin, by: viewer).isEmpty)
        // Of another realm.
        let other = "/admin/realms/test/events"
        #expect(try await admin.send(.delete, other, by: keeper).status == 403)
    }

    @Test("attack: Ann redeems her code again and again, and pushes nothing out")
    func replays() async throws {
        let admin = try await AdminUnderTest(["realm-admin"], more: Self.enabled)
        let token = try await admin.token("realm-admin")
        let browser = TestBrowser(admin.server)
        let page = try await browser.get(
            "/realms/acme/protocol/openid-connect/auth?client_id=web&response_type=code"
                + "&redirect_uri=https%3A%2F%2Fweb.example%2Fcb&scope=openid"
                + "&code_challenge=\(TestFlow.challenge)&code_challenge_method=S256"
        )
        let answer = try await browser.submit(
            page,
            [("username", "ann"), ("password", AdminUnderTest.password)]
        )
        for number in 0..<320 {
            let reply = try await admin.server.post(
                "/realms/acme/protocol/openid-connect/token",
                [
                    ("grant_type", "authorization_code"), ("code", answer.redirected["code"] ?? ""),
                    ("client_id", "web"), ("redirect_uri", "https://web.example/cb"),
                    ("code_verifier", TestFlow.verifier),
                ],
                from: "192.0.2.\(number % 200)"
            )
            #expect((reply.status == 200) == (number == 0))
        }
        let path = "/events?type=CODE_TO_TOKEN_ERROR&first=290&max=100"
        #expect(try await admin.send(.get, path, by: token).list.count == 10)
        // Nor does a full queue keep out what administrators do.
        let realm = try #require(admin.server.provider.realms.realm(named: "acme"))
        for _ in 0..<5000 {
            admin.server.provider.trail.note(
                Event(.signedIn, at: 1, realmID: realm.id),
                in: realm.realm,
                at: admin.server.clock.now
            )
        }
        let name = #"{"firstName": "Anna"}"#
        #expect(try await admin.send(.put, Self.ann, name, by: token).status == 204)
        let seen = try await admin.send(.get, Self.ofAdministrators, by: token).list
        #expect(seen.compactMap { $0.string("operationType") } == ["UPDATE"])
    }

    @Test("KC-A-2: a request that failed half way, or that showed a secret, is an event")
    func unfinished() async throws {
        let admin = try await AdminUnderTest(["realm-admin", "manage-clients"], more: Self.enabled)
        let root = try await admin.token("realm-admin")
        func events() async throws -> [String] {
            let list = try await admin.send(.get, Self.ofAdministrators, by: root).list
            return list.compactMap { $0.string("resourcePath") }
        }
        // Nothing is written, and there is nothing to tell of.
        let role = #"{"name": "mine", "composites": {"realm": ["none"]}}"#
        #expect(try await admin.send(.post, "/roles", role, by: root).status == 404)
        #expect(try await admin.send(.get, "/roles/mine", by: root).status == 404)
        let user = #"{"username": "service-account-new"}"#
        let made = try await admin.send(.post, "/users", user, by: root)
        #expect(made.status == 201, "\(made.text)")
        let client = #"{"clientId": "new", "serviceAccountsEnabled": true}"#
        #expect(try await admin.send(.post, "/clients", client, by: root).status == 409)
        #expect(try await admin.send(.get, "/clients?clientId=new", by: root).list.isEmpty)
        let before = ["users/\(made.madeID)"]
        #expect(try await events() == before)
        let people = #"[{"username": "eve", "email": "none"}]"#
        let file = #"{"roles": {"realm": [{"name": "one"}]}, "users": \#(people)}"#
        let failed = try await admin.send(.post, "/partialImport", file, by: root)
        #expect(failed.status == 400, "\(failed.text)")
        #expect(try await admin.send(.get, "/roles/one", by: root).status == 200)
        #expect(try await events() == ["partialImport"] + before)
        let keeper = try await admin.token("manage-clients")
        let secret = "clients/\(AdminUnderTest.appID)/client-secret"
        for _ in 0..<2 {
            #expect(try await admin.send(.get, "/\(secret)", by: keeper).status == 200)
        }
        #expect(try await events() == [secret, secret, "partialImport"] + before)
    }

    @Test("KC-A-2: no client is written whose account would have the name of another")
    func accountNames() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        for (name, status) in [("kiosk", 201), ("Kiosk", 409)] {
            let client = #"{"clientId": "\#(name)", "serviceAccountsEnabled": true}"#
            let reply = try await admin.send(.post, "/clients", client, by: root)
            #expect(reply.status == status, "\(reply.text)")
        }
        #expect(try await admin.send(.get, "/clients?clientId=Kiosk", by: root).list.isEmpty)
        let kiosk = try await admin.send(.get, "/clients?clientId=kiosk", by: root).list
        let id = try #require(kiosk.first?.string("id"))
        // Its own account is no one else's.
        let name = #"{"name": "At the door"}"#
        #expect(try await admin.send(.put, "/clients/\(id)", name, by: root).status == 204)
    }

    @Test("what administrators do is in the trail of every realm, and no administrator removes it")
    func trail() async throws {
        let admin = try await AdminUnderTest(["realm-admin"])
        let token = try await admin.token("realm-admin")
        func change() async throws {
            let name = #"{"firstName": "Anna"}"#
            #expect(try await admin.send(.put, Self.ann, name, by: token).status == 204)
        }
        func listed() async throws -> [String] {
            try await admin.send(.get, Self.ofAdministrators, by: token).list
                .compactMap { $0.string("resourcePath") }
        }
        try await change()
        #expect(try await listed().isEmpty, "the realm does not show them")
        let on = #"{"adminEventsEnabled": true}"#
        #expect(try await admin.send(.put, "/events/config", on, by: token).status == 204)
        let all = ["events/config", "users/\(AdminUnderTest.annID)"]
        #expect(try await listed() == all)
        #expect(try await admin.send(.delete, "/events", by: token).status == 204)
        #expect(try await listed() == ["events"] + all)
        #expect(try await admin.send(.delete, Self.ofAdministrators, by: token).status == 204)
        #expect(try await listed().isEmpty)
        try await change()
        #expect(try await listed() == Array(all.suffix(1)))
        let kept = try await admin.server.database.events.latest()
        #expect(
            kept.map(\.kind) == [
                .personUpdated, .adminEventsHidden, .eventsDeleted, .realmUpdated, .personUpdated,
            ]
        )
        #expect(kept.allSatisfy { $0.actor == kept.first?.actor && $0.actor != nil })
    }

    @Test(
        "what an administrator did is found under Keycloak's kinds of resources",
        arguments: [
            ("", "REALM"), ("users/u", "USER"), ("users/profile", "USER_PROFILE"),
            ("users/u/groups/g", "GROUP_MEMBERSHIP"), ("clients/c/roles", "CLIENT_ROLE"),
            ("users/u/role-mappings/clients/c", "CLIENT_ROLE_MAPPING"),
            ("clients/c/default-client-scopes/s", "CLIENT_SCOPE_CLIENT_MAPPING"),
            ("clients/c/protocol-mappers/models", "PROTOCOL_MAPPER"),
            ("identity-provider/instances/p/mappers", "IDENTITY_PROVIDER_MAPPER"),
            ("sessions/s", "USER_SESSION"), ("default-groups/g", "REALM"),
        ]
    )
    func resources(_ path: String, _ resource: String) {
        #expect(EventWords.resource(path) == resource)
    }
}
