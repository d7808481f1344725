import Foundation
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("serve, with the administration over HTTP") struct ServeAdministrationTests {
    private static let token = "/realms/master/protocol/openid-connect/token"

    /// What a script of an administrator sends.
    private func grant(_ server: EarnestServer) async throws -> (error: String?, token: String?) {
        let form = EarnestServer.form([
            ("grant_type", "password"), ("client_id", "admin-cli"), ("username", "root"),
            ("password", EarnestServer.password),
        ])
        let reply = try await server.request("POST", Self.token, body: form)
        // `try?`: what is no JSON has neither.
        let json = try? JSONObject(parsing: Array(reply.body.utf8))
        return (json?.string("error"), json?.string("access_token"))
    }

    private func status(_ server: EarnestServer, _ path: String, _ token: String) async throws
        -> Int
    {
        try await server.request("GET", path, ["Authorization: Bearer \(token)"]).status
    }

    /// A server with `root` in its realm `master`, and a realm `acme`.
    private func begin(in portico: PorticoProcess) async throws -> EarnestServer {
        let server = try await EarnestServer(
            in: portico,
            ["--admin-rest", "on", "--admin-master", "on", "--admin-password-grant", "on"]
        )
        try server.command(
            ["user", "create", "root", "--realm", "master", "--role", "admin"]
                + ["--password-file", "-"],
            input: EarnestServer.password
        )
        try server.command(["realm", "create", "acme", "--public-url", server.url])
        let acme = "/realms/acme/.well-known/openid-configuration"
        try await server.wait { try await server.request("GET", acme).status == 200 }
        return server
    }

    /// The token of a client that has an account of its own.
    private func account(_ server: EarnestServer) async throws -> String {
        let words = [
            "--realm", "master", "--template", "keycloak", "--type", "confidential", "--grant-type",
            "client_credentials",
        ]
        let made = try server.command(["client", "create", "ops"] + words)
        let secret = made.split(separator: "\n").last.map(String.init) ?? ""
        try server.command("role assign admin --service-account ops --realm master")
        let form = EarnestServer.form([
            ("grant_type", "client_credentials"), ("client_id", "ops"), ("client_secret", secret),
        ])
        try await server.wait {
            try await server.request("POST", Self.token, body: form).status == 200
        }
        let reply = try await server.request("POST", Self.token, body: form)
        let json = try JSONObject(parsing: Array(reply.body.utf8))
        return try #require(json.string("access_token"))
    }

    @Test("admin.rest, admin.master and admin.password-grant are three settings, each for itself")
    func settings() async throws {
        let portico = try PorticoProcess()
        let first = try await begin(in: portico)
        let port = first.port
        let byPassword = try #require(try await grant(first).token)
        let given = try await account(first)
        let acme = "/admin/realms/acme"
        for token in [byPassword, given] {
            #expect(try await status(first, acme, token) == 200)
        }
        try await first.stop()
        let rest = ["--admin-rest", "on"]
        let master = ["--admin-master", "on"]
        let passwords = ["--admin-password-grant", "on"]
        for (arguments, isMaster, takesPasswords) in [
            (rest + master, true, false), (rest + passwords, false, true), (rest, false, false),
        ] {
            let server = try await EarnestServer(in: portico, arguments, port: port)
            #expect(try await status(server, acme, given) == (isMaster ? 200 : 403))
            #expect(try await status(server, "/admin/realms/master", given) == 200)
            // Who signed in by a password is signed out where none is taken any more.
            let own = try await status(server, "/admin/realms/master", byPassword)
            #expect(own == (takesPasswords ? 200 : 401), "\(arguments)")
            let (error, token) = try await grant(server)
            #expect((token != nil) == takesPasswords, "\(arguments)")
            #expect(error == (takesPasswords ? nil : "unsupported_grant_type"), "\(arguments)")
            if let token { #expect(try await status(server, acme, token) == 403) }
            try await server.stop()
        }
        let off = try await EarnestServer(in: portico, master + passwords, port: port)
        #expect(try await status(off, acme, given) == 404)
        try await off.stop()
    }

    private static let master = #"""
        {"realm": "master", "enabled": true,
         "roles": {"realm": [{"name": "admin"}, {"name": "create-realm"}]},
         "groups": [{"name": "bosses", "realmRoles": ["admin"]}],
         "users": [{"username": "root", "enabled": true, "realmRoles": ["admin"]},
           {"username": "eve", "enabled": true, "groups": ["/bosses"]},
           {"username": "ann", "enabled": true}]}
        """#

    @Test("who administers by a file that is imported is told, and at each start who does so now")
    func whoAdministers() async throws {
        let portico = try PorticoProcess()
        try portico.write(Self.master, to: "master.json")
        let rest = ["--admin-rest", "on"]
        let master = rest + ["--admin-master", "on"]
        var port: UInt16 = 0
        for (arguments, isImported, isMaster) in [
            (master + ["--import-realm", "master.json"], true, true), (master, false, true),
            (rest, false, false), (["--admin-master", "on"], false, false),
        ] {
            let server = try await EarnestServer(in: portico, arguments, port: port)
            port = server.port
            try await server.stop()
            let told = server.running.stderr
            for line in [
                "user root, user eve: administers realms of this server.",
                "group bosses: its members administer realms of this server.",
            ] {
                #expect(told.contains(line) == isImported, "\(arguments): \(told)")
            }
            let now = "Realm master was imported: eve, root administer realms of this server."
            #expect(told.contains(now) == isMaster, "\(arguments): \(told)")
        }
    }

    @Test("what of a file is not imported at the start is seen by the command that is printed")
    func leftOut() async throws {
        let portico = try PorticoProcess()
        let file = #"""
            {"realm": "${REALM}", "enabled": true, "users": [],
             "clients": [{"clientId": "a", "protocol": "saml"}]}
            """#
        try portico.write(file, to: "shop.json")
        let environment = ["REALM": "shop", "PORTICO_IMPORT_SUBSTITUTE": "on"]
        let server = try await EarnestServer(
            in: portico,
            ["--import-realm", "shop.json"],
            environment: environment
        )
        try await server.stop()
        let said = "1 part of it was not imported. See which: portico "
        let command = "realm import -n --on-conflict overwrite --substitute shop.json"
        #expect(server.running.stderr.contains(said + command), "\(server.running.stderr)")
        let seen = try portico.done(
            command.split(separator: " ").map(String.init),
            environment: environment
        )
        #expect(seen.contains("client a"), "\(seen)")
    }

    @Test("attack: 4 MiB for /admin/realms are read only for a token that master has signed")
    func longBodies() async throws {
        let portico = try PorticoProcess()
        let server = try await begin(in: portico)
        let port = server.port
        let token = try #require(try await grant(server).token)
        let length = 3 << 20
        func head(_ field: String) -> String {
            "POST /admin/realms HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(field)"
                + "Content-Type: application/json\r\nContent-Length: \(length)\r\n"
                + "Connection: close\r\n\r\n"
        }
        for field in [
            "", "Authorization: Bearer x\r\n", "Authorization: Bearer \(token.dropLast(8))\r\n",
            "Authorization: Basic \(token)\r\n",
        ] {
            // Nothing of the body is sent: who waited for it would not answer.
            let request = head(field)
            let reply = await RawExchange.run { RawExchange(request, port: port) }
            #expect(reply?.status == 413, "\(field.prefix(24))")
        }
        let realm = #"{"realm": "big", "enabled": true}"#
        let body = realm + String(repeating: " ", count: length - realm.utf8.count)
        let request = head("Authorization: Bearer \(token)\r\n") + body
        let reply = await RawExchange.run { RawExchange(request, port: port) }
        #expect(reply?.status == 201, "\(reply?.body ?? "")")
        try await server.stop()
    }
}
