import Foundation
import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("Handing a session to an app") struct HandOffTests {
    private let server: BackendUnderTest
    private let app = TestApp()
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    @Test("Decision 0013: a claimed https redirect brings code and state; the verifier redeems it")
    func claimed() async throws {
        let page = try await visitor.open(FormEncoding.appending(app.start, to: "/v1/auth/google"))
        let back = try await visitor.answered(page, [("person", "ann")])
        let end = try await visitor.request(try #require(back.location))
        #expect(end.status == 303)
        #expect(end.location?.hasPrefix("https://app.example.com/auth/callback?code=") == true)
        let parameters = end.redirected
        #expect(parameters["state"] == "app-state")
        #expect(Set(parameters.keys) == ["code", "state"])
        // The browser has no session of its own: it was the app that asked.
        #expect(visitor.cookies["__Host-session"] == nil)

        let redeemed = try await app.redeem(try #require(parameters["code"]), at: server)
        #expect(redeemed.status == 200)
        #expect(redeemed.json.string("token_type") == "Bearer")
        #expect(redeemed.json.int64("expires_in") == 900)
        #expect(redeemed.json.bool("is_new_user") == true)
        let token = try #require(redeemed.json.string("session_token"))
        let session = try await server.session(of: token)
        #expect(session.json.object("user")?.string("name") == "Ann Example")
        #expect(session.headers[.known("X-Portico-App")] == "notes")
    }

    @Test("Decision 0013, SEED-ADR-15: the app's challenge never goes to the identity provider")
    func twoPairs() async throws {
        let start = try await TestVisitor(server).request(
            FormEncoding.appending(app.start, to: "/v1/auth/google")
        )
        #expect(start.redirected["code_challenge"] != app.verifier.challenge.text)
        #expect(start.location?.contains("app-state") == false)
    }

    @Test(
        "Decision 0013, WEB-BFF-8, SEED-ADR-17: a wrong presentation is refused, and spends the code",
        arguments: ["code_verifier", "app", "redirect_uri"]
    )
    func wrong(_ parameter: String) async throws {
        let other = Client.app("shop", "com.example.notes:/callback")
        let server = try await BackendUnderTest(apps: [BackendUnderTest.notes, other])
        var app = TestApp()
        app.redirectURI = "com.example.notes:/callback"
        let page = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(page.code)
        let wrong = [
            "code_verifier": CodeVerifier(random: .system).reveal(), "app": "shop",
            "redirect_uri": "https://app.example.com/auth/callback",
        ]
        let refused = try await app.redeem(
            code,
            at: server,
            changing: [parameter: wrong[parameter]]
        )
        #expect(refused.refusal == "400 invalid_grant")
        let late = try await app.redeem(code, at: server)
        #expect(late.json.string("error") == "invalid_grant")
    }

    @Test("Decision 0013: a request that lacks a parameter, or is of another kind, spends no code")
    func incomplete() async throws {
        let code = try await app.code(at: server)
        for (name, value, error) in [
            ("redirect_uri", nil, "missing_parameter"), ("code_verifier", nil, "missing_parameter"),
            ("grant_type", "password", "invalid_request"), ("grant_type", nil, "missing_parameter"),
        ] as [(String, String?, String)] {
            let refused = try await app.redeem(code, at: server, changing: [name: value])
            #expect(refused.status == 400)
            #expect(refused.json.string("error") == error, "\(name)")
        }
        #expect(try await app.redeem(code, at: server).status == 200)
    }

    @Test(
        "Decision 0013, decision 0033: a code that an unknown app presents is spent, with or without its redirect",
        arguments: ["made-up", "NOTES", "notes\u{301}"],
        [nil, "https://app.example.com/auth/callback"]
    )
    func unknownApp(_ name: String, _ redirect: String?) async throws {
        let code = try await app.code(at: server)
        let refused = try await app.redeem(
            code,
            at: server,
            changing: ["app": name, "redirect_uri": redirect]
        )
        #expect(refused.refusal == "400 invalid_grant")
        let late = try await app.redeem(code, at: server)
        #expect(late.json.string("error") == "invalid_grant")
    }

    @Test("Decision 0013: without a verifier the code stays; a verifier of another shape spends it")
    func missingVerifier() async throws {
        let code = try await app.code(at: server)
        let missing = try await app.redeem(code, at: server, changing: ["code_verifier": nil])
        #expect(missing.json.string("error") == "missing_parameter")
        let right = try await app.redeem(code, at: server)
        #expect(right.status == 200)
    }

    @Test("Decision 0013: a code is good for a minute, and once")
    func onceAndInTime() async throws {
        let late = try await app.code(at: server)
        server.clock.advance(by: 61)
        #expect(try await app.redeem(late, at: server).json.string("error") == "invalid_grant")
        let code = try await app.code(at: server)
        let first = try await app.redeem(code, at: server)
        #expect(first.status == 200)
        #expect(try await app.redeem(code, at: server).status == 400)
    }

    @Test(
        "decision 0013: a private-use scheme and loopback get a page with a button",
        arguments: ["com.example.notes:/callback", "http://127.0.0.1:51234/callback"]
    )
    func button(_ redirectURI: String) async throws {
        var app = TestApp()
        app.redirectURI = redirectURI
        let page = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        #expect(page.reply.status == 200)
        #expect(page.reply.text.contains("Notes"))
        #expect(page.reply.text.contains("Ann Example"))
        let code = try #require(page.code)
        #expect(try await app.redeem(code, at: server).status == 200)
    }

    @Test(
        "SEED-ADR-16, RFC 8252 §8.4: an address that the app did not register gets nothing",
        arguments: [
            "https://evil.example/callback", "https://app.example.com/auth/callback/",
            "https://app.example.com/auth/Callback", "com.example.notes:/callback?x=1",
            "http://127.0.0.1:51234/other", "http://localhost:51234/callback", "myapp://callback",
        ]
    )
    func unregistered(_ redirectURI: String) async throws {
        var app = TestApp()
        app.redirectURI = redirectURI
        let reply = try await TestVisitor(server).request(
            FormEncoding.appending(app.start, to: "/v1/auth/google")
        )
        #expect(reply.status == 400)
        #expect(reply.location == nil)
        #expect(reply.headers[values: .setCookie].isEmpty)
    }

    @Test(
        "SEED-ADR-15: a challenge that is missing, malformed or plain is refused",
        arguments: [
            ("code_challenge", nil), ("code_challenge", "short"),
            ("code_challenge", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
            ("code_challenge_method", "plain"), ("code_challenge_method", "S512"),
        ] as [(String, String?)]
    )
    func challenge(_ name: String, _ value: String?) async throws {
        var query = TestApp().start.filter { $0.name != name }
        if let value { query.append((name, value)) }
        let reply = try await TestVisitor(server).request(
            FormEncoding.appending(query, to: "/v1/auth/google")
        )
        #expect(reply.status == 400)
    }

    @Test("The literal request of the ADR works with one registered app")
    func literal() async throws {
        let app = Client.app("only", "https://app.example.com/auth/callback")
        let server = try await BackendUnderTest(apps: [app])
        let challenge = CodeVerifier(random: .system).challenge.text
        let start = try await TestVisitor(server).request(
            "/v1/auth/google?code_challenge=\(challenge)&platform=mobile"
        )
        #expect(start.status == 303)
        #expect(start.redirected["code_challenge"] != challenge)
    }

    @Test("Decision 0028: the app that waits hears of a cancellation, with its state")
    func cancelled() async throws {
        let page = try await visitor.open(FormEncoding.appending(app.start, to: "/v1/auth/google"))
        let back = try await visitor.answered(page, [("cancel", "1")])
        let end = try await visitor.request(try #require(back.location))
        let parameters = end.redirected
        #expect(parameters["error"] == "access_denied")
        #expect(parameters["state"] == "app-state")
        #expect(parameters["error_description"] != nil)
        #expect(parameters["code"] == nil)
    }

    @Test("Decision 0013: the compatibility mode hands a session token over, to its app only")
    func sessionToken() async throws {
        let old = Client.app("old", "myapp://callback", form: .sessionToken)
        let server = try await BackendUnderTest(apps: [BackendUnderTest.notes, old])
        let query = [
            (name: "platform", value: "mobile"), (name: "app", value: "old"),
            (name: "redirect_uri", value: "myapp://callback"),
        ]
        let page = try await TestVisitor(server).signIn("google", as: .ann, query)
        let token = try #require(
            page.reply.text.firstMatch(of: /session_token=([A-Za-z0-9_-]+)/).map { String($0.1) }
        )
        let session = try await server.session(of: token)
        #expect(session.status == 200)
    }

    @Test("Of concurrent redemptions of one code exactly one succeeds")
    func race() async throws {
        for _ in 0..<20 {
            let server = try await BackendUnderTest()
            let app = TestApp()
            let code = try await app.code(at: server)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await app.redeem(code, at: server).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0 == 200 } == 1)
        }
    }
}
