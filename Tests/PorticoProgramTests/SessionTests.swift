import Foundation
import Portico
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Signing in with the command line")
struct SessionTests {
    @Test("login, whoami, userinfo, token and logout, from the first to the last")
    func walk() async throws {
        let server = try await DemoServer()
        let portico = server.portico
        let login = try await server.login("ann")
        #expect(try await login.ended() == 0)
        #expect(login.stdout == "")
        #expect(login.stderr.contains("\n✓ Signed in as Ann Example <ann@demo.example>\n"))

        let whoami = try portico.run(["whoami", "--json"])
        let who = try whoami.json
        #expect(who.string("email") == "ann@demo.example")
        #expect(who.string("issuer") == server.issuer)
        #expect(who.string("client_id") == "portico-cli")
        #expect(who.bool("refreshable") == true)
        let file = try #require(who.string("stored_in"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600)

        let userinfo = try portico.run(["userinfo"])
        let claims = try userinfo.json
        #expect(claims.string("name") == "Ann Example")
        #expect(claims.object("realm_access")?.strings("roles") == ["editor"])
        #expect(
            claims.object("resource_access")?.object("portico-cli")?.strings("roles")
                == ["tester"]
        )
        #expect(try portico.run(["userinfo", "--claim", "name"]).stdout == "Ann Example\n")
        #expect(try portico.run(["userinfo", "--claim", "nmae"]).status == 1)

        let token = try portico.run(["token"])
        #expect(token.status == 0)
        #expect(token.stderr == "")
        #expect(token.stdout.split(separator: ".").count == 3)
        #expect(token.stdout.hasSuffix("\n"))
        try inspect(token.stdout, portico)

        let again = try portico.run(["login", "--issuer", server.issuer])
        #expect(again.stderr.hasPrefix("✓ Already signed in as Ann Example"))

