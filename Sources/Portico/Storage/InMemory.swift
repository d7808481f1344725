import PorticoBytes

/// Keeps a session as long as the process runs.
public final class InMemory: SessionStorage {
    private let state = Locked<(record: [UInt8]?, isLocked: Bool)>((nil, false))

    /// An empty storage.
    public init() {}

    @concurrent public func read() async throws(SignInError) -> [UInt8]? {
        state.withLock { $0.record }
    }

    @concurrent public func write(_ record: [UInt8]) async throws(SignInError) {
        state.withLock { $0.record = record }
    }

    @concurrent public func remove() async throws(SignInError) {
        state.withLock { $0.record = nil }
    }

    public func tryLock() throws(SignInError) -> SessionLock? {
        let isTaken = state.withLock { state in
            defer { state.isLocked = true }
            return !state.isLocked
        }
        return isTaken ? SessionLock { [state] in state.withLock { $0.isLocked = false } } : nil
    }
}

extension SessionStorage where Self == InMemory {
    /// A new ``InMemory``.
    public static var inMemory: InMemory { InMemory() }
}
