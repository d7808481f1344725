import Foundation
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
        // Nobody imported it.
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
