import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("Identity tokens of a platform's own sign-in") struct NativeTests {
    private static func nonce(_ provider: String, _ server: BackendUnderTest) async throws -> String
    {
        let reply = try await server.send(.post, "/v1/auth/\(provider)/native/nonce")
        #expect(reply.json.int64("expires_in") == 600)
        return try #require(reply.json.string("nonce"))
    }

    private static func hashed(_ nonce: String) -> String {
        Hash256(of: nonce).bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func present(
        _ token: String,
        nonce: String?,
        at provider: String = "apple",
        _ server: BackendUnderTest,
        from address: String = "192.0.2.1"
    ) async throws -> Reply {
        var fields = [("app", "notes"), ("id_token", token)]
        if let nonce { fields.append(("nonce", nonce)) }
        return try await server.post("/v1/auth/\(provider)/native", fields, from: address)
    }

    private static func appleToken(_ nonce: String, _ server: BackendUnderTest) throws -> String {
        try #require(
            try server.standIns.identityToken(
                of: .ann,
                at: .apple,
                audience: "com.example.notes",
                nonce: hashed(nonce)
            )
        )
    }

    @Test(
        "PRV-A-16, PRV-A-17, PRV-N-4: Apple's token with our nonce signs in to the account of the web"
    )
    func apple() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("apple", as: .ann)
        let nonce = try await Self.nonce("apple", server)
        let reply = try await Self.present(Self.appleToken(nonce, server), nonce: nonce, server)
        #expect(reply.status == 200)
        #expect(reply.json.bool("is_new_user") == false)
        let id = try await server.user(of: visitor).string("id")
        #expect(reply.json.object("user")?.string("id") == id)
        let token = try #require(reply.json.string("session_token"))
        let session = try await server.send(
            .get,
            "/v1/auth/session",
            headers: [.authorization: "Bearer \(token)"]
        )
        #expect(session.status == 200)
    }

    @Test(
        "attack E23: a token presented again, with another nonce, or with one that we never made, is 401"
    )
    func replay() async throws {
        let server = try await BackendUnderTest()
        let nonce = try await Self.nonce("apple", server)
        let token = try Self.appleToken(nonce, server)
        #expect(try await Self.present(token, nonce: nonce, server).status == 200)
        server.clock.advance(by: 60)
        #expect(try await Self.present(token, nonce: nonce, server).status == 401)
        let other = try await Self.nonce("apple", server)
        #expect(try await Self.present(token, nonce: other, server).status == 401)
        let fresh = try Self.appleToken(other, server)
        #expect(try await Self.present(fresh, nonce: "made-up", server).status == 401)
        let google = try await Self.nonce("google", server)
        #expect(
            try await Self.present(try Self.appleToken(google, server), nonce: google, server)
                .status == 401
        )
        #expect(try await server.accounts().count == 1)
        // The right one still counts.
        #expect(try await Self.present(fresh, nonce: other, server).status == 200)
    }

    @Test("PRV-N-1, PRV-G-3: a token for another app's client id is refused")
    func audience() async throws {
        let server = try await BackendUnderTest()
        let nonce = try await Self.nonce("google", server)
        let token = try #require(
            try server.standIns.identityToken(
                of: .ann,
                at: .google,
                audience: "other.apps.example.com",
                nonce: nonce
            )
        )
        let reply = try await Self.present(token, nonce: nonce, at: "google", server)
        #expect(reply.status == 401)
        #expect(reply.json.string("error") == "invalid_token")
        #expect(try await server.accounts().isEmpty)
    }

    @Test("PRV-N-2: a token older than ten minutes is refused")
    func old() async throws {
        let server = try await BackendUnderTest()
        let early = try await Self.nonce("apple", server)
        let token = try Self.appleToken(early, server)
        server.clock.advance(by: 660)
        #expect(try await Self.present(token, nonce: early, server).status == 401)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("pages A4: an app cannot show the question, so it is told that an account is there")
    func linkRequired() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let nonce = try await Self.nonce("apple", server)
        let reply = try await Self.present(Self.appleToken(nonce, server), nonce: nonce, server)
        #expect(reply.status == 409)
        #expect(reply.json.string("error") == "link_required")
    }

    @Test(
        "attack E24, PRV-G-13: One Tap needs the same token in body and cookie",
        arguments: [
            (nil, "t"), ("t", nil), ("t", "u"), ("", ""), (nil, nil),
        ] as [(String?, String?)]
    )
    func oneTapForgery(_ cookie: String?, _ body: String?) async throws {
        let server = try await BackendUnderTest()
        let credential = try #require(
            try server.standIns.identityToken(of: .ann, at: .google, nonce: nil)
        )
        var fields = [("credential", credential)]
        if let body { fields.append(("g_csrf_token", body)) }
        let headers: HTTPFields = cookie.map { [.cookie: "g_csrf_token=\($0)"] } ?? [:]
        let reply = try await server.post("/v1/auth/google/one-tap", fields, headers: headers)
        #expect(reply.status == 400)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("PRV-G-13: One Tap signs in, once for a credential")
    func oneTap() async throws {
        let server = try await BackendUnderTest()
        let credential = try #require(
            try server.standIns.identityToken(of: .ann, at: .google, nonce: nil)
        )
        let fields = [("credential", credential), ("g_csrf_token", "same")]
        let headers: HTTPFields = [.cookie: "g_csrf_token=same"]
        let first = try await server.post("/v1/auth/google/one-tap", fields, headers: headers)
        #expect(first.location == "/onboarding")
        #expect(first.headers[values: .setCookie].contains { $0.hasPrefix("__Host-session=") })
        let again = try await server.post("/v1/auth/google/one-tap", fields, headers: headers)
        #expect(!again.headers[values: .setCookie].contains { $0.hasPrefix("__Host-session=") })
    }
}
