import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What clients of an imported realm get, at the endpoints.
@Suite("Clients of an imported realm") struct ImportedTokenTests {
    private static let file = #"""
        {"realm": "acme", "enabled": true, "roles": {
           "realm": [{"name": "boss", "composite": true,
             "composites": {"realm": ["clerk"], "client": {"limited": ["own"], "api": ["read"]}}},
             {"name": "clerk"}],
           "client": {"limited": [{"name": "own"}], "api": [{"name": "read"}]}},
         "groups": [{"name": "staff", "realmRoles": ["boss"], "subGroups": [{"name": "it"}]}],
         "scopeMappings": [{"clientScope": "team", "roles": ["clerk"]},
           {"clientScope": "gone", "roles": ["of-no-one"]}],
         "clientScopes": [
           {"name": "basic", "protocol": "openid-connect",
            "attributes": {"include.in.token.scope": "false"},
            "protocolMappers": [
              {"name": "sub", "protocol": "openid-connect", "protocolMapper": "oidc-sub-mapper",
               "config": {"access.token.claim": "true"}}]},
           {"name": "roles", "protocol": "openid-connect",
            "attributes": {"include.in.token.scope": "false"},
            "protocolMappers": [
              {"name": "r", "protocol": "openid-connect",
               "protocolMapper": "oidc-usermodel-realm-role-mapper", "config": {
                 "claim.name": "realm_access.roles", "multivalued": "true",
                 "access.token.claim": "true"}},
              {"name": "c", "protocol": "openid-connect",
               "protocolMapper": "oidc-usermodel-client-role-mapper", "config": {
                 "claim.name": "resource_access.${client_id}.roles", "multivalued": "true",
                 "access.token.claim": "true"}},
              {"name": "a", "protocol": "openid-connect",
               "protocolMapper": "oidc-audience-resolve-mapper", "config": {}}]},
           {"name": "team", "protocol": "openid-connect", "protocolMappers": [
              {"name": "t", "protocol": "openid-connect",
               "protocolMapper": "oidc-hardcoded-claim-mapper", "config": {
                 "claim.name": "team", "claim.value": "blue", "access.token.claim": "true"}}]},
           {"name": "gone", "protocol": "openid-connect", "protocolMappers": [
              {"name": "g", "protocol": "openid-connect",
               "protocolMapper": "oidc-hardcoded-claim-mapper", "config": {
                 "claim.name": "gone", "claim.value": "yes", "access.token.claim": "true"}}]}],
         "defaultDefaultClientScopes": ["basic", "roles"],
         "defaultOptionalClientScopes": ["team", "gone"],
         "clients": [
           {"clientId": "full", "publicClient": true, "redirectUris": ["https://full.example/*"]},
           {"clientId": "limited", "publicClient": true, "fullScopeAllowed": false,
            "redirectUris": ["https://limited.example/cb"]},
           {"clientId": "light", "publicClient": true, "redirectUris": ["https://light.example/cb"],
            "attributes": {"client.use.lightweight.access.token.enabled": "true"}},
           {"clientId": "api", "redirectUris": ["https://api.example/cb"],
            "secret": "a secret of the api client"}],
         "users": [
           {"username": "ann", "id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01", "enabled": true,
            "groups": ["/staff/it"], "credentials": [{"value": "correct horse battery 1"}]},
           {"username": "bob", "id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e02", "enabled": true,
            "credentials": [{"value": "correct horse battery 1"}]}]}
        """#

    private func server() async throws -> ProviderUnderTest {
        try await .importing(Self.file)
    }

    private static let path = "/realms/acme/protocol/openid-connect/"

    private func answer(
        _ client: String,
        _ name: String,
        scope: String = "openid",
        redirect: String? = nil,
        _ server: ProviderUnderTest
    ) async throws -> Reply {
        let redirect = redirect ?? "https://\(client).example/cb"
        let browser = TestBrowser(server)
        let page = try await browser.authorize(client, scope: scope, [("redirect_uri", redirect)])
        let form = [("username", name), ("password", "correct horse battery 1")]
        let reply = try await browser.submit(page, form)
        guard let code = reply.redirected["code"] else { return reply }
        return try await server.post(
            Self.path + "token",
            TestFlow.redemption(code, client, [("redirect_uri", redirect)])
        )
    }

    private func claims(_ reply: Reply) throws -> JSONObject {
        try JWT(parsing: try #require(reply.json.string("access_token"))).uncheckedClaims()
    }

    private func roles(_ claims: JSONObject, of client: String? = nil) -> [String]? {
        let access =
            client.map { claims.object("resource_access")?.object($0) }
            ?? claims.object("realm_access")
        return access?.strings("roles")
    }

    @Test("decision 0049: groups and composite roles count, and their clients are the audience")
    func full() async throws {
        let server = try await server()
        let reply = try await answer("full", "ann", server)
        let claims = try claims(reply)
        #expect(roles(claims) == ["boss", "clerk"])
        #expect(roles(claims, of: "api") == ["read"] && roles(claims, of: "limited") == ["own"])
        #expect(Set(claims.strings("aud") ?? []) == ["api", "limited"])
        #expect(claims.string("sub") == "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01")
        // Hidden scopes are not named.
        #expect(claims.string("scope") == "openid" && reply.json.string("scope") == "openid")
        let bob = try self.claims(try await answer("full", "bob", server))
        #expect(roles(bob) == nil && bob["aud"] == nil)
    }

    @Test("decision 0049: without full scope a client sees its own roles and those it is shown")
    func limited() async throws {
        let server = try await server()
        let own = try claims(try await answer("limited", "ann", server))
        #expect(roles(own) == nil && roles(own, of: "api") == nil)
        #expect(roles(own, of: "limited") == ["own"])
        // By a scope; and for those who have one of its roles.
        let more = try claims(try await answer("limited", "ann", scope: "openid team", server))
        #expect(roles(more) == ["clerk"] && more.string("team") == "blue")
        #expect(more.string("scope") == "openid team")
        // Nor is a scope everyone's whose roles were not imported.
        let gone = try await answer("limited", "ann", scope: "openid gone", server)
        #expect(try claims(gone)["gone"] == nil && gone.json.string("scope") == "openid")
        let bob = try await answer("limited", "bob", scope: "openid team", server)
        #expect(try claims(bob)["team"] == nil && bob.json.string("scope") == "openid")
    }

    @Test("attack: the role of a limited scope is deleted: no one gets the scope any more")
    func deletedRole() async throws {
        let server = try await server()
        let realm = try #require(try await server.database.realms.snapshot().realms.first)
        let roles = try await server.database.realms.roles(realmID: realm.id)
        let clerk = try #require(roles.first { $0.name == "clerk" })
        #expect(try await server.database.realms.deleteRole(id: clerk.id) == .changed)
        try await server.provider.realms.refresh()
        for person in ["ann", "bob"] {
            let reply = try await answer("limited", person, scope: "openid team", server)
            #expect(try claims(reply)["team"] == nil && reply.json.string("scope") == "openid")
        }
    }

    @Test("decision 0049: a lightweight token is not for UserInfo, and introspection says the rest")
    func light() async throws {
        let server = try await server()
        let reply = try await answer("light", "ann", server)
        let light = try claims(reply)
        #expect(light["sub"] == nil && roles(light) == nil)
        let access = try #require(reply.json.string("access_token"))
        let info = try await server.send(
            .get,
            Self.path + "userinfo",
            headers: [.authorization: "Bearer \(access)"]
        )
        #expect(info.status == 401)
        let full = try await answer("full", "ann", server)
        let text = try #require(full.json.string("access_token"))
        let other = try await server.send(
            .get,
            Self.path + "userinfo",
            headers: [.authorization: "Bearer \(text)"]
        )
        #expect(other.status == 200)
    }

    @Test("decision 0049: a refresh cuts the scope, keeps the defaults, and never widens")
    func refresh() async throws {
        let server = try await server()
        let first = try await answer("limited", "ann", scope: "openid", server)
        let refresh = try #require(first.json.string("refresh_token"))
        let form = [
            ("grant_type", "refresh_token"), ("client_id", "limited"), ("refresh_token", refresh),
            ("scope", "openid team"),
        ]
        let next = try await server.post(Self.path + "token", form)
        #expect(next.status == 200 && next.json.string("scope") == "openid")
        let claims = try claims(next)
        #expect(claims["team"] == nil && roles(claims, of: "limited") == ["own"])
        #expect(claims.string("sub")?.isEmpty == false)
    }

    @Test("decision 0049: a pattern holds below its path only, and an unknown scope is refused")
    func requests() async throws {
        let server = try await server()
        let deep = try await answer("full", "ann", redirect: "https://full.example/a/b", server)
        #expect(deep.status == 200)
        for redirect in ["https://full.example.evil.example/", "https://evil.example/"] {
            let refused = try await TestBrowser(server)
                .authorize("full", [("redirect_uri", redirect)])
            #expect(refused.status == 400 && refused.location == nil)
        }
        let reply = try await TestBrowser(server).authorize(
            "full",
            scope: "openid unheard-of",
            [("redirect_uri", "https://full.example/cb")]
        )
        #expect(reply.redirected["error"] == "invalid_scope")
    }

    @Test("decision 0049: signing out with a client and its address alone goes there at once")
    func signOut() async throws {
        let server = try await server()
        let query = "client_id=full&post_logout_redirect_uri=https://full.example/bye&state=s"
        let reply = try await server.send(.get, Self.path + "logout?" + query)
        #expect(reply.status == 303)
        #expect(reply.location == "https://full.example/bye?state=s")
        let evil = "client_id=full&post_logout_redirect_uri=https://evil.example/bye"
        let refused = try await server.send(.get, Self.path + "logout?" + evil)
        #expect(refused.status == 400 && refused.location == nil)
    }
}
