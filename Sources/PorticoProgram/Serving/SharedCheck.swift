import PorticoBytes

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

    /// Whether the check passed.
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
        /// No check is running, so this caller starts one.
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
