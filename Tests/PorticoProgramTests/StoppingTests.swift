import Foundation
import HTTPTypes
import Logging
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("A server that stops") struct StoppingTests {
    @Test("it is not ready from the moment it was told to, while it finishes what is under way")
    func notReady() async throws {
        let server = try await EarnestServer()
        let port = server.port
        /// A request of which the server has the head, and waits for the body.
        func begun(_ path: String) async throws -> Int32 {
            let connection = try #require(RawSocket.connect(port: port))
            let head = "GET \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
            let answer = await RawExchange.run {
                RawSocket.send(connection, Array((head + "Expect: 100-continue\r\n\r\n").utf8))
                return RawSocket.receive(connection)
            }
            #expect(answer?.starts(with: Array("HTTP/1.1 100 ".utf8)) == true)
            return connection
        }
        let (ready, health) = (try await begun("/readyz"), try await begun("/healthz"))
        #expect(try await server.request("GET", "/readyz").status == 200)
        kill(server.running.process.id, SIGTERM)
        // Where no one can connect any more it has been told.
        try await server.wait {
            guard let more = RawSocket.connect(port: port) else { return true }
            RawSocket.close(more)
            return false
        }
        func answer(_ connection: Int32) async -> RawExchange? {
            await RawExchange.run {
                RawSocket.send(connection, Array("x".utf8))
                defer { RawSocket.close(connection) }
                return RawExchange(from: connection)
            }
        }
        let notReady = await answer(ready)
        #expect(notReady?.status == 503)
        #expect(notReady?.body == "not ready\n")
        #expect(await answer(health)?.status == 200)
        #expect(try await server.running.ended() == 0)
    }

    @Test("what was last seen of a session is written before it ends")
    func lastSeen() async throws {
        let portico = try PorticoProcess()
        let server = try await DemoServer(in: portico)
        let person = WebPerson()
        let account = "\(server.url)/realms/demo/account/apps"
        _ = try await person.signIn(at: account, "ann", server.passwords["ann"] ?? "")
        let backend = "\(server.url)/v1/auth/session"
        let standIns = try #require(server.running.stdout.firstMatch(of: /Stand-ins +(\S+)/))
        let other = WebPerson()
        let chooser = try await other.get("\(server.url)/v1/auth/google")
        _ = try await other.submit(chooser, from: String(standIns.1), [("person", "ben")])
        let file = portico.home.appending(path: "demo/portico.sqlite").path
        let database = try SQLiteDatabase(file: file)
        // As if they had signed in ten minutes ago.
        let before = Int64(Date().timeIntervalSince1970) - 600
        try await database.write { transaction in
            try transaction.run("UPDATE sessions SET last_seen_at = $1", [.int64(before)])
        }
        #expect(try await person.get(account).status == 200)
        #expect(try await other.get(backend, with: [.accept: "application/json"]).status == 200)
        try await server.stop()
        let seen = try database.read { reader in
            try reader.rows(
                "SELECT last_seen_at FROM sessions WHERE ended_at IS NULL",
                []
            ) { try $0.int64(0) }
        }
        #expect(seen.count == 2)
        #expect(seen.allSatisfy { $0 >= before + 600 })
        try await database.close()
        try await person.close()
        try await other.close()
    }

    /// A realm from Keycloak that keeps events, and swaps the refresh tokens of before.
    private static let realm = """
        {"realm": "acme", "enabled": true, "eventsEnabled": true, "offlineSessionIdleTimeout": 2592000,
         "clients": [{"clientId": "shop", "publicClient": true, "redirectUris": ["com.example.shop:/cb"]},
            {"clientId": "till", "secret": "a secret of the till, long enough",
             "serviceAccountsEnabled": true, "redirectUris": ["https://till.example.com/cb"]}],
         "components": {"org.keycloak.keys.KeyProvider": [{"name": "hmac", "providerId": "hmac-generated",
            "config": {"kid": ["k1"], "algorithm": ["HS512"],
              "secret": ["\(String(repeating: "A", count: 86))"]}}]}}
        """

    @Test("the events of its last seconds are written before it ends")
    func counted() async throws {
        let portico = try PorticoProcess()
        try portico.write(Self.realm, to: "acme.json")
        let server = try await EarnestServer(in: portico)
        try server.command(["realm", "import", "acme.json", "--public-url", server.url])
        try server.command("realm update acme --swap-tokens --accept-unlisted-offline-sessions")
        try server.command(["realm", "create", "last", "--public-url", server.url])
        let last = "/realms/last/.well-known/openid-configuration"
        try await server.wait { try await server.request("GET", last).status == 200 }
        func token(_ form: [(String, String)]) async throws -> Int {
            try await server.request(
                "POST",
                "/realms/acme/protocol/openid-connect/token",
                body: EarnestServer.form(form)
            ).status
        }
        // A wrong secret, and an old token whose key signs something else.
        let wrong = [
            ("grant_type", "client_credentials"), ("client_id", "till"), ("client_secret", "wrong"),
        ]
        #expect(try await token(wrong) == 401)
        let header = #"{"alg":"HS512","typ":"JWT","kid":"k1"}"#
        let claims = """
            {"typ":"Offline","iss":"\(server.url)/realms/acme","aud":"\(server.url)/realms/acme",
            "azp":"shop","sub":"s","jti":"j","sid":"s","iat":1700000000,"scope":"openid"}
            """
        let parts = [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 7, count: 64)]
        let old = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        let swap = [("grant_type", "refresh_token"), ("client_id", "shop"), ("refresh_token", old)]
        #expect(try await token(swap) == 400)
        try await server.stop()
        let swaps = try server.command(["events", "--kind", "token_swap", "--count", "--jsonl"])
        #expect(swaps.contains(#""client":"shop","reason":"signature","count":1"#), "\(swaps)")
        let refused = try server.command(["events", "--realm", "acme", "--client", "till"])
        #expect(refused.contains("client.refused"), "\(refused)")
    }
}

