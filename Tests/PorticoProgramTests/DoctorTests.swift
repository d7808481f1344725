import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Nothing here asks anyone beyond this machine.
@Suite("What commands find wrong")
struct DoctorTests {
    @Test("a running demonstration is found well, and found without its address being named")
    func demo() async throws {
        let server = try await DemoServer()
        let place = ["--data-directory", "demo"]
        let test = try server.portico.run(["provider", "test", "google"] + place)
        #expect(test.status == 0, "\(test.stdout) \(test.stderr)")
        #expect(test.stdout.contains("✓ metadata"))
        #expect(test.stdout.contains("✓ keys"))
        try server.portico.done(
            [
                "client", "create", "linked", "--realm", "demo", "--hand-off", "code",
                "--redirect-uri", "http://127.0.0.1/callback",
                "--apple-app", "ABCDE12345.com.example.linked",
                "--android-app", "com.example.linked=" + String(repeating: "AB", count: 32),
            ] + place
        )
        // The running server has seen it by the second look.
        let check = try server.portico.run("client links linked --realm demo --data-directory demo")
        #expect(check.status == 0, "\(check.stdout) \(check.stderr)")
        #expect(check.stdout.contains("ABCDE12345.com.example.linked in webcredentials and"))
        #expect(check.stdout.contains("com.example.linked, AB:AB:AB:AB"))
        let doctor = try server.portico.run(["doctor"] + place)
        #expect(doctor.status == 0, "\(doctor.stdout) \(doctor.stderr)")
        for part in [
            "discovery says \(server.issuer)", "backend", "google", "facebook", "apple",
            "notes", "clock", "realm handles", "atproto", "Internet handles",
            "none: on this machine we are a development client",
        ] {
            #expect(doctor.stdout.contains(part), "\(part)")
        }
        // Its own client and app are meant to be as they are, and its mails are shown.
        #expect(!doctor.stdout.contains("rn-expo-app"))
        #expect(!doctor.stdout.contains("--hand-off code"))
        #expect(doctor.stdout.contains("none is sent: the demo shows it at /_outbox"))
        let missing = try server.portico.run(
            "doctor --data-directory demo --public-url http://127.0.0.1:9"
        )
        #expect(missing.status == 10)
    }

