import Foundation
import PorticoStores
import PorticoSQLite
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

    /// As the version before would have left it.
    private static let newTables: [SQLText] = [
        "DROP VIEW live_grants", "DROP VIEW live_browser_sessions",
        "DROP VIEW live_account_sessions",
        "DROP TABLE identities", "DROP TABLE account_sessions", "DROP TABLE spent_once",
        "DROP TABLE email_codes", "DROP TABLE mails", "DROP TABLE audit_events",
        "DROP TABLE deleted_accounts", "DROP TABLE password_resets", "DROP TABLE accounts",
        "DROP TABLE apps",
        "DROP TABLE write_probes", "DROP TABLE providers", "DROP TABLE backend_version",
        "DROP TABLE logout_deliveries",
        "DROP TABLE role_parts", "DROP TABLE group_roles", "DROP TABLE person_groups",
        "DROP TABLE groups", "DROP TABLE client_role_limits", "DROP TABLE scope_role_limits",
        "DROP TABLE client_scopes", "DROP TABLE realm_parts", "DROP TABLE kept_keys",
        "DROP TABLE credentials", "DROP TABLE federated_identities",
        "DROP TABLE moved_sessions", "DROP TABLE swapped_tokens", "DROP TABLE swap_counts",
        "DROP TABLE realm_events",
        "DROP TABLE removed_apps", "DROP TABLE handle_sessions", "DROP TABLE handle_client_keys",
        "DROP TABLE document_consents", "DROP TABLE client_documents", "DROP INDEX people_by_did",
        "DROP INDEX grants_by_session", "DROP INDEX offline_grants_by_person",
        "DROP INDEX browser_sessions_by_person",
    ]

    private func makeOlder(_ portico: PorticoProcess) async throws {
        let file = portico.home.appending(path: Self.folder + "/portico.sqlite").path
        let database = try SQLiteDatabase(file: file)
        try await database.write { transaction in
            // What the migrations after the first one made, the other way round.
            for table in Self.newTables { try transaction.run(table, []) }
            try transaction.run("ALTER TABLE people DROP COLUMN epoch", [])
            try transaction.run("ALTER TABLE people DROP COLUMN did", [])
            try transaction.run("ALTER TABLE browser_sessions DROP COLUMN epoch", [])
            try transaction.run("ALTER TABLE browser_sessions DROP COLUMN device", [])
            try transaction.run("ALTER TABLE people DROP COLUMN required_actions", [])
            try transaction.run("DROP INDEX people_by_service_client", [])
            try transaction.run("ALTER TABLE people DROP COLUMN service_client_id", [])
            try transaction.run("ALTER TABLE roles DROP COLUMN attributes", [])
            try transaction.run("ALTER TABLE signing_keys DROP COLUMN priority", [])
            try transaction.run("ALTER TABLE signing_keys DROP COLUMN certificate", [])
            try transaction.run("ALTER TABLE signing_keys DROP COLUMN component", [])
            try transaction.run("DROP INDEX grants_by_parent", [])
            try transaction.run("ALTER TABLE grants DROP COLUMN parent_id", [])
            try transaction.run("ALTER TABLE grants DROP COLUMN dpop_jkt", [])
            try transaction.run("ALTER TABLE grants DROP COLUMN client_key", [])
            try transaction.run("ALTER TABLE grants DROP COLUMN has_own_times", [])
            try transaction.run("DROP INDEX grants_by_login_token", [])
            try transaction.run("ALTER TABLE grants DROP COLUMN login_token_id", [])
            try transaction.run("ALTER TABLE grants DROP COLUMN epoch", [])
            try transaction.run("DELETE FROM migrations WHERE number > 1", [])
        }
        try await database.close()
    }

    @Test("nothing at all is written: an older database is not even brought up to date")
    func nothing() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        for arguments in [
            ["realm", "create", "acme", "--public-url", "https://id.example.com"],
            ["client", "create", "app", "--template", "cli"],
            ["user", "create", "ann", "--without-password"], ["role", "create", "editor"],
        ] {
            #expect(try portico.run(arguments).status == 0)
        }
        try await makeOlder(portico)
        try Data(#"{"realm": "other"}"#.utf8)
            .write(to: portico.home.appending(path: "other.json"))
        try Data("correct horse battery".utf8)
            .write(to: portico.home.appending(path: "password"))
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
            ["realm", "create", "moss", "--keycloak", "--public-url", "https://id.example.com"],
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
        // What is not a dry run does bring it up to date.
        #expect(try portico.run(["role", "create", "reader"]).status == 0)
        #expect(try contents(of: portico) != before)
    }

    @Test("where there is no data yet, there is none afterwards")
    func nothingYet() async throws {
        let portico = try PorticoProcess()
        defer { portico.remove() }
        let outcome = try portico.run([
            "realm", "create", "acme", "--public-url", "https://id.example.com", "-n",
        ])
        #expect(outcome.status == 0)
        let made = portico.home.appending(path: Self.folder).path
        #expect(!FileManager.default.fileExists(atPath: made))
    }
}
