import Foundation
import PorticoTestSupport
import Testing

/// `/dev/full` takes nothing, as a file on a disk that is full.
@Suite("What cannot be written to stdout") struct FullOutputTests {
    private static func realm() throws -> PorticoProcess {
        let portico = try PorticoProcess()
        let make = [
            "realm", "create", "acme", "--public-url", "https://id.example.com",
        ]
        try portico.done(make)
        return portico
    }

    private static let web = ["--template", "web", "--redirect-uri", "https://a.example/cb"]

    @Test(
        "a client whose secret could not be shown is not made",
        arguments: [[], ["--json"], ["--for", "grafana", "--url", "https://g.example.com"]]
    )
    func create(_ form: [String]) throws {
        let portico = try Self.realm()
        let create = ["client", "create", "notes"]
        let arguments = create + (form.first == "--for" ? form : Self.web + form)
        let failed = try portico.run(arguments, output: "/dev/full")
        #expect(failed.status == 1)
        #expect(failed.stderr.contains("stdout cannot be written: No space left on device."))
        #expect(failed.stderr.contains("(output)"))
        #expect(failed.stderr.contains("Nothing was made."))
        #expect(!failed.stderr.contains("✓ Created"))
        #expect(try portico.run(["client", "show", "notes"]).status == 1, "there is none")
        let made = try portico.run(arguments)
        #expect(made.status == 0 && !made.stdout.isEmpty, "\(made.stderr)")
    }

    @Test("a client keeps its secret where a new one could not be shown")
    func update() throws {
        let portico = try Self.realm()
        try portico.done(["client", "create", "notes"] + Self.web)
        let before = try portico.run(["realm", "export", "acme", "--with-keys"]).stdout
        let update = ["client", "update", "notes", "--new-secret"]
        let failed = try portico.run(update, output: "/dev/full")
        #expect(failed.status == 1)
        #expect(failed.stderr.contains("Nothing was changed: the secret is not in use."))
        #expect(!failed.stderr.contains("✓"))
        // Whatever else could have changed, too: nothing was written.
        let shown = try portico.run(["client", "show", "notes", "--json"]).stdout
        #expect(shown.contains(#""has_secret":true"#))
        #expect(try portico.run(["realm", "export", "acme", "--with-keys"]).stdout == before)
        let done = try portico.run(update)
        #expect(done.status == 0 && done.stdout.count > 40)
    }

    @Test(
        "every command that reads says so and fails, in each form",
        arguments: [
            ["realm", "list"], ["realm", "list", "--json"], ["realm", "list", "--plain"],
            ["realm", "show", "acme"], ["realm", "show", "acme", "--json"],
            ["realm", "show", "acme", "--plain"],
            ["client", "list"], ["client", "products"], ["client", "products", "--json"],
            ["client", "products", "--markdown"], ["user", "list", "--json"], ["keys", "list"],
            ["config", "show"], ["config", "show", "--json"], ["doctor", "--offline"],
            ["doctor", "--offline", "--json"], ["events", "--count"],
            ["realm", "export", "acme"], ["whoami"], ["token"], ["--help"], ["--version"],
            ["keys", "rotate"], ["user", "create", "eve", "--password-file", "-"],
            ["group", "create", "staff"],
            ["realm", "create", "other", "--public-url", "https://id.example.com"],
        ]
    )
    func reading(_ arguments: [String]) throws {
        let portico = try Self.realm()
        let client = ["client", "create", "notes", "--template", "cli"]
        try portico.done(client)
        let failed = try portico.run(
            arguments,
            input: EarnestServer.password,
            output: "/dev/full"
        )
        if ["whoami", "token"].contains(arguments[0]) {
            #expect(failed.status == 3, "no one is signed in")
            return
        }
        #expect(failed.status == 1, "\(failed.stderr)")
        #expect(failed.stderr.contains("stdout cannot be written"), "\(failed.stderr)")
    }

    @Test("a server that cannot say where it listens says that it runs on")
    func serve() async throws {
        let portico = try PorticoProcess()
        let serve = ["serve", "--listen", "127.0.0.1:0"]
        let running = try portico.start(serve, output: "/dev/full")
        let line = try await running.wait(forErrors: /! stdout cannot be written.*\n/)
        #expect(line.hasSuffix("The server runs on.\n"), "\(line)")
        #expect(running.process.isRunning)
    }
}
