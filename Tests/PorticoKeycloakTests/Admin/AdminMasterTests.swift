import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// The realm `master` that the server makes, and sessions of its client `admin-cli`.
@Suite("Sessions of admin-cli in master") struct AdminMasterTests {
    private let admin: AdminUnderTest
    private let realmID: String

    init() async throws {
        admin = try await AdminUnderTest(hasMaster: true)
        realmID = try await admin.makeMaster().realmID
    }

    private static let token = "/realms/master/protocol/openid-connect/token"

    private func refresh(_ token: String?) async throws -> Reply {
        try await admin.server.post(
            Self.token,
            [
                ("grant_type", "refresh_token"), ("client_id", "admin-cli"),
                ("refresh_token", token ?? ""),
            ]
        )
    }

    @Test("KC-A-2: a password of admin-cli begins a session, with a refresh token that rotates")
    func session() async throws {
        let first = try await admin.rootGrant()
        #expect(first.status == 200, "\(first.text)")
        #expect(first.json.int64("refresh_expires_in") == 1800)
        let sid = try #require(first.json.string("session_state"))
        let sessions = try await admin.send(
            .get,
            "/admin/realms/master/users/" + "root/sessions",
            by: first.json.string("access_token")
        )
        #expect(sessions.list.map { $0.string("id") } == [sid], "\(sessions.text)")
        let second = try await refresh(first.json.string("refresh_token"))
        #expect(second.status == 200, "\(second.text)")
        #expect(second.json.string("session_state") == sid)
        let token = second.json.string("access_token")
        #expect(try await admin.send(.get, "/admin/realms", by: token).status == 200)
        // Each is good once; another use ends the session's tokens.
        admin.server.clock.advance(by: 60)
        #expect(try await refresh(first.json.string("refresh_token")).error == "invalid_grant")
        #expect(try await refresh(second.json.string("refresh_token")).error == "invalid_grant")
        #expect(try await admin.send(.get, "/admin/realms", by: token).status == 401)
    }

