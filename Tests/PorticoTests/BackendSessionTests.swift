import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("Keeping and ending a session at a backend")
struct BackendSessionTests {
    private let scene = BackendScene()

    @Test("A session of an earlier run is there without a request, and is not new")
    func restore() async throws {
        _ = try await scene.signIn()
        let requests = scene.backend.requests.count
        let neighbour = try await scene.neighbour()
        #expect(neighbour.user.name == "Ann")
        #expect(!neighbour.isNew)
        #expect(try await neighbour.token() == "S2")
        #expect(scene.backend.requests.count == requests)
    }

    @Test("A session of another backend or app, or of a provider, is none")
    func foreign() async throws {
        _ = try await scene.signIn()
        for other in [
            BackendScene.client(scene.backend, storage: scene.storage, app: "other"),
            BackendScene.client(
                scene.backend,
                storage: scene.storage,
                address: "https://api.notes.example.com:8443"
            ),
            BackendScene.client(
                scene.backend,
                storage: scene.storage,
                address: "https://API.notes.example.com"
            ),
        ] {
            #expect(await other.restore().session == nil)
        }
        #expect(await scene.client.restore().session != nil)

        let providers = Scene(storage: scene.storage)
        #expect(await providers.client.restore().isSignedOut)
        _ = try await providers.signIn()
        #expect(await scene.client.restore().session == nil)
    }

    @Test("A damaged record is no session, and nothing traps; a good one is read as written")
    func damaged() async throws {
        _ = try await scene.signIn()
        var record = try #require(try await scene.storedRecord)
        record.pending = PendingRefresh(SecretText("R0"), random: .system)
        let good = record.serialized()
        #expect(BackendRecord(good)?.serialized() == good)
        #expect(BackendRecord(good)?.pending?.isFor(SecretText("R0")) == true)
        for length in stride(from: 0, to: good.count, by: 7) {
            #expect(BackendRecord(Array(good[..<length])) == nil)
        }
        for position in stride(from: 0, to: good.count, by: 3) {
            var bytes = good
            bytes[position] ^= 0x10
            _ = BackendRecord(bytes)
        }
        for text in ["", "null", "{}", #"{"version":2}"#] {
            try await scene.storage.write(Array(text.utf8))
            #expect(await scene.client.restore().session == nil)
        }
    }

    @Test("A storage that is locked for now is not \"signed out\"")
    func locked() async throws {
        let storage = FaultyStorage()
        let scene = BackendScene(storage: storage)
        _ = try await scene.signIn()
        storage.failsReading = true
        for restored in [await scene.client.restore(), await scene.client.currentSession()] {
            #expect(restored.problem == .locked)
        }
        storage.failsReading = false
        #expect(await scene.client.currentSession().session != nil)
    }

    @Test("SEED-TIJS-8: at launch the session is checked, and what is new of the person is kept")
    func checked() async throws {
        _ = try await scene.signIn()
        scene.backend.change { $0.user["email"] = "new@example.com" }
        let session = try #require(await scene.client.currentSession().session)
        #expect(session.user.email == "new@example.com")
        #expect(try await scene.storedRecord?.user.email == "new@example.com")
        let asked = try #require(scene.backend.requests("/v1/auth/session").first)
        #expect(asked.fields[.authorization] == "Bearer S2")
        #expect(scene.backend.generation == 0)
    }

    @Test("SEED-TIJS-8: a session token that is refused is renewed before anything ends")
    func renewed() async throws {
        _ = try await scene.signIn()
        scene.backend.expireTokens()
        let session = try #require(await scene.client.currentSession().session)
        #expect(session.isActive)
        #expect(scene.backend.generation == 1)
        #expect(scene.backend.requests("/v1/auth/session").count == 2)
    }

    @Test("SEED-TIJS-8: a session that the backend refuses is over, and its tokens are forgotten")
    func refused() async throws {
        for isExpired in [false, true] {
            let scene = BackendScene()
            _ = try await scene.signIn()
            if isExpired { scene.clock.advance(by: 1000) }
            scene.backend.endSession()
            #expect(await scene.client.currentSession().isSignedOut)
            #expect(try await scene.storage.read() == nil)
        }
    }

    @Test(
        "SEED-TIJS-8: where the backend cannot be asked the session stays",
        arguments: ["/v1/auth/session", "/v1/auth/refresh"],
        [
            nil, .text(503, "text/html", []), .text(200, "text/html", Array("<html>".utf8)),
            .text(302, nil, [], [.location: "https://portal.example"]),
            .json(["authenticated": false]),
        ] as [HTTPReply?]
    )
    func offline(path: String, reply: HTTPReply?) async throws {
        _ = try await scene.signIn()
        if path == "/v1/auth/refresh" { scene.clock.advance(by: 1000) }
        scene.backend.answer(path) { _ throws(HTTPTransportError) in
            guard let reply else { throw .unreachable }
            return reply
        }
        let session = try #require(await scene.client.currentSession().session)
        #expect(session.isActive)
        #expect(try await scene.storage.read() != nil)
        await #expect(throws: SignInError.self) { try await session.check() }
        scene.backend.answerAsUsual(path)
        try await session.check()
    }

    @Test("An answer about another person is not this session's")
    func otherPerson() async throws {
        let session = try await scene.signIn()
        scene.backend.change { $0.user = ["id": "u-2"] }
        await #expect(throws: SignInError(.rejected(.subject))) { try await session.check() }
        #expect(session.user.id == "u-1")
        #expect(try await scene.storedRecord?.user.id == "u-1")
    }

