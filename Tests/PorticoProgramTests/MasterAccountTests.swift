import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// What docs/admin-rest.md recommends in place of a password, command by command.
@Suite("A client's account in the realm master that serve makes") struct MasterAccountTests {
    private func token(_ server: EarnestServer, _ form: [UInt8]) async throws -> RawExchange {
        try await server.request(
            "POST",
            "/realms/master/protocol/openid-connect/token",
            body: String(decoding: form, as: UTF8.self)
        )
    }

    @Test("KC-A-2: two commands make it, and it sees all realms over HTTP")
    func account() async throws {
        let portico = try PorticoProcess()
        let server = try await EarnestServer(
            in: portico,
            ["--admin-rest", "on", "--admin-master", "on"]
        )
        // No one imported it.
        #expect(!server.running.stderr.contains("was imported"))
        let words = [
            "--realm", "master", "--template", "keycloak", "--type", "confidential", "--grant-type",
            "client_credentials",
        ]
        let made = try portico.done(["client", "create", "ops"] + words)
        let secret = made.split(separator: "\n").last.map(String.init) ?? ""
        let role = ["role", "assign", "admin", "--service-account", "ops", "--realm", "master"]
        try portico.done(role)
        let form = FormEncoding.encode([
            (name: "grant_type", value: "client_credentials"), (name: "client_id", value: "ops"),
            (name: "client_secret", value: secret),
        ])
        var token = try await self.token(server, form)
        // The server reads what commands change once a second.
        for _ in 0..<100 where token.status != 200 {
            try await Task.sleep(for: .milliseconds(100))
            token = try await self.token(server, form)
        }
        #expect(token.status == 200, "\(token.body)")
        let access = try JSONObject(parsing: Array(token.body.utf8)).string("access_token") ?? ""
        let realms = try await server.request(
            "GET",
            "/admin/realms",
            ["Authorization: Bearer \(access)"]
        )
        #expect(realms.status == 200 && realms.body.contains("master"), "\(realms.body)")
        try await server.stop()
    }
    @Test("A8: serve names everyone who administers by a master from a file, and no one who cannot")
    func imported() async throws {
        let portico = try PorticoProcess()
        let file = #"""
            {"realm": "master", "enabled": true, "registrationAllowed": true,
             "defaultRole": {"name": "everyone"},
             "roles": {"realm": [{"name": "admin"},
                 {"name": "everyone", "composites": {"realm": ["admin"]}}],
               "client": {"shop-realm": [{"name": "manage-users"}]}},
             "clients": [{"clientId": "shop-realm", "bearerOnly": true},
               {"clientId": "bot", "secret": "a secret that is long", "serviceAccountsEnabled": true}],
             "users": [{"username": "ann", "enabled": true},
               {"username": "half", "enabled": true, "clientRoles": {"shop-realm": ["manage-users"]}},
               {"username": "off", "enabled": false, "realmRoles": ["admin"]},
               {"username": "service-account-bot", "enabled": true, "serviceAccountClientId": "bot",
                "realmRoles": ["admin"]}]}
            """#
        try portico.write(file, to: "master.json")
        let server = try await EarnestServer(
            in: portico,
            ["--admin-rest", "on", "--admin-master", "on", "--import-realm", "master.json"]
        )
        let said =
            "half, service-account-bot administer realms of this server. Everyone who registers there does."
        #expect(server.running.stderr.contains(said), "\(server.running.stderr)")
        try await server.stop()
    }

    @Test(
        "A8: serve says of one, of nobody and of everybody that they administer by a master of a file",
        arguments: [
            (#""realmRoles": ["admin"]"#, "[]", "root administers realms of this server."),
            (#""realmRoles": []"#, "[]", "no one administers realms of this server."),
            (
                #""realmRoles": []"#, #"["admin"]"#,
                "everyone who is made there administers realms of this server."
            ),
        ]
    )
    func few(roles: String, byDefault: String, said: String) async throws {
        let portico = try PorticoProcess()
        let file = #"""
            {"realm": "master", "enabled": true, "defaultRole": {"name": "everyone"},
             "roles": {"realm": [{"name": "admin"},
                 {"name": "everyone", "composites": {"realm": \#(byDefault)}}]},
             "users": [{"username": "root", "enabled": true, \#(roles)}]}
            """#
        try portico.write(file, to: "master.json")
        let server = try await EarnestServer(
            in: portico,
            ["--admin-rest", "on", "--admin-master", "on", "--import-realm", "master.json"]
        )
        let line = "Realm master was imported: \(said)"
        #expect(server.running.stderr.contains(line), "\(server.running.stderr)")
        try await server.stop()
    }
}

@Suite("The administrator that the environment names") struct FirstAdministratorTests {
    private static let on = [
        "--admin-rest", "on", "--admin-master", "on", "--admin-password-grant", "on",
    ]
    private static let password = "one long way home"

    private func token(_ server: EarnestServer, _ name: String, _ password: String) async throws
        -> RawExchange
    {
        let form = FormEncoding.encode([
            (name: "grant_type", value: "password"), (name: "client_id", value: "admin-cli"),
            (name: "username", value: name), (name: "password", value: password),
        ])
        return try await server.request(
            "POST",
            "/realms/master/protocol/openid-connect/token",
            body: String(decoding: form, as: UTF8.self)
        )
    }

    @Test(
        "is made at the first start, by our names and by Keycloak's",
        arguments: [
            ("PORTICO_ADMIN_USERNAME", "PORTICO_ADMIN_PASSWORD"),
            ("KC_BOOTSTRAP_ADMIN_USERNAME", "KC_BOOTSTRAP_ADMIN_PASSWORD"),
            ("KEYCLOAK_ADMIN", "KEYCLOAK_ADMIN_PASSWORD"),
        ]
    )
    func made(_ username: String, _ password: String) async throws {
        let portico = try PorticoProcess()
        let first = try await EarnestServer(
            in: portico,
            Self.on,
            environment: [username: "root", password: Self.password]
        )
        #expect(first.running.stderr.contains("Created administrator root in realm master"))
        #expect(!first.running.stderr.contains(Self.password))
        #expect(try await token(first, "root", Self.password).status == 200)
        try await first.stop()
        // Later starts change nothing: neither password nor people.
        let second = try await EarnestServer(
            in: portico,
            Self.on,
            // Its issuers name the port.
            port: first.port,
            environment: [username: "other", password: "another long way home"]
        )
        #expect(!second.running.stderr.contains("Created administrator"))
        #expect(try await token(second, "root", Self.password).status == 200)
        #expect(try await token(second, "other", "another long way home").status != 200)
        try await second.stop()
    }

    @Test("is refused, and said so, where the administration is off or half of it is missing")
    func refused() async throws {
        let portico = try PorticoProcess()
        let named = ["KEYCLOAK_ADMIN": "root", "KEYCLOAK_ADMIN_PASSWORD": Self.password]
        let server = try await EarnestServer(in: portico, environment: named)
        #expect(server.running.stderr.contains("KEYCLOAK_ADMIN has no effect"))
        try await server.stop()
        let half = try portico.run(
            ["serve", "--listen", "127.0.0.1:0"] + Self.on,
            environment: ["PORTICO_ADMIN_USERNAME": "root"]
        )
        #expect(half.status == 2)
        #expect(half.stderr.contains("PORTICO_ADMIN_PASSWORD is not"))
        let short = try portico.run(
            ["serve", "--listen", "127.0.0.1:0"] + Self.on,
            environment: ["KEYCLOAK_ADMIN": "admin", "KEYCLOAK_ADMIN_PASSWORD": "admin"]
        )
        #expect(short.status != 0)
        #expect(
            short.stderr.contains("The password in KEYCLOAK_ADMIN_PASSWORD is refused. (refused)")
        )
    }
}
