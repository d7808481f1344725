import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("UserInfo")
struct UserInfoTests {
    @Test("OpenID Connect Core §5.3.1: by GET, the token in the field; the claims as they come")
    func request() async throws {
        let scene = Scene()
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
        let scene = Scene()
        let session = try await scene.signIn()
        scene.provider.change {
            $0.userInfo["sub"] = value
            $0.userInfo["realm_access"] = ["roles": ["admin"]]
        }
        let failed = await Task.failure { _ = try await session.userInfo() }.value
        #expect(failed == .rejected(.subject))
        #expect(!session.roles.contains("admin"))
    }

    @Test("Roles that only UserInfo has are there once it was asked, and survive a refresh")
    func roles() async throws {
        let scene = Scene()
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
        let scene = Scene()
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
        guard case .signedIn = await scene.client.currentSession() else {
            Issue.record("its access token is live")
            return
        }
        let before = scene.provider.requests.count
        scene.clock.advance(by: 301)
        let failed = await Task.failure { try await session.check() }.value
        #expect(failed == .interactionRequired(.expired))
        guard case .signedOut = await scene.client.currentSession() else {
            Issue.record("nothing can be done with it")
            return
        }
        // By this clock, which may be wrong: the record stays.
        #expect(session.isActive)
        #expect(try await scene.storedRecord != nil)
        #expect(scene.provider.requests.count == before)
    }

    @Test("Without a refresh token, a refused access token is the end; offline is not")
    func unrenewableRefused() async throws {
        let (scene, session) = try await signedIn()
        scene.provider.answer("/userinfo") { _ throws(HTTPTransportError) in throw .unreachable }
        guard case .signedIn = await scene.client.currentSession() else {
            Issue.record("the provider was not asked")
            return
        }
        scene.provider.answer("/userinfo") { _ in .unauthorized }
        let failed = await Task.failure { try await session.check() }.value
        #expect(failed == .interactionRequired(.expired))
        guard case .signedOut = await scene.client.currentSession() else {
            Issue.record("the provider has refused its token")
            return
        }
        #expect(scene.provider.requests("/token").count == 1)
        #expect(try await scene.storedRecord != nil)
    }

    @Test("A profile text is at most 8 KiB if it is not ASCII")
    func longText() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        scene.provider.change {
            $0.userInfo["profile"] = .string(String(repeating: "é", count: 4096))
        }
        #expect(try await session.userInfo().claims.string("profile")?.utf8.count == 8192)
        scene.provider.change {
            $0.userInfo["profile"] = .string(String(repeating: "é", count: 4097))
        }
        let failed = await Task.failure { _ = try await session.userInfo() }.value
        #expect(failed == .rejected(.userInfo))
    }

    @Test("WEB-INPUT-1: a challenge of many combining marks is not read, and replaces no token")
    func longChallenge() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        scene.provider.answer("/userinfo") { _ in
            let marks = String(repeating: "\u{301}\u{316}", count: 10_000)
            let challenge = #"Bearer error="invalid_token", realm="\#(marks)""#
            return .text(401, nil, [], [.wwwAuthenticate: challenge])
        }
        let failed = await Task.failure { _ = try await session.userInfo() }.value
        #expect(failed == .misconfigured(.scopeRefused))
    }

    @Test("RFC 6750 §3.1: a refused token is replaced once")
    func refusedToken() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        scene.provider.answer("/userinfo") { request in
            request.fields[.authorization] == "Bearer A2" ? .unauthorized : nil
        }
        #expect(try await session.userInfo().name == "Alice")
        scene.provider.answer("/userinfo") { _ in .unauthorized }
        let failed = await Task.failure { _ = try await session.userInfo() }.value
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
        let scene = Scene()
        let session = try await scene.signIn()
        scene.provider.answer("/userinfo") { _ in reply }
        #expect(await Task.failure { _ = try await session.userInfo() }.value == kind)
    }

    @Test(
        "OpenID Connect Core §5.3.2, §5.3.4: a signed answer is verified, with issuer and audience"
    )
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
            let failed = await Task.failure { _ = try await session.userInfo() }.value
            #expect(failed == kind)
        }
    }

    @Test("A provider without UserInfo is told as such")
    func noEndpoint() async throws {
        let scene = Scene()
        scene.provider.change { $0.metadata["userinfo_endpoint"] = nil }
        let session = try await scene.signIn()
        let failed = await Task.failure { _ = try await session.userInfo() }.value
        #expect(failed == .misconfigured(.endpointMissing))
    }
}
