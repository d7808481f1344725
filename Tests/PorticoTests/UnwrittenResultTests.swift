import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// Providers that know our `Idempotency-Key`, and those that end the session where they see a spent
/// refresh token (RFC 9700 §4.14.2).
@Suite("A refresh whose result cannot be stored") struct UnwrittenResultTests {
    private func presented(_ scene: Scene) -> [String?] {
        scene.provider.requests("/token").filter { $0.form["grant_type"] == "refresh_token" }
            .map { $0.form["refresh_token"] }
    }

    private func failure(_ session: Session) async -> SignInError.Kind? {
        await Task.failure { _ = try await session.token() }.value
    }

    @Test(
        "it is told, kept, and written before anything else: no one is signed out, twenty rounds",
        arguments: [true, false],
        // The first write keeps the key of the refresh, the second its successor, the third the result.
        [1, 2]
    )
    func unwritable(isPlain: Bool, writes: Int) async throws {
        for _ in 0..<20 {
            let (scene, storage, session) = try await Scene.expired(rotatingPlainly: isPlain)
            let shown = session.accessTokenExpiry
            storage.failWriting(after: writes)
            for _ in 0..<3 { #expect(await failure(session) == .storage(.unwritable)) }
            #expect(session.isActive)
            #expect(session.accessTokenExpiry == shown)
            #expect(presented(scene) == ["R0"])
            storage.writeWell()
            let callers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await session.token() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(callers.count == 1)
            #expect(Set(presented(scene)).count == presented(scene).count, "none of them twice")
            #expect(!scene.provider.isFamilyDead)
            let stored = try #require(try await scene.storedRecord)
            #expect(callers == [stored.accessToken.reveal()])
            #expect(stored.refreshToken?.reveal() == "R\(scene.provider.generation)")
        }
    }

    @Test(
        "a storage that cannot be read after the rotation loses nothing",
        arguments: [true, false]
    )
    func unreadable(isPlain: Bool) async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: isPlain)
        scene.provider.answer("/token") { _ in
            storage.failsReading = true
            return nil
        }
        #expect(await failure(session) == .storage(.locked))
        scene.provider.answerAsUsual("/token")
        #expect(await failure(session) == .storage(.locked))
        storage.failsReading = false
        _ = try await session.token()
        #expect(!scene.provider.isFamilyDead)
        #expect(scene.provider.revoked.isEmpty)
        #expect(Set(presented(scene)).count == presented(scene).count)
    }

    @Test("a write that was done although it failed is found, and not done again")
    func written() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        let writes = Locked(0)
        storage.onWrite {
            if writes.withLock({
                $0 += 1; return $0
            }) == 2 {
                storage.failsAfterWriting = true
            }
        }
        #expect(await failure(session) == .storage(.unwritable))
        storage.failsAfterWriting = false
        storage.onWrite(nil)
        let token = try await session.token()
        #expect(try await scene.storedRecord?.accessToken.reveal() == token)
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("it is written before a token is handed out that is still good")
    func beforeFresh() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        let used = SecretText(try await session.token())
        storage.failWriting(after: 1)
        let forced = await Task.failure {
            _ = try await session.refresher.record(of: session, for: .replacement(of: used))
        }.value
        #expect(forced == .storage(.unwritable))
        #expect(await failure(session) == .storage(.unwritable))
        storage.writeWell()
        _ = try await session.token()
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R1")
    }

    @Test("a session that is restored by the same client goes on with it")
    func restored() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await failure(session) == .storage(.unwritable))
        storage.writeWell()
        guard case .signedIn(let again) = await scene.client.restore() else {
            Issue.record("It is not restored.")
            return
        }
        _ = try await again.token()
        #expect(presented(scene) == ["R0", "R1"])
        #expect(!scene.provider.isFamilyDead)
        #expect(try await session.token() == again.token())
    }

    @Test("a login token is asked for with it, and not with the refresh token that is spent")
    func loginToken() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await failure(session) == .storage(.unwritable))
        let exchange = GrantType.tokenExchange.rawValue
        scene.provider.answer("/token") { request in
            guard request.form["grant_type"] == exchange else { return nil }
            return .json([
                "access_token": "login-token.x",
                "issued_token_type": .string(TokenType.loginToken.rawValue),
            ])
        }
        #expect(try await session.loginToken(for: "shop").reveal() == "login-token.x")
        let exchanges = scene.provider.requests("/token")
            .filter { $0.form["grant_type"] == exchange }
        #expect(exchanges.map { $0.form["subject_token"] } == ["R1"])
        #expect(presented(scene) == ["R0"])
        #expect(!scene.provider.isFamilyDead && session.isActive)
    }

    @Test("signing out revokes it")
    func signOut() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await failure(session) == .storage(.unwritable))
        let report = await session.signOut(.tokens)
        #expect(report.revoked && report.localCleared)
        #expect(scene.provider.revoked == ["R1"])
        #expect(try await storage.read() == nil)
        #expect(await failure(session) == .interactionRequired(.signedOut))
    }

    @Test("where another sign-in has taken its place, it is revoked and not written")
    func replaced() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await failure(session) == .storage(.unwritable))
        storage.writeWell()
        let other = try await scene.signIn()
        let stored = try await storage.read()
        #expect(await failure(session) == .interactionRequired(.signedOut))
        #expect(try await storage.read() == stored)
        #expect(scene.provider.revoked == ["R1"])
        #expect(other.isActive)
    }
}
