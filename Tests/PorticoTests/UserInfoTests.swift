import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("UserInfo")
struct UserInfoTests {
    private let scene = Scene()

    @Test("OpenID Connect Core §5.3.1: by GET, the token in the field; the claims as they come")
    func request() async throws {
        let session = try await scene.signIn()
        let user = try await session.userInfo()
        #expect(user.email == "a@example.com")
        #expect(user.id == session.user.id)
        let request = try #require(scene.provider.requests("/userinfo").first)
        #expect(request.method == "GET")
        #expect(request.fields[.authorization] == "Bearer A2")
        #expect(request.address == "https://op.example.com/userinfo")
        struct Profile: Decodable { let name: String }
        #expect(try await session.userInfo(as: Profile.self).name == "Alice")
    }

    @Test(
        "OpenID Connect Core §5.3.2: claims of another subject are not used",
        arguments: ["bob", "Alice", "alice ", nil, "", ["alice"]] as [JSONValue?]
    )
    func subject(value: JSONValue?) async throws {
        let session = try await scene.signIn()
        scene.provider.change {
            $0.userInfo["sub"] = value
            $0.userInfo["realm_access"] = ["roles": ["admin"]]
        }
        let failed = await thrown { try await session.userInfo() }
        #expect(failed == .rejected(.subject))
        #expect(!session.roles.contains("admin"))
    }

    @Test("Roles that only UserInfo has are there once it was asked, and survive a refresh")
    func roles() async throws {
        let session = try await scene.signIn()
        scene.provider.change {
            $0.userInfo["resource_access"] = ["notes": ["roles": ["owner"]]]
        }
        #expect(!session.roles.contains("owner", in: .client("notes")))
        _ = try await session.userInfo()
        #expect(session.roles.contains("owner", in: .client("notes")))
        #expect(session.roles.contains("reader"))
        scene.clock.advance(by: 400)
        _ = try await session.token()
        #expect(session.roles.contains("owner", in: .client("notes")))
    }

    /// Signed in at a provider that issues no refresh token.
    private func signedIn(hasUserInfo: Bool = true) async throws -> (Scene, Session) {
        scene.provider.change {
            if !hasUserInfo { $0.metadata["userinfo_endpoint"] = nil }
            $0.tokens = { $0.with("refresh_token", nil) }
        }
        return (scene, try await scene.signIn())
    }

    @Test(
        "Without a refresh token a session is good while its access token is",
        arguments: [true, false]
    )
    func unrenewable(hasUserInfo: Bool) async throws {
        let (scene, session) = try await signedIn(hasUserInfo: hasUserInfo)
        try await session.check()
        #expect(await scene.client.currentSession().session != nil)
        let before = scene.provider.requests.count
        scene.clock.advance(by: 301)
        let failed = await thrown { try await session.check() }
        #expect(failed == .interactionRequired(.expired))
        #expect(await scene.client.currentSession().isSignedOut)
        // By this clock, which may be wrong: the record stays.
        #expect(session.isActive)
        #expect(try await scene.storedRecord != nil)
        #expect(scene.provider.requests.count == before)
    }

    @Test("Without a refresh token, a refused access token is the end; offline is not")
    func unrenewableRefused() async throws {
        let (scene, session) = try await signedIn()
        scene.provider.answer("/userinfo") { _ throws(HTTPTransportError) in throw .unreachable }
        #expect(await scene.client.currentSession().session != nil)
        scene.provider.answer("/userinfo") { _ in .unauthorized }
        let failed = await thrown { try await session.check() }
        #expect(failed == .interactionRequired(.expired))
        #expect(await scene.client.currentSession().isSignedOut)
        #expect(scene.provider.requests("/token").count == 1)
        #expect(try await scene.storedRecord != nil)
    }

    @Test("A profile text is at most 8 KiB if it is not ASCII")
    func longText() async throws {
        let session = try await scene.signIn()
        scene.provider.change {
            $0.userInfo["profile"] = .string(String(repeating: "é", count: 4096))
        }
        #expect(try await session.userInfo().claims.string("profile")?.utf8.count == 8192)
        scene.provider.change {
            $0.userInfo["profile"] = .string(String(repeating: "é", count: 4097))
        }
        let failed = await thrown { try await session.userInfo() }
        #expect(failed == .rejected(.userInfo))
    }

    @Test("WEB-INPUT-1: a challenge of many combining marks is not read, and replaces no token")
    func longChallenge() async throws {
        let session = try await scene.signIn()
        scene.provider.answer("/userinfo") { _ in
            let marks = String(repeating: "\u{301}\u{316}", count: 10_000)
            let challenge = #"Bearer error="invalid_token", realm="\#(marks)""#
            return .text(401, nil, [], [.wwwAuthenticate: challenge])
        }
        let failed = await thrown { try await session.userInfo() }
        #expect(failed == .misconfigured(.scopeRefused))
    }

