import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// iOS takes granted time back, and with it the lock (0xdead10cc): another process may have it.
@Suite("A lock that is lost in the middle of a refresh") struct LostLockTests {
    private let storage = FaultyStorage()

    private func expectStored(_ token: String, in scene: Scene) async throws {
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.accessToken.reveal() == token)
        #expect(stored.refreshToken?.reveal() == "R\(scene.provider.generation)")
        #expect(!scene.provider.isFamilyDead)
        #expect(scene.provider.revoked.isEmpty)
    }

    @Test("0xdead10cc: nothing is written while another process has it, and nothing is lost")
    func held() async throws {
        for _ in 0..<10 {
            let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
            let other = Locked<SessionLock?>(nil)
            scene.provider.answer("/token") { [provider = scene.provider] _ in
                provider.answerAsUsual("/token")
                storage.loseLock()
                // `try?`: a lock that is missing fails below.
                let lock = try? storage.tryLock()
                other.withLock { $0 = lock }
                return nil
            }
            let task = Task { try await session.token() }
            try await waitUntil("it waits for the lock") { storage.lockRefusals > 0 }
            #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
            other.withLock { $0 }?.release()
            try await expectStored(try await task.value, in: scene)
        }
    }

    @Test("0xdead10cc: what another process has stored meanwhile stays, and is used")
    func overtaken() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: false)
        let token = Locked<String?>(nil)
        scene.provider.answer("/token") { [provider = scene.provider] _ in
            provider.answerAsUsual("/token")
            storage.loseLock()
            // `try?`: a token that is missing fails below.
            let other = try? await scene.neighbour().token()
            token.withLock { $0 = other }
            return nil
        }
        let own = try await session.token()
        #expect(token.withLock { $0 } == own)
        try await expectStored(own, in: scene)
    }

    @Test(
        "0xdead10cc: a write that is under way keeps the lock to its end",
        // The key of the refresh, its successor, and the result.
        arguments: [1, 2, 3]
    )
    func writing(number: Int) async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        let writes = Locked(0)
        storage.onWrite {
            let count = writes.next()
            guard count == number else { return }
            storage.loseLock()
            do {
                let isTaken = try storage.tryLock() == nil
                #expect(isTaken)
            } catch {
                Issue.record(error)
            }
        }
        let token = try await session.token()
        #expect(writes.withLock { $0 } >= 3)
        #expect(try storage.tryLock() != nil)
        try await expectStored(token, in: scene)
    }

    @Test("0xdead10cc: a refusal that comes then ends nothing: it may be of a replaced token")
    func refused() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        scene.provider.answer("/token") { _ in
            storage.loseLock()
            return .error(400, "invalid_grant")
        }
        #expect(await session.failure() == .transient(.suspending, retryAfter: nil))
        #expect(session.isActive)
        scene.provider.answerAsUsual("/token")
        try await expectStored(try await session.token(), in: scene)
    }

    @Test("0xdead10cc: another person's answer is put back all the same")
    func foreign() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: false)
        scene.provider.change { $0.claims = { $0.with("sub", "mallory") } }
        let writes = Locked(0)
        storage.onWrite {
            let count = writes.next()
            // The key of the refresh was the first, the successor of the refresh token is the second.
            if count == 2 { storage.loseLock() }
        }
        #expect(await session.failure() == .rejected(.subject))
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        #expect(session.isActive && session.user.subject == "alice")
        storage.onWrite(nil)
        scene.provider.change { $0.claims = { $0 } }
        try await expectStored(try await session.token(), in: scene)
    }

    @Test("0xdead10cc: nothing new is stored under a lock that is held no more")
    func storing() async throws {
        let scene = Scene(storage: storage, scopes: [.openid, .deviceSSO])
        scene.provider.change { $0.tokens = { $0.with("device_secret", "device") } }
        let first = try await scene.signIn()
        let adopted = FaultyStorage()
        let sdk = Scene.client(scene.provider, storage: adopted)
        let other = try await Session(adopting: first.credentials(), by: sdk)
        let stored = [try await storage.read(), try await adopted.read()]
        let empty = FaultyStorage()
        let client = Scene.client(scene.provider, storage: empty)
        for storage in [storage, adopted, empty] { storage.loseLocks(after: 0) }
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("a sign-in", { _ = try await scene.signIn() }),
            (
                "a step-up",
                {
                    let attempt = try await other.beginStepUp(SignInRequest())
                    _ = try await attempt.complete(scene.provider.authorize(attempt.address))
                }
            ),
            ("tokens shared", { _ = try await Session(adopting: first.credentials(), by: client) }),
            (
                "tokens taken over",
                {
                    let own = try await first.credentials()
                    let foreign = Credentials(
                        accessToken: own.accessToken,
                        refreshToken: own.refreshToken,
                        idToken: own.idToken
                    )
                    _ = try await Session(adopting: foreign, by: client)
                }
            ), ("a device shared", { try await first.shareDevice(in: empty) }),
        ]
        for (name, call) in calls {
            let failed = await Task.failure(call).value
            #expect(failed == .transient(.suspending, retryAfter: nil), "\(name)")
        }
        #expect([try await storage.read(), try await adopted.read()] == stored)
        #expect(try await empty.read() == nil)
        #expect(first.isActive && other.isActive)
    }

    @Test("0xdead10cc: a session that shares ended tokens leaves what another has stored since")
    func sharing() async throws {
        let scene = Scene()
        let first = try await scene.signIn()
        let client = Scene.client(scene.provider, storage: storage)
        let other = try await Session(adopting: first.credentials(), by: client)
        scene.clock.advance(by: 400)
        let stored = try await storage.read()
        scene.provider.answer("/token") { _ in
            storage.loseLock()
            return .error(400, "invalid_grant")
        }
        _ = await other.failure()
        #expect(!other.isActive)
        #expect(try await storage.read() == stored)
    }

    @Test("0xdead10cc: refused tokens that were adopted are revoked; what is stored stays then")
    func refusedAdoption() async throws {
        let scene = Scene(storage: storage)
        let elsewhere = try await Scene.client(scene.provider, storage: InMemory()).begin()
        let own = try await elsewhere.complete(scene.provider.authorize(elsewhere.address))
            .credentials()
        scene.clock.advance(by: 4000)
        scene.provider.change { $0.userInfo["sub"] = "bob" }
        // The successor of the refresh token and the record take the first two.
        storage.loseLocks(after: 2)
        let foreign = Credentials(
            accessToken: own.accessToken,
            refreshToken: own.refreshToken,
            idToken: own.idToken
        )
        let client = scene.client
        let failed = await thrown { try await Session(adopting: foreign, by: client) }
        #expect(failed == .rejected(.subject))
        #expect(scene.provider.revoked == ["R1"])
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R1")
    }

    @Test("A caller waits for the lock longer than a refresh can hold it")
    func patience() async throws {
        let (scene, _, session) = try await Scene.expired(rotatingPlainly: true)
        // The metadata is out of date, at the second address, and has another endpoint and keys.
        scene.clock.advance(by: 7200)
        scene.provider.answer("/.well-known/openid-configuration") { _ in .text(404, nil, []) }
        scene.provider.answer("/.well-known/oauth-authorization-server") { _ in
            .json(FakeProvider.metadata.moved)
        }
        scene.provider.answer("/token") { _ in .text(404, "text/html", []) }
        scene.provider.answer("/oauth/token") { [provider = scene.provider] request in
            provider.tokenAnswer(request)
        }
        // Its tokens have expired when they come.
        scene.provider.change {
            $0.expiresIn = 0
            $0.signer = FakeProvider.otherKey
            $0.published = [FakeProvider.otherKey]
        }
        let before = scene.provider.secondsAllowed
        _ = await session.failure()
        #expect(scene.provider.generation == 2)
        let longest = scene.provider.secondsAllowed - before
        #expect(Duration.seconds(longest) < .refresh)
        #expect(longest > 40)
    }
}

