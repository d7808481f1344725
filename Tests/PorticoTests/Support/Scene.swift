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
        let attempt = try await client.begin(request)
        return try await attempt.complete(try provider.authorize(attempt.address))
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
        do {
            _ = try await signIn(request)
            return nil
        } catch {
            return (error as? SignInError)?.kind
        }
    }

    /// Another client over the same storage, as another process has it.
    func neighbour() async throws -> Session {
        let client = Self.client(provider, storage: storage)
        guard case .signedIn(let session) = await client.restore() else {
            throw SignInError(.interactionRequired(.signedOut))
        }
        return session
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

extension Task where Success == Void, Failure == Never {
    /// Runs and hands back what was thrown.
    static func failure(_ body: @escaping @Sendable () async throws -> Void) -> Task<
        SignInError.Kind?, Never
    > {
        Task<SignInError.Kind?, Never> {
            do {
                try await body()
                return nil
            } catch {
                return (error as? SignInError)?.kind
            }
        }
    }
}

/// Looks at one parameter of an address or body.
func parameter(_ name: String, of address: String) throws -> String? {
    let query = address.split(separator: "?", maxSplits: 1).last ?? ""
    return try FormParameters(decoding: query.utf8)[name]
}
