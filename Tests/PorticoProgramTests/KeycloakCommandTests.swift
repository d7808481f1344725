import Foundation
import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// The realm of the article that the move from Keycloak is about, made by commands while the server
/// runs: two roles of a client, a mapper to the claim `roles`, an address of Expo.
@Suite("A realm of Keycloak's kind, made by commands")
struct KeycloakCommandTests {
    private static let redirect = "exp://192.168.178.95:8081"
    private static let client = "rn-expo-app"
    private static let people = [("jd", "John", "Doe", "IC"), ("jr", "Jane", "Roe", "Manager")]

    private func makeRealm(at server: EarnestServer) async throws {
        try server.command([
            "realm", "create", "test", "--template", "keycloak", "--public-url", server.url,
        ])
        try server.command([
            "client", "create", Self.client, "--template", "keycloak", "--redirect-uri",
            Self.redirect,
        ])
        for role in ["Manager", "IC"] {
            try server.command(["role", "create", role, "--client", Self.client])
        }
        try server.command([
            "mapper", "add", "client roles", "--client", Self.client,
            "--type", "oidc-usermodel-client-role-mapper",
            "--setting", "usermodel.clientRoleMapping.clientId=\(Self.client)",
            "--setting", "claim.name=roles",
        ])
        for (name, given, family, role) in Self.people {
            try server.command(
                [
                    "user", "create", name, "--email", "\(name)@example.com", "--email-verified",
                    "--given-name", given, "--family-name", family, "--password-file", "-",
                ],
                input: EarnestServer.password
            )
            try server.command(["role", "assign", role, name, "--client", Self.client])
        }
        // What comes last is seen last.
        let last = "/realms/last/.well-known/openid-configuration"
        try server.command(["realm", "create", "last", "--public-url", server.url])
        try await server.wait { try await server.request("GET", last).status == 200 }
        try server.command(["realm", "delete", "last", "--confirm", "last"])
    }

    /// Signs someone in as an Expo app does, and returns the answer of the token endpoint.
    private func tokens(of name: String, at server: EarnestServer) async throws -> JSONObject {
        let request = TestFlow.request(
            Self.client,
            scope: "openid profile",
            [("redirect_uri", Self.redirect)]
        )
        let person = WebPerson()
        let reply = try await person.signIn(
            at: server.url + "/realms/test/protocol/openid-connect/auth?"
                + EarnestServer.form(request),
            name,
            EarnestServer.password
        )
        let location = try #require(reply.headers[.location], "\(reply.status)")
        #expect(location.hasPrefix(Self.redirect + "?"))
        let code = try #require(location.firstMatch(of: /[?&]code=([^&]+)/))
        let form = TestFlow.redemption(
            String(code.1),
            Self.client,
            [("redirect_uri", Self.redirect)]
        )
        let answer = try await person.post(
            server.url + "/realms/test/protocol/openid-connect/token",
            form
        )
        #expect(answer.status == 200)
        let json = try JSONObject(parsing: answer.body)
        try await person.close()
        return json
    }

    @Test("KC-A-1: commands alone make the article's realm, and each person has their role")
    func article() async throws {
        let server = try await EarnestServer()
        try await makeRealm(at: server)
        for (name, given, family, role) in Self.people {
            let token = try #require(try await tokens(of: name, at: server).string("access_token"))
            let claims = try JWT(parsing: token).uncheckedClaims()
            #expect(claims.strings("roles") == [role])
            #expect(claims.string("typ") == "Bearer")
            #expect(claims.string("azp") == Self.client)
            #expect(claims.string("aud") == "account")
            let reply = try await server.request(
                "GET",
                "/realms/test/protocol/openid-connect/userinfo",
                ["Authorization: Bearer \(token)"]
            )
            let profile = try JSONObject(parsing: Array(reply.body.utf8))
            #expect(profile.strings("roles") == [role])
            #expect(profile.string("preferred_username") == name)
            #expect(profile.string("name") == "\(given) \(family)")
        }
    }

    @Test("what groups, composite roles and scope mappings amount to is in the next token")
    func roles() async throws {
        let server = try await EarnestServer()
        try await makeRealm(at: server)
        func roles() async throws -> Set<String> {
            let token = try #require(try await tokens(of: "jd", at: server).string("access_token"))
            let claims = try JWT(parsing: token).uncheckedClaims()
            return Set(claims.object("realm_access")?.strings("roles") ?? [])
        }
        for role in ["lead", "reader"] { try server.command(["role", "create", role]) }
        try server.command(["role", "assign", "reader", "--composite", "lead"])
        try server.command(["group", "create", "staff"])
        try server.command(["role", "assign", "lead", "--group", "staff"])
        #expect(try await roles().isDisjoint(with: ["lead", "reader"]))
        try server.command(["group", "add-member", "staff", "jd"])
        try await server.wait { try await roles().isSuperset(of: ["lead", "reader"]) }
        // Without full scope it sees what it is mapped to, and nothing else.
        try server.command(["client", "update", Self.client, "--no-full-scope"])
        try server.command(["role", "assign", "reader", "--seen-by-client", Self.client])
        try await server.wait {
            let roles = try await roles()
            return roles.contains("reader") && !roles.contains("lead")
        }
    }

