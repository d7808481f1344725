import Foundation
import HTTPTypes
import PorticoBackend
import PorticoProtocol
import PorticoSignIn
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("serve, in earnest") struct ServeInEarnestTests {
    @Test("the mails of a demonstration are nowhere")
    func noDemoPages() async throws {
        let server = try await EarnestServer()
        try await server.makeRealm()
        for method in ["GET", "HEAD", "POST"] {
            #expect(try await server.request(method, "/_outbox").status == 404)
        }
        #expect(!server.running.stdout.contains("Stand-ins"))
        #expect(!server.running.stdout.contains("_outbox"))
    }

    @Test("with --demo they are there")
    func demoMails() async throws {
        let server = try await DemoServer()
        let person = WebPerson()
        #expect(try await person.get(server.url + "/_outbox").status == 200)
        try await person.close()
    }

    @Test("stand-ins that a demonstration left behind sign no one in, and no page offers them")
    func noStandIns() async throws {
        let portico = try PorticoProcess()
        let demo = try await DemoServer(in: portico)
        let port = demo.port
        for provider in ["apple", "google", "facebook"] {
            let reply = await RawExchange.get("/v1/auth/\(provider)", port: port)
            #expect(reply?.field("Location")?.hasPrefix("http://localhost:") == true)
        }
        try await demo.stop()

        let server = try await EarnestServer(in: portico, ["--data-directory", "demo"], port: port)
        for provider in ["apple", "google", "facebook"] {
            let reply = await RawExchange.get("/v1/auth/\(provider)", port: port)
            #expect(reply?.field("Location")?.contains("localhost") != true)
            #expect(reply?.status == 404 || reply?.field("Location")?.hasPrefix("/login") == true)
        }
        let page = try await server.request("GET", "/login")
        for provider in ["apple", "google", "facebook"] {
            #expect(!page.body.contains("/v1/auth/\(provider)"))
        }
        // Nor does its host, which was on this machine.
        #expect(try await server.request("GET", "/mobile-auth").status == 404)
        #expect(!page.body.contains("/mobile-auth"))
        // What the demonstration was is there: its people and its realm.
        let issuer = try await server.request(
            "GET",
            "/realms/demo/.well-known/openid-configuration"
        )
        #expect(issuer.status == 200)
        try await server.stop()
    }

    @Test("a stand-in is no provider for the command line either, where no demonstration was")
    func commandsRefuseStandIns() async throws {
        let portico = try PorticoProcess()
        let demo = try await DemoServer(in: portico)
        try await demo.stop()
        let change = [
            "provider", "update", "google", "--client-id", "other", "--data-directory", "demo",
        ]
        try portico.done(change + ["-n"])
        try FileManager.default.removeItem(at: portico.home.appending(path: "demo/demo"))
        let refused = try portico.run(change)
        #expect(refused.status != 0)
        let shown = try portico.run("provider show google --json --data-directory demo")
        #expect(!shown.stdout.contains(#""client_id":"other""#))
    }

    @Test("a forgotten password is replaced where mail is sent, and not offered where none is")
    func forgottenPassword() async throws {
        for arguments in [[], ["--mail-sendmail", "/bin/true", "--mail-from", "a@b.example"]] {
            let server = try await EarnestServer(arguments)
            try await server.makeRealm()
            let person = WebPerson()
            let page = try await person.get(server.authorization(to: "http://127.0.0.1/callback"))
            #expect(page.status == 200, "\(page.text)")
            #expect(page.text.contains("reset-credentials") == !arguments.isEmpty)
            let form = try await server.request(
                "GET",
                "/realms/acme/login-actions/reset-credentials"
            )
            #expect(form.status == (arguments.isEmpty ? 404 : 200))
            try await person.close()
        }
    }

    @Test("a mail that waits leaves by the command that was set")
    func mail() async throws {
        let portico = try PorticoProcess()
        let (script, sent) = (portico.home.path + "/sendmail", portico.home.path + "/sent")
        try Data("#!/bin/sh\ncat > \(sent).new && mv \(sent).new \(sent)\n".utf8)
            .write(to: URL(filePath: script))
        #expect(chmod(script, 0o700) == 0)
        let server = try await EarnestServer(
            in: portico,
            ["--mail-sendmail", script, "--mail-from", "Acme <portico@example.com>"]
        )
        try await server.makeRealm()
        let person = WebPerson()
        let form = try await person.get(server.url + "/realms/acme/login-actions/reset-credentials")
        _ = try await person.submit(
            form,
            from: server.url,
            [("email", "ann@example.com"), ("action", "send")]
        )
        try await person.close()
        try await server.wait { FileManager.default.fileExists(atPath: sent) }
        let text = try String(contentsOfFile: sent, encoding: .utf8)
        #expect(text.contains("ann@example.com"))
        #expect(text.contains("portico@example.com"))
    }

    @Test("WEB-BFF-4: a configured API is reachable with a session, and no other one is")
    func proxiedAPIs() async throws {
        let arguments = ["--bff-api", "orders=https://orders.example.com,google"]
        let server = try await EarnestServer(arguments)
        try server.command("realm create home")
        try server.command(
            "client create notes --hand-off code --redirect-uri com.example.notes:/callback"
        )
        try await server.wait {
            try await server.request("GET", "/v1/auth/session").status == 401
        }
        let ours = ["X-Portico: 1"]
        #expect(try await server.request("GET", "/bff/orders/list", ours).status == 401)
        #expect(try await server.request("GET", "/bff/others/list", ours).status == 404)
    }

    @Test("apps and providers that the command line changes are seen within moments")
    func backendChanges() async throws {
        let server = try await EarnestServer()
        #expect(try await server.request("GET", "/v1/auth/session").status == 404)
        try server.command("realm create home")
        try server.command(
            "client create notes --hand-off code --redirect-uri com.example.notes:/callback"
        )
        try await server.wait {
            try await server.request("GET", "/v1/auth/session").status == 401
        }
        try server.command("client update notes --disable-client")
        try await server.wait {
            try await server.request("GET", "/v1/auth/session").status != 401
        }
    }

    /// A realm as Keycloak exports it: an app, its roles, and two people with one of them each.
    private static func export(redirect: String) -> String {
        let people = [("john", "IC"), ("jane", "Manager")].map { name, role in
            """
            {"username": "\(name)", "enabled": true,
             "credentials": [{"type": "password", "value": "\(EarnestServer.password)"}],
             "clientRoles": {"shop": ["\(role)"], "other": ["\(role)"]}}
            """
        }
        return """
            {"realm": "acme", "enabled": true,
             "clients": [
                {"clientId": "shop", "publicClient": true, "redirectUris": ["\(redirect)"],
                 "attributes": {"pkce.code.challenge.method": "S256"},
                 "protocolMappers": [{"name": "roles",
                    "protocolMapper": "oidc-usermodel-client-role-mapper",
                    "config": {"usermodel.clientRoleMapping.clientId": "shop",
                        "claim.name": "roles", "multivalued": "true",
                        "userinfo.token.claim": "true"}}]},
                {"clientId": "other", "redirectUris": ["https://other.example/cb"]}],
             "roles": {"client": {"shop": [{"name": "IC"}, {"name": "Manager"}],
                "other": [{"name": "IC"}, {"name": "Manager"}]}},
             "users": [\(people.joined(separator: ","))]}
            """
    }

    @Test("KC-M-1, KC-A-1: people of an imported realm sign in to its app, each with their roles")
    func imported() async throws {
        let receiver = try LogoutReceiver()
        let callback = try #require(receiver.uri("/cb")).text
        let portico = try PorticoProcess()
        try portico.write(Self.export(redirect: callback), to: "acme.json")
        let server = try await EarnestServer(in: portico, ["--import-realm", "acme.json"])
        for (name, role) in [("john", "IC"), ("jane", "Manager")] {
            let person = WebPerson()
            _ = try await person.signIn(
                at: server.authorization(to: callback),
                name,
                EarnestServer.password
            )
            let arrived = try #require(receiver.requests.last?.firstMatch(of: /[?&]code=([^&]+)/))
            let form = TestFlow.redemption(String(arrived.1), "shop", [("redirect_uri", callback)])
            let reply = try await server.request(
                "POST",
                "/realms/acme/protocol/openid-connect/token",
                body: EarnestServer.form(form)
            )
            let tokens = try JSONObject(parsing: Array(reply.body.utf8))
            let access = try #require(tokens.string("access_token"))
            let claims = try JWT(parsing: access).uncheckedClaims()
            let own = claims.object("resource_access")?.object("shop")?.strings("roles")
            #expect(own == [role])
            let info = try await person.get(
                server.url + "/realms/acme/protocol/openid-connect/userinfo",
                with: [.authorization: "Bearer " + access]
            )
            #expect(info.json.string("preferred_username") == name)
            #expect(info.json.strings("roles") == [role])
            try await person.close()
        }
    }
}

