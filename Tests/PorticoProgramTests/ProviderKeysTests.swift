import Foundation
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

/// The keys that prove at hosts who we are, by the command line.
@Suite struct ProviderKeysTests {
    private struct Place {
        let portico: PorticoProcess
        let keyID: String

        /// With a key that has been used for long, by so many sessions.
        init(sessions: Int) async throws {
            portico = try PorticoProcess()
            let address = ["--public-url", "https://app.example.com"]
            try portico.done(["provider", "add", "atproto"] + address)
            let rotated = try portico.done(["provider", "keys", "rotate", "atproto"])
            let keyID = rotated.trimmingCharacters(in: .newlines)
            self.keyID = keyID
            try await write { transaction in
                try transaction.run("UPDATE handle_client_keys SET active_from = 1000", [])
                for number in 0..<sessions {
                    try transaction.run(
                        """
                        INSERT INTO handle_sessions (session_id, did, handle, host, issuer, client_id,
                            client_key_id, asked_scope, scope, sealed, created_at, refreshed_at,
                            revision, takes_foreign, tries)
                        VALUES ($1, 'd', 'h', 'h', 'i', 'c', $2, 's', 's', 'x', 1, 1, 1, FALSE, 0)
                        """,
                        [.text("session-\(number)"), .text(keyID)]
                    )
                }
            }
        }

        func write(_ body: @escaping @Sendable (any SQLTransaction) throws -> Void) async throws {
            let folder = portico.home.appending(path: ".local/share/portico/server")
            let database = try SQLiteDatabase(file: folder.appending(path: "portico.sqlite").path)
            try await database.write(body)
            try await database.close()
        }

        func states() throws -> [String: String] {
            let outcome = try portico.run(["provider", "keys", "list", "atproto", "--json"])
            let json = try outcome.json
            return Dictionary(
                uniqueKeysWithValues: (json.array("items") ?? []).compactMap(\.object).map {
                    ($0.string("kid") ?? "", $0.string("state") ?? "")
                }
            )
        }

        func withdraw(_ more: String...) throws -> PorticoProcess.Outcome {
            try portico.run(["provider", "keys", "withdraw", "atproto", keyID] + more)
        }
    }

    @Test("ATP-CA-6: a key that sessions need is withdrawn only by a word more, and then at once")
    func withdrawn() async throws {
        let place = try await Place(sessions: 2)
        #expect(try place.states() == [place.keyID: "active"])
        let refused = try place.withdraw()
        #expect(refused.status == 2)
        #expect(refused.stderr.contains("2 sessions began with key \(place.keyID)"))
        #expect(refused.stderr.contains("--end-sessions"))
        #expect(refused.stderr.contains("No one can sign in by handle before"))
        #expect(try place.states() == [place.keyID: "active"])
        let tried = try place.withdraw("--dry-run")
        #expect(tried.status == 0 && tried.stderr.contains("which ends 2 sessions"))
        #expect(try place.states() == [place.keyID: "active"])
        let done = try place.withdraw("--end-sessions")
        #expect(done.status == 0, "\(done.stderr)")
        #expect(done.stderr.contains("which ends 2 sessions. Nothing brings it back."))
        #expect(try place.states() == [place.keyID: "withdrawn"])
        let events = try place.portico.run(["events", "--kind", "handle_key.withdrawn"])
        #expect(events.stdout.contains(place.keyID))
        let again = try place.withdraw()
        #expect(again.status == 0 && again.stderr.contains("withdrawn already"))
    }

    @Test(
        "SEED-TIJS-4: who becomes a public client is told that hosts end its sessions after 14 days"
    )
    func publicClient() async throws {
        let place = try await Place(sessions: 2)
        func update(_ arguments: String...) throws -> PorticoProcess.Outcome {
            try place.portico.run(
                ["provider", "update", "atproto"] + arguments
                    + ["--config", "portico.yaml"]
            )
        }
        // Whichever address a command knows: here that of a development client, without keys.
        let elsewhere = try place.portico.run(["provider", "update", "atproto", "--public"])
        #expect(elsewhere.status == 2, "\(elsewhere.stderr)")
        #expect(elsewhere.stderr.contains("2 sessions by handle would end"))
        try place.portico.write("public-url: https://app.example.com\n", to: "portico.yaml")
        let warning = "Hosts end sessions of a public client after 14 days."
        // Those of the client with keys end: no host would take their tokens from us.
        let refused = try update("--public")
        #expect(refused.status == 2 && refused.stderr.contains(warning))
        #expect(refused.stderr.contains("2 sessions by handle would end"))
        let done = try update("--public", "--end-sessions")
        #expect(done.status == 0 && done.stderr.contains(warning), "\(done.stderr)")
        let listed = try place.portico.run(["provider", "keys", "list", "atproto", "--plain"])
        #expect(listed.stdout.hasSuffix("\t0\n"), "\(listed.stdout)")
        let other = try update("--client-name", "Example")
        #expect(other.status == 0, "\(other.stderr)")
    }

