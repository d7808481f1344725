import Foundation
import HTTPTypes
import PorticoTestSupport
import Testing

@Suite("serve")
struct ServeTests {
    @Test("the demo says where it listens, who is there and what to try")
    func banner() async throws {
        let server = try await DemoServer()
        let lines = server.running.stdout.split(separator: "\n").map(String.init)
        #expect(lines[0] == "Portico is listening on \(server.url)")
        #expect(
            lines[1] == "  Demo realm   \(server.issuer)    "
                + "people: ann, bob (new passwords at each start, printed here)"
        )
        #expect(lines[2].hasPrefix("  Password     ann  "))
        #expect(lines[3].hasPrefix("  Password     bob  "))
        #expect(lines[4].hasPrefix("  Sign in      \(server.url)/login "))
        #expect(
            lines[5].hasPrefix("  By handle    \(server.url)/mobile-auth?return_to=/dashboard ")
        )
        #expect(lines[6].hasPrefix("  Password     ann.handles.test  "))
        #expect(lines[7].hasPrefix("  Password     bob.handles.test  "))
        #expect(lines[8].hasPrefix("  As Keycloak  \(server.url)/realms/test "))
        #expect(lines[9].hasPrefix("  Password     jd  "))
        #expect(lines[10].hasPrefix("  Password     jr  "))
        #expect(lines[11] == "  Mails        \(server.url)/_outbox")
        #expect(lines[12].hasPrefix("  Stand-ins    http://localhost:"))
        #expect(lines[12].contains("the host: http://localhost:"))
        #expect(lines[13].hasPrefix("  Try          "))
        #expect(lines[13].hasSuffix("login --issuer \(server.issuer) --client-id portico-cli"))
        #expect(lines.count == 14)
        #expect(Set(server.passwords.keys) == ["ann", "bob", "jd", "jr"])
    }

    @Test("a password of the last start is worth nothing at the next; sessions of it have ended")
    func newPasswords() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        let login = try await first.login("ann")
        #expect(try await login.ended() == 0)
        try await first.stop()

        let port = first.port
        let second = try await DemoServer(
            in: portico,
            arguments: ["--listen", "127.0.0.1:\(port)"]
        )
        #expect(second.issuer == first.issuer)
        #expect(second.passwords["ann"] != first.passwords["ann"])
        let userinfo = try portico.run(["userinfo"])
        #expect(userinfo.status == 3)
        #expect(userinfo.stdout == "")
    }

    @Test("liveness and readiness are answered for any host name or address, or none")
    func health() async throws {
        let server = try await DemoServer()
        let port = server.port
        let probes = [
            // As Kubernetes and load balancers ask: by the address they have.
            "HTTP/1.1\r\nHost: 10.1.2.3:8080\r\nConnection: close",
            "HTTP/1.1\r\nHost: [fd00::7]:8080\r\nConnection: close",
            "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close",
            "HTTP/1.1\r\nHost: localhost\r\nConnection: close",
            "HTTP/1.1\r\nHost: portico.internal\r\nConnection: close", "HTTP/1.0",
        ]
        for path in ["healthz", "readyz"] {
            for probe in probes {
                let answer = await RawExchange.run {
                    RawExchange("GET /\(path) \(probe)\r\n\r\n", port: port)
                }
                #expect(answer?.status == 200, "\(probe)")
                #expect(answer?.body == "ok\n", "\(probe)")
            }
        }
        // Nothing else is served so.
        for probe in [probes[0], probes[1], probes[4], probes[5]] {
            let answer = await RawExchange.run {
                RawExchange("GET /realms/demo/account \(probe)\r\n\r\n", port: port)
            }
            #expect(answer?.status == 421, "\(probe)")
        }
        #expect(!server.running.stderr.contains("healthz"))
    }

    @Test("when it has ended, the database is one file")
    func oneFile() async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico)
        _ = try await server.login("ann")
        try await server.stop()
        let folder = portico.home.appending(path: "demo")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.hasPrefix("portico.sqlite") } == ["portico.sqlite"])
    }

    @Test("what the command line changes, a running server sees within moments")
    func refresh() async throws {
        let server = try await DemoServer()
        let person = WebPerson()
        let address = "\(server.url)/realms/fresh/.well-known/openid-configuration"
        #expect(try await person.get(address).status == 404)
        try server.portico.done([
            "realm", "create", "fresh", "--public-url", server.url, "--data-directory", "demo",
        ])
        var status = 404
        for _ in 0..<100 where status == 404 {
            try await Task.sleep(for: .milliseconds(50))
            status = try await person.get(address).status
        }
        #expect(status == 200)
        try await person.close()
    }

    @Test("a second server on one folder says who has it, and ends")
    func second() async throws {
        let server = try await DemoServer()
        let outcome = try server.portico.run("serve --listen 127.0.0.1:0 --data-directory demo")
        #expect(outcome.status == 6)
        let id = server.running.process.id
        #expect(
            outcome.stderr.hasPrefix(
                "✗ Another portico is already serving from demo (process \(id))."
            )
        )
    }

    @Test("a realm that is made while a server runs is of its address")
    func served() async throws {
        let portico = try PorticoProcess()
        let issuer = "https://id.example.com/realms/shop"
        let running = try portico.start(
            "serve --listen 127.0.0.1:0 --public-url https://id.example.com"
        )
        _ = try await running.wait(forOutput: /Portico is listening on/)
        for kind in [[], ["--template", "keycloak"]] {
            let dry = try portico.run(["realm", "create", "shop", "--dry-run"] + kind)
            #expect(dry.stderr.contains("with issuer \(issuer)."), "\(dry.stderr)")
        }
        let created = try portico.run(["realm", "create", "shop"])
        #expect(created.stdout == issuer + "\n")
        #expect(!created.stderr.contains("No public-url is set"))
    }

    @Test("a port that is taken is named, with the way out")
    func portInUse() async throws {
        let server = try await DemoServer()
        let address = server.url.dropFirst("http://".count)
        let outcome = try server.portico.run([
            "serve", "--listen", String(address), "--data-directory", "other",
        ])
        #expect(outcome.status == 6)
        #expect(outcome.stderr.hasPrefix("✗ Another program is already listening on \(address)."))
        #expect(outcome.stderr.contains("portico serve --listen 127.0.0.1:0"))
    }

    @Test("SIGTERM and Ctrl-C end it in good order", arguments: [SIGTERM, SIGINT])
    func stop(signal: Int32) async throws {
        let server = try await DemoServer()
        kill(server.running.process.id, signal)
        let status = try await server.running.ended()
        #expect(status == 0)
        #expect(server.running.process.ended == .exited(0))
    }

    @Test("WEB-LOG-1: neither a password nor a code nor a token is in the log")
    func log() async throws {
        let server = try await DemoServer()
        let login = try await server.login("ann")
        #expect(try await login.ended() == 0)
        let token = try server.portico.run(["token"]).stdout.trimmingCharacters(in: .newlines)
        _ = try server.portico.run(["userinfo"])
        try await server.stop()
        let log = server.running.stderr
        #expect(log.contains("path=/realms/demo/protocol/openid-connect/token status=200"))
        let password = try #require(server.passwords["ann"])
        #expect(!log.contains(password))
        #expect(token.count > 100)
        #expect(!log.contains(token))
        #expect(!log.contains("code="))
        #expect(!log.contains("?"))
    }

    @Test("decision 0013: an app that gets its session in an address is warned about at the start")
    func sessionInAddress() async throws {
        let portico = try PorticoProcess()
        let origin = ["--public-url", "https://id.example.com"]
        try portico.done(["realm", "create", "home"] + origin)
        for (name, form) in [("plain", "code"), ("legacy", "session-token")] {
            try portico.done([
                "client", "create", name, "--redirect-uri", "com.example.\(name):/c",
                "--hand-off", form,
            ])
        }
        let server = try portico.start(["serve", "--listen", "127.0.0.1:0"] + origin)
        _ = try await server.wait(forOutput: /listening on .*\n/)
        server.process.terminate()
        _ = try await server.ended()
        #expect(server.stderr.contains("! App legacy gets its session in the address"))
        #expect(server.stderr.contains("portico client update legacy --realm home --hand-off code"))
        #expect(!server.stderr.contains("App plain"))
    }

    @Test("a realm file is imported before the server listens, and left alone afterwards")
    func importRealm() async throws {
        let portico = try PorticoProcess()
        let file = portico.home.appending(path: "acme.json")
        try Data(#"{"realm": "acme", "displayName": "First"}"#.utf8).write(to: file)
        for displayName in ["First", "Second"] {
            try Data(#"{"realm": "acme", "displayName": "\#(displayName)"}"#.utf8).write(to: file)
            let server = try portico.start([
                "serve", "--listen", "127.0.0.1:0", "--public-url", "https://id.example.com",
                "--import-realm", "acme.json",
            ])
            _ = try await server.wait(forOutput: /listening on https:\/\/id\.example\.com .*\n/)
            server.process.terminate()
            #expect(try await server.ended() == 0)
            let shown = try portico.run(["realm", "show", "acme", "--json"])
            #expect(shown.stdout.contains(#""display_name":"First""#))
        }
    }

    @Test("the demonstration's passwords are 60 random bits each, and no one's is another's")
    func passwords() async throws {
        let server = try await DemoServer()
        for password in server.passwords.values {
            #expect(password.wholeMatch(of: /([2-9a-z]{4}-){2}[2-9a-z]{4}/) != nil)
        }
        #expect(Set(server.passwords.values).count == 4)
    }

    @Test("the stand-ins of a demonstration listen on 127.0.0.1 and nowhere else")
    func standInAddress() async throws {
        let server = try await DemoServer()
        let found = server.running.stdout.firstMatch(of: /Stand-ins +http:\/\/localhost:(\d+)/)
        let host = server.host.split(separator: ":").last.map { String($0) }
        for place in [found.map { String($0.1) }, host] {
            let port = try #require(place.flatMap { UInt16($0) })
            let here = try #require(RawSocket.connect("127.0.0.1", port: port))
            RawSocket.close(here)
            // Another address of this machine: one that listens everywhere would answer there.
            #expect(RawSocket.connect("127.0.0.2", port: port) == nil)
            #expect(RawSocket.connect("::1", port: port) == nil)
        }
    }

    @Test("those who watch may only look")
    func healthMethods() async throws {
        let server = try await DemoServer()
        let port = server.port
        for path in ["healthz", "readyz"] {
            let request = "POST /\(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n"
            let answer = await RawExchange.run {
                RawExchange(request + "Connection: close\r\n\r\n", port: port)
            }
            #expect(answer?.status == 405)
            #expect(answer?.field("Allow") == "GET, HEAD")
        }
    }
}
