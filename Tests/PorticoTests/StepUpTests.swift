import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Authenticating again, for an action that needs it") struct StepUpTests {
    private func complete(_ scene: Scene, _ attempt: SignIn) async throws -> Session {
        try await attempt.complete(try scene.provider.authorize(attempt.address))
    }

    @Test("RFC 9470: the same session goes on with the new tokens, here and in other processes")
    func same() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let neighbour = try await scene.neighbour()
        let before = try await session.token()
        scene.provider.change { $0.claims = { $0.with("acr", "phr").with("auth_time", $0["iat"]) } }
        let changes = session.changes
        let attempt = try await session.beginStepUp(
            SignInRequest(maxAge: .zero, acr: [.phishingResistant])
        )
        #expect(attempt.address.contains("&max_age=0"))
        #expect(try await complete(scene, attempt) === session)
        let after = try await session.token()
        #expect(after != before)
        #expect(session.user.claims.string("acr") == "phr")
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == .refreshed)
        // The neighbour finds the same sign-in in the storage, and refreshes nothing.
        scene.clock.advance(by: 250)
        scene.provider.change { $0.claims = { $0 } }
        let refreshes = scene.provider.requests("/token").count
        let tokens = [try await neighbour.token(), try await session.token()]
        #expect(Set(tokens).count == 1)
        #expect(scene.provider.requests("/token").count == refreshes + 1)
        #expect(neighbour.isActive)
    }

    @Test("another person changes nothing, and their tokens are revoked")
    func another() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let before = try await scene.storage.read()
        scene.provider.change { $0.claims = { $0.with("sub", "mallory") } }
        let attempt = try await session.beginStepUp(SignInRequest(prompt: [.login]))
        await #expect(throws: SignInError(.rejected(.subject))) {
            try await complete(scene, attempt)
        }
        #expect(try await scene.storage.read() == before)
        #expect(session.user.subject == "alice")
        #expect(session.isActive)
        #expect(scene.provider.revoked == ["R0"])
    }

    @Test("a session that shared another's tokens goes on with its own")
    func shared() async throws {
        let scene = Scene()
        let first = try await scene.signIn()
        let storage = InMemory()
        let other = Scene.client(scene.provider, storage: storage)
        let adopted = try await Session(adopting: first.credentials(), by: other)
        let attempt = try await adopted.beginStepUp(SignInRequest(prompt: [.login]))
        _ = try await complete(scene, attempt)
        scene.clock.advance(by: 400)
        let before = scene.provider.generation
        _ = try await adopted.token()
        #expect(scene.provider.generation == before + 1)
        #expect(adopted.isRefreshable)
        // Its credentials and login tokens are its own too, whatever becomes of the first.
        await first.signOut(.local)
        #expect(try await adopted.credentials().source === adopted)
        scene.provider.answer("/token") { request in
            request.form["audience"].map { _ in
                .json([
                    "issued_token_type": .string(TokenType.loginToken.rawValue),
                    "access_token": "handed-on", "token_type": "N_A", "expires_in": 60,
                ])
            }
        }
        #expect(try await adopted.loginToken(for: "other").reveal() == "handed-on")
    }

    @Test("a person who gives up stays signed in as before")
    func givenUp() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let token = try await session.token()
        let attempt = try await session.beginStepUp(SignInRequest(prompt: [.login]))
        let callback = try scene.provider.authorize(attempt.address)
            .replacing("code=", with: "error=access_denied&x=")
        await #expect(throws: SignInError(.denied)) { try await attempt.complete(callback) }
        #expect(try await session.token() == token)
    }

    @Test("a session that ended meanwhile does not come back")
    func ended() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let attempt = try await session.beginStepUp(SignInRequest(prompt: [.login]))
        await session.signOut(.local)
        await #expect(throws: SignInError(.interactionRequired(.signedOut))) {
            try await complete(scene, attempt)
        }
        #expect(try await scene.storage.read() == nil)
        await #expect(throws: SignInError(.interactionRequired(.signedOut))) {
            try await session.beginStepUp(SignInRequest())
        }
    }

    @Test("in a browser of this machine, the person's name goes along as a hint")
    func loopback() async throws {
        let scene = Scene(redirect: .loopback())
        let provider = scene.provider
        let addresses = Locked<[String]>([])
        let browser = FakeBrowser { address in
            addresses.withLock { $0.append(address) }
            let callback = try provider.authorize(address)
            Task { await browse(callback) }
        }
        provider.change { $0.claims = { $0.with("preferred_username", "ann") } }
        let session = try await scene.client.signIn(using: .loopback(open: browser))
        let before = try await session.token()
        try await session.stepUp(SignInRequest(prompt: [.login]), using: .loopback(open: browser))
        #expect(try await session.token() != before)
        #expect(addresses.withLock { $0.last }?.contains("&login_hint=ann&prompt=login") == true)
    }

    @Test("RFC 9470 §3: what a resource server asks for becomes a request")
    func challenge() throws {
        func request(_ status: Int, _ challenge: String) -> SignInRequest? {
            var response = HTTPResponse(status: .init(code: status))
            response.headerFields[.wwwAuthenticate] = challenge
            return SignInRequest(answering: response)
        }
        let error = #"error="insufficient_user_authentication""#
        let full = try #require(
            request(401, #"Bearer \#(error), acr_values="gold phr", max_age="5""#)
        )
        #expect(full.acr.map(\.text) == ["gold", "phr"])
        #expect(full.maxAge == .seconds(5))
        let bare = try #require(request(401, "DPoP \(error)"))
        #expect(bare.acr.isEmpty && bare.maxAge == nil)
        #expect(try #require(request(401, "Bearer \(error), max_age=-1")).maxAge == nil)
        #expect(try #require(request(401, "Bearer \(error), max_age=99999999999")).maxAge == nil)
        #expect(request(403, "Bearer \(error)") == nil)
        #expect(request(401, "Basic \(error)") == nil)
        #expect(request(401, #"Bearer error="invalid_token""#) == nil)
    }
}
