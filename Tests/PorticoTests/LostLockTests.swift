import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

/// iOS takes granted time back, and with it the lock (0xdead10cc): another process may have it.
@Suite("A lock that is lost in the middle of a refresh") struct LostLockTests {
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
            let count = writes.withLock {
                $0 += 1; return $0
            }
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
        let failed = await Task.failure { _ = try await session.token() }.value
        #expect(failed == .transient(.suspending, retryAfter: nil))
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
            let count = writes.withLock {
                $0 += 1; return $0
            }
            // The key of the refresh was the first, the successor of the refresh token is the second.
            if count == 2 { storage.loseLock() }
        }
        let failed = await Task.failure { _ = try await session.token() }.value
        #expect(failed == .rejected(.subject))
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        #expect(session.isActive && session.user.subject == "alice")
        storage.onWrite(nil)
        scene.provider.change { $0.claims = { $0 } }
        try await expectStored(try await session.token(), in: scene)
    }

    @Test("0xdead10cc: nothing new is stored under a lock that is held no more")
    func storing() async throws {
        let storage = FaultyStorage()
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
        let storage = FaultyStorage()
        let client = Scene.client(scene.provider, storage: storage)
        let other = try await Session(adopting: first.credentials(), by: client)
        scene.clock.advance(by: 400)
        let stored = try await storage.read()
        scene.provider.answer("/token") { _ in
            storage.loseLock()
            return .error(400, "invalid_grant")
        }
        _ = await Task.failure { _ = try await other.token() }.value
        #expect(!other.isActive)
        #expect(try await storage.read() == stored)
    }

    @Test("0xdead10cc: refused tokens that were adopted are revoked; what is stored stays then")
    func refusedAdoption() async throws {
        let storage = FaultyStorage()
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
        let failed = await Task.failure {
            _ = try await Session(adopting: foreign, by: client)
        }.value
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
        _ = await Task.failure { _ = try await session.token() }.value
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
