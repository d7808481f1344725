import PorticoBytes
package import PorticoStores

/// Whether the database can be written, as its writes have found out: once it cannot, until a
/// ``WriteProbeStore`` could again. What a smaller write finds in between says nothing.
package final class WriteTrouble: Sendable {
    private struct State {
        var error: SQLError?
        var told: (@Sendable (SQLError?) -> Void)?
    }

    private let state = Locked(State())

    /// Why nothing can be written; `nil`: it can.
    package var error: SQLError? { state.withLock { $0.error } }

    /// - Parameter told: Called when it begins, with the reason, and when it ends, with `nil`.
    package func tell(_ told: @escaping @Sendable (SQLError?) -> Void) {
        state.withLock { $0.told = told }
    }

    /// A write failed.
    func note(_ error: any Error) {
        guard let error = error as? SQLError, error.whyUnwritable != nil else { return }
        let told = state.withLock { state -> (@Sendable (SQLError?) -> Void)? in
            guard state.error == nil else { return nil }
            state.error = error
            return state.told
        }
        told?(error)
    }

    /// A probe was written.
    package func end() {
        let told = state.withLock { state -> (@Sendable (SQLError?) -> Void)? in
            guard state.error != nil else { return nil }
            state.error = nil
            return state.told
        }
        told?(nil)
    }
}