    @Test("new people get what every new one of the realm gets, also by a command")
    func newPeople() throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "test", "--template", "keycloak"])
        try portico.done(["user", "create", "ann", "--without-password"])
        let shown = try JSONObject(
            parsing: Array(try portico.run(["user", "show", "ann", "--json"]).stdout.utf8)
        )
        let roles = (shown.array("roles") ?? []).compactMap { $0.object?.string("name") }
        #expect(roles == ["default-roles-test"])
        // They would get whatever took its name.
        let deletion = ["role", "delete", "default-roles-test", "--confirm", "default-roles-test"]
        let refused = try portico.run(deletion)
        #expect(refused.status != 0 && refused.stderr.contains("cannot be removed"))
        let dryly = try portico.run(["role", "delete", "default-roles-test", "-n"])
        #expect(dryly.status != 0 && dryly.stderr.contains("cannot be removed"))
        try portico.done(["role", "show", "default-roles-test"])
    }

    @Test("a client's own account goes with the client, and with the grant type")
    func account() throws {
        let portico = try PorticoProcess()
        func run(_ words: [String]) throws -> PorticoProcess.Outcome {
            try portico.run(words, input: "a secret that was chosen elsewhere")
        }
        func account() throws -> JSONValue? {
            let text = try run(["client", "show", "jobs", "--json"]).stdout
            return try JSONObject(parsing: Array(text.utf8))["account"]
        }
        #expect(try run(["realm", "create", "test", "--template", "keycloak"]).status == 0)
        let create = [
            "client", "create", "jobs", "--template", "keycloak", "--type", "confidential",
            "--grant-type", "client_credentials", "--secret-file", "-",
        ]
        #expect(try run(create).status == 0)
        #expect(try account() == "service-account-jobs")
        let codes = [
            "client", "update", "jobs", "--grant-type", "authorization_code", "--redirect-uri",
            "https://jobs.example/cb",
        ]
        #expect(try run(codes).status == 0)
        #expect(try account() == .null)
        let back = ["client", "update", "jobs", "--grant-type", "client_credentials"]
        #expect(try run(back).status == 0)
        #expect(try account() == "service-account-jobs")
        #expect(try run(["client", "delete", "jobs", "--confirm", "jobs"]).status == 0)
        // Its name is free again.
        #expect(try run(create).status == 0)
    }

    @Test("decision 0032: an imported app without PKCE can be changed, and loses nothing it has")
    func withoutPKCE() throws {
        let portico = try PorticoProcess()
        let file = """
            {"realm": "acme", "clients": [{"clientId": "app", "publicClient": true,
              "redirectUris": ["https://app.example/cb"]}]}
            """
        try portico.write(file, to: "acme.json")
        try portico.done(["realm", "import", "acme.json"])
        func update(_ words: String...) throws -> PorticoProcess.Outcome {
            try portico.run(["client", "update", "app"] + words)
        }
        func protection() throws -> String? {
            let shown = try portico.run(["client", "show", "app", "--json"]).stdout
            return try JSONObject(parsing: Array(shown.utf8)).string("code_protection")
        }
        let words = ["--disable-client", "--name=Other", "--redirect-uri=https://app.example/2"]
        for word in words { #expect(try update(word).status == 0, "\(word)") }
        #expect(try protection() == "none")
        // Only what it has, or what every other app has.
        for stronger in ["pkce-or-nonce", "pkce"] {
            #expect(try (update("--\(stronger)").status == 0) == (stronger == "pkce"))
        }
        #expect(try update("--no-pkce").stderr.contains("pkce is refused"))
        #expect(try protection() == "pkce")
    }

    @Test("a temporary password must be replaced at the next sign-in")
    func temporary() async throws {
        let server = try await EarnestServer()
        try await server.makeRealm()
        try server.command(
            "user set-password ann --temporary --password-file -",
            input: "another horse battery"
        )
        let person = WebPerson()
        let page = try await person.signIn(
            at: server.authorization(to: "http://127.0.0.1/callback"),
            "ann",
            "another horse battery"
        )
        #expect(page.text.contains("new-password"))
        try await person.close()
    }
}
