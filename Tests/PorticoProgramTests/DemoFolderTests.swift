import Foundation
import HTTPTypes
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("serve --demo, and what is a person's own") struct DemoFolderTests {
    private static let demo = ["serve", "--demo", "--listen", "127.0.0.1:0", "--data-directory"]

    enum Own: String, CaseIterable {
        case realms, providers
    }

    /// Puts something of a person's own into a folder.
    private static func put(_ own: Own, into folder: String, _ portico: PorticoProcess) async throws
    {
        switch own {
        case .realms:
            try expectDone(portico.run(["realm", "create", "acme", "--data-directory", folder]))
        case .providers:
            // Under the name that the demo's own has. `try?`: where that one is not there, nothing is removed.
            try? expectDone(
                portico.run([
                    "provider", "remove", "google", "--confirm", "google", "--data-directory",
                    folder,
                ])
            )
            try expectDone(
                portico.run(
                    [
                        "provider", "add", "google", "--client-id", "ours", "--secret-file", "-",
                        "--data-directory", folder,
                    ],
                    input: "the secret of Google\n"
                )
            )
        }
    }

    private struct NotDone: Error {}

    private static func expectDone(_ outcome: PorticoProcess.Outcome) throws {
        guard outcome.status == 0 else { throw NotDone() }
    }

    /// Every file of a folder but the lock, as it is.
    private static func contents(_ folder: String, _ portico: PorticoProcess) throws
        -> [String: Data]
    {
        let folder = portico.home.appending(path: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0 != "serve.lock" }.map {
                ($0, try Data(contentsOf: folder.appending(path: $0)))
            }
        )
    }

    private static func expectRefusal(_ folder: String, _ portico: PorticoProcess) throws {
        let before = try contents(folder, portico)
        let outcome = try portico.run(demo + [folder])
        #expect(outcome.status == 6)
        #expect(outcome.stderr.contains("\(folder) holds realms that no demo made."))
        #expect(outcome.stderr.contains("(not-a-demo)"))
        #expect(try contents(folder, portico) == before)
    }

    @Test(
        "a folder in which a person has something is refused, and stays as it is",
        arguments: Own.allCases
    )
    func foreign(_ own: Own) async throws {
        let portico = try PorticoProcess()
        try await Self.put(own, into: "data", portico)
        try Self.expectRefusal("data", portico)
    }

    @Test(
        "a demo starts again with what a person added to its folder, and keeps it",
        arguments: Own.allCases
    )
    func added(_ own: Own) async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        // The issuer of a realm of one's own is that of the server.
        let address = String(first.url.dropFirst("http://".utf8.count))
        try await first.stop()
        if own == .realms {
            try Self.expectDone(
                portico.run([
                    "realm", "create", "acme", "--public-url", first.url, "--data-directory",
                    "demo",
                ])
            )
        } else {
            try await Self.put(own, into: "demo", portico)
        }
        for _ in 0..<2 {
            let again = try await DemoServer(
                in: portico,
                arguments: ["--listen", address]
            )
            try await again.stop()
        }
        let (list, kept) =
            switch own {
            case .realms: (["realm", "list"], "acme")
            case .providers: (["provider", "show", "google"], "ours")
            }
        let shown = try portico.run(list + ["--data-directory", "demo"])
        #expect(shown.stdout.contains(kept))
    }

    @Test(
        "a demo at another address is refused where it would delete what a person added to its realms"
    )
    func elsewhere() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        let place = ["--realm", "demo", "--data-directory", "demo"]
        let added = try portico.run(
            ["client", "create", "mine", "--redirect-uri", "com.example.mine:/callback"] + place
        )
        #expect(added.status == 0, "\(added.stderr)")
        try Self.expectDone(portico.run(["user", "create", "carl", "--without-password"] + place))
        try await first.stop()
        let refused = try portico.run(Self.demo + ["demo"])
        #expect(refused.status == 6)
        #expect(refused.stderr.contains("It has client mine, which you added. (issuer-mismatch)"))
        let address = String(first.url.dropFirst("http://".utf8.count))
        #expect(
            refused.stderr.contains(
                "portico serve --listen \(address) --public-url \(first.url) --demo "
                    + "--data-directory demo"
            )
        )
        let clients = try portico.run(["client", "list"] + place)
        #expect(clients.stdout.contains("mine"))
        #expect(try portico.run(["user", "list"] + place).stdout.contains("carl"))
        let again = try await DemoServer(in: portico, arguments: ["--listen", address])
        try await again.stop()
    }

    @Test("a start that a realm of one's own stops has made nothing anew")
    func stopped() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        // Of the running server's address.
        let created = try portico.run(["realm", "create", "acme", "--data-directory", "demo"])
        #expect(created.stdout == "\(first.url)/realms/acme\n")
        try await first.stop()
        let list = ["realm", "list", "--plain", "--data-directory", "demo"]
        let before = try portico.run(list).stdout
        let refused = try portico.run(Self.demo + ["demo"])
        #expect(refused.status == 6)
        #expect(
            refused.stderr.contains(
                "portico realm delete acme --confirm acme --data-directory demo, then"
            )
        )
        #expect(try portico.run(list).stdout == before)
    }

    @Test(
        "a demo at another address says which realms it made anew, and keeps its stand-ins' address"
    )
    func renewed() async throws {
        let portico = try PorticoProcess()
        var addresses: [String] = []
        var said: [String] = []
        for _ in 0..<2 {
            let server = try await DemoServer(in: portico)
            let line = server.running.stdout.firstMatch(of: /Stand-ins +(\S+)/)
            addresses.append(String(try #require(line).1))
            said.append(server.running.stderr)
            #expect(!server.running.stderr.contains("--hand-off code"))
            try await server.stop()
        }
        #expect(addresses[0] == addresses[1])
        #expect(!said[0].contains("anew"))
        for realm in ["demo", "test"] {
            #expect(said[1].contains("Made realm \(realm) anew: its issuer is now http://"))
        }
        #expect(!said[1].contains("Made realm handles"))
    }

    @Test("a demo recognises its own data, sign-ins at its stand-ins included, and starts again")
    func again() async throws {
        let portico = try PorticoProcess()
        let first = try await DemoServer(in: portico)
        let person = WebPerson()
        let page = try await person.get(first.url + "/v1/auth/google")
        #expect(page.status == 200 || page.status == 303)
        try await person.close()
        try Self.expectDone(
            portico.run(
                "client update notes --realm demo --redirect-uri com.example.mine:/callback "
                    + "--data-directory demo"
            )
        )
        try await first.stop()
        let address = String(first.url.dropFirst("http://".utf8.count))
        let second = try await DemoServer(in: portico, arguments: ["--listen", address])
        let app = try portico.run("client show notes --realm demo --data-directory demo")
        #expect(app.stdout.contains("com.example.mine:/callback"))
        try await second.stop()
    }

    @Test(
        "a demo is for this machine only, and serves its own realm only",
        arguments: [
            (["--public-url", "https://demo.example.com"], "for this machine only"),
            (["--public-url", "https://192.0.2.1"], "for this machine only"),
            (["--public-url", "https://localhost.example.com"], "for this machine only"),
            (["--import-realm", "acme.json"], "only its own realm"),
        ]
    )
    func beyond(_ options: [String], _ said: String) async throws {
        let portico = try PorticoProcess()
        let outcome = try portico.run(Self.demo + ["demo"] + options)
        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains(said))
        #expect(!FileManager.default.fileExists(atPath: portico.home.appending(path: "demo").path))
    }
}

