import PorticoBytes
import PorticoProtocol

/// Keeps one session across restarts of the app, and serializes the processes that share it.
///
/// A record is opaque bytes that hold tokens: only this app's user may be able to read it.
public protocol SessionStorage: Sendable {
    /// What was last written, or `nil` if nothing was.
    ///
    /// - Throws: storage(.locked) if the storage exists but cannot be opened now, otherwise
    ///   storage(.unreadable) or storage(.exposed).
    @concurrent func read() async throws(SignInError) -> [UInt8]?

    /// Replaces the record. At every moment, and after a crash, either the old or the new record is
    /// stored, whole. When this returns, the record is durable.
    ///
    /// - Throws: storage(.unwritable)
    @concurrent func write(_ record: [UInt8]) async throws(SignInError)

    /// Removes the record, if any.
    @concurrent func remove() async throws(SignInError)

    /// Takes the lock shared by all users of this storage, in this process and others, without
    /// waiting.
    ///
    /// - Returns: `nil` if another holder has it. The lock is free again when the holder releases
    ///   it or its process ends.
    /// - Throws: storage(.unwritable) if a lock is not possible.
    func tryLock() throws(SignInError) -> SessionLock?
}

/// A lock that is held until it is released or deallocated.
public final class SessionLock: Sendable {
    private struct State {
        /// `nil` once it was called.
        var onRelease: (@Sendable () -> Void)?
        var isReleased = false
        var isWriting = false
    }

    private let state: Locked<State>

    /// A lock that is held from now on, for an app's own storage type.
    ///
    /// - Parameter onRelease: Called once.
    public init(onRelease: @escaping @Sendable () -> Void) {
        state = Locked(State(onRelease: onRelease))
    }

    /// Releases the lock, after a write that is under way. Calling it again does nothing.
    public func release() {
        state.withLock { state in
            state.isReleased = true
            return Self.ending(&state)
        }?()
    }

    /// Reads, compares and writes while the lock is held for certain: one that is released
    /// meanwhile (``ExpiringActivity``) is free after that. One write at a time.
    ///
    /// - Throws: transient(.suspending) if the lock is held no more; `write` was not called then.
    func hold<Result>(
        during write: () async throws(SignInError) -> Result
    ) async throws(SignInError) -> Result {
        let isHeld = state.withLock { state in
            state.isWriting = !state.isReleased
            return state.isWriting
        }
        guard isHeld else { throw SignInError(.transient(.suspending, retryAfter: nil)) }
        defer {
            state.withLock { state in
                state.isWriting = false
                return state.isReleased ? Self.ending(&state) : nil
            }?()
        }
        return try await write()
    }

    private static func ending(_ state: inout State) -> (@Sendable () -> Void)? {
        guard !state.isWriting else { return nil }
        defer { state.onRelease = nil }
        return state.onRelease
    }

    deinit {
        release()
    }
}

extension SignInError {
    /// The error of a storage.
    public static func storage(_ problem: StorageProblem) -> SignInError {
        SignInError(.storage(problem))
    }
}

extension SessionStorage {
    /// Waits for the lock, and holds it within an activity that the system lets finish.
    ///
    /// - Parameter granting: `nil` where no process is suspended.
    /// - Throws: transient(.busy) if `patience` is over, transient(.suspending)
    func lock(
        patience: Duration,
        within granting: ExpiringActivity.Granting? = ExpiringActivity.system
    ) async throws(SignInError) -> SessionLock {
        guard let granting else { return try await waitForLock(patience: patience) }
        let activity = try await ExpiringActivity.begin(granting)
        do {
            return try activity.holding(try await waitForLock(patience: patience))
        } catch {
            activity.end()
            throw error
        }
    }

    /// Tries at growing intervals. Never blocks a thread: a waiting `flock` would hold one of the
    /// few threads that all tasks share.
    private func waitForLock(patience: Duration) async throws(SignInError) -> SessionLock {
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

/// The records in a storage. One that a later version of the library wrote is left alone: another
/// app, or this one once it is updated, still uses it.
extension SessionStorage {
    /// - Returns: `nil` if nothing is stored, or nothing that can be parsed.
    /// - Throws: storage(.laterVersion), and as ``read()``.
    func record<Record: KeptRecord>() async throws(SignInError) -> Record? {
        guard let bytes = try await read() else { return nil }
        return try Record.reading(bytes)
    }

    /// Stores the record of a new sign-in, under the lock: another process may be about to write a
    /// refresh of the previous session.
    func replace(with record: some KeptRecord) async throws(SignInError) {
        let lock = try await lock(patience: .refresh)
        defer { lock.release() }
        try await lock.hold { () throws(SignInError) in
            try await checkKeeps(type(of: record))
            try await write(record.serialized())
        }
    }

    /// Checks that the record of a sign-in can be kept, before a person is asked to sign in. Damage
    /// is no obstacle: the new record replaces it.
    ///
    /// - Throws: storage(.laterVersion), storage(.locked), storage(.entitlementMissing),
    ///   storage(.noKeyring)
    func checkKeeps<Record: KeptRecord>(_: Record.Type) async throws(SignInError) {
        do {
            _ = try await record() as Record?
        } catch {
            switch error.kind {
            case .storage(.laterVersion), .storage(.locked), .storage(.entitlementMissing),
                .storage(.noKeyring):
                throw error
            default: return
            }
        }
    }
}

extension KeptRecord {
    /// - Returns: `nil` if the bytes are not a record.
    /// - Throws: storage(.laterVersion)
    static func reading(_ bytes: [UInt8]) throws(SignInError) -> Self? {
        if let record = Self(bytes) { return record }
        // `try?`: what is not JSON has no version.
        let json = try? JSONObject(parsing: bytes, limits: JSONLimits(size: 1 << 20))
        guard let version = json?.int64("version"), version > Self.version else { return nil }
        throw .storage(.laterVersion)
    }
}

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