extension JSONObject {
    fileprivate var moved: JSONObject {
        var metadata = self
        metadata["token_endpoint"] = "https://op.example.com/oauth/token"
        return metadata
    }
}

/// Providers that know our `Idempotency-Key`, and those that end the session where they see a spent
/// refresh token (RFC 9700 §4.14.2).
@Suite("A refresh whose result cannot be stored") struct UnwrittenResultTests {
    private func presented(_ scene: Scene) -> [String?] {
        scene.provider.requests("/token").filter { $0.form["grant_type"] == "refresh_token" }
            .map { $0.form["refresh_token"] }
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
            for _ in 0..<3 { #expect(await session.failure() == .storage(.unwritable)) }
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
        #expect(await session.failure() == .storage(.locked))
        scene.provider.answerAsUsual("/token")
        #expect(await session.failure() == .storage(.locked))
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
            if writes.next() == 2 { storage.failsAfterWriting = true }
        }
        #expect(await session.failure() == .storage(.unwritable))
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
        let forced = await thrown {
            try await session.refresher.record(of: session, for: .replacement(of: used))
        }
        #expect(forced == .storage(.unwritable))
        #expect(await session.failure() == .storage(.unwritable))
        storage.writeWell()
        _ = try await session.token()
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R1")
    }

    @Test("a session that is restored by the same client goes on with it")
    func restored() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await session.failure() == .storage(.unwritable))
        storage.writeWell()
        let again = try #require(await scene.client.restore().session)
        _ = try await again.token()
        #expect(presented(scene) == ["R0", "R1"])
        #expect(!scene.provider.isFamilyDead)
        #expect(try await session.token() == again.token())
    }

    @Test("a login token is asked for with it, and not with the refresh token that is spent")
    func loginToken() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await session.failure() == .storage(.unwritable))
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
        #expect(await session.failure() == .storage(.unwritable))
        let report = await session.signOut(.tokens)
        #expect(report.revoked && report.localCleared)
        #expect(scene.provider.revoked == ["R1"])
        #expect(try await storage.read() == nil)
        #expect(await session.failure() == .interactionRequired(.signedOut))
    }

    @Test("where another sign-in has taken its place, it is revoked and not written")
    func replaced() async throws {
        let (scene, storage, session) = try await Scene.expired(rotatingPlainly: true)
        storage.failWriting(after: 1)
        #expect(await session.failure() == .storage(.unwritable))
        storage.writeWell()
        let other = try await scene.signIn()
        let stored = try await storage.read()
        #expect(await session.failure() == .interactionRequired(.signedOut))
        #expect(try await storage.read() == stored)
        #expect(scene.provider.revoked == ["R1"])
        #expect(other.isActive)
    }
}