/// The first request of an app that follows a guide, typed as it is printed there, but for values of the
/// moment.
@Suite("serve --demo, and the first requests of apps") struct DemoFirstRequestTests {
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("an app that names neither itself nor its redirect comes back with a code")
    func backend() async throws {
        let server = try await DemoServer()
        let person = WebPerson()
        let address =
            "\(server.url)/v1/auth/google?code_challenge=\(Self.challenge)&platform=mobile"
        let question = try await person.get(address)
        #expect(question.status == 200, "\(question.text)")
        #expect(question.formAction != nil)
        try await person.close()
    }

    @Test("an app that sends a handle alone gets its session in the address that it is opened with")
    func handle() async throws {
        let server = try await DemoServer()
        let ann = "ann.handles.test"
        let person = WebPerson()
        let page = try await person.get("\(server.url)/login?handle=\(ann)&mobile=true")
        let question = try await person.submit(
            page,
            from: server.host,
            [("username", ann), ("password", server.handles[ann] ?? "")]
        )
        let end = try await person.submit(question, from: server.host, [("action", "allow")])
        let way = end.headers[.location] ?? end.text
        #expect(way.contains("myapp://auth-callback?session_token=Fe26.2"), "\(way)")
        try await person.close()
    }

    @Test("an Expo app that expects Keycloak comes back to its own address")
    func article() async throws {
        let server = try await DemoServer()
        let person = WebPerson()
        let realm = "\(server.url)/realms/test/protocol/openid-connect"
        let end = try await person.signIn(
            at: "\(realm)/auth?code_challenge=\(Self.challenge)&code_challenge_method=S256"
                + "&redirect_uri=exp://192.168.178.95:8081&client_id=rn-expo-app"
                + "&response_type=code&state=xyz&scope=openid+profile",
            "jd",
            server.passwords["jd"] ?? ""
        )
        let location = end.headers[.location] ?? ""
        #expect(location.hasPrefix("exp://192.168.178.95:8081"), "\(end.text)")
        #expect(location.contains("code="))
        try await person.close()
    }
}
