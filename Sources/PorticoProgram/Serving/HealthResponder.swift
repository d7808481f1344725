import HTTPTypes
import Logging
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoWeb
import ServiceLifecycle

/// Answers health checks, and passes every other request on.
///
/// Monitoring may use any address of the server, so neither `Host` nor TLS is checked; the answers
/// reveal nothing else. They are not logged.
struct HealthResponder: Responder {
    let next: RequestPipeline
    let readiness: Readiness
    let storage: SharedCheck
    /// Whether a write has found since that it cannot: what was found out holds for a second.
    let hasTrouble: @Sendable () -> Bool

    func respond(to request: Request) async -> Response {
        let path = request.head.path
        guard path == "/healthz" || path == "/readyz" else {
            return await next.respond(to: request)
        }
        guard request.method == .get || request.method == .head else {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
        return Self.answer(path == "/healthz" ? true : await isReady())
    }

    /// Whether the database can be written to and the server is not stopping.
    private func isReady() async -> Bool {
        guard !readiness.isStopping else { return false }
        return await storage() && !hasTrouble()
    }

    func uploadCheck(of request: Request) -> UploadCheck? {
        next.uploadCheck(of: request)
    }

    private static func answer(_ isWell: Bool) -> Response {
        Response(
            status: isWell ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            bytes: Array((isWell ? "ok\n" : "not ready\n").utf8)
        )
    }
}

/// Whether the server accepts new work: until it is told to stop.
final class Readiness: Service, CustomStringConvertible {
    private let stopping = Locked(false)

    var isStopping: Bool { stopping.withLock { $0 } }

    var description: String { "readiness" }

    func run() async throws {
        // `try?`: being cancelled means the same as being told to stop.
        try? await gracefulShutdown()
        stopping.withLock { $0 = true }
    }
}

/// A check that any number of callers share and that runs at most once a second: in between, callers
/// get the last answer, and while it runs they wait for the same one. Frequent calls therefore cost
/// nothing.
final class SharedCheck: Sendable {
    private struct State {
        var answer = false
        var answeredAt: ContinuousClock.Instant?
        /// When the running check started; it may never end.
        var startedAt: ContinuousClock.Instant?
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state = Locked(State())
    private let interval: Duration
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let check: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - interval: How long an answer is reused.
    ///   - patience: How long to wait for the check; after that it counts as failed.
    ///   - check: Throws if something is wrong.
    init(
        interval: Duration = .seconds(1),
        patience: Duration = .seconds(2),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        check: @escaping @Sendable () async throws -> Void
    ) {
        self.interval = interval
        self.patience = patience
        self.now = now
        self.check = check
    }

    func callAsFunction() async -> Bool {
        await withCheckedContinuation { continuation in
            switch next(continuation) {
            case .answered(let answer): continuation.resume(returning: answer)
            case .waiting: break
            case .first: start()
            }
        }
    }

    private enum Next {
        case answered(Bool)
        case waiting
        case first
    }

    private func next(_ continuation: CheckedContinuation<Bool, Never>) -> Next {
        let now = now()
        return state.withLock { state in
            if let started = state.startedAt {
                guard started.duration(to: now) < patience else { return .answered(false) }
                state.waiting.append(continuation)
                return .waiting
            }
            if let answered = state.answeredAt, answered.duration(to: now) < interval {
                return .answered(state.answer)
            }
            state.startedAt = now
            state.waiting.append(continuation)
            return .first
        }
    }

    private func start() {
        Task {
            let answer: Bool
            do {
                try await check()
                answer = true
            } catch {
                answer = false
            }
            let now = now()
            let waiting = state.withLock { state in
                state.answer = answer
                state.answeredAt = now
                state.startedAt = nil
                return Self.taken(from: &state)
            }
            for one in waiting { one.resume(returning: answer) }
        }
        Task {
            // `try?`: nothing cancels this task.
            try? await Task.sleep(for: patience)
            // If the check has ended by now, no one is waiting for it.
            for one in state.withLock({ Self.overdue(in: &$0, at: now(), patience) }) {
                one.resume(returning: false)
            }
        }
    }

    private static func taken(from state: inout State) -> [CheckedContinuation<Bool, Never>] {
        defer { state.waiting = [] }
        return state.waiting
    }

    private static func overdue(
        in state: inout State,
        at now: ContinuousClock.Instant,
        _ patience: Duration
    ) -> [CheckedContinuation<Bool, Never>] {
        guard let started = state.startedAt, started.duration(to: now) >= patience else {
            return []
        }
        return taken(from: &state)
    }
}

/// Whether what has to last can be written: by doing what a redemption does, for `/readyz` and while it
/// is known that it cannot. The log has it in words when it begins and when it ends.
struct StorageCheck: Sendable {
    private let database: SQLiteDatabase
    private let clock: Clock

    init(_ installation: Installation, logger: Logger) {
        database = installation.database
        clock = installation.clock
        database.writeTrouble.tell { error in
            guard let why = error?.whyUnwritable else {
                return logger.notice("database can be written again")
            }
            logger.error("database cannot be written", metadata: ["why": .string("\(why)")])
        }
    }

    /// Whether a write has found that nothing can be written.
    var hasTrouble: Bool { database.writeTrouble.error != nil }

    func callAsFunction() async throws {
        _ = try await RealmStore(database).lastChange()
        try await WriteProbeStore(database).write(at: clock.moment().seconds)
        database.writeTrouble.end()
    }

    /// Finds out whether it can be written again, where it is known that it cannot.
    func retry() async throws {
        guard database.writeTrouble.error != nil else { return }
        try await callAsFunction()
    }
}
