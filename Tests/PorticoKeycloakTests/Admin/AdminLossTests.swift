import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What a request says and would not get. An import reports it, and the administration refuses it.
@Suite("Losses by the administration") struct AdminLossTests {
    private static let app = "/clients/\(AdminUnderTest.appID)"

    @Test("KC-A-2: what came with a client and acts on nothing does not keep it from being changed")
    func keptFields() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        try await admin.change(client: "app") {
            $0.kept["adminUrl"] = "https://app.example/admin"
            $0.kept["authorizationServicesEnabled"] = true
            $0.notBefore = 7
            $0.userInfoAlgorithm = .rs256
        }
        let description = #"{"description": "x"}"#
        #expect(try await admin.send(.put, Self.app, description, by: token).status == 204)
        let shown = try await admin.send(.get, Self.app, by: token)
        #expect(shown.json.string("description") == "x")
        #expect(try await admin.send(.put, Self.app, shown.text, by: token).status == 204)
        // Another value would be a new promise.
        let later = try await admin.send(.put, Self.app, #"{"notBefore": 8}"#, by: token)
        #expect(later.status == 400 && later.error == "invalid_input")
        let kept = try await admin.send(.get, Self.app, by: token).json
        #expect(kept.int64("notBefore") == 7)
        #expect(kept.string("adminUrl") == "https://app.example/admin")
    }

