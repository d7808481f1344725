import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("An app's session") struct AppSessionTests {
    private struct Tokens {
        var session: String
        var refresh: String

        init(_ reply: Reply) throws {
            session = try #require(reply.json.string("session_token"))
            refresh = try #require(reply.json.string("refresh_token"))
        }
    }

    private static func signedIn(_ server: BackendUnderTest) async throws -> Tokens {
        let app = TestApp()
        let page = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let query = page.url.split(separator: "?").last.map(String.init) ?? ""
        let code = try FormParameters(decoding: query.utf8)["code"]
        return try Tokens(try await app.redeem(try #require(code), at: server))
    }

    private static func refresh(
        _ token: String,
        _ server: BackendUnderTest,
        key: String? = nil
    ) async throws -> Reply {
        var headers = HTTPFields()
        if let key { headers[.idempotencyKey] = key }
        return try await server.post(
            "/v1/auth/refresh",
            [("refresh_token", token)],
            headers: headers
        )
    }

    private static func session(_ token: String, _ server: BackendUnderTest) async throws -> Reply {
        try await server.send(
            .get,
            "/v1/auth/session",
            headers: [.authorization: "Bearer \(token)"]
        )
    }

    @Test("Decision 0029: a session token lasts 15 minutes; a refresh makes a new one")
    func lifetime() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        server.clock.advance(by: 899)
        #expect(try await Self.session(tokens.session, server).status == 200)
        server.clock.advance(by: 2)
        let over = try await Self.session(tokens.session, server)
        #expect(over.status == 401)
        #expect(over.json.string("reason") == "SESSION_EXPIRED")
        let next = try Tokens(try await Self.refresh(tokens.refresh, server))
        #expect(try await Self.session(next.session, server).status == 200)
        #expect(next.refresh != tokens.refresh)
    }

    @Test("Decision 0029: thirty days without use end it, and 180 days whatever is done")
    func ends() async throws {
        let server = try await BackendUnderTest()
        let idle = try await Self.signedIn(server)
        server.clock.advance(by: 30 * 86_400 + 1)
        #expect(
            try await Self.refresh(idle.refresh, server).json.string("error") == "invalid_grant"
        )
        var tokens = try await Self.signedIn(server)
        for _ in 0..<8 {
            server.clock.advance(by: 20 * 86_400)
            tokens = try Tokens(try await Self.refresh(tokens.refresh, server))
        }
        server.clock.advance(by: 20 * 86_400 + 1)
        #expect(try await Self.refresh(tokens.refresh, server).status == 400)
    }

    @Test(
        "Decision 0035: an app that lost the answer asks again with the same key, and gets the same one"
    )
    func idempotent() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        let first = try Tokens(try await Self.refresh(tokens.refresh, server, key: "\"k1\""))
        server.clock.advance(by: 3600)
        let again = try Tokens(try await Self.refresh(tokens.refresh, server, key: "\"k1\""))
        #expect(again.refresh == first.refresh)
        // Another key is another's: the session ends.
        let thief = try await Self.refresh(tokens.refresh, server, key: "\"k2\"")
        #expect(thief.json.string("error") == "invalid_grant")
        #expect(try await Self.refresh(first.refresh, server).status == 400)
        #expect(server.log.contains("refresh.replayed"))
    }

    @Test("Decision 0035: without a key there is a minute of grace, then reuse ends the session")
    func grace() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        let first = try Tokens(try await Self.refresh(tokens.refresh, server))
        server.clock.advance(by: 59)
        #expect(try Tokens(try await Self.refresh(tokens.refresh, server)).refresh == first.refresh)
        server.clock.advance(by: 2)
        #expect(try await Self.refresh(tokens.refresh, server).status == 400)
        #expect(try await Self.session(first.session, server).status == 401)
    }

    @Test("RFC 9700 §4.14.2: a token two generations old ends the session")
    func old() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        let second = try Tokens(try await Self.refresh(tokens.refresh, server))
        let third = try Tokens(try await Self.refresh(second.refresh, server))
        #expect(try await Self.refresh(tokens.refresh, server).status == 400)
        #expect(try await Self.refresh(third.refresh, server).status == 400)
    }

    @Test("Of concurrent refreshes with one key all get the same tokens")
    func race() async throws {
        for round in 0..<20 {
            let server = try await BackendUnderTest()
            let tokens = try await Self.signedIn(server)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await Self.refresh(tokens.refresh, server, key: "\"r\(round)\"").text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
        }
    }

    @Test("A token of one kind, of another session, or altered, is no one's", arguments: 0..<4)
    func forged(_ kind: Int) async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        var altered = try #require(Base64URL.decode(tokens.session))
        altered[altered.count - 1] ^= 1
        let token =
            switch kind {
            case 0: tokens.refresh
            case 1: Base64URL.encode(altered)
            case 2: "AQ" + tokens.session.dropFirst(2).reversed()
            default: String(tokens.session.prefix(40))
            }
        let reply = try await Self.session(token, server)
        #expect(reply.status == 401)
        #expect(reply.json.string("reason") == "INVALID_COOKIE" || kind == 2)
        #expect(try await Self.refresh(tokens.session, server).status == 400)
        #expect(try await Self.session(tokens.session, server).status == 200)
    }

    @Test("WEB-SESS-4: signing out ends the session token and the refresh token")
    func signOut() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        let out = try await server.send(
            .post,
            "/v1/auth/logout",
            headers: [.authorization: "Bearer \(tokens.session)"]
        )
        #expect(out.status == 200)
        #expect(out.json.bool("success") == true)
        #expect(try await Self.session(tokens.session, server).status == 401)
        #expect(try await Self.refresh(tokens.refresh, server).status == 400)
    }

    @Test("A refresh token that was altered, or made up, is refused, and ends nothing")
    func forgedRefresh() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        var bytes = try #require(Base64URL.decode(tokens.refresh))
        bytes[bytes.count - 1] ^= 1
        // Of a generation before, which would end the session if it were genuine.
        var older = try #require(Base64URL.decode(tokens.refresh))
        older[28] = 0
        for forged in [Base64URL.encode(bytes), Base64URL.encode(older), "x"] {
            let reply = try await Self.refresh(forged, server)
            #expect(reply.status == 400)
            #expect(reply.json.string("error") == "invalid_grant")
        }
        #expect(!server.log.contains("refresh.replayed"))
        #expect(try await Self.session(tokens.session, server).status == 200)
        #expect(try await Self.refresh(tokens.refresh, server).status == 200)
    }

    @Test("RFC 6750 §2.1: two Authorization fields, or another scheme, are no one's")
    func twoFields() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        var twice = HTTPFields()
        for _ in 0..<2 {
            twice.append(HTTPField(name: .authorization, value: "Bearer \(tokens.session)"))
        }
        let reply = try await server.send(.get, "/v1/auth/session", headers: twice)
        #expect(reply.json.string("reason") == "INVALID_COOKIE")
        for value in ["Basic \(tokens.session)", tokens.session, "Bearer", "Bearer "] {
            let other = try await server.send(
                .get,
                "/v1/auth/session",
                headers: [.authorization: value]
            )
            #expect(other.status == 401)
        }
    }

    @Test("An Idempotency-Key without end, or twice, is refused before anything is rotated")
    func keys() async throws {
        let server = try await BackendUnderTest()
        let tokens = try await Self.signedIn(server)
        let long = String(repeating: "k", count: 256)
        #expect(try await Self.refresh(tokens.refresh, server, key: long).status == 400)
        var twice = HTTPFields()
        for key in ["a", "b"] { twice.append(HTTPField(name: .idempotencyKey, value: key)) }
        let form = [("refresh_token", tokens.refresh)]
        #expect(try await server.post("/v1/auth/refresh", form, headers: twice).status == 400)
        #expect(try await Self.refresh(tokens.refresh, server, key: "k").status == 200)
    }
}
