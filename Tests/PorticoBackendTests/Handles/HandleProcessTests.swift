import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

@Suite("Tokens of a session by handle, in two processes") struct HandleProcessTests {
    @Test(
        "ATP-TL-4, attack G20: 50 callers of two processes, each a program of its own, make one refresh, 20 times"
    )
    func processes() async throws {
        let scene = try HandleScene(TestDatabase.inFile())
        let session = try await scene.signedIn(accessLives: 0)
        let database = try #require(scene.database.file)
        let place = MeetingPlace(
            folder: URL(filePath: database).deletingLastPathComponent().path,
            session: session.sessionID,
            seconds: scene.clock.seconds
        )
        setenv(MeetingPlace.variable, place.text, 1)
        async let other: Void = Self.otherProcess()
        let got = try await place.callers(as: "parent", scene.handles)
        await other
        // What each of the 50 has got, round by round.
        let rounds = 2...(MeetingPlace.rounds + 1)
        let right = rounds.map { Array(repeating: "A\($0)", count: MeetingPlace.callers) }
        #expect(got == right)
        #expect(try place.said(by: "child") == right)
        let once = (1...MeetingPlace.rounds).map { "R\($0)" }
        #expect(try place.sent() == once)
        // The folder goes with it.
        withExtendedLifetime(scene) {}
    }

    private static func otherProcess() async {
        await #expect(processExitsWith: .success) {
            let place = try MeetingPlace.ofEnvironment()
            let handles = HandleSessionStore(try SQLiteDatabase(file: place.database))
            let got = try await place.callers(as: "child", handles)
            try place.say(got, as: "child")
        }
    }
}

/// A folder that two processes share: the database, and beside it what the host is sent, and who is ready.
private struct MeetingPlace: Sendable {
    static let variable = "TEST_HANDLE_PROCESSES"
    static let rounds = 20
    /// Of each process.
    static let callers = 25

    let folder: String
    let session: UniqueID
    /// The time at the beginning.
    let seconds: Int64
    let clock: StoppedClock

    init(folder: String, session: UniqueID, seconds: Int64) {
        self.folder = folder
        self.session = session
        self.seconds = seconds
        clock = StoppedClock(at: Double(seconds))
    }

    var text: String { "\(folder)|\(session.text)|\(seconds)" }

    static func ofEnvironment() throws -> MeetingPlace {
        let text = ProcessInfo.processInfo.environment[variable] ?? ""
        let parts = text.split(separator: "|").map { String($0) }
        try #require(parts.count == 3)
        let (id, seconds) = (UniqueID(parts[1]), Int64(parts[2]))
        return MeetingPlace(
            folder: parts[0],
            session: try #require(id),
            seconds: try #require(seconds)
        )
    }

    var database: String { folder + "/portico.sqlite" }

    /// All rounds of one process, whose callers begin when those of the other do.
    ///
    /// - Returns: The access tokens that they got, round by round.
    func callers(as name: String, _ handles: HandleSessionStore) async throws -> [[String]] {
        let tokens = HandleTokens(
            handles: handles,
            vault: HandleTokenVault(ring: HandleScene.ring),
            servers: WritingHost(file: folder + "/sent"),
            clock: Clock { [clock] in clock.now }
        )
        var got: [[String]] = []
        for round in 1...Self.rounds {
            let live = try await handles.live(session, at: clock.seconds)
            let held = try #require(live).handle
            try await meet(as: name, round)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask {
                        let refused = SecretText("A\(round)")
                        return try await tokens.tokens(for: held, refused: refused)
                            .access.reveal()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            got.append(answers)
            clock.advance(by: 30)
        }
        return got
    }

    /// Waits until the other process is as far, for at most a minute.
    private func meet(as name: String, _ round: Int) async throws {
        let other = name == "child" ? "parent" : "child"
        try Data().write(to: URL(filePath: "\(folder)/\(name)-\(round)"))
        for _ in 0..<30_000 {
            if FileManager.default.fileExists(atPath: "\(folder)/\(other)-\(round)") { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw Alone()
    }

    struct Alone: Error {}

    func say(_ got: [[String]], as name: String) throws {
        try JSONEncoder().encode(got).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    func said(by name: String) throws -> [[String]] {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        return try JSONDecoder().decode([[String]].self, from: data)
    }

    /// Every refresh token that the host was sent.
    func sent() throws -> [String] {
        try String(contentsOfFile: folder + "/sent", encoding: .utf8)
            .split(separator: "\n").map { String($0) }
    }
}

/// One host for several processes: it writes down every refresh token that it is sent, and takes each once,
/// `R1` for `A2` and `R2`, and so on.
private struct WritingHost: HandleTokenServers, HandleTokenServer {
    let file: String

    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        self
    }

    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens
    {
        // Long enough for others to come.
        try? await Task.sleep(for: .milliseconds(5))
        let line = Array((token.reveal() + "\n").utf8)
        let opened = open(file, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard opened >= 0 else { throw .failed(isUnspent: true) }
        defer { close(opened) }
        guard write(opened, line, line.count) == line.count else { throw .failed(isUnspent: true) }
        let sent = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let generation = sent.split(separator: "\n").count
        guard token.reveal() == "R\(generation)" else { throw .invalidGrant }
        return RefreshedTokens(
            access: SecretText("A\(generation + 1)"),
            refresh: SecretText("R\(generation + 1)"),
            expiresIn: 900,
            scope: "atproto"
        )
    }

    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool { false }
}
