import PorticoBytes

/// A change to a session.
public enum SessionChange: Hashable, Sendable {
    /// A new token was stored; user and roles may be new too.
    case refreshed
    /// The last change: the session is over.
    case ended(SignInError.Interaction)
}

/// Reports changes to any number of listeners, each with its own stream.
final class ChangeFeed: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<SessionChange>.Continuation] = [:]
        var next = 0
        var last: SessionChange?
    }

    private let state = Locked(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    func stream() -> AsyncStream<SessionChange> {
        // A slow listener misses the oldest changes, not the newest.
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionChange.self,
            bufferingPolicy: .bufferingNewest(16)
        )
        let (number, last) = state.withLock { state in
            state.next += 1
            if state.last == nil { state.listeners[state.next] = continuation }
            return (state.next, state.last)
        }
        if let last {
            continuation.yield(last)
            continuation.finish()
        } else {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[number] = nil }
            }
        }
        return stream
    }

    func tell(_ change: SessionChange) {
        let listeners = state.withLock { state in
            if case .ended = change { state.last = change }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(change) }
        guard case .ended = change else { return }
        for listener in listeners { listener.finish() }
    }
}
