import Dispatch
import PorticoBytes

/// Runs what blocks its thread, at worst for a minute, on threads of its own: the system's
/// resolvers.
package final class BlockingCalls: Sendable {
    /// The most calls at one time.
    private static let most = 32

    private let queue: DispatchQueue
    private let underWay = Locked(0)

    package init(_ label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// - Returns: `nil`, without a call, where too many are under way.
    /// - Throws: `CancellationError` as soon as the task is cancelled; the thread ends by itself.
    package func callAsFunction<Value: Sendable>(_ call: @escaping @Sendable () -> Value)
        async throws -> Value?
    {
        let mayCall = underWay.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard mayCall else { return nil }
        let outcome = CallOutcome<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                outcome.expect(continuation)
                queue.async { [underWay] in
                    let value = call()
                    underWay.withLock { $0 -= 1 }
                    outcome.give(.success(value))
                }
            }
        } onCancel: {
            // The cancelled task does not wait for the system.
            outcome.give(.failure(CancellationError()))
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
