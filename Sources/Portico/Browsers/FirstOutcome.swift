import PorticoBytes

/// Passes the first of several outcomes to the one task that waits for it.
final class FirstOutcome<Outcome: Sendable>: Sendable {
    private let state = Locked<(told: Outcome?, waiting: CheckedContinuation<Outcome, Never>?)>(
        (nil, nil)
    )

    /// Outcomes after the first change nothing.
    func tell(_ outcome: Outcome) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.told == nil else { return nil }
            state.told = outcome
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: outcome)
    }

    /// To be called once.
    func value() async -> Outcome {
        await withCheckedContinuation { continuation in
            let told = state.withLock { state in
                if state.told == nil { state.waiting = continuation }
                return state.told
            }
            if let told { continuation.resume(returning: told) }
        }
    }
}
