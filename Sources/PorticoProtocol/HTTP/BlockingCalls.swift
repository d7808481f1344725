import PorticoBytes

/// Runs what blocks its thread, at worst for a minute, on threads of its own: the system's
/// resolvers. Who asks for a name that is being asked for waits for the same answer.
package final class BlockingCalls<Value: Sendable>: Sendable {
    /// The most names, and threads, at one time.
    private let most: Int
    private typealias Waiting = [ObjectIdentifier: CallOutcome<Value?>]

    /// By name, who waits.
    private let underWay = Locked<[String: Waiting]>([:])

    private enum Begun { case first, joined, full }

    package init(most: Int) {
        self.most = most
    }

    /// - Parameter name: Of one kind of call: callers who ask for the same get the same.
    /// - Returns: `nil`, without a call, where too many are under way or there is no thread.
    /// - Throws: `CancellationError` as soon as the task is cancelled; the thread ends by itself.
    package func callAsFunction(_ name: String, _ call: @escaping @Sendable () -> Value)
        async throws -> Value?
    {
        let outcome = CallOutcome<Value?>()
        let begun = begin(name, outcome)
        guard begun != .full else { return nil }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                outcome.expect(continuation)
                guard begun == .first else { return }
                let end: @Sendable (Value?) -> Void = { [underWay] value in
                    let waiting = underWay.withLock { $0.removeValue(forKey: name) } ?? [:]
                    for outcome in waiting.values { outcome.give(.success(value)) }
                }
                if !OwnThread.start({ end(call()) }) { end(nil) }
            }
        } onCancel: { [underWay] in
            // The cancelled task does not wait for the system. The name stays: its thread still runs.
            underWay.withLock { $0[name]?[ObjectIdentifier(outcome)] = nil }
            outcome.give(.failure(CancellationError()))
        }
    }

    private func begin(_ name: String, _ outcome: CallOutcome<Value?>) -> Begun {
        underWay.withLock { underWay in
            if underWay[name] != nil {
                underWay[name]?[ObjectIdentifier(outcome)] = outcome
                return .joined
            }
            guard underWay.count < most else { return .full }
            underWay[name] = [ObjectIdentifier(outcome): outcome]
            return .first
        }
    }
}

/// Ends a wait with whichever comes first: the call's value, or the task's cancellation.
private final class CallOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open
        case expected(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
    }

    private let state = Locked(State.open)

    func expect(_ continuation: CheckedContinuation<Value, any Error>) {
        let given: Result<Value, any Error>? = state.withLock { state in
            if case .given(let result) = state { return result }
            state = .expected(continuation)
            return nil
        }
        if let given { continuation.resume(with: given) }
    }

    func give(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = state.withLock { state in
            defer { state = .given(result) }
            if case .expected(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(with: result)
    }
}
