import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("Refresh")
struct RefreshTests {
    private let scene = Scene()
    private let storage = FaultyStorage()

    private static let key = HTTPField.Name("Idempotency-Key")

    private func refreshes(_ scene: Scene) -> [FakeProvider.Request] {
        scene.provider.requests("/token").filter { $0.form["grant_type"] == "refresh_token" }
    }

    private func expired(_ storage: any SessionStorage = InMemory()) async throws -> (
        Scene, Session
    ) {
        let scene = Scene(storage: storage)
        let session = try await scene.signIn()
        scene.clock.advance(by: 400)
        return (scene, session)
    }

    @Test("RFC 6749 §6: a token that is good for long enough is handed out without a request")
    func fresh() async throws {
        let session = try await scene.signIn()
        let first = try await session.token()
        scene.clock.advance(by: 200)
        #expect(try await session.token(validFor: .seconds(60)) == first)
        #expect(refreshes(scene).isEmpty)
        #expect(try await session.token(validFor: .seconds(100)) != first)
        #expect(refreshes(scene).count == 1)
    }

    @Test("RFC 6749 §6: what the request says, and that the answer replaces the old tokens")
    func request() async throws {
        let (scene, session) = try await expired()
        let old = try #require(try await scene.storedRecord)
        let token = try await session.token()
        let request = try #require(refreshes(scene).first)
        #expect(request.form["refresh_token"] == "R0")
        #expect(request.form["client_id"] == "app")
        #expect(request.form["client_secret"] == nil)
        #expect(request.form["scope"] == nil)
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.accessToken.reveal() == token)
        #expect(stored.accessToken != old.accessToken)
        #expect(stored.refreshToken?.reveal() == "R1")
        #expect(stored.pending == nil)
        #expect(stored.isOf(old))
        #expect(!String(decoding: stored.serialized(), as: UTF8.self).contains("\"R0\""))
    }

    @Test("RFC 6749 §6: a hundred callers with an expired token cause one request, twenty rounds")
    func singleFlight() async throws {
        for _ in 0..<20 {
            let (scene, session) = try await expired()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await session.token() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(refreshes(scene).count == 1)
            #expect(scene.provider.generation == 1)
        }
    }

    @Test("Sessions over one storage, as in two processes, refresh once, twenty rounds")
    func neighbours() async throws {
        for _ in 0..<20 {
            let (scene, session) = try await expired()
            var sessions = [session]
            for _ in 0..<4 { sessions.append(try await scene.neighbour()) }
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for session in sessions {
                    for _ in 0..<5 { group.addTask { try await session.token() } }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(refreshes(scene).count == 1)
            #expect(!scene.provider.isFamilyDead)
        }
    }

    @Test("RFC 6749 §6: the result is stored before anyone sees it")
    func storedFirst() async throws {
        let (scene, session) = try await expired(storage)
        let old = try #require(try await scene.storedRecord)
        let gate = Gate()
        var changes = session.changes.makeAsyncIterator()
        // The first write keeps the key of the refresh, the second the token that takes the spent
        // one's place, the third the result.
        let writes = Locked(0)
        storage.onWrite {
            if writes.next() == 3 { await gate.pass() }
        }
        let caller = Task { try await session.token() }
        await gate.arrival()
        #expect(session.accessTokenExpiry == old.expiresAt)
        gate.open()
        #expect(try await caller.value == scene.storedRecord?.accessToken.reveal())
        #expect(await changes.next() == .refreshed)
    }

    @Test("A storage that cannot be written before the request: nothing is sent")
    func unwritableBefore() async throws {
        let (scene, session) = try await expired(storage)
        storage.failsWriting = true
        #expect(await session.failure() == .storage(.unwritable))
        #expect(refreshes(scene).isEmpty)
        #expect(session.isActive)
    }

    @Test("A lost answer never signs out: the repetition, even elsewhere, has the same key")
    func lostAnswer() async throws {
        let (scene, session) = try await expired()
        let provider = scene.provider
        // The provider rotates, and its answer is lost.
        provider.loseAnswer("/token")
        #expect(await session.failure() == .transient(.unreachable, retryAfter: nil))
        #expect(session.isActive)
        let pending = try #require(try await scene.storedRecord?.pending)
        scene.clock.advance(by: 3600)
        let neighbour = try await scene.neighbour()
        _ = try await neighbour.token()
        let sent = refreshes(scene).last?.fields[Self.key ?? .accept]
        #expect(sent == "\"\(pending.idempotencyKey)\"")
        #expect(!provider.isFamilyDead)
        #expect(provider.generation == 1)
        // The next one is another.
        scene.clock.advance(by: 400)
        _ = try await neighbour.token()
        #expect(refreshes(scene).last?.fields[Self.key ?? .accept] != sent)
        #expect(try await session.token() == scene.storedRecord?.accessToken.reveal())
    }

    @Test("A started refresh is never cancelled by its callers: it ends and is stored")
    func cancelledCallers() async throws {
        let (scene, session) = try await expired()
        let gate = Gate()
        scene.provider.answer("/token") { _ in
            await gate.pass()
            return nil
        }
        let callers = (0..<5).map { _ in Task.failure { _ = try await session.token() } }
        await gate.arrival()
        for caller in callers { caller.cancel() }
        for caller in callers { #expect(await caller.value == .cancelled(.program)) }
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        gate.open()
        // Joins it, or finds what it stored.
        let token = try await session.token()
        #expect(try await scene.storedRecord?.accessToken.reveal() == token)
        #expect(refreshes(scene).count == 1)
    }

    @Test(
        "RFC 6749 §5.2: nothing but invalid_grant ends a session",
        arguments: [
            (.text(500, nil, []), .transient(.serverError, retryAfter: nil)),
            (
                .text(503, "text/html", Array("<html>".utf8)),
                .transient(.serverError, retryAfter: nil)
            ),
            (
                .text(400, "text/html", Array("<html>".utf8)),
                .transient(.serverError, retryAfter: nil)
            ),
            (.error(500, "invalid_grant"), .transient(.serverError, retryAfter: nil)),
            (.error(400, "temporarily_unavailable"), .transient(.serverError, retryAfter: nil)),
            (.error(400, "invalid_request"), .misconfigured(.requestRefused)),
            (.error(401, "invalid_client"), .misconfigured(.clientRefused)),
            (
                .text(429, nil, [], [.retryAfter: "3"]),
                .transient(.tooManyRequests, retryAfter: .seconds(3))
            ),
            (.text(302, nil, []), .rejected(.redirected)),
            (.text(200, "application/json", Array("{}".utf8)), .rejected(.tokenResponse)),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func transient(reply: HTTPReply, kind: SignInError.Kind) async throws {
        let (scene, session) = try await expired()
        scene.provider.answer("/token") { _ in reply }
        #expect(await session.failure() == kind)
        #expect(session.isActive)
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        scene.provider.answerAsUsual("/token")
        _ = try await session.token()
        #expect(scene.provider.generation == 1)
    }

    @Test("A refresh without network: all callers are told, the next call tries again")
    func offline() async throws {
        let (scene, session) = try await expired()
        scene.provider.answer("/token") { _ throws(HTTPTransportError) in throw .unreachable }
        let callers = (0..<10).map { _ in Task.failure { _ = try await session.token() } }
        for caller in callers {
            #expect(await caller.value == .transient(.unreachable, retryAfter: nil))
        }
        scene.provider.answerAsUsual("/token")
        _ = try await session.token()
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("RFC 6749 §5.2: invalid_grant for the current refresh token ends the session")
    func invalidGrant() async throws {
        let (scene, session) = try await expired()
        var changes = session.changes.makeAsyncIterator()
        scene.provider.answer("/token") { _ in .error(400, "invalid_grant") }
        for _ in 0..<2 {
            #expect(await session.failure() == .interactionRequired(.sessionEnded))
        }
        #expect(refreshes(scene).count == 1)
        #expect(!session.isActive)
        #expect(session.user.subject == "alice")
        #expect(try await scene.storage.read() == nil)
        #expect(await changes.next() == .ended(.sessionEnded))
        #expect(await changes.next() == nil)
        // A later listener is told too.
        var late = session.changes.makeAsyncIterator()
        #expect(await late.next() == .ended(.sessionEnded))
        #expect(await late.next() == nil)
    }

    @Test("The changes of a session that no one holds any more end with it")
    func changesEnd() async throws {
        var changes: AsyncStream<SessionChange>?
        do {
            let session = try await scene.signIn()
            changes = session.changes
        }
        var iterator = try #require(changes).makeAsyncIterator()
        #expect(await iterator.next() == nil)
    }

    @Test("invalid_grant for a refresh token that is no longer the current one ends nothing")
    func invalidGrantForOld() async throws {
        let (scene, session) = try await expired()
        let storage = scene.storage
        scene.provider.answer("/token") { _ in
            // A writer without the lock has stored a newer one in the meantime.
            if let bytes = try? await storage.read(), var record = SessionRecord(bytes) {
                record.refreshToken = SecretText("R-new")
                try? await storage.write(record.serialized())
            }
            return .error(400, "invalid_grant")
        }
        #expect(await session.failure() == .transient(.busy, retryAfter: nil))
        #expect(session.isActive)
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R-new")
    }

    @Test("Signing out during a refresh: the late result is dropped and revoked")
    func signOutMeanwhile() async throws {
        for _ in 0..<20 {
            let (scene, session) = try await expired()
            let gate = Gate()
            scene.provider.answer("/token") { _ in
                await gate.pass()
                return nil
            }
            let caller = Task.failure { _ = try await session.token() }
            await gate.arrival()
            async let report = session.signOut(.local)
            try await waitUntil("the session is over") { !session.isActive }
            gate.open()
            #expect(await caller.value == .interactionRequired(.signedOut))
            #expect(await report.localCleared)
            #expect(try await scene.storage.read() == nil)
            #expect(scene.provider.revoked == ["R1"])
        }
    }

    @Test("Signing out while the result is written: nothing comes back")
    func signOutWhileWriting() async throws {
        for _ in 0..<20 {
            let storage = FaultyStorage()
            let (scene, session) = try await expired(storage)
            let gate = Gate()
            let writes = Locked(0)
            storage.onWrite {
                if writes.next() == 2 { await gate.pass() }
            }
            let caller = Task.failure { _ = try await session.token() }
            await gate.arrival()
            async let report = session.signOut(.local)
            try await waitUntil("the session is over") { !session.isActive }
            gate.open()
            #expect(await caller.value == .interactionRequired(.signedOut))
            #expect(await report.localCleared)
            #expect(try await scene.storage.read() == nil)
        }
    }

    @Test("A sign-out in another process ends the session here")
    func signedOutElsewhere() async throws {
        let (scene, session) = try await expired()
        _ = await (try scene.neighbour()).signOut(.local)
        #expect(await session.failure() == .interactionRequired(.signedOut))
        #expect(!session.isActive)
        #expect(refreshes(scene).isEmpty)
    }

    @Test("Another sign-in in another process is another session, and stays")
    func replaced() async throws {
        let (scene, session) = try await expired()
        let other = Scene.client(scene.provider, storage: scene.storage)
        _ = try await other.signIn(at: scene.provider)
        let stored = try await scene.storage.read()
        #expect(await session.failure() == .interactionRequired(.signedOut))
        #expect(try await scene.storage.read() == stored)
        _ = await session.signOut(.tokens)
        #expect(try await scene.storage.read() == stored)
    }

    @Test("A storage that is locked for now ends nothing")
    func lockedStorage() async throws {
        let (scene, session) = try await expired(storage)
        storage.failsReading = true
        #expect(await session.failure() == .storage(.locked))
        storage.failsReading = false
        #expect(session.isActive)
        _ = try await session.token()
        #expect(refreshes(scene).count == 1)
    }

    @Test(
        "OpenID Connect Core §12.2: a refreshed ID Token that does not continue the sign-in is refused",
        arguments: [
            ("sub", "bob", .subject), ("iss", "https://evil.example", .issuer),
            ("aud", "other", .audience), ("azp", "app", .authorizedParty),
            ("auth_time", 1_700_000_001, .authTime), ("nonce", "new", .nonce),
            ("at_hash", "x", .accessTokenHash),
        ] as [(String, JSONValue, SignInError.Check)]
    )
    func refreshedIDToken(name: String, value: JSONValue, check: SignInError.Check) async throws {
        let (scene, session) = try await expired()
        let old = try #require(try await scene.storedRecord)
        scene.provider.change { $0.claims = { $0.with(name, value) } }
        #expect(await session.failure() == .rejected(check))
        // Nothing of the answer was taken, and the session is not lost.
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.accessToken == old.accessToken)
        #expect(stored.refreshToken == old.refreshToken)
        #expect(session.user.subject == "alice")
        scene.provider.change { $0.claims = { $0 } }
        _ = try await session.token()
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("A new refresh token is kept although the ID Token beside it cannot be checked yet")
    func uncheckable() async throws {
        let (scene, session) = try await expired()
        let old = try #require(try await scene.storedRecord)
        // A provider that does not know Idempotency-Key: only the successor is good now.
        scene.provider.change {
            $0.published.append(FakeProvider.otherKey)
            $0.signer = FakeProvider.otherKey
        }
        scene.provider.answer("/keys") { _ throws(HTTPTransportError) in throw .unreachable }
        scene.clock.advance(by: 400)
        #expect(await session.failure() == .transient(.unreachable, retryAfter: nil))
        #expect(session.isActive)
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.refreshToken?.reveal() == "R1")
        #expect(stored.pending == nil)
        #expect(stored.accessToken == old.accessToken, "nothing of it is used unchecked")
        #expect(stored.idToken.text == old.idToken.text)

        scene.provider.answerAsUsual("/keys")
        scene.clock.advance(by: 400)
        _ = try await (try await scene.neighbour()).token()
        #expect(refreshes(scene).map { $0.form["refresh_token"] } == ["R0", "R1"])
        #expect(!scene.provider.isFamilyDead)
    }

    @Test(
        "A provider whose clocks disagree signs no one out: the successor is kept, the token refused",
        arguments: ["iat": 520, "exp": -200, "nbf": 520] as [String: Int64]
    )
    func clocksDisagree(claim: String, offset: Int64) async throws {
        let (scene, session) = try await expired()
        let old = try #require(try await scene.storedRecord)
        scene.provider.change {
            $0.rotatesPlainly = true
            $0.claims = { $0.with(claim, .integer(1_700_000_000 + offset)) }
        }
        scene.provider.answer("/token") { [provider = scene.provider] request in
            var reply = provider.tokenAnswer(request)
            // That of our clock, so it is not the one that is wrong.
            reply.response.headerFields[.date] = "Tue, 14 Nov 2023 22:20:00 GMT"
            return reply
        }
        let failed = await session.failure()
        let checks: [String: SignInError.Check] = [
            "iat": .issuedAt, "exp": .expiry, "nbf": .notBefore,
        ]
        #expect(failed == checks[claim].map(SignInError.Kind.rejected))
        #expect(session.isActive)
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.refreshToken?.reveal() == "R1")
        #expect(stored.accessToken == old.accessToken && stored.idToken.text == old.idToken.text)
        scene.provider.change { $0.claims = { $0 } }
        _ = try await session.token()
        #expect(refreshes(scene).map { $0.form["refresh_token"] } == ["R0", "R1"])
        #expect(!scene.provider.isFamilyDead)
    }

    @Test("Another person's answer is refused as such, even if its times are wrong too")
    func anotherPersonsTimes() async throws {
        let (scene, session) = try await expired()
        scene.provider.change {
            $0.claims = { $0.with("iat", 1_700_000_520).with("sub", "mallory") }
        }
        #expect(await session.failure() == .rejected(.subject))
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
    }

    @Test(
        "RFC 6749 §5.1: an answer that is wrong elsewhere spends no session: its refresh token is kept",
        arguments: [
            ("token_type", nil), ("token_type", ""), ("token_type", "mac"), ("token_type", 7),
            ("access_token", nil), ("access_token", ""), ("access_token", "a b"),
            ("id_token", "a b"), ("device_secret", "a\n"),
        ] as [(String, JSONValue?)],
        [true, false]
    )
    func unusable(_ change: (String, JSONValue?), isJSON: Bool) async throws {
        let (scene, session) = try await expired()
        let old = try #require(try await scene.storedRecord)
        scene.provider.change { $0.rotatesPlainly = true }
        scene.provider.answer("/token") { [provider = scene.provider] request in
            var reply = provider.tokenAnswer(request)
            // `try?`: a body that is missing fails below.
            var json = (try? JSONObject(parsing: reply.body)) ?? [:]
            json[change.0] = change.1
            reply.body = json.serialized()
            if !isJSON { reply.response.headerFields[.contentType] = "text/plain" }
            return reply
        }
        let failed = await session.failure()
        #expect(
            failed
                == .rejected(
                    isJSON && ["mac", ""].contains(change.1) && change.0 == "token_type"
                        ? .tokenType : .tokenResponse
                )
        )
        #expect(session.isActive)
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.refreshToken?.reveal() == "R1")
        #expect(stored.accessToken == old.accessToken && stored.pending == nil)
        scene.provider.answerAsUsual("/token")
        _ = try await session.token()
        #expect(!scene.provider.isFamilyDead)
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R2")
    }

    @Test(
        "RFC 6749 §5.1: what is no answer at all has no refresh token",
        arguments: [
            "", "<html>R9</html>", #"["refresh_token"]"#, #"{"refresh_token":""}"#,
            #"{"refresh_token":"R\u00019"}"#, #"{"refresh_token":9}"#,
            #"{"error":"x","refresh_token":"R9"}"#, #"{"refresh_token":"R8","refresh_token":"R9"}"#,
        ]
    )
    func nothing(_ body: String) async throws {
        let (scene, session) = try await expired()
        scene.provider.answer("/token") { _ in .text(200, "application/json", Array(body.utf8)) }
        #expect(await session.failure() == .rejected(.tokenResponse))
        #expect(session.isActive)
        #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R0")
        scene.provider.answerAsUsual("/token")
        _ = try await session.token()
    }

    @Test("OpenID Connect Core §12.2: an iat before that of the sign-in is refused")
    func refreshedIssuedAt() async throws {
        let session = try await scene.signIn()
        scene.clock.advance(by: 290)
        scene.provider.change { $0.claims = { $0.with("iat", 1_699_999_999) } }
        #expect(await session.failure() == .rejected(.issuedAt))
    }

    @Test("RFC 6749 §6: what the answer leaves out stays as it was")
    func merge() async throws {
        let (scene, session) = try await expired()
        let old = try #require(try await scene.storedRecord)
        scene.provider.change {
            $0.tokens = { _ in ["access_token": "A-new", "token_type": "bearer"] }
        }
        #expect(try await session.token() == "A-new")
        let stored = try #require(try await scene.storedRecord)
        #expect(stored.refreshToken == old.refreshToken)
        #expect(stored.idToken.text == old.idToken.text)
        #expect(stored.scope == old.scope)
        #expect(stored.expiresAt == nil)
        #expect(session.user.name == "Alice")
    }

    @Test("RFC 6749 §5.1: an unknown life is not an endless one")
    func unknownLife() async throws {
        scene.provider.change { $0.tokens = { $0.with("expires_in", nil) } }
        let session = try await scene.signIn()
        scene.clock.advance(by: 3599)
        _ = try await session.token()
        #expect(refreshes(scene).isEmpty)
        scene.clock.advance(by: 2)
        _ = try await session.token()
        #expect(refreshes(scene).count == 1)
    }

    @Test("A token whose whole life is short is not refreshed at every use")
    func shortLife() async throws {
        scene.provider.change { $0.expiresIn = 30 }
        let session = try await scene.signIn()
        for _ in 0..<10 { _ = try await session.token() }
        #expect(refreshes(scene).isEmpty)
        scene.clock.advance(by: 16)
        for _ in 0..<10 { _ = try await session.token() }
        #expect(refreshes(scene).count == 1)
    }

    @Test("A clock that is set back does not make an old token fresh")
    func clockSetBack() async throws {
        let session = try await scene.signIn()
        scene.clock.advance(by: -7200)
        scene.provider.change { $0.claims = { $0.with("iat", 1_700_000_000) } }
        // The refresh is tried; what comes of it is another matter with such a clock.
        _ = await session.failure()
        #expect(refreshes(scene).count == 1)
        #expect(session.isActive)
    }

    @Test("Who joins a refresh that asked for less gets what they asked for")
    func joined() async throws {
        let (scene, session) = try await expired()
        // Another process stores a token that is good for another 70 seconds when this one looks.
        let neighbour = try await scene.neighbour()
        _ = try await neighbour.token()
        scene.clock.advance(by: 230)
        let lock = try #require(try scene.storage.tryLock())
        let usual = Task.immediate { try await session.token() }
        let lasting = Task.immediate { try await session.token(validFor: .seconds(200)) }
        try await Task.sleep(for: .milliseconds(50))
        lock.release()
        let tokens = [try await usual.value, try await lasting.value]
        #expect(tokens[0] != tokens[1])
        #expect(try await scene.storedRecord?.accessToken.reveal() == tokens[1])
        #expect(refreshes(scene).count == 2)
    }

    @Test("A token that is asked to live longer than any does is an error, and costs no refresh")
    func tooLong() async throws {
        let session = try await scene.signIn()
        for seconds in [300, 301, 3600] {
            let failed = Task.failure { _ = try await session.token(validFor: .seconds(seconds)) }
            #expect(await failed.value == .misconfigured(.tokenLifeTooShort))
        }
        #expect(refreshes(scene).isEmpty)
        scene.clock.advance(by: 280)
        let failed = Task.failure { _ = try await session.token(validFor: .seconds(600)) }
        #expect(await failed.value == .misconfigured(.tokenLifeTooShort))
        #expect(refreshes(scene).count == 1)
        scene.provider.change { $0.expiresIn = 1200 }
        scene.clock.advance(by: 280)
        _ = try await session.token(validFor: .seconds(600))
        #expect(refreshes(scene).count == 2)
        #expect(session.isActive)
    }

    @Test("Without a refresh token an expired session says so, and an unexpired one is used")
    func noRefreshToken() async throws {
        scene.provider.change { $0.tokens = { $0.with("refresh_token", nil) } }
        let session = try await scene.signIn()
        #expect(!session.isRefreshable)
        scene.clock.advance(by: 299)
        _ = try await session.token()
        let tooLong = Task.failure { _ = try await session.token(validFor: .seconds(2)) }
        #expect(await tooLong.value == .interactionRequired(.expired))
        let never = Task.failure { _ = try await session.token(validFor: .seconds(600)) }
        #expect(await never.value == .misconfigured(.tokenLifeTooShort))
        scene.clock.advance(by: 1)
        #expect(await session.failure() == .interactionRequired(.expired))
        #expect(session.isActive)
        #expect(refreshes(scene).isEmpty)
    }
}
