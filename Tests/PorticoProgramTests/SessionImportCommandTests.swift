import Foundation
import PorticoProtocol
import PorticoSQLite
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// `portico session import` beside a running server, where the directory and the host can be asked.
@Suite struct SessionImportCommandTests {
    private static let file = "sessions.jsonl"

    /// A session of Ann's, which another system had.
    private static var line: JSONObject {
        let origin = JSONValue.string("https://\(HandleNetwork.pds)")
        return [
            "did": .string(ATHostPerson.ann.did), "host": origin, "issuer": origin,
            "refresh_token": "a-secret-token",
            "dpop_key": .object([
                "kty": "EC", "crv": "P-256", "d": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE",
            ]),
        ]
    }

    /// A public client, as the other system was one, and the file.
    private static func prepare(_ network: HandleNetwork) async throws {
        let text = String(decoding: line.serialized(), as: UTF8.self)
        try network.portico.write(text, to: file)
        let opened = try await network.run("provider update atproto --public")
        #expect(opened.status == 0, "\(opened.stderr)")
    }

    private static func imported(_ outcome: PorticoProcess.Outcome) throws -> [Int64?] {
        let report = try outcome.json
        return [report.int64("taken"), report.int64("here_already")]
    }

    @Test("what one account had elsewhere comes in once, and ends with the client")
    func brought() async throws {
        try await HandleNetwork.run { network in
            try await Self.prepare(network)

            let tried = try await network.run("session import \(Self.file) --json -n")
            #expect(tried.status == 0, "\(tried.stderr)")
            #expect(tried.stderr.contains("Would have brought in 1 session. Nothing written"))
            #expect(try Self.imported(tried) == [1, 0])
            let first = try await network.run("session import \(Self.file) --json")
            #expect(first.status == 0, "\(first.stderr)")
            #expect(first.stderr.contains("✓ Brought in 1 session."))
            #expect(try Self.imported(first) == [1, 0])
            let second = try await network.run("session import \(Self.file) --json")
            #expect(second.status == 0, "\(second.stderr)")
            #expect(try Self.imported(second) == [0, 1])
            let events = try await network.run("events --kind session.imported")
            #expect(events.stdout.contains("session.imported"))
            for outcome in [tried, first, second, events] {
                #expect(!(outcome.stdout + outcome.stderr).contains("a-secret"))
            }

            // Hosts take their tokens from the client that got them.
            let asked = try await network.run("provider update atproto --no-public")
            #expect(asked.status == 2)
            #expect(asked.stderr.contains("✗ 1 session by handle would end: people sign in again."))
            #expect(asked.stderr.contains("To go on, add: --end-sessions"))
            let ended = try await network.run("provider update atproto --no-public --end-sessions")
            #expect(ended.status == 0, "\(ended.stderr)")
            let told = try await network.run("events --kind handle.ended_by_host")
            #expect(told.stdout.contains("client_changed"))

            // They do not come again.
            _ = try await network.run("provider update atproto --public")
            let again = try await network.run("session import \(Self.file) --json")
            #expect(try Self.imported(again) == [0, 1])
        }
    }

    @Test("sid.days: what is brought in lasts as long unused as what begins here")
    func days() async throws {
        try await HandleNetwork.run { network in
            let portico = network.portico
            try await Self.prepare(network)
            let brought = try await network.run(
                "session import \(Self.file) --json",
                environment: ["PORTICO_SID_DAYS": "3"]
            )
            #expect(try Self.imported(brought) == [1, 0], "\(brought.stderr)")
            let file = ".local/share/portico/server/portico.sqlite"
            let database = try SQLiteDatabase(file: portico.home.appending(path: file).path)
            let idle = try database.read { reader in
                try reader.rows("SELECT idle_seconds FROM sessions", []) {
                    try $0.int64(0)
                }
            }
            #expect(idle == [259_200])
            try await database.close()
        }
    }

    @Test(
        "decision 0060: a start that finds sessions and no passwords of sid makes new ones, and says so"
    )
    func passwordsGone() async throws {
        try await HandleNetwork.run { network in
            let portico = network.portico
            try await Self.prepare(network)
            let brought = try await network.run("session import \(Self.file) --json")
            #expect(try Self.imported(brought) == [1, 0])
            try await network.served.stop()
            let warning = "there were no passwords of sid"
            #expect(!network.served.running.stderr.contains(warning))
            let path = portico.home.path + "/.local/share/portico/server/seal-passwords"
            let before = try Data(contentsOf: URL(filePath: path))
            for isGone in [false, true] {
                if isGone { try FileManager.default.removeItem(atPath: path) }
                let served = try await EarnestServer(in: portico)
                try await served.stop()
                #expect(served.running.stderr.contains(warning) == isGone)
                #expect((try Data(contentsOf: URL(filePath: path)) != before) == isGone)
            }
        }
    }
}
