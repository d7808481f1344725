import PorticoBytes

@testable import Portico

/// Keeps a record in memory, and fails when told to.
final class FaultyStorage: SessionStorage {
    private struct Faults {
        var reading = false
        var writing = false
        var afterWriting = false
        var writesLeft: Int?
        var onWrite: (@Sendable () async -> Void)?
        var onRead: (@Sendable () async -> Void)?
        weak var lock: SessionLock?
        var lockRefusals = 0
    }

    private let memory: any SessionStorage
    private let faults = Locked(Faults())

    init(_ memory: any SessionStorage = InMemory()) {
        self.memory = memory
    }

    var failsReading: Bool {
        get { faults.withLock { $0.reading } }
        set { faults.withLock { $0.reading = newValue } }
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

    /// The holder of the lock loses it, as when iOS takes granted time back.
    func loseLock() {
        faults.withLock { $0.lock }?.release()
    }

    @concurrent func read() async throws(SignInError) -> [UInt8]? {
        await faults.withLock { faults in
            defer { faults.onRead = nil }
            return faults.onRead
        }?()
        if failsReading { throw .storage(.locked) }
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
        if failsWriting { throw .storage(.unwritable) }
        try await memory.remove()
    }

    func tryLock() throws(SignInError) -> SessionLock? {
        let lock = try memory.tryLock()
        faults.withLock { faults in
            if lock == nil { faults.lockRefusals += 1 } else { faults.lock = lock }
        }
        return lock
    }

    /// How often the lock was requested while it was held.
    var lockRefusals: Int { faults.withLock { $0.lockRefusals } }
}