    @Test("What is printed shows no token and nothing personal")
    func redaction() async throws {
        let attempt = try scene.client.begin()
        let session = try await attempt.complete(try scene.backend.authorize(attempt.address))
        let record = try #require(try await scene.storedRecord)
        let verifier = try #require(
            scene.backend.requests("/v1/auth/token").first?.form["code_verifier"]
        )
        let answer = try BackendAnswer(
            parsing: Array(
                #"{"session_token":"S2","token_type":"Bearer","refresh_token":"R0","user":{"id":"u-1"}}"#
                    .utf8
            )
        )
        for value in [session, record, scene.client, session.user, attempt, session.http, answer]
            as [Any]
        {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for secret in [verifier, "hand-off-1", "\"S2\"", "\"R0\"", "ann@example.com"] {
                    #expect(!text.contains(secret), "\(type(of: value))")
                }
            }
        }
    }
}

@Suite("Signing out at a backend")
struct BackendSignOutTests {
    private let scene = BackendScene()

    @Test("Here first, then at the backend, with the token in the header field")
    func signOut() async throws {
        let session = try await scene.signIn()
        var changes = session.changes.makeAsyncIterator()
        let report = await session.signOut()
        #expect(report.revoked)
        #expect(report.localCleared)
        #expect(report.browserSession == .notAsked)
        #expect(!session.isActive)
        #expect(try await scene.storage.read() == nil)
        let request = try #require(scene.backend.requests("/v1/auth/logout").first)
        #expect(request.method == "POST")
        #expect(request.fields[.authorization] == "Bearer S2")
        #expect(HTTPAddress(request.address)?.query == nil)
        #expect(await changes.next() == .ended(.signedOut))
        let again = await session.signOut()
        #expect(again.revocation == .notAsked)
        #expect(scene.backend.requests("/v1/auth/logout").count == 1)
        #expect(await session.failure() == .interactionRequired(.signedOut))
    }

    @Test("Everywhere: the backend is told so, with a token that it knows")
    func everywhere() async throws {
        let (scene, session) = try await BackendScene.expired()
        let report = await session.signOut(everywhere: true)
        #expect(report.revoked)
        let request = try #require(scene.backend.requests("/v1/auth/logout").first)
        #expect(HTTPAddress(request.address)?.query == "everywhere=true")
        #expect(request.fields[.authorization] == "Bearer S3")
        #expect(try await scene.storage.read() == nil)
    }

    @Test("Without a network it is over here, and the report says what failed")
    func offline() async throws {
        let session = try await scene.signIn()
        scene.backend.answer("/v1/auth/logout") { _ throws(HTTPTransportError) in
            throw .unreachable
        }
        let report = await session.signOut()
        #expect(
            report.revocation == .failed(SignInError(.transient(.unreachable, retryAfter: nil)))
        )
        #expect(report.localCleared)
        #expect(!session.isActive)
        #expect(try await scene.storage.read() == nil)
    }

    @Test("What the backend knows no more is over; that the others are, it cannot promise")
    func unknown() async throws {
        for everywhere in [false, true] {
            let scene = BackendScene()
            let session = try await scene.signIn()
            scene.backend.endSession()
            let report = await session.signOut(everywhere: everywhere)
            #expect(report.revoked == !everywhere)
            #expect(report.localCleared)
        }
    }

    @Test("A refresh token that another process has renewed is the one that counts")
    func renewedElsewhere() async throws {
        let (scene, session) = try await BackendScene.expired()
        _ = try await (try await scene.neighbour()).token()
        let report = await session.signOut()
        #expect(report.revoked)
        #expect(scene.backend.requests("/v1/auth/logout").count == 1)
        #expect(scene.backend.generation == 1)
    }

    @Test("Decision 0035: a sign-out after a lost answer repeats the refresh with its key")
    func lostAnswer() async throws {
        let (scene, session) = try await BackendScene.expired()
        let backend = scene.backend
        let key = HTTPField.Name("Idempotency-Key") ?? .accept
        backend.loseAnswer("/v1/auth/refresh")
        _ = await session.failure()
        let report = await session.signOut(everywhere: true)
        #expect(report.revoked)
        let keys = backend.requests("/v1/auth/refresh").map { $0.fields[key] }
        #expect(Set(keys).count == 1)
        #expect(backend.requests("/v1/auth/logout").count == 1)
    }

    @Test("A sign-out during a refresh: the late result is dropped, and ended at the backend")
    func meanwhile() async throws {
        let (scene, session) = try await BackendScene.expired()
        let neighbour = try await scene.neighbour()
        let gate = Gate()
        scene.backend.answer("/v1/auth/refresh") { _ in
            await gate.pass()
            return nil
        }
        scene.backend.answer("/v1/auth/logout") { _ in .json(["success": true]) }
        let caller = Task.failure { _ = try await session.token() }
        await gate.arrival()
        async let report = session.signOut()
        try await waitUntil("the session is over") { !session.isActive }
        gate.open()
        #expect(await caller.value == .interactionRequired(.signedOut))
        #expect(await report.localCleared)
        #expect(try await scene.storage.read() == nil)
        let ended = scene.backend.requests("/v1/auth/logout")
            .map { $0.fields[.authorization] ?? "" }
        #expect(ended.contains("Bearer S3"))
        #expect(await neighbour.failure() == .interactionRequired(.signedOut))
    }
}