@Suite("Whether the database can be written") struct StorageCheckTests {
    private static let full = SQLError(.full, code: 13)

    private static func fail(_ database: SQLiteDatabase) async {
        await #expect(throws: Self.full) {
            try await database.write { (_: any SQLTransaction) -> Void in throw Self.full }
        }
    }

    @Test(
        "what a write has found ends with the first try that can write, and not with one that fails"
    )
    func ends() async throws {
        let (log, installation) = (WrittenLog(StoppedClock()), try Installation.pretend())
        let database = installation.database
        let check = StorageCheck(installation, logger: log.logger)
        try await check.retry()
        #expect(database.commitCounts.writes == 0, "nothing is tried where nothing is wrong")
        await Self.fail(database)
        #expect(check.hasTrouble)
        try await check.retry()
        #expect(!check.hasTrouble)
        #expect(log.text.matches(of: /database cannot be written/).count == 1)
        #expect(log.text.matches(of: /database can be written again/).count == 1)

        await Self.fail(database)
        try await installation.close()
        await #expect(throws: SQLError(.closed, code: 0)) { try await check.retry() }
        #expect(check.hasTrouble)
        #expect(log.text.matches(of: /database can be written again/).count == 1)
    }

    @Test("it does not end where the database can be read, and not written")
    func readable() async throws {
        let (log, installation) = (WrittenLog(StoppedClock()), try Installation.pretend())
        let database = installation.database
        let check = StorageCheck(installation, logger: log.logger)
        _ = try await database.write { try $0.run("DROP TABLE write_probes", []) }
        await Self.fail(database)
        await #expect(throws: SQLError.self) { try await check.retry() }
        await #expect(throws: SQLError.self) { try await check() }
        #expect(check.hasTrouble)
        #expect(!log.text.contains("database can be written again"))
        try await installation.close()
    }
}

@Suite("What goes on beside the requests") struct RepeatingTests {
    /// What was logged: levels, messages and metadata.
    private final class Recorder: LogHandler {
        struct Line: Sendable, Equatable {
            let level: Logger.Level
            let message: String
            let metadata: [String: String]
        }

