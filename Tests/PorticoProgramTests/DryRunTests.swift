import Foundation
import Testing

@Suite("--dry-run")
struct DryRunTests {
    private static let folder = ".local/share/portico/server"

    /// Names, bytes and times of everything in the data folder.
    private func contents(of portico: PorticoProcess) throws -> [String: [String]] {
        let folder = portico.home.appending(path: Self.folder)
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) {
            let file = folder.appending(path: $1)
            let attributes = try manager.attributesOfItem(atPath: file.path)
            $0[$1] = [
                try Data(contentsOf: file).base64EncodedString(),
                "\(attributes[.modificationDate] ?? "")", "\(attributes[.posixPermissions] ?? "")",
            ]
        }
    }

    @Test("nothing at all is written")
    func nothing() throws {
        let portico = try PorticoProcess()
        for arguments in [
            ["realm", "create", "acme", "--public-url", "https://id.example.com"],
            ["client", "create", "app", "--template", "cli"],
            ["user", "create", "ann", "--without-password"], ["role", "create", "editor"],
        ] {
            try portico.done(arguments)
        }
        try portico.write(#"{"realm": "other"}"#, to: "other.json")
        try portico.write("correct horse battery", to: "password")
        let before = try contents(of: portico)
        for arguments in [
            ["realm", "import", "other.json", "--public-url", "https://id.example.com"],
            ["realm", "create", "next", "--public-url", "https://id.example.com"],
            ["realm", "delete", "acme", "--confirm", "acme"],
            ["client", "create", "second", "--template", "cli"],
            ["client", "update", "app", "--name", "App"],
            ["client", "delete", "app", "--confirm", "app"],
            ["user", "create", "bob", "--without-password"],
            ["user", "update", "ann", "--given-name", "Ann"],
            ["user", "delete", "ann", "--confirm", "ann"], ["role", "create", "reader"],
            ["role", "assign", "editor", "ann"],
            ["role", "delete", "editor", "--confirm", "editor"],
            [
                "realm", "create", "moss", "--template", "keycloak", "--public-url",
                "https://id.example.com",
            ],
            ["group", "create", "staff"], ["role", "assign", "editor", "--composite", "editor"],
            ["user", "set-password", "ann", "--temporary", "--password-file", "password"],
            ["keys", "rotate"],
            [
                "provider", "add", "oidc", "--client-id", "x", "--issuer", "https://a.example",
                "--without-secret",
            ],
            ["app", "create", "notes", "--redirect-uri", "com.example.notes:/callback"],
        ] {
            let outcome = try portico.run(arguments + ["--dry-run"])
            #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)")
            #expect(outcome.stderr.contains("Nothing written (dry run)."), "\(arguments)")
            #expect(try contents(of: portico) == before, "\(arguments)")
        }
        try portico.done(["role", "create", "reader"])
        #expect(try contents(of: portico) != before)
    }

    @Test("where there is no data yet, there is none afterwards")
    func nothingYet() async throws {
        let portico = try PorticoProcess()
        try portico.done("realm create acme --public-url https://id.example.com -n")
        let made = portico.home.appending(path: Self.folder).path
        #expect(!FileManager.default.fileExists(atPath: made))
    }
}