    @Test("what is wrong on this machine is found without asking anyone")
    func offline() throws {
        let portico = try PorticoProcess()
        let add = ["provider", "add", "google", "--client-id", "1", "--secret-file", "-"]
        // Makes the realm of the people who sign in with it.
        try portico.done(add, input: "a secret\n")
        try portico.done([
            "client", "create", "legacy", "--redirect-uri", "legacy://x", "--hand-off",
            "session-token", "--apple-app", "ABCDE12345.com.example.legacy",
        ])
        func doctor(_ arguments: String...) throws -> Found {
            try Found(portico.run(["doctor", "--offline", "--json"] + arguments))
        }
        try portico.write(
            "trusted-proxies: [127.0.0.1]\npages: {light: [quiet=#cccccc]}\n",
            to: "proxied.yaml"
        )
        let well = try doctor()
        #expect(well.status == 0)
        let fixes = well.all("note").compactMap { $0.string("fix") }
        #expect(fixes.contains("portico client update legacy --realm home --hand-off code"))
        // Google for an iOS app, and no Apple beside it.
        #expect(fixes.contains("portico provider add apple"))
        // Google says no one's `auth_time`, and no code can be mailed.
        #expect(
            well.all("note").contains {
                $0.string("check") == "google" && $0.string("fix")?.hasPrefix("mail.from") == true
            }
        )
        try doctor("--public-url", "https://id.example.com")
            .expectProblem("all people share one limit", fix: "trusted-proxies: [127.0.0.1]")
        let behindProxy = try doctor(
            "--public-url",
            "https://id.example.com",
            "--config",
            "proxied.yaml"
        )
        #expect(behindProxy.status == 0)
        // Only where people see the buttons.
        #expect(behindProxy.all("note").contains { $0.string("check") == "buttons" })
        #expect(!well.items.contains { $0.string("check") == "buttons" })
        #expect(behindProxy.all("note").contains { $0.string("check") == "pages" })
        let settings = portico.home.appending(path: "portico.yaml")
        try Data("pages: {logo: nothing.svg}\n".utf8).write(to: settings)
        try doctor().expectProblem("pages.logo: nothing.svg", fix: "another image")
        try Data("listen: 0.0.0.0:8080\n".utf8).write(to: settings)
        try doctor("--public-url", "http://127.0.0.1:8080")
            .expectProblem("plain HTTP to the network", fix: "--trusted-proxy")
        try Data("listne: 127.0.0.1:8080\n".utf8).write(to: settings)
        try doctor().expectProblem("There is no setting \"listne\"", fix: "portico serve --help")
        try Data("mail:\n  smtp: smtp://127.0.0.1:25\n".utf8).write(to: settings)
        try doctor().expectProblem("but no sender", fix: "mail.from: ")
        try FileManager.default.removeItem(at: settings)
        let folder = portico.home.appending(path: ".local/share/portico/server")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try doctor().expectProblem("others can read", fix: "chmod 700 ")
    }

    @Test("KC-E-2: every redirect URI of an imported client that lets more through is named")
    func laxRedirects() throws {
        let portico = try PorticoProcess()
        let patterns = [
            "https://a.example/*", "*", "http://a.example/cb", "http://localhost:3000/cb",
            "exp://192.0.2.1:8081", "https://a.example/cb", "com.example.a:/cb", "/relative",
        ]
        let redirects = patterns.map { "\"\($0)\"" }.joined(separator: ",")
        let client = #"{"clientId": "a", "publicClient": true, "redirectUris": [\#(redirects)]}"#
        let off = #"{"clientId": "off", "enabled": false, "redirectUris": ["*"]}"#
        try portico.write(
            #"{"realm": "acme", "enabled": true, "clients": [\#(client), \#(off)]}"#,
            to: "acme.json"
        )
        let address = ["--public-url", "https://id.example.com"]
        try portico.done(["realm", "import", "acme.json"] + address)
        let found = try Found(portico.run(["doctor", "--offline", "--json"]))
        let lines = found.all("note").compactMap { $0.string("text") }
            .filter { $0.hasPrefix("redirect URI ") }
        #expect(lines.count == 5, "\(lines)")
        for pattern in patterns.prefix(5) {
            #expect(lines.contains { $0.hasPrefix("redirect URI \(pattern): ") }, "\(pattern)")
        }
        #expect(lines.allSatisfy { $0.hasSuffix(" (realm acme)") })
    }

    /// As Apple gives it out, and registered nowhere.
    static let appleKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6Hb4AOQZGgzz/0Nt
        C9BR7aOZW1gzPkTpQR+Fqw2T+6OhRANCAATDVvVXIJKGCvczgdVGOHoi/QzLa9eh
        bAocpceZP6D4bbsGxceXthFutJU2jZkAsVd9spglQjaIffZn8x+9CjfU
        -----END PRIVATE KEY-----

        """

    @Test("Apple takes no redirect to an address without a name: that is found beforehand")
    func appleRedirect() throws {
        let portico = try PorticoProcess()
        try portico.done(
            [
                "provider", "add", "apple", "--client-id", "com.example.web", "--team-id",
                "ABCDE12345", "--key-id", "KEY1234567", "--secret-file", "-",
            ],
            input: Self.appleKey
        )
        try Found(portico.run(["doctor", "--offline", "--json"]))
            .expectProblem("not https on a domain name", fix: "public-url: https://")
    }

    @Test("a pair of clients whose links sign in silently is named, with how to make them ask")
    func silentLoginTokens() throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "acme"])
        let redirect = ["--template", "native", "--redirect-uri", "com.example.app:/callback"]
        for (name, target) in [
            ("shop", []), ("mail", ["--silent-login-token-target", "shop"]),
            ("news", ["--login-token-target", "shop"]),
        ] as [(String, [String])] {
            try portico.done(["client", "create", name] + redirect + target)
        }
        let doctor = try portico.run(["doctor", "--offline"])
        #expect(doctor.stdout.contains("a link with its login token signs in to shop"))
        let fix = "portico client update mail --realm acme --login-token-target shop"
        #expect(doctor.stdout.contains(fix))
        #expect(!doctor.stdout.contains("client news"))
        try portico.done(fix.split(separator: " ").dropFirst().map(String.init))
        #expect(try !portico.run(["doctor", "--offline"]).stdout.contains("login token"))
    }

    @Test("decision 0071: a client that people administer by is named, with how to end it")
    func administeringClients() throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "acme"])
        let redirect = ["--template", "native", "--redirect-uri", "com.example.app:/callback"]
        for (name, mark) in [("desk", ["--administers"]), ("shop", []), ("admin-cli", [])] {
            try portico.done(["client", "create", name] + redirect + mark)
        }
        func administers(_ name: String) throws -> Bool? {
            let shown = try portico.run(["client", "show", name, "--json"])
            return try shown.json.bool("administers")
        }
        #expect(try administers("desk") == true && administers("shop") == false)
        #expect(try administers("admin-cli") == true)
        let doctor = try portico.run(["doctor", "--offline"])
        #expect(doctor.stdout.contains("administers: its people's tokens carry"))
        #expect(!doctor.stdout.contains("client shop") && !doctor.stdout.contains("admin-cli"))
        // No one is asked to lend it.
        let asked = try portico.run(["client", "update", "desk", "--consent"])
        #expect(asked.status == 1)
        #expect(asked.stderr.contains("People administer by no client that asks them for consent."))
        let fix = "portico client update desk --realm acme --no-administers"
        #expect(doctor.stdout.contains(fix))
        try portico.done(fix.split(separator: " ").dropFirst().map(String.init))
        #expect(try !portico.run(["doctor", "--offline"]).stdout.contains("administers"))
    }

    @Test("a secret of another key ring, and a ring that is open to others, are problems")
    func keyRing() throws {
        let portico = try PorticoProcess()
        let add = ["provider", "add", "google", "--client-id", "1", "--secret-file", "-"]
        for name in ["one", "two"] {
            try portico.done(add + ["--data-directory", name], input: "a secret\n")
        }
        let manager = FileManager.default
        let ring = portico.home.appending(path: "one/key-ring")
        try manager.removeItem(at: ring)
        try manager.copyItem(at: portico.home.appending(path: "two/key-ring"), to: ring)
        let place = ["--data-directory", "one"]
        let doctor = ["doctor", "--offline", "--json"] + place
        try Found(portico.run(doctor)).expectProblem(
            "does not open with this key ring",
            fix: "portico provider update google --secret-file PATH"
        )
        let test = try portico.run(["provider", "test", "google"] + place)
        #expect(test.status == 1)
        #expect(test.stderr.contains("(misconfigured)"))
        // What cannot be used can be taken out of use, and not put back.
        let update = ["provider", "update", "google"] + place
        try portico.done(update + ["--disable-provider"])
        #expect(try portico.run(update + ["--enable-provider"]).status == 1)
        try portico.done(doctor)
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: ring.path)
        try Found(portico.run(doctor)).expectProblem("key-ring", fix: "chmod 600 ")
        try manager.removeItem(at: ring)
        try Found(portico.run(doctor)).expectProblem("key-ring", fix: "from your backup")
    }

    @Test("a provider is asked for its metadata and keys, and what is wrong with it is told")
    func providers() throws {
        let portico = try PorticoProcess()
        let provider = try LocalProvider()
        let origin = ["--public-url", "https://id.example.com"]
        try portico.done(
            [
                "provider", "add", "oidc", "--client-id", "x", "--issuer", provider.issuer,
                "--allow-insecure-loopback", "--without-secret",
            ] + origin
        )
        func test(_ fault: LocalProvider.Fault) throws -> PorticoProcess.Outcome {
            provider.become(fault)
            return try portico.run(["provider", "test", "oidc"])
        }
        let well = try test(.none)
        #expect(well.status == 0, "\(well.stdout)")
        #expect(well.stdout.contains("✓ keys       0 at \(provider.issuer)/keys"))
        for (fault, text, fix, status) in [
            (.otherIssuer, "it calls itself \(provider.issuer)/, not", "oidc --issuer URL", 1),
            (.noMetadata, "answers 404", "Is the issuer right? ", 1),
            (.failing, "answers 500", "Try again later", 5),
            (.noPKCE, "does not announce PKCE with S256", "oidc --pkce-unannounced", 1),
            (.notJSON, "cannot be used", "Ask the people who run it", 1),
        ] as [(LocalProvider.Fault, String, String, Int32)] {
            let outcome = try test(fault)
            #expect(outcome.status == status, "\(fault) \(outcome.stderr)")
            #expect(outcome.stdout.contains(text), "\(fault) \(outcome.stdout)")
            #expect(outcome.stdout.contains("fix: "), "\(fault)")
            #expect(outcome.stdout.contains(fix), "\(fault) \(outcome.stdout)")
        }
        provider.become(.none)
        try portico.done(["provider", "update", "oidc", "--pkce-unannounced"])
        #expect(try test(.noPKCE).status == 0)
    }

    @Test("the clock is compared with the providers', and a wrong one is a problem")
    func clock() throws {
        let portico = try PorticoProcess()
        let provider = try LocalProvider()
        let address = Locked("")
        let us = try LocalServer { request in
            guard request.contains("/.well-known/openid-configuration") else {
                return LocalServer.reply("401 Unauthorized", [], #"{"authenticated":false}"#)
            }
            let issuer = address.withLock { $0 } + "/realms/home"
            return LocalServer.reply("200 OK", [], #"{"issuer":"\#(issuer)"}"#)
        }
        address.withLock { $0 = "http://127.0.0.1:\(us.port)" }
        try portico.done([
            "provider", "add", "oidc", "--client-id", "x", "--issuer", provider.issuer,
            "--allow-insecure-loopback", "--without-secret", "--public-url",
            "http://127.0.0.1:\(us.port)",
        ])
        func doctor(_ fault: LocalProvider.Fault) throws -> Found {
            provider.become(fault)
            return try Found(
                portico.run(["doctor", "--json", "--public-url", "http://127.0.0.1:\(us.port)"])
            )
        }
        func clock(_ found: Found) -> String? {
            found.items.first { $0.string("check") == "clock" }?.string("result")
        }
        #expect(clock(try doctor(.none)) == "passed")
        #expect(clock(try doctor(.ahead(15))) == "note")
        try doctor(.ahead(300)).expectProblem("behind the providers'", fix: "set-ntp true")
        try doctor(.ahead(-300)).expectProblem("ahead of the providers'", fix: "set-ntp true")
    }
}
