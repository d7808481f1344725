import Dispatch
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import Portico

/// The system, which grants time to an app that is not in front.
private final class Granter: Sendable {
    private struct State {
        var bodies: [@Sendable (Bool) -> Void] = []
        var returned = 0
    }

    private let state = Locked(State())
    private let grants: Bool

    init(grants: Bool = true) {
        self.grants = grants
    }

    var granting: ExpiringActivity.Granting {
        { [self] body in
            state.withLock { $0.bodies.append(body) }
            DispatchQueue(label: "system").async { [self] in
                body(!grants)
                state.withLock { $0.returned += 1 }
            }
        }
    }

    /// The time is over. A second call of the last body, while the first still waits.
    func expire() async {
        let body = state.withLock { $0.bodies.last }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "expiry").async {
                body?(true)
                continuation.resume()
            }
        }
    }

    /// Whether the system may suspend the app.
    var isQuiet: Bool { state.withLock { $0.returned == $0.bodies.count } }
    var count: Int { state.withLock { $0.bodies.count } }
}

@Suite("The lock within an expiring activity")
struct ExpiringActivityTests {
    private let storage = InMemory()

    @Test("It is held within the granted time, which ends with it")
    func held() async throws {
        let granter = Granter()
        let lock = try await storage.lock(patience: .seconds(60), within: granter.granting)
        #expect(try storage.tryLock() == nil)
        #expect(!granter.isQuiet)
        lock.release()
        try await waitUntil("the activity has ended") { granter.isQuiet }
        #expect(try storage.tryLock() != nil)
        #expect(granter.count == 1)
    }

    @Test("0xdead10cc: it is free when the time is over, before the system hears back")
    func expired() async throws {
        for _ in 0..<50 {
            let granter = Granter()
            let lock = try await storage.lock(patience: .seconds(60), within: granter.granting)
            await granter.expire()
            let other = try #require(try storage.tryLock())
            try await waitUntil("the activity has ended") { granter.isQuiet }
            // A release by the former holder must not free another's lock.
            lock.release()
            #expect(try storage.tryLock() == nil)
            other.release()
        }
    }

    @Test("0xdead10cc: a write that is under way is waited for; after it nothing is written")
    func writing() async throws {
        for _ in 0..<50 {
            let granter = Granter()
            let lock = try await storage.lock(patience: .seconds(60), within: granter.granting)
            let gate = Gate()
            let writing = Task.failure {
                try await lock.hold { () throws(SignInError) in await gate.pass() }
            }
            await gate.arrival()
            let isOver = Locked(false)
            let expiry = Task {
                await granter.expire()
                isOver.withLock { $0 = true }
            }
            for _ in 0..<20 { await Task.yield() }
            #expect(try storage.tryLock() == nil)
            #expect(!isOver.withLock { $0 })
            gate.open()
            #expect(await writing.value == nil)
            await expiry.value
            let other = try #require(try storage.tryLock())
            let late = await thrown {
                try await lock.hold { () throws(SignInError) in
                    _ = Issue.record("the lock is lost")
                }
            }
            #expect(late == .transient(.suspending, retryAfter: nil))
            other.release()
            try await waitUntil("the activity has ended") { granter.isQuiet }
        }
    }

    @Test("0xdead10cc: without granted time no lock is taken")
    func refused() async throws {
        let granter = Granter(grants: false)
        // Not even asked for: it is held, and there is no patience.
        let other = try #require(try storage.tryLock())
        await #expect(throws: SignInError(.transient(.suspending, retryAfter: nil))) {
            _ = try await storage.lock(patience: .zero, within: granter.granting)
        }
        other.release()
        #expect(try storage.tryLock() != nil)
        try await waitUntil("the activity has ended") { granter.isQuiet }
    }

    @Test("0xdead10cc: a lock that is got after the time is over is given back")
    func expiredWhileWaiting() async throws {
        let granter = Granter()
        let other = try #require(try storage.tryLock())
        let storage = storage
        let task = Task.failure {
            _ = try await storage.lock(patience: .seconds(300), within: granter.granting)
        }
        try await waitUntil("it waits") { granter.count == 1 }
        await granter.expire()
        other.release()
        #expect(await task.value == .transient(.suspending, retryAfter: nil))
        #expect(try storage.tryLock() != nil)
        try await waitUntil("the activity has ended") { granter.isQuiet }
    }

    @Test("A lock that is not got ends the activity too")
    func busy() async throws {
        let granter = Granter()
        let other = try #require(try storage.tryLock())
        defer { other.release() }
        await #expect(throws: SignInError(.transient(.busy, retryAfter: nil))) {
            _ = try await storage.lock(patience: .zero, within: granter.granting)
        }
        try await waitUntil("the activity has ended") { granter.isQuiet }
    }
}

@Suite("The marker of an installation")
struct InstallMarkerTests {
    @Test("It is made once, and lasts")
    func lasting() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/marker"
        let names = await withTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<20 {
                // `try?`: a name that is missing fails below.
                group.addTask { try? InstallMarker(path).name() }
            }
            var names: Set<[UInt8]?> = []
            for await name in group { names.insert(name) }
            return names
        }
        #expect(names.count == 1)
        #expect(names.first??.count == 22)
        #expect(try Set([InstallMarker(path).name()]) == names)
    }

    @Test("A new installation has a new one")
    func reinstalled() throws {
        let folder = try TemporaryFolder()
        let first = try InstallMarker("\(folder.path)/one").name()
        #expect(try InstallMarker("\(folder.path)/two").name() != first)
    }

    @Test("One that cannot be read is not replaced")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/marker"
        try await PrivateFile(path).write([UInt8](repeating: 1, count: 65))
        #expect(throws: SignInError.storage(.unreadable)) { try InstallMarker(path).name() }
        #expect(throws: SignInError.storage(.unwritable)) {
            try InstallMarker("\(folder.path)/missing/marker").name()
        }
    }
}