    @Test(
        "ATP-CA-5: who becomes a client with keys publishes a new one first, and uses none of before"
    )
    func confidentialClient() async throws {
        let place = try await Place(sessions: 0)
        func update(_ arguments: String...) throws -> PorticoProcess.Outcome {
            try place.portico.run(["provider", "update", "atproto"] + arguments)
        }
        let warning = "No one can sign in by handle for eleven minutes"
        let first = try update("--public")
        #expect(first.status == 0 && !first.stderr.contains(warning), "\(first.stderr)")
        #expect(try place.states() == [place.keyID: "active"])
        let tried = try update("--no-public", "--dry-run")
        #expect(tried.status == 0 && tried.stderr.contains(warning), "\(tried.stderr)")
        #expect(try place.states() == [place.keyID: "active"])
        let done = try update("--no-public")
        #expect(done.status == 0 && done.stderr.contains(warning), "\(done.stderr)")
        var states = try place.states()
        #expect(states.removeValue(forKey: place.keyID) == "withdrawn")
        #expect(Array(states.values) == ["next"])
        // Nothing is published anew where nothing changes.
        let same = try update("--no-public", "--client-name", "Example")
        #expect(same.status == 0 && !same.stderr.contains(warning), "\(same.stderr)")
        #expect(try place.states().count == 2)
    }

    @Test("decision 0066: sessions end before the change, so a command that failed can come again")
    func endedFirst() async throws {
        let place = try await Place(sessions: 1)
        let update = ["provider", "update", "atproto", "--public", "--end-sessions"]
        // It cannot be ended: nothing can be written to its row.
        try await place.write { transaction in
            _ = try transaction.run(
                """
                CREATE TRIGGER held BEFORE UPDATE ON handle_sessions
                BEGIN SELECT RAISE(ABORT, 'held'); END
                """,
                []
            )
        }
        let failed = try place.portico.run(update)
        #expect(failed.status != 0, "\(failed.stderr)")
        try await place.write { _ = try $0.run("DROP TRIGGER held", []) }
        let again = try place.portico.run(update)
        #expect(again.status == 0 && again.stderr.contains("Changed provider"), "\(again.stderr)")
        let listed = try place.portico.run(["provider", "keys", "list", "atproto", "--plain"])
        #expect(listed.stdout.hasSuffix("\t0\n"), "\(listed.stdout)")
    }

    @Test("ATP-CA-5: a new key stands beside the former one, which stays for its sessions")
    func rotated() async throws {
        let place = try await Place(sessions: 1)
        let rotated = try place.portico.run(["provider", "keys", "rotate", "atproto"])
        let next = rotated.stdout.trimmingCharacters(in: .newlines)
        #expect(try place.states() == [place.keyID: "active", next: "next"])
        // Eleven minutes later.
        try await place.write { transaction in
            _ = try transaction.run(
                "UPDATE handle_client_keys SET active_from = 2000 WHERE key_id = $1",
                [.text(next)]
            )
        }
        #expect(try place.states() == [place.keyID: "retiring", next: "active"])
        let listed = try place.portico.run(["provider", "keys", "list", "atproto", "--plain"])
        let rows = listed.stdout.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(rows.map { $0.first.map(String.init) } == [next, place.keyID])
        #expect(rows.map { $0.last.map(String.init) } == ["0", "1"])
        // No session needs it, and nothing else is in its place.
        try place.portico.done(["provider", "keys", "withdraw", "atproto", next])
        #expect(try place.states() == [place.keyID: "active", next: "withdrawn"])
    }
}

@Suite("Setting up sign-in by handle as a public client") struct PublicClientWarningTests {
    @Test(
        "SEED-TIJS-4: whoever sets up a public client is told that hosts end its sessions after 14 days"
    )
    func told() throws {
        let portico = try PorticoProcess()
        for (options, isTold) in [([], false), (["--public"], true)] {
            let outcome = try portico.run(
                ["provider", "add", "atproto", "--dry-run", "--data-directory", "data"] + options
            )
            #expect(outcome.status == 0, "\(outcome.stderr)")
            #expect(outcome.stderr.contains("after 14 days") == isTold)
        }
    }
}