    @Test("RFC 6750 §3.1: a refused token is replaced once")
    func refusedToken() async throws {
        let session = try await scene.signIn()
        scene.provider.answer("/userinfo") { request in
            request.fields[.authorization] == "Bearer A2" ? .unauthorized : nil
        }
        #expect(try await session.userInfo().name == "Alice")
        scene.provider.answer("/userinfo") { _ in .unauthorized }
        let failed = await thrown { try await session.userInfo() }
        #expect(failed == .interactionRequired(.sessionEnded))
        // The provider may be wrong about its own token; only the token endpoint ends a session.
        #expect(session.isActive)
    }

    @Test(
        "What is no UserInfo answer is refused",
        arguments: [
            (.text(200, "text/html", Array("{}".utf8)), .rejected(.userInfo)),
            (.text(200, "application/json", Array("[]".utf8)), .rejected(.userInfo)),
            (.text(200, "application/jwt", Array("x.y.z".utf8)), .rejected(.idTokenMalformed)),
            (.text(302, nil, []), .rejected(.redirected)),
            (.text(403, nil, []), .misconfigured(.scopeRefused)),
            (.text(500, nil, []), .transient(.serverError, retryAfter: nil)),
            (
                .text(200, "application/json", [UInt8](repeating: 0x20, count: 1 << 20)),
                .rejected(.userInfo)
            ),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func refused(reply: HTTPReply, kind: SignInError.Kind) async throws {
        let session = try await scene.signIn()
        scene.provider.answer("/userinfo") { _ in reply }
        #expect(await thrown { try await session.userInfo() } == kind)
    }

    @Test("OpenID Connect Core §5.3.2, §5.3.4: a signed answer is verified, issuer and audience")
    func signed() async throws {
        let good: JSONObject = [
            "iss": .string(FakeProvider.issuer), "aud": ["app"], "sub": "alice", "name": "Signed",
        ]
        for (key, change, kind) in [
            (FakeProvider.key, [:], nil), (FakeProvider.key, ["aud": "app"], nil),
            (FakeProvider.key, ["iss": "https://evil.example"], .rejected(.issuer)),
            (FakeProvider.key, ["aud": "other"], .rejected(.audience)),
            (FakeProvider.key, ["sub": "bob"], .rejected(.subject)),
            (FakeProvider.newKey("k1"), [:], .rejected(.signature)),
        ] as [(FakeProvider.Key, JSONObject, SignInError.Kind?)] {
            let scene = Scene()
            let session = try await scene.signIn()
            var claims = good
            for member in change { claims[member.name] = member.value }
            let token = try key.get().sign(claims: claims, type: .jwt)
            scene.provider.answer("/userinfo") { _ in
                .text(200, "application/jwt", Array(token.utf8))
            }
            let failed = await thrown { try await session.userInfo() }
            #expect(failed == kind)
        }
    }

    @Test("A provider without UserInfo is told as such")
    func noEndpoint() async throws {
        scene.provider.change { $0.metadata["userinfo_endpoint"] = nil }
        let session = try await scene.signIn()
        let failed = await thrown { try await session.userInfo() }
        #expect(failed == .misconfigured(.endpointMissing))
    }
}

@Suite("Authenticating again, for an action that needs it") struct StepUpTests {
    private let scene = Scene()

    private func complete(_ attempt: SignIn) async throws -> Session {
        try await attempt.complete(try scene.provider.authorize(attempt.address))
    }

    @Test("RFC 9470: the same session goes on with the new tokens, here and in other processes")
    func same() async throws {
        let session = try await scene.signIn()
        let neighbour = try await scene.neighbour()
        let before = try await session.token()
        scene.provider.change { $0.claims = { $0.with("acr", "phr").with("auth_time", $0["iat"]) } }
        let changes = session.changes
        let attempt = try await session.beginStepUp(
            SignInRequest(maxAge: .zero, acr: [.phishingResistant])
        )
        #expect(attempt.address.contains("&max_age=0"))
        #expect(try await complete(attempt) === session)
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
        let session = try await scene.signIn()
        let before = try await scene.storage.read()
        scene.provider.change { $0.claims = { $0.with("sub", "mallory") } }
        let attempt = try await session.beginStepUp(SignInRequest(prompt: [.login]))
        await #expect(throws: SignInError(.rejected(.subject))) {
            try await complete(attempt)
        }
        #expect(try await scene.storage.read() == before)
        #expect(session.user.subject == "alice")
        #expect(session.isActive)
        #expect(scene.provider.revoked == ["R0"])
    }

    @Test("a session that shared another's tokens goes on with its own")
    func shared() async throws {
        let first = try await scene.signIn()
        let storage = InMemory()
        let other = Scene.client(scene.provider, storage: storage)
        let adopted = try await Session(adopting: first.credentials(), by: other)
        let attempt = try await adopted.beginStepUp(SignInRequest(prompt: [.login]))
        _ = try await complete(attempt)
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
        let session = try await scene.signIn()
        let attempt = try await session.beginStepUp(SignInRequest(prompt: [.login]))
        await session.signOut(.local)
        await #expect(throws: SignInError(.interactionRequired(.signedOut))) {
            try await complete(attempt)
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