    @Test("KC-A-2: an address for sign-outs of old adapters is kept, of a new client too")
    func adminURL() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let client = #"{"clientId": "new", "adminUrl": "https://new.example/admin"}"#
        let made = try await admin.send(.post, "/clients", client, by: token)
        #expect(made.status == 201, "\(made.text)")
        let path = "/clients/\(made.madeID)"
        let kept = try await admin.send(.get, path, by: token).json
        #expect(kept.string("adminUrl") == "https://new.example/admin")
        let other = #"{"adminUrl": "https://other.example/admin"}"#
        #expect(try await admin.send(.put, path, other, by: token).status == 204)
    }

    private static let manyAddresses =
        #""redirectUris": ["#
        + (0...1000).map { "\"https://a.example/\($0)\"" }.joined(separator: ",") + "]"

    @Test(
        "KC-A-2: a client is not made or changed with a value that would become another one",
        arguments: [
            #""secret": "a secret that is not \u00fc only""#, #""name": "two\nlines""#,
            manyAddresses, #""publicClient": true, "serviceAccountsEnabled": true"#,
            #""attributes": {"backchannel.logout.url": "http://a.example/out"}"#,
            #""attributes": {"id.token.signed.response.alg": "XX999"}"#,
            #""attributes": {"access.token.lifespan": "999999999"}"#,
            #""attributes": {"pkce.code.challenge.method": "plain"}"#,
            #""attributes": {"default.acr.values": "gold"}"#,
        ]
    )
    func values(members: String) async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let before = try await admin.send(.get, Self.app, by: token).json
        let made = #"{"clientId": "new", \#(members)}"#
        for (method, path, body) in [
            (HTTPRequest.Method.post, "/clients", made), (.put, Self.app, "{\(members)}"),
        ] {
            let reply = try await admin.send(method, path, body, by: token)
            #expect(reply.status == 400, "\(method): \(reply.text)")
            #expect(reply.error == "invalid_input", "\(method): \(reply.text)")
        }
        #expect(try await admin.send(.get, "/clients?clientId=new", by: token).list.isEmpty)
        #expect(try await admin.send(.get, Self.app, by: token).json == before)
    }

    @Test("KC-M-2: a client whose protection would be gone stays disabled, and can be changed")
    func shut() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        try await admin.change(client: "app") {
            $0.isEnabled = false
            $0.kept["attributes"] = ["tls.client.certificate.bound.access.tokens": "true"]
        }
        func put(_ body: String) async throws -> Int {
            try await admin.send(.put, Self.app, body, by: token).status
        }
        func isEnabled() async throws -> Bool? {
            let clients = try await admin.server.database.realms.snapshot().clients
            return clients.first { $0.clientID == "app" }?.isEnabled
        }
        #expect(try await put(#"{"description": "x"}"#) == 204)
        #expect(try await isEnabled() == false)
        #expect(try await put(#"{"enabled": false}"#) == 204)
        #expect(try await put(#"{"enabled": true}"#) == 400)
        #expect(try await isEnabled() == false)
        // One that a command has enabled can be changed, and stays enabled.
        try await admin.change(client: "app") {
            $0.isEnabled = true
            $0.kept["enabled"] = true
        }
        let shown = try await admin.send(.get, Self.app, by: token)
        for body in [#"{"description": "y"}"#, shown.text] {
            #expect(try await put(body) == 204)
            #expect(try await isEnabled() == true)
        }
        let bound = #"{"attributes": {"tls.client.certificate.bound.access.tokens": "true"}}"#
        #expect(try await put(bound) == 400)
        #expect(try await isEnabled() == true)
    }

    @Test("KC-M-2: keys that a command gave a client outlive the address that it took them from")
    func keysByAddress() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let keys = JSONValue.object(
            try JSONObject(parsing: JWKSet([TestRealm.clientKey.verificationKey]).serialized())
        )
        try await admin.change(client: "app") {
            $0.authentication = .privateKeyJWT
            $0.keySet = keys
            $0.secret = nil
            $0.kept["clientAuthenticatorType"] = "client-jwt"
            $0.kept["attributes"] = [
                "use.jwks.url": "true", "jwks.url": "https://app.example/keys",
            ]
        }
        func kept() async throws -> Client {
            let clients = try await admin.server.database.realms.snapshot().clients
            return try #require(clients.first { $0.clientID == "app" })
        }
        let shown = try await admin.send(.get, Self.app, by: token)
        #expect(shown.json.object("attributes")?["use.jwks.url"] == nil, "\(shown.text)")
        for body in [#"{"description": "x"}"#, shown.text] {
            let reply = try await admin.send(.put, Self.app, body, by: token)
            #expect(reply.status == 204, "\(reply.text)")
            let now = try await kept()
            #expect(now.isEnabled && now.authentication == .privateKeyJWT && now.keySet == keys)
        }
        // From the address nothing here takes any.
        let byAddress = #"{"attributes": {"use.jwks.url": "true"}}"#
        #expect(try await admin.send(.put, Self.app, byAddress, by: token).status == 400)
        #expect(try await kept().keySet == keys)
        // One that is disabled then is shown so: an import of that enables nothing.
        try await admin.change(client: "app") { $0.isEnabled = false }
        #expect(try await admin.send(.get, Self.app, by: token).json.bool("enabled") == false)
    }

    @Test(
        "KC-A-2: a realm's setting that would become another one is refused, one that came is not"
    )
    func realmSettings() async throws {
        let admin = try await AdminUnderTest(more: #""accessCodeLifespan": 604800,"#)
        let token = try await admin.token("realm-admin")
        let before = try await admin.send(.get, "", by: token).json
        let name = String(repeating: "n", count: 250)
        for body in [
            #"{"accessTokenLifespan": 604800}"#, #"{"displayName": "\#(name)"}"#,
            #"{"defaultSignatureAlgorithm": "XX999"}"#,
        ] {
            let reply = try await admin.send(.put, "", body, by: token)
            #expect(reply.status == 400 && reply.error == "invalid_input", "\(reply.text)")
        }
        #expect(try await admin.send(.get, "", by: token).json == before)
        let good = #"{"displayName": "Acme"}"#
        #expect(try await admin.send(.put, "", good, by: token).status == 204)
        #expect(try await admin.send(.get, "", by: token).json.string("displayName") == "Acme")
    }

    private static let demanding = #"""
        "browserFlow": "b", "authenticationFlows": [{"id": "f", "alias": "b",
            "authenticationExecutions": [{"authenticator": "auth-otp-form",
                "requirement": "REQUIRED"}]}]
        """#

    @Test(
        "KC-M-2: a realm is not made over HTTP with less protection or fewer people than it says",
        arguments: [
            #""clientPolicies": {"policies": [{"name": "a", "enabled": true}]}"#, demanding,
            #"""
            "users": [{"username": "eve", "enabled": true, "credentials": [{"type": "otp",
                "secretData": "{\"value\": \"abcdefghijklmnop\"}",
                "credentialData": "{\"subType\": \"hotp\"}"}]}]
            """#,
            #""users": [{"username": "eve"}, {"username": "eve"}]"#,
            #""clients": [{"clientId": "a", "protocol": "saml"}]"#,
            #""clients": [{"clientId": "a", "clientAuthenticatorType": "client-x509"}]"#,
            #""accessTokenLifespan": 604800"#,
            #""clients": [{"clientId": "a", "secret": "a secret that is not \u00fc only"}]"#,
            #""clients": [{"clientId": "a", "attributes": {"backchannel.logout.url": "http://a.example/"}}]"#,
            #""clients": [{"clientId": "a", "attributes": {"id.token.signed.response.alg": "XX999"}}]"#,
            #""clients": [{"clientId": "a", "publicClient": true, "serviceAccountsEnabled": true}]"#,
            #""clients": [{"clientId": "a", \#(AdminUnderTest.mark)}]"#,
            #""users": [{"username": "eve", "email": "no address"}]"#,
            #""users": [{"username": "eve", "requiredActions": ["webauthn-register"]}]"#,
        ]
    )
    func newRealm(members: String) async throws {
        let admin = try await AdminUnderTest(master: AdminUnderTest.masterFile, hasMaster: true)
        let root = try await admin.token("root", realm: "master")
        let body = #"{"realm": "fresh", "enabled": true, \#(members)}"#
        let reply = try await admin.send(.post, "/admin/realms", body, by: root)
        #expect(reply.status == 400 && reply.error == "invalid_input", "\(reply.text)")
        #expect(try await admin.send(.get, "/admin/realms/fresh", by: root).status == 404)
        // What is kept as data, and what programs set everywhere, is taken.
        let good = #"""
            {"realm": "fresh", "enabled": true, "passwordPolicy": "length(12)",
             "smtpServer": {"host": "mail"}, "users": [{"username": "eve", "enabled": true}],
             "clients": [{"clientId": "a", "adminUrl": "https://a.example/admin"},
                {"clientId": "account", "publicClient": true}]}
            """#
        let made = try await admin.send(.post, "/admin/realms", good, by: root)
        #expect(made.status == 201, "\(made.text)")
    }

    @Test("KC-A-2: a client that becomes a confidential one gets a secret that is shown")
    func madeSecret() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.webID)"
        let reply = try await admin.send(.put, path, #"{"publicClient": false}"#, by: token)
        #expect(reply.status == 204, "\(reply.text)")
        func secret() async throws -> String? {
            let shown = try await admin.send(.get, path + "/client-secret", by: token)
            return shown.json.string("value")
        }
        let made = try #require(try await secret())
        #expect(made.utf8.count == 86)
        #expect(try await admin.send(.put, path, #"{"description": "x"}"#, by: token).status == 204)
        #expect(try await secret() == made)
    }

    private static let flows = "/authentication/flows"

    /// Sets the requirement of a step of a flow, and of what is in it.
    private func require(
        _ step: String,
        of flow: String,
        _ admin: AdminUnderTest,
        _ token: String
    ) async throws -> Int {
        let path = "\(Self.flows)/\(flow)/executions"
        let steps = try await admin.send(.get, path, by: token).list
        let id = try #require(steps.first { $0.string("displayName") == step }?.string("id"))
        let body = #"{"id": "\#(id)", "requirement": "REQUIRED"}"#
        return try await admin.send(.put, path, body, by: token).status
    }

    @Test("KC-M-2: a flow that people sign in by is not made to demand what nothing asks for")
    func flows() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let inner = "Browser - Conditional 2FA"
        // Of those who have one.
        #expect(try await require("auth-otp-form", of: "browser", admin, token) == 202)
        #expect(try await require(inner, of: "browser", admin, token) == 400)
        let steps = try await admin.send(.get, "\(Self.flows)/browser/executions", by: token).list
        let step = steps.first { $0.string("displayName") == inner }
        #expect(step?.string("requirement") == "CONDITIONAL")
        func copy(_ name: String) async throws -> String {
            let body = #"{"newName": "\#(name)"}"#
            let made = try await admin.send(.post, "\(Self.flows)/browser/copy", body, by: token)
            #expect(made.status == 201, "\(made.text)")
            return made.madeID
        }
        func bind(_ flow: String) async throws -> Int {
            let body = #"{"authenticationFlowBindingOverrides": {"browser": "\#(flow)"}}"#
            return try await admin.send(.put, Self.app, body, by: token).status
        }
        // No one signs in by a copy, until a client binds it.
        let mine = try await copy("mine")
        #expect(try await require("mine \(inner)", of: "mine", admin, token) == 202)
        #expect(try await bind(mine) == 400)
        let yours = try await copy("yours")
        #expect(try await bind(yours) == 204)
        #expect(try await require("yours \(inner)", of: "yours", admin, token) == 400)
    }

    @Test(
        "KC-A-2: Keycloak's own clients are taken back as they are shown, and get no new patterns"
    )
    func ownClients() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        for name in ["account", "account-console", "security-admin-console"] {
            try await admin.change(client: name) {
                $0.kept["redirectUris"] = [.string("/realms/acme/\(name)/*")]
                $0.kept["webOrigins"] = ["*"]
                $0.rootURI = "${authBaseUrl}"
            }
            let path = "/clients/" + (try await admin.id(ofClient: name, by: token))
            let shown = try await admin.send(.get, path, by: token)
            let back = try await admin.send(.put, path, shown.text, by: token)
            #expect(back.status == 204, "\(back.text)")
            #expect(try await admin.send(.get, path, by: token).json == shown.json)
            let evil = #"{"redirectUris": ["https://evil.example/*"]}"#
            #expect(try await admin.send(.put, path, evil, by: token).status == 400)
        }
    }

    @Test("KC-A-2: what protects one of Keycloak's own clients stays unless it is named, and acts")
    func ownProtection() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/" + (try await admin.id(ofClient: "admin-cli", by: token))
        func put(_ body: String) async throws -> Int {
            try await admin.send(.put, path, body, by: token).status
        }
        func kept() async throws -> Client {
            let clients = try await admin.server.database.realms.snapshot().clients
            return try #require(clients.first { $0.clientID == "admin-cli" })
        }
        // As `portico client update` does.
        try await admin.change(client: "admin-cli") {
            $0.isEnabled = false
            $0.requiresConsent = true
            $0.requiresPushedRequests = true
            $0.dpopBoundAccessTokens = true
            $0.accessTokenLifetime = 60
        }
        let before = try await kept()
        let shown = try await admin.send(.get, path, by: token)
        #expect(shown.json.bool("enabled") == false && shown.json.bool("consentRequired") == true)
        let attributes = try #require(shown.json.object("attributes"))
        #expect(attributes.string("dpop.bound.access.tokens") == "true", "\(shown.text)")
        #expect(attributes.string("require.pushed.authorization.requests") == "true")
        for body in [#"{"description": "x"}"#, shown.text] {
            #expect(try await put(body) == 204)
            var now = try await kept()
            #expect(now.kept["description"] == "x")
            now.kept = before.kept
            #expect(now == before, "\(body)")
        }
        let named = #"""
            {"enabled": true, "consentRequired": false,
             "attributes": {"dpop.bound.access.tokens": "false"}}
            """#
        #expect(try await put(named) == 204)
        let now = try await kept()
        #expect(now.isEnabled && !now.requiresConsent && !now.dpopBoundAccessTokens)
        #expect(now.requiresPushedRequests && now.accessTokenLifetime == 60)
        // What nothing here does is refused.
        let bound = #"{"attributes": {"tls.client.certificate.bound.access.tokens": "true"}}"#
        #expect(try await put(bound) == 400)
        #expect(try await kept() == now)
        #expect(try await put(#"{"enabled": false, "consentRequired": true}"#) == 204)
        let live = try #require(admin.server.provider.realms.realm(named: "acme"))
        #expect(try await live.client(clientID: "admin-cli") == nil)
        #expect(try await kept().lendsAdministration == false)
    }
}
