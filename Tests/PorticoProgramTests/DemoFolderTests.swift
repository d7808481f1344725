import Foundation
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("serve --demo, and what is a person's own") struct DemoFolderTests {
    private static let demo = ["serve", "--demo", "--listen", "127.0.0.1:0", "--data-directory"]

    enum Own: String, CaseIterable {
        case realms, providers, apps, accounts
    }

    /// Puts something of a person's own into a folder.
    private static func put(_ own: Own, into folder: String, _ portico: PorticoProcess) async throws
    {
        switch own {
        case .realms:
            try expectDone(
                portico.run(["realm", "create", "acme", "--data-directory", folder])
            )
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
        case .apps:
            try expectDone(
                portico.run([
                    "app", "create", "shop", "--redirect-uri", "com.example.shop:/callback",
                    "--data-directory", folder,
                ])
            )
        case .accounts:
            let file = portico.home.appending(path: folder + "/portico.sqlite").path
            if !FileManager.default.fileExists(atPath: file) {
                try await put(.realms, into: folder, portico)
                try expectDone(
                    portico.run([
                        "realm", "delete", "acme", "--confirm", "acme", "--data-directory", folder,
                    ])
                )
            }
            let database = try SQLiteDatabase(file: file)
            _ = try await AccountStore(database).signIn(signIn(local), at: 1_800_000_000)
            try await database.close()
        }
    }

    private struct NotDone: Error {}

    private static func expectDone(_ outcome: PorticoProcess.Outcome) throws {
        guard outcome.status == 0 else { throw NotDone() }
    }

    /// On this machine, as a stand-in would be.
    private static let local = IdentityKey(
        issuer: "http://localhost:9000/realms/shop",
        subject: "ann"
    )

    private static func signIn(_ key: IdentityKey) -> SignInEvent {
        SignInEvent(
            spending: [],
            identity: Identity(
                key: key,
                provider: "shop",
                email: nil,
                linkedAt: 0,
                lastUsedAt: 0,
                sealedToken: nil
            ),
            name: "Ann",
            picture: nil,
            language: "en",
            emailRule: .never,
            isSignUpOpen: true,
            newAccountID: UniqueID(random: .system),
            session: NewAccountSession(
                id: UniqueID(random: .system),
                form: .browser(cookieHash: Hash256(of: "cookie"), replacing: nil),
                providerSessionID: nil,
                device: "",
                address: nil,
                idleSeconds: 1,
                expiresAt: 1_800_000_001
            ),
            userAgent: nil,
            notice: nil
        )
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

    private static func expectRefusal(_ own: Own, _ folder: String, _ portico: PorticoProcess)
        throws
    {
        let before = try contents(folder, portico)
        let outcome = try portico.run(demo + [folder])
        #expect(outcome.status == 6)
        #expect(outcome.stderr.contains("\(folder) holds \(own.rawValue) that no demo made."))
        #expect(outcome.stderr.contains("(not-a-demo)"))
        #expect(try contents(folder, portico) == before)
    }

    @Test(
        "a folder in which a person has something is refused, and stays as it is",
        arguments: Own.allCases
    )
    func foreign(_ own: Own) async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        try await Self.put(own, into: "data", portico)
        try Self.expectRefusal(own, "data", portico)
    }

    @Test(
        "a folder that a demo made and a person has taken since is refused, too, until that is gone",
        arguments: Own.allCases
    )
    func taken(_ own: Own) async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let first = try await DemoServer(in: portico)
        first.running.process.terminate()
        #expect(try await first.running.ended() == 0)
        try await Self.put(own, into: "demo", portico)
        try Self.expectRefusal(own, "demo", portico)
        let removal: [String]
        switch own {
        case .realms: removal = ["realm", "delete", "acme", "--confirm", "acme"]
        case .providers: removal = ["provider", "remove", "google", "--confirm", "google"]
        case .apps: removal = ["app", "delete", "shop", "--confirm", "shop"]
        case .accounts:
            let list = try portico.run(["account", "list", "--plain", "--data-directory", "demo"])
            let id = String(try #require(list.stdout.split(separator: "\t").first))
            removal = ["account", "delete", id, "--confirm", id]
        }
        try Self.expectDone(portico.run(removal + ["--data-directory", "demo"]))
        let again = try await DemoServer(in: portico)
        again.running.process.terminate()
        #expect(try await again.running.ended() == 0)
    }

    @Test("accounts of other handles than the demo's are somebody's own")
    func foreignHandle() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let first = try await DemoServer(in: portico)
        first.running.process.terminate()
        #expect(try await first.running.ended() == 0)
        let database = try SQLiteDatabase(
            file: portico.home.appending(path: "demo/portico.sqlite").path
        )
        let key = IdentityKey(issuer: "atproto", subject: "did:plc:someoneelse222222222222a")
        _ = try await AccountStore(database).signIn(Self.signIn(key), at: 1_800_000_000)
        try await database.close()
        try Self.expectRefusal(.accounts, "demo", portico)
    }

    @Test("sign-in by handle with a directory of a person's choice is theirs")
    func ownDirectory() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let first = try await DemoServer(in: portico)
        first.running.process.terminate()
        #expect(try await first.running.ended() == 0)
        try Self.expectDone(
            portico.run([
                "provider", "update", "atproto", "--directory", "https://plc.example.com",
                "--data-directory", "demo",
            ])
        )
        try Self.expectRefusal(.providers, "demo", portico)
    }

    @Test("a demo recognises its own data, sign-ins at its stand-ins included, and starts again")
    func again() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let first = try await DemoServer(in: portico)
        let person = WebPerson()
        let page = try await person.get(first.url + "/v1/auth/google")
        #expect(page.status == 200 || page.status == 303)
        try await person.close()
        try Self.expectDone(
            portico.run([
                "app", "update", "notes", "--redirect-uri", "com.example.mine:/callback",
                "--data-directory", "demo",
            ])
        )
        first.running.process.terminate()
        #expect(try await first.running.ended() == 0)
        let second = try await DemoServer(in: portico)
        let app = try portico.run(["app", "show", "notes", "--data-directory", "demo"])
        #expect(app.stdout.contains("com.example.mine:/callback"))
        second.running.process.terminate()
        #expect(try await second.running.ended() == 0)
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
        defer { portico.remove() }
        let outcome = try portico.run(Self.demo + ["demo"] + options)
        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains(said))
        #expect(!FileManager.default.fileExists(atPath: portico.home.appending(path: "demo").path))
    }
}
