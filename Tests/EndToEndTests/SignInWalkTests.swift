import Foundation
import PorticoProtocol
import PorticoTestSupport
import Testing

/// `portico login` against `portico serve --demo`, with a real Chromium as the system browser.
@Suite("End to end: the program, a browser, a person", .serialized)
struct SignInWalkTests {
    /// A server with its demo realm, and a folder for the command line's own session.
    private struct Stage {
        let server: RunningProgram
        let issuer: String
        let password: String
        let environment: [String: String]
        let folder: URL

        init() async throws {
            folder = FileManager.default.temporaryDirectory
                .appending(path: "portico-walk-" + UUID().uuidString)
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true
            )
            environment = [
                "XDG_DATA_HOME": folder.appending(path: "client").path,
                "XDG_CONFIG_HOME": folder.appending(path: "config").path,
                "HOME": folder.path, "NO_COLOR": "1",
            ]
            server = try RunningProgram(
                [
                    "serve", "--demo", "--listen", "127.0.0.1:0", "--data-directory",
                    folder.appending(path: "server").path,
                ],
                environment: environment
            )
            issuer = try await server.match(#"(http://127\.0\.0\.1:\d+/realms/demo)"#)[1]
            password = try await server.match(#"ann[ :]+(\S{8,})"#)[1]
        }

        func end() async throws {
            server.terminate()
            #expect(try await server.end(within: 30) == 0, "SIGTERM ends the server in peace")
            try FileManager.default.removeItem(at: folder)
        }

        /// Access tokens of ten seconds, which the running server learns within one.
        func shortenTokens() async throws {
            let update = try await portico(
                "client",
                "update",
                "portico-cli",
                "--realm",
                "demo",
                "--access-token-lifetime",
                "10",
                "--data-directory",
                folder.appending(path: "server").path
            )
            #expect(update.status == 0, "\(update.stderr)")
            try await Task.sleep(for: .seconds(2))
        }

        func portico(_ arguments: String...) async throws
            -> (status: Int32, stdout: String, stderr: String)
        {
            try await RunningProgram.run(arguments, environment: environment)
        }

        /// `portico login`, with the browser driven to the end.
        func login(_ browser: Chromium, _ walk: (Chromium) async throws -> Void) async throws
            -> RunningProgram
        {
            let login = try RunningProgram(
                [
                    "login", "--issuer", issuer, "--client-id", "portico-cli", "--no-browser",
                    "--timeout", "60s",
                ],
                environment: environment
            )
            let address = try await login.match(#"(http://127\.0\.0\.1:\d+/realms/\S+)"#)[1]
            try await browser.open(address)
            try await walk(browser)
            return login
        }
    }

    private static let needsBrowser: Comment = "needs a WebDriver server: TEST_WEBDRIVER"

    @Test(
        "A person signs in, and the command line has tokens, claims and roles",
        .enabled(if: Chromium.isThere, needsBrowser),
        arguments: [true, false]
    )
    func walk(scripts: Bool) async throws {
        let stage = try await Stage()
        try await stage.shortenTokens()
        try await Chromium.use(scripts: scripts) { browser in
            let login = try await stage.login(browser) { browser in
                try await browser.type("ann", into: "#username")
                try await browser.type("wrong password", into: "#password")
                try await browser.click("button[value=sign-in]")
                // WCAG 3.3.1; the click comes back before the next page is there.
                try await browser.waitForTitle { $0.hasPrefix("Error: ") }
                try await browser.type(stage.password, into: "#password")
                try await browser.click("button[value=sign-in]")
            }
            #expect(try await login.end() == 0)
            #expect(login.stderr.contains("Signed in as Ann Example <ann@example.com>"))
            #expect(!(login.stderr + login.stdout).contains(stage.password))
            try await claims(stage)
            try await singleSignOn(stage, browser)
            try await signOut(stage, browser)
        }
        try await stage.end()
    }

    /// RFC 8252 §4: token on stdout and nothing else; roles in UserInfo.
    private func claims(_ stage: Stage) async throws {
        let token = try await stage.portico("token")
        #expect(token.status == 0)
        #expect(token.stdout.split(separator: ".").count == 3)
        let userInfo = try await stage.portico("userinfo")
        let claims = try JSONObject(parsing: userInfo.stdout.utf8)
        #expect(claims.string("name") == "Ann Example")
        #expect(claims.object("realm_access")?.strings("roles")?.contains("editor") == true)
        #expect(try await stage.portico("whoami").stdout.contains("ann"))
        // After expiry the next call refreshes.
        try await Task.sleep(for: .seconds(11))
        let again = try await stage.portico("token")
        #expect(again.status == 0)
        #expect(again.stdout != token.stdout)
    }

    /// RFC 8252 §4.1: the second time no password is asked for.
    private func singleSignOn(_ stage: Stage, _ browser: Chromium) async throws {
        let login = try RunningProgram(
            [
                "login", "--force", "--issuer", stage.issuer, "--client-id", "portico-cli",
                "--no-browser", "--timeout", "60s",
            ],
            environment: stage.environment
        )
        let address = try await login.match(#"(http://127\.0\.0\.1:\d+/realms/\S+)"#)[1]
        try await browser.open(address)
        #expect(try await login.end() == 0)
    }

    private func signOut(_ stage: Stage, _ browser: Chromium) async throws {
        #expect(try await stage.portico("logout", "--no-browser").status == 0)
        let after = try await stage.portico("token")
        #expect(after.status == 3)
        #expect(after.stdout.isEmpty)
    }

    @Test(
        "The person cancels: the program says so, and holds nothing",
        .enabled(if: Chromium.isThere, needsBrowser)
    )
    func cancel() async throws {
        let stage = try await Stage()
        try await Chromium.use { browser in
            let login = try await stage.login(browser) {
                try await $0.click("button[value=cancel]")
            }
            #expect(try await login.end() != 0)
            #expect(try await stage.portico("token").status == 3)
        }
        try await stage.end()
    }

    @Test("Nobody comes: the wait ends by itself with exit status 7")
    func nobody() async throws {
        let stage = try await Stage()
        let login = try await RunningProgram.run(
            [
                "login", "--issuer", stage.issuer, "--client-id", "portico-cli", "--no-browser",
                "--timeout", "1s",
            ],
            environment: stage.environment
        )
        #expect(login.status == 7)
        try await stage.end()
    }
}