@Suite("serve: whose accounts are made and joined, as it is set") struct ServeAccountRulesTests {
    private static func run(
        _ arguments: [String],
        _ body: (DemoServer) async throws -> Void
    ) async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico, arguments: arguments)
        try await body(server)
    }

    /// Signs a person in with a stand-in, as far as that leads.
    ///
    /// - Returns: Where it leads.
    private func arrive(
        _ person: WebPerson,
        _ provider: String,
        as name: String,
        at server: DemoServer
    ) async throws -> Reply {
        let found = try #require(server.running.stdout.firstMatch(of: /Stand-ins +(\S+)/))
        let standIns = String(found.1)
        let chooser = try await person.get("\(server.url)/v1/auth/\(provider)")
        let chosen = try await person.submit(chooser, from: standIns, [("person", name)])
        // Apple's answer is a form.
        guard provider == "apple" else { return chosen }
        return try await person.submit(chosen, from: standIns, [])
    }

    /// The same.
    ///
    /// - Returns: What the session's address answers then: 200 with a session, 401 without.
    private func signIn(
        _ person: WebPerson,
        _ provider: String,
        as name: String,
        at server: DemoServer
    ) async throws -> Int {
        _ = try await arrive(person, provider, as: name, at: server)
        let fields: HTTPFields = [.accept: "application/json"]
        return try await person.get("\(server.url)/v1/auth/session", with: fields).status
    }

    @Test(
        "no one new gets an account where sign-up is closed",
        arguments: [("open", 200), ("closed", 401)]
    )
    func signUp(_ setting: String, _ expected: Int) async throws {
        try await Self.run(["--accounts-sign-up", setting]) { server in
            let person = WebPerson()
            #expect(try await signIn(person, "google", as: "ben", at: server) == expected)
            try await person.close()
        }
    }

    @Test(
        "pages.onboarding: who has a new account sees our page first, or goes on where it is off",
        arguments: [([], true), (["--pages-onboarding", "off"], false)] as [([String], Bool)]
    )
    func onboarding(_ arguments: [String], isOurs: Bool) async throws {
        try await Self.run(arguments) { server in
            let person = WebPerson()
            let end = try await arrive(person, "google", as: "ben", at: server)
            #expect(end.status == 200)
            #expect((end.formAction == "/onboarding") == isOurs, "\(end.formAction ?? "none")")
            #expect(end.text.contains("You’re signed in") != isOurs)
            try await person.close()
        }
    }

    @Test("WEB-ACC-1: an address joins no two accounts by itself, unless that was set")
    func linking() {
        var settings = Settings(dataDirectory: "/nowhere")
        #expect(AccountRules(settings).linking == .ask && AccountRules(settings).isSignUpOpen)
        settings.linking = .auto
        #expect(AccountRules(settings).linking == .auto && AccountRules(settings).isSignUpOpen)
        settings.isSignUpOpen = false
        #expect(!AccountRules(settings).isSignUpOpen)
    }
}
