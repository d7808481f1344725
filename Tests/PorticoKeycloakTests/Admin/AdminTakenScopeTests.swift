import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What an administrator takes from a client over HTTP, seen from those who are signed in to it
/// (docs/decisions/0072).
@Suite("What the administration takes from clients") struct AdminTakenScopeTests {
    private let admin: AdminUnderTest
    private let root: String

    init() async throws {
        admin = try await AdminUnderTest()
        root = try await admin.token("realm-admin")
    }

    private func refresh(_ tokens: Reply, _ client: String = "shop") async throws -> Reply {
        try await admin.server.post(
            "/realms/acme/protocol/openid-connect/token",
            [
                ("grant_type", "refresh_token"), ("client_id", client),
                ("refresh_token", tokens.json.string("refresh_token") ?? ""),
            ]
        )
    }

    private func userInfo(_ tokens: Reply) async throws -> Reply {
        try await admin.server.send(
            .get,
            "/realms/acme/protocol/openid-connect/userinfo",
            headers: [
                .authorization: "Bearer \(tokens.json.string("access_token") ?? "")"
            ]
        )
    }

    private func make(_ more: String = "") async throws -> String {
        let client = """
            {"clientId": "shop", "publicClient": true, \(more)
             "redirectUris": ["https://shop.example/cb"]}
            """
        let made = try await admin.send(.post, "/clients", client, by: root)
        #expect(made.status == 201, "\(made.text)")
        return "/clients/\(made.madeID)"
    }

    private func scopeID(_ name: String) async throws -> String {
        let scopes = try await admin.send(.get, "/client-scopes", by: root).list
        return try #require(scopes.first { $0.string("name") == name }?.string("id"))
    }

    @Test("decision 0072: a default scope that is taken is gone from refresh and UserInfo")
    func email() async throws {
        let path = try await make()
        let tokens = try await admin.signIn("ann", client: "shop")
        #expect(try await userInfo(tokens).json.string("email") == "ann@example.com")
        let scope = try await scopeID("email")
        let taken = "\(path)/default-client-scopes/\(scope)"
        #expect(try await admin.send(.delete, taken, by: root).status == 204)
        #expect(try await userInfo(tokens).json["email"] == nil)
        let next = try await refresh(tokens)
        #expect(next.status == 200)
        #expect(next.json.string("scope")?.contains("email") == false)
        for member in ["access_token", "id_token"] {
            let claims = try JWT(parsing: next.json.string(member) ?? "").uncheckedClaims()
            #expect(claims["email"] == nil, "\(member)")
        }
        #expect(try await userInfo(next).json["email"] == nil)
    }

    @Test("decision 0072: without offline_access an offline grant is over, signed out or not")
    func offline() async throws {
        let path = try await make()
        let tokens = try await admin.signIn("ann", client: "shop", scope: "openid offline_access")
        let scope = try await scopeID("offline_access")
        let taken = "\(path)/optional-client-scopes/\(scope)"
        #expect(try await admin.send(.delete, taken, by: root).status == 204)
        #expect(try await refresh(tokens).error == "invalid_grant")
        #expect(try await userInfo(tokens).status == 401)
    }

    @Test("decision 0072: consent that is switched on, and a flow that is switched off")
    func switches() async throws {
        let path = try await make()
        let tokens = try await admin.signIn("ann", client: "shop")
        for (body, back) in [
            (#"{"consentRequired": true}"#, #"{"consentRequired": false}"#),
            (#"{"standardFlowEnabled": false}"#, #"{"standardFlowEnabled": true}"#),
        ] {
            #expect(try await admin.send(.put, path, body, by: root).status == 204)
            let refused = try await refresh(tokens)
            #expect(["invalid_grant", "unauthorized_client"].contains(refused.error), "\(body)")
            #expect(try await userInfo(tokens).status == 401, "\(body)")
            #expect(try await admin.send(.put, path, back, by: root).status == 204)
        }
        #expect(try await refresh(tokens).status == 200)
    }

    @Test("decision 0072: a scope is new to everybody, whatever was called that before")
    func again() async throws {
        let payroll = #"{"name": "payroll", "protocol": "openid-connect"}"#
        let first = try await admin.send(.post, "/client-scopes", payroll, by: root).madeID
        let path = try await make(#""consentRequired": true,"#)
        let given = "\(path)/optional-client-scopes/"
        #expect(try await admin.send(.put, given + first, by: root).status == 204)
        let tokens = try await admin.signIn("ann", client: "shop", scope: "openid payroll")
        #expect(tokens.json.string("scope")?.contains("payroll") == true)
        #expect(try await admin.send(.delete, "/client-scopes/\(first)", by: root).status == 204)
        let salary = #"""
            {"name": "payroll", "protocol": "openid-connect", "protocolMappers": [
              {"name": "s", "protocol": "openid-connect",
               "protocolMapper": "oidc-hardcoded-claim-mapper", "config": {
                 "claim.name": "salary", "claim.value": "100000", "jsonType.label": "int",
                 "userinfo.token.claim": "true", "access.token.claim": "true",
                 "id.token.claim": "true"}}]}
            """#
        let second = try await admin.send(.post, "/client-scopes", salary, by: root).madeID
        // The client has it again: what was allowed, and granted, before is not this one.
        #expect(try await admin.send(.put, given + second, by: root).status == 204)
        #expect(try await userInfo(tokens).json["salary"] == nil)
        let next = try await refresh(tokens)
        #expect(next.status == 200)
        #expect(next.json.string("scope")?.contains("payroll") == false)
        #expect(try await userInfo(next).json["salary"] == nil)
        let realmID = try #require(admin.server.provider.realms.realm(named: "acme")?.id)
        let apps = try await admin.server.database.people.connectedApps(
            of: AdminUnderTest.annID,
            realmID: realmID,
            at: admin.server.clock.seconds
        )
        #expect(!apps.isEmpty && !apps.contains { $0.scope.contains("payroll") })
        // Who is asked, and allows it, has it.
        let asked = try await admin.signIn("ann", client: "shop", scope: "openid payroll")
        #expect(try await userInfo(asked).json.int64("salary") == 100_000)
    }

    @Test("decision 0072: introspection says what is left, for clients of Keycloak's kind too")
    func introspection() async throws {
        let app = "/clients/\(AdminUnderTest.appID)"
        let tokens = try await admin.signIn("ann", client: "app")
        func introspect() async throws -> JSONObject {
            try await admin.server.post(
                "/realms/acme/protocol/openid-connect/token/introspect",
                [
                    ("client_id", "app"), ("client_secret", AdminUnderTest.secret),
                    ("token", tokens.json.string("access_token") ?? ""),
                ]
            ).json
        }
        let before = try await introspect()
        #expect(before.string("email") == "ann@example.com")
        #expect(before.string("username") == "ann")
        for name in ["email", "profile", "roles"] {
            let taken = "\(app)/default-client-scopes/\(try await scopeID(name))"
            #expect(try await admin.send(.delete, taken, by: root).status == 204)
        }
        let after = try await introspect()
        #expect(after.bool("active") == true)
        #expect(after.string("sub") == before.string("sub"))
        #expect(after.int64("exp") == before.int64("exp"))
        for name in ["email", "username", "preferred_username", "given_name", "resource_access"] {
            #expect(after[name] == nil, "\(name)")
        }
        #expect(after.string("scope")?.contains("email") == false)
    }
}
