import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// A clock that moves only when told.
final class StoppedClock: Sendable {
    private let moment = Locked(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date { moment.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        moment.withLock { $0 += seconds }
    }
}

/// A client, its provider and its storage.
struct Scene {
    let clock: StoppedClock
    let provider: FakeProvider
    let storage: any SessionStorage
    let client: SignInClient

    static let redirectURI = "https://app.example.com/cb"

    init(
        storage: any SessionStorage = InMemory(),
        redirect: Redirect = .https(redirectURI),
        issuer: String = FakeProvider.issuer,
        scopes: [ScopeToken] = [.openid, .profile, .email],
        options: SignInClient.Options = SignInClient.Options()
    ) {
        let clock = StoppedClock()
        let provider = FakeProvider(clock)
        self.clock = clock
        self.provider = provider
        self.storage = storage
        client = Self.client(
            provider,
            storage: storage,
            redirect: redirect,
            issuer: issuer,
            scopes: scopes,
            options: options
        )
    }

    static func client(
        _ provider: FakeProvider,
        storage: any SessionStorage,
        redirect: Redirect = .https(redirectURI),
        issuer: String = FakeProvider.issuer,
        clientID: String = "app",
        scopes: [ScopeToken] = [.openid, .profile, .email],
        options: SignInClient.Options = SignInClient.Options()
    ) -> SignInClient {
        let clock = provider.clock
        return SignInClient(
            issuer: issuer,
            clientID: clientID,
            redirect: redirect,
            scopes: scopes,
            options: options,
            storage: storage,
            transport: provider,
            now: { clock.now },
            random: .system
        )
    }

    /// Signs in with a browser that does what it is told.
    func signIn(_ request: SignInRequest = SignInRequest()) async throws -> Session {
        try await client.signIn(at: provider, request)
    }

    /// A session whose token has expired, and whose provider rotates as told.
    static func expired(rotatingPlainly isPlain: Bool) async throws -> (
        Scene, FaultyStorage, Session
    ) {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        scene.provider.change { $0.rotatesPlainly = isPlain }
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        return (scene, storage, session)
    }

    /// What a sign-in throws.
    func failure(of request: SignInRequest = SignInRequest()) async -> SignInError.Kind? {
        await thrown { try await signIn(request) }
    }

    /// Another client over the same storage, as another process has it.
    func neighbour() async throws -> Session {
        try #require(await Self.client(provider, storage: storage).restore().session)
    }

    var storedRecord: SessionRecord? {
        get async throws { try await storage.read().flatMap(SessionRecord.init) }
    }
}

/// Holds every caller until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrivals = 0
    }

    private let state = Locked(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until a caller is held.
    func arrival(_ count: Int = 1) async {
        do {
            try await waitUntil("\(count) at the gate") { state.withLock { $0.arrivals } >= count }
        } catch {
            Issue.record(error)
            open()
        }
    }
}

/// What an action throws.
func thrown<Value>(_ action: () async throws -> Value) async -> SignInError.Kind? {
    do {
        _ = try await action()
        return nil
    } catch {
        return (error as? SignInError)?.kind
    }
}

extension Session {
    /// What asking for a token throws.
    func failure() async -> SignInError.Kind? { await thrown { try await token() } }
}

extension BackendSession {
    func failure() async -> SignInError.Kind? { await thrown { try await token() } }
}

extension SignInClient {
    /// Signs in with a browser that does what it is told.
    func signIn(at provider: FakeProvider, _ request: SignInRequest = SignInRequest()) async throws
        -> Portico.Session
    {
        let attempt = try await begin(request)
        return try await attempt.complete(try provider.authorize(attempt.address))
    }
}

extension Restored {
    var session: Session? { if case .signedIn(let session) = self { session } else { nil } }
    var isSignedOut: Bool { if case .signedOut = self { true } else { false } }
    /// Why the storage could not be read.
    var problem: SignInError.StorageProblem? {
        if case .locked(let problem) = self { problem } else { nil }
    }
}

extension Locked where Value == Int {
    /// Counts one more.
    func next() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}

extension Task where Success == Void, Failure == Never {
    /// Runs and hands back what was thrown.
    static func failure(_ body: @escaping @Sendable () async throws -> Void) -> Task<
        SignInError.Kind?, Never
    > {
        Task<SignInError.Kind?, Never> { await thrown(body) }
    }
}

/// Looks at one parameter of an address or body.
func parameter(_ name: String, of address: String) throws -> String? {
    let query = address.split(separator: "?", maxSplits: 1).last ?? ""
    return try FormParameters(decoding: query.utf8)[name]
}

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

/// A browser sheet that does what it is told.
final class ScriptedSheet: BrowserSheet {
    struct Showing: Hashable, Sendable {
        let address: String
        let ending: SheetEnding
    }

    typealias Script =
        @Sendable (_ address: String, _ count: Int) async throws(SignInError) ->
        String

    let takesHTTPS: Bool
    private let script: Script
    private let shown = Locked<[Showing]>([])

    /// - Parameter script: Returns the URI that the sheet closes with; `count` begins with 1.
    init(takesHTTPS: Bool = true, _ script: @escaping Script) {
        self.takesHTTPS = takesHTTPS
        self.script = script
    }

    var showings: [Showing] { shown.withLock { $0 } }

    func show(_ address: String, until ending: SheetEnding) async throws(SignInError) -> String {
        let count = shown.withLock { shown in
            shown.append(Showing(address: address, ending: ending))
            return shown.count
        }
        return try await script(address, count)
    }
}

extension FakeProvider {
    /// The person signs in, and the browser is sent back.
    func agreeing(_ address: String) throws(SignInError) -> String {
        do {
            return try authorize(address)
        } catch {
            throw SignInError(.denied)
        }
    }
}
