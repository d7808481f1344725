import PorticoBytes

/// A check that many may ask for and that is made once a second at most: whoever asks meanwhile gets
/// the last answer, and whoever asks while it is made waits for the same one. So asking costs nothing,
/// however often it is done.
final class SharedCheck: Sendable {
    private struct State {
        var answer = false
        var answeredAt: ContinuousClock.Instant?
        /// The check under way, which may never end.
        var startedAt: ContinuousClock.Instant?
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state = Locked(State())
    private let interval: Duration
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let check: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - interval: For how long an answer holds.
    ///   - patience: How long is waited for one. What does not answer by then is not well.
    ///   - check: Throws where something is wrong.
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

    /// Whether all is well.
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
        /// Nobody makes the check yet.
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
            // `try?`: nobody cancels it.
            try? await Task.sleep(for: patience)
            // Those who wait for this check in vain; where it has ended, there are none.
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