    @Test("KC-A-2: it ends by sign-out, by a new password, by idleness and for whoever is disabled")
    func ends() async throws {
        let people = admin.server.database.people
        let ends: [@Sendable (Reply) async throws -> Void] = [
            { first in
                let out = try await admin.server.post(
                    "/realms/master/protocol/openid-connect/logout",
                    [
                        ("client_id", "admin-cli"),
                        ("refresh_token", first.json.string("refresh_token") ?? ""),
                    ]
                )
                #expect(out.status == 204, "\(out.text)")
            },
            { _ in admin.server.clock.advance(by: 1801) },
            { _ in
                let now = admin.server.clock.seconds
                _ = try await people.setPassword(
                    try await TestRealm.hash(of: AdminUnderTest.password),
                    of: "root",
                    at: now
                )
            },
            { _ in
                var root = try #require(
                    try await people.person(id: "root", realmID: realmID)
                ).person
                let former = root
                root.isEnabled = false
                #expect(try await people.update(root, replacing: former) == .changed)
            },
        ]
        for (number, end) in ends.enumerated() {
            let first = try await admin.rootGrant()
            #expect(first.status == 200, "\(number): \(first.text)")
            try await end(first)
            let token = first.json.string("access_token")
            #expect(
                try await admin.send(.get, "/admin/realms", by: token).status == 401,
                "\(number)"
            )
            let second = try await refresh(first.json.string("refresh_token"))
            #expect(second.error == "invalid_grant", "\(number)")
        }
        #expect(try await admin.rootGrant().error == "invalid_grant")
    }

    @Test("attack: no browser has that session, and a second factor closes the way to it")
    func factors() async throws {
        let first = try await admin.rootGrant()
        let sid = try #require(first.json.string("session_state"))
        let browser = TestBrowser(admin.server)
        browser.cookies = ["portico_session": sid, "sid": sid]
        let account = try await browser.get("/realms/master/account/apps")
        #expect(account.text.contains("type=\"password\""), "It asks who is there.")
        let people = admin.server.database.people
        #expect(try await people.add(.app(of: "root"), realmID: realmID) == .changed)
        #expect(try await admin.rootGrant().error == "invalid_grant")
    }

    @Test("attack: a program names admin-cli, and administers silently in a signed-in browser")
    func named() async throws {
        let browser = TestBrowser(admin.server)
        for page in [try await signInPage(browser), try await ask(browser)] {
            #expect(page.formAction?.hasSuffix("/consent") == true, "\(page.text)")
            #expect(page.text.contains("Use your administrator rights"))
            #expect(page.text.contains("An app on this device"))
        }
        let silent = try await ask(browser, [("prompt", "none")])
        #expect(silent.redirected["error"] == "consent_required", "\(silent.text)")
        let reply = try await allow(try await ask(browser), browser)
        let token = reply.json.string("access_token")
        #expect(try await admin.send(.get, "/admin/realms", by: token).status == 200)
        // What was allowed once allows nothing silently.
        let again = try await ask(browser, [("prompt", "none")])
        #expect(again.redirected["error"] == "consent_required", "\(again.text)")
    }

    private static let redirect = "http://127.0.0.1:44444/callback"

    /// What a program asks for on the machine of root.
    private func ask(_ browser: TestBrowser, _ more: [(String, String)] = []) async throws -> Reply
    {
        let request = TestFlow.request(
            "admin-cli",
            scope: "openid",
            [("redirect_uri", Self.redirect)] + more
        )
        return try await browser.get(
            TestBrowser.authorizationPath(
                request,
                at: "/realms/master/protocol/openid-connect/auth"
            )
        )
    }

    private func signInPage(_ browser: TestBrowser) async throws -> Reply {
        try await browser.submit(
            try await ask(browser),
            [("username", "root"), ("password", AdminUnderTest.password)]
        )
    }

    private func allow(_ page: Reply, _ browser: TestBrowser) async throws -> Reply {
        let allowed = try await browser.submit(page, [("action", "allow")])
        return try await admin.server.post(
            Self.token,
            [
                ("grant_type", "authorization_code"), ("code", allowed.redirected["code"] ?? ""),
                ("client_id", "admin-cli"), ("redirect_uri", Self.redirect),
                ("code_verifier", TestFlow.verifier),
            ]
        )
    }

    @Test("attack: admin-cli goes on by a code after the grant type of codes was taken from it")
    func withdrawn() async throws {
        let browser = TestBrowser(admin.server)
        let byCode = try await allow(try await signInPage(browser), browser)
        let byPassword = try await admin.rootGrant()
        #expect(byCode.status == 200 && byPassword.status == 200)
        let realms = admin.server.database.realms
        let clients = try await realms.snapshot().clients
        var client = try #require(
            clients.first { $0.clientID == "admin-cli" && $0.realmID == realmID }
        )
        client.grantTypes = [.refreshToken]
        #expect(try await realms.update(client) == .changed)
        try await admin.server.provider.realms.refresh()
        for (reply, isLeft) in [(byCode, false), (byPassword, true)] {
            let token = reply.json.string("access_token")
            let status = try await admin.send(.get, "/admin/realms", by: token).status
            #expect(status == (isLeft ? 200 : 401))
            let next = try await refresh(reply.json.string("refresh_token"))
            #expect(next.error == (isLeft ? nil : "invalid_grant"), "\(next.text)")
        }
    }

    @Test("KC-A-2: a client's own account administers from the master that the server makes")
    func account() async throws {
        let root = try await admin.rootGrant().json.string("access_token")
        let master = "/admin/realms/master"
        let client = #"{"clientId": "ops", "serviceAccountsEnabled": true}"#
        let made = try await admin.send(.post, master + "/clients", client, by: root)
        #expect(made.status == 201, "\(made.text)")
        let path = "\(master)/clients/\(made.madeID)"
        let secret = try await admin.send(.get, path + "/client-secret", by: root).json
        let account = try await admin.send(.get, path + "/service-account-user", by: root).json
        let user = try #require(account.string("id"))
        func token() async throws -> String {
            let reply = try await admin.server.post(
                Self.token,
                [
                    ("grant_type", "client_credentials"), ("client_id", "ops"),
                    ("client_secret", secret.string("value") ?? ""),
                ]
            )
            return try #require(reply.json.string("access_token"), "\(reply.text)")
        }
        let new = #"{"realm": "fresh", "enabled": true}"#
        let weak = try await admin.send(.post, "/admin/realms", new, by: try await token())
        #expect(weak.status == 403)
        let role = try await admin.role(master + "/roles/admin", by: root ?? "")
        let mapping = "\(master)/users/\(user)/role-mappings/realm"
        #expect(try await admin.send(.post, mapping, role, by: root).status == 204)
        let ops = try await token()
        #expect(try await admin.send(.post, "/admin/realms", new, by: ops).status == 201)
        #expect(try await admin.send(.get, "/admin/realms/fresh/users", by: ops).status == 200)
    }

    @Test("KC-A-2: a change of admin-cli by the API leaves how it signs in")
    func changed() async throws {
        let root = try await admin.rootGrant().json.string("access_token")
        let clients = "/admin/realms/master/clients"
        let list = try await admin.send(.get, clients + "?clientId=admin-cli", by: root).list
        let id = try #require(list.first?.string("id"))
        let body = #"{"description": "Scripts"}"#
        #expect(try await admin.send(.put, "\(clients)/\(id)", body, by: root).status == 204)
        let reply = try await admin.rootGrant()
        #expect(reply.json.string("refresh_token") != nil, "\(reply.text)")
        let live = try #require(admin.server.provider.realms.realm(named: "master"))
        let client = try #require(try await live.client(clientID: "admin-cli"))
        #expect(client.grantTypes == [.authorizationCode, .refreshToken])
        #expect(client.redirectURIs.count == 2)
    }

    @Test(
        "RFC 9449 §7.1: a token that is bound to a key administers with its proof, and not without"
    )
    func bound() async throws {
        let script = try Prover(admin.server, realm: "master")
        let form = [
            ("grant_type", "password"), ("client_id", "admin-cli"), ("username", "root"),
            ("password", AdminUnderTest.password),
        ]
        let reply = try await script.post("token", form)
        let token = try #require(reply.json.string("access_token"), "\(reply.text)")
        let other = try Prover(admin.server, realm: "master")
        func proof(_ prover: Prover, _ method: HTTPRequest.Method, _ path: String) async throws
            -> String
        {
            let address = try #require(HTTPAddress("https://op.example.com\(path)"))
            return try prover.key.proof(
                method,
                address,
                token: SecretText(token),
                nonce: try await prover.nonce(),
                at: Moment(now: admin.server.clock.now, random: .system)
            )
        }
        func ask(_ proof: String?, scheme: String = "DPoP") async throws -> Reply {
            var headers: HTTPFields = [.authorization: "\(scheme) \(token)"]
            if let proof { headers[.proof] = proof }
            return try await admin.send(.get, "/admin/realms?max=1", by: nil, headers: headers)
        }
        let good = try await proof(script, .get, "/admin/realms")
        let first = try await ask(good)
        #expect(first.status == 200, "\(first.text)")
        #expect(first.headers[.nonce] != nil)
        let wrong = [
            good, nil, try await proof(other, .get, "/admin/realms"),
            try await proof(script, .post, "/admin/realms"),
            try await proof(script, .get, "/admin/realms/acme"),
        ]
        for (number, proof) in wrong.enumerated() {
            let refused = try await ask(proof)
            #expect(refused.status == 401, "\(number)")
            #expect(refused.json == ["error": "HTTP 401 Unauthorized"])
            let challenges = refused.headers[values: .wwwAuthenticate]
            #expect(challenges.first?.contains("error=") == true, "\(number)")
        }
        // Neither as a bearer's, with a proof or without.
        #expect(try await ask(nil, scheme: "Bearer").status == 401)
        let fresh = try await proof(script, .get, "/admin/realms")
        #expect(try await ask(fresh, scheme: "Bearer").status == 401)
        // One that is bound to nothing needs none, unless it is said to come with one.
        let plain = try #require(try await admin.rootGrant().json.string("access_token"))
        #expect(try await admin.send(.get, "/admin/realms", by: plain).status == 200)
        let unproven = try await admin.send(
            .get,
            "/admin/realms",
            by: nil,
            headers: [.authorization: "DPoP \(plain)"]
        )
        #expect(unproven.status == 401)
        let challenge = unproven.headers[values: .wwwAuthenticate].first
        #expect(challenge?.contains("invalid_dpop_proof") == true)
    }
}
