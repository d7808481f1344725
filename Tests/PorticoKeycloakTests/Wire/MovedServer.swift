import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// A server that the realm `acme` has moved to from Keycloak; `test` beside it is Portico's own.
struct MovedServer {
    let server: ProviderUnderTest

    static let file = #"""
        {"realm": "acme", "enabled": true, "internationalizationEnabled": true,
         "defaultLocale": "de", "attributes": {"acr.loa.map": "{\"silver\":1,\"gold\":2}"},
         "roles": {"client": {"account": [{"name": "view-profile"}, {"name": "manage-account"}]}},
         "clientScopes": [
           {"name": "basic", "protocol": "openid-connect",
            "attributes": {"include.in.token.scope": "false"},
            "protocolMappers": [
              {"name": "sub", "protocol": "openid-connect", "protocolMapper": "oidc-sub-mapper",
               "config": {"access.token.claim": "true"}}]},
           {"name": "team", "protocol": "openid-connect", "protocolMappers": [
              {"name": "team", "protocol": "openid-connect",
               "protocolMapper": "oidc-usermodel-attribute-mapper", "config": {
                 "user.attribute": "team", "claim.name": "team", "id.token.claim": "true"}}]},
           {"name": "roles", "protocol": "openid-connect",
            "attributes": {"include.in.token.scope": "false"},
            "protocolMappers": [
              {"name": "realm roles", "protocol": "openid-connect",
               "protocolMapper": "oidc-usermodel-realm-role-mapper", "config": {
                 "claim.name": "realm_access.roles", "multivalued": "true",
                 "access.token.claim": "true"}},
              {"name": "client roles", "protocol": "openid-connect",
               "protocolMapper": "oidc-usermodel-client-role-mapper", "config": {
                 "claim.name": "resource_access.${client_id}.roles", "multivalued": "true",
                 "access.token.claim": "true"}},
              {"name": "audience resolve", "protocol": "openid-connect",
               "protocolMapper": "oidc-audience-resolve-mapper", "config": {
                 "access.token.claim": "true"}}]},
           {"name": "saml-only", "protocol": "saml"},
           {"name": "offline_access", "protocol": "openid-connect"},
           {"name": "profile", "protocol": "openid-connect"},
           {"name": "email", "protocol": "openid-connect"}],
         "defaultDefaultClientScopes": ["basic", "team", "roles"],
         "defaultOptionalClientScopes": ["offline_access", "profile", "email"],
         "clients": [
           {"clientId": "account", "publicClient": true, "redirectUris": ["/realms/acme/account/*"]},
           {"clientId": "spa", "publicClient": true, "redirectUris": ["https://spa.example.com/*"],
            "webOrigins": ["+"], "rootUrl": "https://spa.example.com", "baseUrl": "/home"},
           {"clientId": "dev", "publicClient": true, "redirectUris": ["http://localhost:3000/*"],
            "webOrigins": ["http://localhost:3000"], "baseUrl": "https://dev.example.com/start"},
           {"clientId": "any", "publicClient": true, "redirectUris": ["https://any.example.com/cb"],
            "webOrigins": ["*"], "rootUrl": "${authBaseUrl}", "baseUrl": "/x"},
           {"clientId": "quiet", "publicClient": true,
            "redirectUris": ["https://quiet.example.com/cb"],
            "protocolMappers": [
              {"name": "n", "protocol": "openid-connect", "config": {},
               "protocolMapper": "oidc-nonce-backwards-compatible-mapper"}],
            "attributes": {"user.info.response.signature.alg": "RS256",
              "exclude.issuer.from.auth.response": "true",
              "exclude.session.state.from.auth.response": "true"}},
           {"clientId": "plain", "publicClient": true, "fullScopeAllowed": false,
            "redirectUris": ["https://plain.example.com/cb"],
            "webOrigins": ["https://plain.example.com"],
            "attributes": {"acr.loa.map": "{\"bronze\":1}"}},
           {"clientId": "bare", "publicClient": true, "defaultClientScopes": ["basic"],
            "optionalClientScopes": ["offline_access", "profile", "email"],
            "redirectUris": ["https://bare.example.com/cb"]},
           {"clientId": "meant", "publicClient": true, "defaultClientScopes": ["basic"],
            "optionalClientScopes": ["offline_access", "profile", "email"],
            "redirectUris": ["https://meant.example.com/cb"],
            "protocolMappers": [
              {"name": "a", "protocol": "openid-connect", "protocolMapper": "oidc-audience-mapper",
               "config": {"included.client.audience": "account", "access.token.claim": "true"}}]},
           {"clientId": "other", "publicClient": true, "defaultClientScopes": ["basic"],
            "optionalClientScopes": ["offline_access", "profile", "email"],
            "redirectUris": ["https://other.example.com/cb"],
            "protocolMappers": [
              {"name": "r", "protocol": "openid-connect",
               "protocolMapper": "oidc-usermodel-client-role-mapper", "config": {
                 "claim.name": "resource_access.${client_id}.roles", "multivalued": "true",
                 "access.token.claim": "true"}}]},
           {"clientId": "off", "publicClient": true, "enabled": false,
            "redirectUris": ["https://off.example.com/*"], "webOrigins": ["+"],
            "rootUrl": "https://off.example.com"},
           {"clientId": "web", "redirectUris": ["https://web.example.com/cb"],
            "serviceAccountsEnabled": true, "secret": "a secret of the web client"}],
         "users": [
           {"username": "ann", "id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01", "enabled": true,
            "firstName": "Ann", "lastName": "Ng", "email": "ann@example.com",
            "emailVerified": true, "attributes": {"team": ["blue"], "secret": ["hidden"]},
            "clientRoles": {"account": ["view-profile"]},
            "credentials": [{"value": "correct horse battery 1"}]},
           {"username": "bob", "id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e02", "enabled": true,
            "credentials": [{"value": "correct horse battery 1"}]}]}
        """#

    init(_ file: String = file) async throws {
        let database = try TestDatabase.inMemory()
        let clock = StoppedClock()
        for imported in try await RealmImportTests.read(file, ring: TestRealm.ring) {
            try #require(try await database.realms.create(imported.realm) == .created)
        }
        server = try await ProviderUnderTest(database: database, clock: clock)
    }

    static func path(_ endpoint: String, realm: String = "acme") -> String {
        "/realms/\(realm)/protocol/openid-connect/" + endpoint
    }

    static let redirects = [
        "spa": "https://spa.example.com/app", "dev": "http://localhost:3000/",
        "any": "https://any.example.com/cb", "quiet": "https://quiet.example.com/cb",
        "plain": "https://plain.example.com/cb", "web": "https://web.example.com/cb",
        "bare": "https://bare.example.com/cb", "meant": "https://meant.example.com/cb",
        "other": "https://other.example.com/cb",
    ]

    static func request(
        _ client: String,
        scope: String = "openid",
        _ changes: [(String, String)] = []
    ) -> [(String, String)] {
        TestFlow.request(
            client,
            scope: scope,
            [("redirect_uri", redirects[client] ?? "")] + changes
        )
    }

    func get(_ path: String, _ headers: HTTPFields = [:]) async throws -> Reply {
        try await server.send(.get, path, headers: headers)
    }

    func authorize(_ request: [(String, String)], _ browser: TestBrowser) async throws -> Reply {
        try await browser.get(
            FormEncoding.appending(
                request.map { (name: $0.0, value: $0.1) },
                to: Self.path("auth")
            )
        )
    }

    /// The answer to the app, after the person has signed in where the browser is not yet.
    func signIn(
        _ name: String,
        _ request: [(String, String)],
        _ browser: TestBrowser
    ) async throws -> Reply {
        let page = try await authorize(request, browser)
        guard page.formAction != nil else { return page }
        return try await browser.submit(
            page,
            [("username", name), ("password", "correct horse battery 1")]
        )
    }

    /// The answer of the token endpoint.
    func tokens(
        _ name: String,
        _ client: String,
        scope: String = "openid",
        browser: TestBrowser? = nil
    ) async throws -> Reply {
        let browser = browser ?? TestBrowser(server)
        let answer = try await signIn(name, Self.request(client, scope: scope), browser)
        let code = try #require(answer.redirected["code"])
        return try await server.post(
            Self.path("token"),
            TestFlow.redemption(code, client, [("redirect_uri", Self.redirects[client] ?? "")])
        )
    }

    func refresh(_ token: String, _ client: String, headers: HTTPFields = [:]) async throws
        -> Reply
    {
        try await server.post(
            Self.path("token"),
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)],
            headers: headers
        )
    }
}
