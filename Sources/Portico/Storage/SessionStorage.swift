import PorticoBytes

/// Keeps one session over restarts of the app, and lets the processes that share it take turns.
///
/// A record is opaque bytes that hold tokens: it must be readable by this app's user only.
public protocol SessionStorage: Sendable {
    /// What was last written, or `nil` where there is nothing.
    ///
    /// - Throws: storage(.locked) where it is there but cannot be opened now, else
    ///   storage(.unreadable) or storage(.exposed).
    @concurrent func read() async throws(SignInError) -> [UInt8]?

    /// Replaces what is there: at every moment, and after a crash, the old or the new is there,
    /// whole. When this returns the record is durable.
    ///
    /// - Throws: storage(.unwritable)
    @concurrent func write(_ record: [UInt8]) async throws(SignInError)

    /// Removes what is there, if anything is.
    @concurrent func remove() async throws(SignInError)

    /// Takes the lock of all who share this storage, in this process and others, without waiting.
    ///
    /// - Returns: `nil` where somebody holds it. It is free again when the holder releases it or
    ///   its process ends.
    /// - Throws: storage(.unwritable) where there can be no lock.
    func tryLock() throws(SignInError) -> SessionLock?
}

/// A lock that is held until it is released, or let go of.
public final class SessionLock: Sendable {
    private let onRelease: Locked<(@Sendable () -> Void)?>

    /// A lock that is held from now on, for a storage of the app's own.
    ///
    /// - Parameter onRelease: Called once.
    public init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = Locked(onRelease)
    }

    /// Lets the next one in. Calling it again does nothing.
    public func release() {
        let onRelease = onRelease.withLock { onRelease in
            defer { onRelease = nil }
            return onRelease
        }
        onRelease?()
    }

    deinit {
        release()
    }
}

extension SignInError {
    /// What a storage throws.
    public static func storage(_ problem: StorageProblem) -> SignInError {
        SignInError(.storage(problem))
    }
}

extension SessionStorage {
    /// Waits for the lock, asking again ever less often.
    ///
    /// Never blocks a thread: `flock` with waiting would hold one of the few that all tasks share.
    ///
    /// - Throws: transient(.busy) where `patience` is over.
    func lock(patience: Duration) async throws(SignInError) -> SessionLock {
        let deadline = ContinuousClock.now + patience
        var pause = Duration.milliseconds(2)
        while true {
            if let lock = try tryLock() { return lock }
            guard ContinuousClock.now < deadline else {
                throw SignInError(.transient(.busy, retryAfter: nil))
            }
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw SignInError(.cancelled(.program))
            }
            pause = min(pause * 2, .milliseconds(200))
        }
    }
}