        let lines = Locked<[Line]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set { _ = newValue }
        }
        var logLevel: Logger.Level {
            get { .trace }
            set { _ = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set { _ = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                level: event.level,
                message: event.message.description,
                metadata: (event.metadata ?? [:]).mapValues { "\($0)" }
            )
            lines.withLock { $0.append(line) }
        }
    }

    private struct Broken: Error {
        let secret = "what the error knows"
    }

    @Test(
        "a task that fails goes on, is logged when it begins to fail and when it works again",
        .timeLimit(.minutes(1))
    )
    func failing() async throws {
        let recorder = Recorder()
        let (calls, continuation) = AsyncStream<Int>.makeStream()
        let count = Locked(0)
        let task = Repeating(
            name: "purge",
            interval: .milliseconds(1),
            logger: Logger(label: "test") { _ in recorder }
        ) {
            let call = count.withLock { count in
                count += 1
                return count
            }
            continuation.yield(call)
            if (2...4).contains(call) { throw Broken() }
        }
        let running = Task { try await task.run() }
        for await call in calls where call == 8 { break }
        running.cancel()
        try await running.value
        #expect(
            recorder.lines.withLock { $0 } == [
                Recorder.Line(
                    level: .error,
                    message: "task failed",
                    metadata: ["task": "purge", "kind": "Broken"]
                ),
                Recorder.Line(level: .notice, message: "works again", metadata: ["task": "purge"]),
            ]
        )
    }
}

@Suite("A check that many share") struct SharedCheckTests {
    /// What is checked: counted, told what to say, and held up where a test wants it.
    private final class Checked: Sendable {
        struct Failure: Error {}

        private struct State {
            var count = 0
            var isFailing = false
            var isHeld = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        var count: Int { state.withLock(\.count) }
        func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }
        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            let waiting = state.withLock { state in
                defer { (state.waiting, state.isHeld) = ([], false) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        func check() async throws {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    state.count += 1
                    if state.isHeld { state.waiting.append(continuation) }
                    return !state.isHeld
                }
                if goesOn { continuation.resume() }
            }
            if state.withLock(\.isFailing) { throw Failure() }
        }
    }

    private final class Stopped: Sendable {
        private let time = Locked(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock(\.self) }
        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    @Test("asked a thousand times within a second, it is made once, and says the same to all")
    func flood() async throws {
        let (checked, clock) = (Checked(), Stopped())
        let check = SharedCheck(now: { clock.now }, check: checked.check)
        #expect(await answers(1000, check) == Array(repeating: true, count: 1000))
        #expect(checked.count == 1)
        clock.advance(by: .milliseconds(999))
        checked.fail(true)
        #expect(await check())
        #expect(checked.count == 1)
    }

    @Test("what goes wrong is told within a second, and what is well again, too")
    func changes() async throws {
        let (checked, clock) = (Checked(), Stopped())
        let check = SharedCheck(now: { clock.now }, check: checked.check)
        for (round, isFailing) in [false, true, true, false].enumerated() {
            checked.fail(isFailing)
            #expect(await check() == !isFailing)
            #expect(checked.count == round + 1)
            clock.advance(by: .seconds(1))
        }
    }

    @Test(
        "where it does not end all is not well, no one waits long, and it is not made again meanwhile"
    )
    func stuck() async throws {
        let checked = Checked()
        checked.hold()
        let check = SharedCheck(interval: .zero, patience: .milliseconds(50), check: checked.check)
        #expect(await answers(20, check) == Array(repeating: false, count: 20))
        #expect(await check() == false)
        #expect(checked.count == 1)
        checked.release()
        var isWell = false
        let deadline = ContinuousClock.now + .seconds(60)
        while !isWell, .now < deadline {
            await Task.yield()
            isWell = await check()
        }
        #expect(isWell)
    }

    private func answers(_ count: Int, _ check: SharedCheck) async -> [Bool] {
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { await check() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
