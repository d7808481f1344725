import Foundation
import PorticoTestSupport
import Testing

/// What an operator is told before it is too late.
@Suite("What an operator is told") struct OperatorTests {
    private static let folder = ".local/share/portico/server"

    @Test("decision 0036: an issuer on this machine that no one chose is warned of, and only that")
    func issuer() async throws {
        let portico = try PorticoProcess()
        let warning = "! No public-url is set: the issuer is http://127.0.0.1:8080/realms/shop"
        let made = try portico.run(["realm", "create", "shop"])
        #expect(made.status == 0)
        #expect(made.stderr.contains(warning), "\(made.stderr)")
        #expect(made.stderr.contains("again with --public-url https://HOST"))
        let quiet = try portico.run(["realm", "create", "still", "--quiet"])
        #expect(quiet.status == 0 && quiet.stderr.isEmpty)
        let file = portico.home.appending(path: "acme.json")
        try Data(#"{"realm": "acme", "enabled": true}"#.utf8).write(to: file)
        let imported = try portico.run(["realm", "import", "acme.json"])
        #expect(imported.stderr.contains("! No public-url is set"), "\(imported.stderr)")
        #expect(imported.stderr.contains("delete realm acme and import it again with"))
        for url in ["http://127.0.0.1:8080", "https://id.example.com"] {
            let name = url.hasPrefix("https") ? "far" : "near"
            let chosen = try portico.run([
                "realm", "create", name, "--public-url", url, "--data-directory", name,
            ])
            #expect(chosen.status == 0 && !chosen.stderr.contains("!"), "\(chosen.stderr)")
        }
        let hosted = ["realm", "create", "own", "--host", "https://own.example.com"]
        #expect(try !portico.run(hosted).stderr.contains("!"))
    }

    @Test("with identity providers it says where people sign in")
    func signIn() async throws {
        let portico = try PorticoProcess()
        let add = ["provider", "add", "google", "--client-id", "1", "--secret-file", "-"]
        try portico.done(add, input: "a secret\n")
        let server = try await EarnestServer(in: portico)
        _ = try await server.running.wait(forOutput: /Sign in +\S+\/login +\(google\)\n/)
        #expect(!server.running.stdout.contains("No realms yet"))
        try await server.stop()
    }

    @Test("RFC 9110 §15.5.20: a host that is not served is told so, for whoever sets up a proxy")
    func misdirected() async throws {
        let server = try await EarnestServer()
        let reply = try await server.request("GET", "/", host: "127.0.0.1")
        #expect(reply.status == 421)
        #expect(reply.body.contains("host"), "\(reply.body)")
    }

    @Test(
        "hsts.subdomains: names below the host are named or not",
        arguments: [("on", true), ("off", false)]
    )
    func hsts(_ state: String, isNamed: Bool) async throws {
        let options = [
            "--public-url", "https://id.example.com", "--trusted-proxy", "127.0.0.1",
            "--hsts-subdomains", state,
        ]
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "a", "--public-url", "https://id.example.com"])
        let server = try await EarnestServer(in: portico, options)
        for path in ["/realms/a/.well-known/openid-configuration", "/nowhere"] {
            let reply = try await server.request(
                "GET",
                path,
                ["X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.1"],
                host: "id.example.com"
            )
            let field = reply.field("Strict-Transport-Security") ?? ""
            #expect(field.hasPrefix("max-age=63072000"), "\(path): \(field)")
            #expect(field.contains("includeSubDomains") == isNamed, "\(path): \(field)")
        }
    }

    @Test("mail.sendmail in a file is found beside it, and said at once where it cannot be run")
    func sendmail() async throws {
        let portico = try PorticoProcess()
        let folder = portico.home.appending(path: "etc")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = "mail: {from: a@b.example, sendmail: ./send.sh}\n"
        try Data(settings.utf8).write(to: folder.appending(path: "portico.yaml"))
        let script = folder.appending(path: "send.sh")
        let doctor = ["doctor", "--offline", "--config", "etc/portico.yaml"]
        let absent = try portico.run(doctor)
        #expect(absent.status == 10)
        #expect(absent.stdout.contains(/✗ mail .*\/etc\/(\.\/)?send\.sh, which cannot be run/))
        let refused = try portico.run(["serve", "--config", "etc/portico.yaml"])
        #expect(refused.status == 2, "\(refused.stderr)")
        #expect(refused.stderr.contains("No such file or directory. (wrong-value)"))
        try Data("#!/bin/sh\n".utf8).write(to: script)
        #expect(try portico.run(doctor).stdout.contains("cannot be run: Permission denied"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        #expect(try portico.run(doctor).stdout.contains("✓ mail"))
    }

    @Test("a file with a secret that others can read is used, with a warning")
    func secretFile() async throws {
        let portico = try PorticoProcess()
        let file = portico.home.appending(path: "google.secret")
        try Data("a secret of the provider\n".utf8).write(to: file)
        func add(_ mode: Int, _ name: String) throws -> PorticoProcess.Outcome {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: file.path
            )
            return try portico.run([
                "provider", "add", "google", "--name", name, "--client-id", "1",
                "--secret-file", "google.secret", "--public-url", "https://app.example.com",
            ])
        }
        let open = try add(0o644, "open")
        #expect(open.status == 0)
        #expect(open.stderr.contains("Others can read google.secret, mode 644. chmod 600"))
        #expect(try !add(0o600, "shut").stderr.contains("Others can read"))
        let test = try portico.run(
            "provider test shut",
            environment: ["PORTICO_PUBLIC_URL": "https://app.example.com"]
        )
        let callback = "https://app.example.com/v1/auth/shut/callback"
        let lines = test.stdout.split(separator: "\n").filter { $0.contains("! redirect") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\(callback) must be registered") == true)
        #expect(lines.last?.contains("\(callback)/link must be registered") == true)
        #expect(test.stdout.contains("docs/sign-in-with-google.md"))
    }

    @Test(
        "the first step of a page about a provider can be pasted before there is a secret",
        arguments: ["google", "apple"]
    )
    func firstStep(_ provider: String) async throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/sign-in-with-\(provider).md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let command = try #require(text.firstMatch(of: /\$ portico (provider add .*)\n/)).1
        let portico = try PorticoProcess()
        let shown = try portico.done(command.split(separator: " ").map(String.init))
        let addresses = shown.matches(of: /https:\S+/).map { String($0.0) }
        #expect(addresses.count == (provider == "apple" ? 3 : 2))
        #expect(text.contains("`\(addresses.first ?? "none")`"))
    }

    @Test("a folder and a database that others can read are warned of at the start")
    func exposed() async throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "a", "--public-url", "http://127.0.0.1:1"])
        let path = portico.home.appending(path: Self.folder).path
        for (name, mode) in [(path, 0o755), (path + "/portico.sqlite", 0o644)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: name)
        }
        let server = try await EarnestServer(in: portico, ["--public-url", "http://127.0.0.1:1"])
        let said = server.running.stderr
        #expect(said.contains("! Others can read the data folder \(path), mode 755. chmod 700"))
        #expect(said.contains("database file \(path)/portico.sqlite, mode 644. chmod 600"))
    }

    @Test(
        "a key ring of another user is told with whose it is, and the chown that mends it",
        .enabled("needs root, to give a file away") { geteuid() == 0 }
    )
    func owner() async throws {
        let portico = try PorticoProcess()
        try portico.done(["realm", "create", "a", "--public-url", "http://127.0.0.1:1"])
        let ring = portico.home.appending(path: Self.folder + "/key-ring").path
        #expect(chown(ring, 1, 1) == 0)
        let shown = try portico.run(["realm", "list"])
        #expect(shown.status == 1)
        #expect(shown.stderr.contains("key-ring: It belongs to another user. (key-ring)"))
        #expect(shown.stderr.contains("It belongs to daemon, and portico runs as root"))
        #expect(shown.stderr.contains("sudo chown -R root \(ring)"))
        #expect(!shown.stderr.contains("chmod"))
    }
}