        let logout = try portico.run(["logout", "--no-browser"])
        #expect(logout.status == 0)
        #expect(logout.stderr.hasSuffix("✓ Signed out Ann Example.\n"))
        #expect(!FileManager.default.fileExists(atPath: file))
        for command in ["whoami", "token", "userinfo", "logout"] {
            #expect(try portico.run([command]).status == 3)
        }
    }

    private func inspect(_ token: String, _ portico: PorticoProcess) throws {
        let good = try portico.done(["token", "inspect"], input: token)
        #expect(good.contains("✓ signature valid   ✓ not expired   ✓ audience given"))
        let json = try portico.run(["token", "inspect", "--json"], input: token)
        let checks = try json.json.object("checks")
        #expect(checks?.string("signature") == "valid")
        #expect(checks?.bool("expired") == false)

        // The payload says something else; the signature is the old one.
        let parts = token.split(separator: ".").map(String.init)
        let forged = [parts[0], "eyJzdWIiOiJldmUifQ", parts[2]].joined(separator: ".")
        let unnamed = try portico.run(["token", "inspect"], input: forged)
        #expect(unnamed.stdout.contains("✗ signature not checked: The token names no issuer."))
        #expect(unnamed.status == 1)
        let issuer = try #require(good.firstMatch(of: /issuer +(\S+)/)).1
        let bad = try portico.run(["token", "inspect", "--issuer", String(issuer)], input: forged)
        #expect(bad.status == 1)
        #expect(bad.stderr.contains("Do not trust it. (token-invalid)"))
        try portico.done(["token", "inspect", "--offline"], input: token)
    }

    @Test("a token that would expire too soon is refreshed first, once, however many ask at once")
    func refresh() async throws {
        let server = try await DemoServer()
        let portico = server.portico
        #expect(try await server.login("ann").ended() == 0)
        let first = try portico.run(["token"]).stdout
        #expect(try portico.run(["token"]).stdout == first)
        #expect(try portico.run(["token", "--min-ttl", "2m"]).stdout == first)
        let tooLong = try portico.run(["token", "--min-ttl", "1h"])
        #expect(tooLong.status == 1)
        #expect(tooLong.stdout.isEmpty)
        #expect(tooLong.stderr.contains("does not live as long as that. (misconfigured)"))
        #expect(tooLong.stderr.contains("Ask for less than 5m: --min-ttl"))
        try portico.done(["token", "--min-ttl", "4m"])

        try age(by: 290, portico)
        let calls = try (0..<4).map { _ in try portico.start(["token"]) }
        var tokens: Set<String> = []
        for call in calls {
            #expect(try await call.ended() == 0)
            tokens.insert(call.stdout)
        }
        #expect(tokens.count == 1)
        let fresh = try #require(tokens.first)
        #expect(fresh != first)
        #expect(fresh.split(separator: ".").count == 3)
        try portico.done(["userinfo"])
        // The sign-in's request and one refresh.
        try await server.stop()
        let requests = server.running.stderr.split(separator: "\n").filter {
            $0.contains("path=/realms/demo/protocol/openid-connect/token status=200")
        }
        #expect(requests.count == 2)
    }

    /// Makes the stored access token as old as if so many seconds had passed.
    private func age(by seconds: Int64, _ portico: PorticoProcess) throws {
        let whoami = try portico.run(["whoami", "--json"]).stdout
        let who = try JSONObject(parsing: Array(whoami.utf8.dropLast()))
        let file = try #require(who.string("stored_in"))
        var record = try JSONObject(parsing: Array(try Data(contentsOf: URL(filePath: file))))
        for name in ["received_at", "expires_at"] {
            let time = try #require(record[name].flatMap(NumericDate.date))
            record[name] = .integer(Int64(time.timeIntervalSince1970) - seconds)
        }
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(record.serialized()))
        try handle.close()
    }

    @Test("every sign-in is listed, and after a sign-out the next one is the current one")
    func several() async throws {
        let server = try await DemoServer()
        let portico = server.portico
        #expect(try await server.login("ann").ended() == 0)
        let other = ["client", "create", "second", "--template", "cli", "--realm", "demo"]
        try portico.done(other + ["--data-directory", "demo"])
        // The running server sees it a moment later.
        let visitor = WebPerson()
        let request = TestFlow.request("second", [("redirect_uri", "http://127.0.0.1:9/callback")])
        let address =
            "\(server.issuer)/protocol/openid-connect/auth?" + EarnestServer.form(request)
        try await waitUntil("the client is known") {
            try await visitor.get(address).status == 200
        }
        try await visitor.close()
        let bob = try await server.login("bob", ["--client-id", "second"])
        #expect(try await bob.ended() == 0)
        let listed = try portico.run(["whoami"]).stdout.split(separator: "\n")
        #expect(listed.count == 3)
        #expect(listed[0].contains(/^ACCOUNT +ISSUER +CLIENT +ACCESS TOKEN UNTIL$/))
        #expect(listed[1].hasPrefix("bob@demo.example"), "the last one first")
        #expect(listed[2].hasPrefix("ann@demo.example"))
        let json = try portico.run(["whoami", "--json"]).stdout
        let items = try JSONObject(parsing: Array(json.utf8.dropLast())).array("items") ?? []
        #expect(
            items.map { $0.object?.string("email") } == ["bob@demo.example", "ann@demo.example"]
        )
        #expect(items.map { $0.object?.bool("current") } == [true, false])

        let logout = try portico.run(["logout", "--no-browser"])
        #expect(logout.status == 0)
        #expect(logout.stderr.contains("Still signed in at \(server.issuer) (portico-cli)"))
        #expect(try portico.run(["userinfo", "--claim", "name"]).stdout == "Ann Example\n")
        try portico.done(["logout", "--no-browser"])
        #expect(try portico.run(["whoami"]).status == 3)
    }

    @Test("where no session can be kept, no one has to sign in first")
    func unwritable() async throws {
        let server = try await DemoServer()
        let login = try server.portico.run(
            ["login", "--issuer", server.issuer, "--no-browser", "--timeout", "20s"],
            environment: ["XDG_DATA_HOME": "/proc"]
        )
        #expect(login.status == 1)
        #expect(login.stderr.contains("The folder is /proc/portico/sessions. (storage)"))
        #expect(login.stderr.contains("XDG_DATA_HOME=DIR"))
        #expect(!login.stderr.contains("redirect_uri="), "nothing was begun")
    }

    @Test("by SSH the way for a browser on another machine is said; Ctrl-C says what is kept")
    func remote() async throws {
        let server = try await DemoServer()
        let running = try server.portico.start(
            ["login", "--issuer", server.issuer, "--timeout", "50s"],
            environment: ["SSH_CONNECTION": "192.0.2.1 5 192.0.2.2 22", "BROWSER": "/nonexistent"]
        )
        _ = try await running.wait(forErrors: /Waiting for you[^\n]*/)
        let said = running.stderr
        #expect(said.contains("ssh -L 8085:127.0.0.1:8085 HOST"))
        #expect(said.contains("portico login --callback-port 8085"))
        #expect(said.contains("copy its address"))
        #expect(!said.contains("on this machine"))
        kill(running.process.id, SIGINT)
        let ended = try await running.ended()
        #expect(ended != 0)
        #expect(running.stderr.hasSuffix("\nStopped. Nothing was stored.\n"))
        #expect(try server.portico.run(["whoami"]).status == 3)
    }

    @Test("a wrong issuer is told with the address that was asked")
    func wrongIssuer() async throws {
        let server = try await DemoServer()
        let issuer = "\(server.url)/realms/nowhere"
        let login = try server.portico.run(["login", "--issuer", issuer, "--no-browser"])
        #expect(login.status == 1)
        #expect(login.stderr.contains("Asked: \(issuer)/.well-known/openid-configuration"))
    }

    @Test("no one comes: exit code 7, nothing is stored, and the port is closed")
    func timeout() async throws {
        let server = try await DemoServer()
        let login = try server.portico.run([
            "login", "--issuer", server.issuer, "--no-browser", "--timeout", "1s",
        ])
        #expect(login.status == 7)
        #expect(login.stderr.contains("(timed-out)"))
        #expect(try server.portico.run(["whoami"]).status == 3)
    }

    @Test("RFC 8252 §7.3: a port that is named is the one that is waited on")
    func callbackPort() async throws {
        let server = try await DemoServer()
        // A port that was free a moment ago.
        let probe = try server.portico.run([
            "login", "--issuer", server.issuer, "--no-browser", "--timeout", "1s",
        ])
        let port = try #require(probe.stderr.firstMatch(of: /127\.0\.0\.1%3A(\d+)/)).1
        let login = try await server.login("bob", ["--callback-port", String(port)])
        #expect(try await login.ended() == 0)
        #expect(login.stderr.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A\(port)%2Fcallback"))
        #expect(login.stderr.contains("✓ Signed in as Bob Example <bob@demo.example>"))
        // At once again: the address is the same, whatever waits on the port.
        let again = try await server.login("bob", ["--callback-port", String(port), "--force"])
        #expect(try await again.ended() == 0)
        #expect(again.stderr.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A\(port)%2Fcallback"))
    }

    @Test("a wrong password signs no one in, and the program goes on waiting")
    func wrongPassword() async throws {
        let server = try await DemoServer()
        let login = try server.portico.start([
            "login", "--issuer", server.issuer, "--no-browser", "--timeout", "3s",
        ])
        let address = try await login.wait(forErrors: /http:\/\/\S+code_challenge_method=S256/)
        let person = WebPerson()
        let page = try await person.signIn(at: address, "ann", "wrong-wrong-wrong")
        #expect(page.status == 200 || page.status == 401)
        #expect(page.formAction != nil)
        try await person.close()
        #expect(try await login.ended() == 7)
    }
}

