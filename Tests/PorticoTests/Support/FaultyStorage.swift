import PorticoBytes

@testable import Portico

/// Keeps a record in memory, and fails when told to.
final class FaultyStorage: SessionStorage {
    private struct Faults {
        var reading: SignInError.Kind?
        var writing = false
        var afterWriting = false
        var writesLeft: Int?
        var onWrite: (@Sendable () async -> Void)?
        var onRead: (@Sendable () async -> Void)?
        var onRemove: (@Sendable () async -> Void)?
        weak var lock: SessionLock?
        var locksLeft: Int?
        var lockRefusals = 0
    }

    private let memory: any SessionStorage
    private let faults = Locked(Faults())

    init(_ memory: any SessionStorage = InMemory()) {
        self.memory = memory
    }

    var failsReading: Bool {
        get { faults.withLock { $0.reading != nil } }
        set { faults.withLock { $0.reading = newValue ? .storage(.locked) : nil } }
    }

    func failReading(by problem: SignInError.StorageProblem) {
        faults.withLock { $0.reading = .storage(problem) }
    }

    var failsWriting: Bool {
        get { faults.withLock { $0.writing } }
        set { faults.withLock { $0.writing = newValue } }
    }

    /// Writes, and then says that it has not.
    var failsAfterWriting: Bool {
        get { faults.withLock { $0.afterWriting } }
        set { faults.withLock { $0.afterWriting = newValue } }
    }

    /// How many more writes succeed.
    func failWriting(after count: Int) {
        faults.withLock { $0.writesLeft = count }
    }

    func writeWell() {
        faults.withLock { $0.writesLeft = nil }
    }

    /// Called before each write.
    func onWrite(_ body: (@Sendable () async -> Void)?) {
        faults.withLock { $0.onWrite = body }
    }

    /// Called before the next read.
    func onRead(_ body: @escaping @Sendable () async -> Void) {
        faults.withLock { $0.onRead = body }
    }

    /// Called before the next removal.
    func onRemove(_ body: @escaping @Sendable () async -> Void) {
        faults.withLock { $0.onRemove = body }
    }

    /// The holder of the lock loses it, as when iOS takes granted time back.
    func loseLock() {
        faults.withLock { $0.lock }?.release()
    }

    /// All locks but the next few are lost before their holders read or write.
    func loseLocks(after count: Int) {
        faults.withLock { $0.locksLeft = count }
    }

    @concurrent func read() async throws(SignInError) -> [UInt8]? {
        await faults.withLock { faults in
            defer { faults.onRead = nil }
            return faults.onRead
        }?()
        if let problem = faults.withLock({ $0.reading }) { throw SignInError(problem) }
        return try await memory.read()
    }

    @concurrent func write(_ record: [UInt8]) async throws(SignInError) {
        await faults.withLock { $0.onWrite }?()
        let fails = faults.withLock { faults in
            if let left = faults.writesLeft {
                guard left > 0 else { return true }
                faults.writesLeft = left - 1
            }
            return faults.writing
        }
        if fails { throw .storage(.unwritable) }
        try await memory.write(record)
        if failsAfterWriting { throw .storage(.unwritable) }
    }

    @concurrent func remove() async throws(SignInError) {
        await faults.withLock { faults in
            defer { faults.onRemove = nil }
            return faults.onRemove
        }?()
        if failsWriting { throw .storage(.unwritable) }
        try await memory.remove()
    }

    func tryLock() throws(SignInError) -> SessionLock? {
        let lock = try memory.tryLock()
        let isLost = faults.withLock { faults in
            guard let lock else {
                faults.lockRefusals += 1
                return false
            }
            faults.lock = lock
            guard let left = faults.locksLeft else { return false }
            faults.locksLeft = max(0, left - 1)
            return left == 0
        }
        if isLost { lock?.release() }
        return lock
    }

    /// How often the lock was requested while it was held.
    var lockRefusals: Int { faults.withLock { $0.lockRefusals } }
}