@Suite("Signing out, and the way back from the browser")
struct ReturnAfterSignOutTests {
    /// A person who signs in where there is a form, and looks at the page where there is none.
    private struct Browser: ExternalBrowser {
        let person: WebPerson
        let password: String

        func open(_ address: String) async throws {
            Task { [person, password] in
                _ = try await person.signIn(at: address, "ann", password)
            }
        }
    }

    @Test("OIDCRPL-3-1, OIDCRPL-3-5, RFC 8252 §7.3: the app learns on a free port that all is over")
    func roundTrip() async throws {
        let server = try await DemoServer()
        let person = WebPerson()
        let transport = OutboundClient()
        let browser = Browser(person: person, password: server.passwords["ann"] ?? "")
        let client = SignInClient(
            issuer: server.issuer,
            clientID: "portico-cli",
            options: .allowInsecureLoopback,
            transport: transport
        )
        let session = try await client.signIn(using: .loopback(open: browser))
        let report = await session.signOut(using: browser, returnPath: "/signed-out")
        #expect(report.revocation == .revoked)
        #expect(report.browserSession == .ended)
        let refused = await #expect(throws: SignInError.self) {
            _ = try await client.signIn(
                SignInRequest(prompt: [.none]),
                using: .loopback(open: browser)
            )
        }
        #expect(refused?.kind == .interactionRequired(.loginRequired))

        // A path that is not registered leads nowhere: the person reads a page, and the app does
        // not wait for ever.
        let other = try await client.signIn(using: .loopback(open: browser))
        let lost = await other.signOut(
            using: browser,
            returnPath: "/elsewhere",
            timeout: .seconds(1)
        )
        #expect(lost.browserSession == .failed(SignInError.timedOut))
        try await person.close()
        try await transport.shutdown()
    }
}

extension SignInError {
    fileprivate static let timedOut = SignInError(.cancelled(.timedOut))
}
