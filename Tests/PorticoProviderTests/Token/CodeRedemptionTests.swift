import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Redeeming an authorization code") struct CodeRedemptionTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    @Test("attack C01, RFC 7636 §4.6: a code injected into another session has a wrong verifier")
    func injectedCode() async throws {
        let code = try await server.code("bob")
        let wrong = "another-verifier-of-the-attackers-own-session-0123456789"
        let reply = try await server.redeem(code, "native1", [("code_verifier", wrong)])
        #expect(reply.status == 400 && reply.error == "invalid_grant")
        #expect(reply.json["access_token"] == nil)
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(try await server.redeem(code).error == "invalid_grant", "it is good for nobody")
    }

    @Test("attack C02, RFC 6749 §4.1.3: a code of another client is refused, and stays good")
    func foreignCode() async throws {
        let code = try await server.code("alice", "web1")
        #expect(try await server.redeem(code, "other1").error == "invalid_grant")
        #expect(try await server.redeem(code, "native1").error == "invalid_grant")
        #expect(try await server.redeem(code, "web1").status == 200)
    }

    @Test("attack C03, RFC 6749 §4.1.2: of many redemptions one wins, and then its tokens die")
    func replayRace() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        for _ in 1...5 {
            let code = try await server.code()
            let replies = try await atOnce(1...50) { _ in try await server.redeem(code) }
            let winners = replies.filter { $0.status == 200 }
            #expect(winners.count == 1)
            #expect(replies.count { $0.error == "invalid_grant" } == 49)
            let winner = try #require(winners.first)
            #expect(try await server.userInfo(winner.accessToken).status == 401)
            #expect(try await server.refresh(winner.refreshToken).error == "invalid_grant")
        }
    }

    @Test("RFC 6749 §4.1.2: a replay with a wrong verifier revokes nothing")
    func harmlessReplay() async throws {
        let code = try await server.code()
        let tokens = try await server.redeem(code)
        let wrong = "another-verifier-of-the-attackers-own-session-0123456789"
        _ = try await server.redeem(code, "native1", [("code_verifier", wrong)])
        #expect(try await server.userInfo(tokens.accessToken).status == 200)
    }

    @Test(
        "attack C05, decision 0033: a code is spent by its first presentation, right or wrong",
        arguments: [
            ("code_verifier", "another-verifier-of-the-attackers-own-session-0123456789"),
            ("code_verifier", ""),
            ("code_verifier", "short"),
            ("redirect_uri", "com.example.app:/CB"),
            ("redirect_uri", ""),
        ]
    )
    func wrongOnce(parameter: String, value: String) async throws {
        let code = try await server.code()
        let first = try await server.redeem(code, "native1", [(parameter, value)])
        #expect(first.error == "invalid_grant")
        let second = try await server.redeem(code)
        #expect(second.error == "invalid_grant")
        #expect(second.json["access_token"] == nil)
    }

    @Test("attack C06, RFC 6749 §4.1.2: a code is good for 60 seconds")
    func expiry() async throws {
        let late = try await server.code()
        server.clock.advance(by: 61)
        #expect(try await server.redeem(late).error == "invalid_grant")
        let soon = try await server.code("bob")
        server.clock.advance(by: 59)
        #expect(try await server.redeem(soon).status == 200)
    }

    @Test(
        "attack C07, RFC 6749 §4.1.3: redirect_uri must be the one of the authorization request",
        arguments: [
            "https://app.example.com/CB", "https://app.example.com/cb/", "",
            "https://app.example.com/other",
        ]
    )
    func redirectURI(value: String) async throws {
        try await server.change("web1") {
            $0.redirectURIs.append(RedirectURI("https://app.example.com/other"))
        }
        let code = try await server.code("alice", "web1")
        let reply = try await server.redeem(code, "web1", [("redirect_uri", value)])
        #expect(reply.error == "invalid_grant")
    }

    @Test(
        "attack C09, RFC 7636 §4.6: the challenge, and malformed verifiers, are not the verifier",
        arguments: [
            TestFlow.challenge, String(repeating: "a", count: 42),
            String(repeating: "a", count: 129), String(repeating: "a", count: 50_000),
            "dBjftJeZ4CVP mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ]
    )
    func verifiers(verifier: String) async throws {
        let reply = try await server.redeem(server.code(), "native1", [("code_verifier", verifier)])
        #expect(reply.status == 400 && reply.error == "invalid_grant")
    }

    @Test("RFC 9700 §2.1.1: a verifier without a challenge in the request is a downgrade")
    func downgrade() async throws {
        let none = [("code_challenge", ""), ("code_challenge_method", "")]
        let code = try await server.code("alice", "web1", none)
        #expect(try await server.redeem(code, "web1").error == "invalid_grant")
        let other = try await server.code("bob", "web1", none)
        #expect(try await server.redeem(other, "web1", [("code_verifier", "")]).status == 200)
    }

    @Test("RFC 7636 §4.6: a challenge that a client need not send must be met where it was sent")
    func optionalChallenge() async throws {
        for verifier in ["", "another-verifier-of-the-attackers-own-session-0123456789"] {
            let code = try await server.code("alice", "web1")
            let reply = try await server.redeem(code, "web1", [("code_verifier", verifier)])
            #expect(reply.error == "invalid_grant")
        }
    }

    @Test("RFC 9700 §2.1.1: a challenge that is met a second time is told to the operator")
    func constantChallenge() async throws {
        #expect(try await server.tokens("alice", "native1").status == 200)
        #expect(try await server.tokens("alice", "other1").status == 200)
        #expect(!server.log.contains("challenge.repeated"), "each client has its own")
        #expect(try await server.tokens("bob", "native1").status == 200)
        let lines = server.log.split(separator: "\n").filter { $0.contains("challenge.repeated") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("client=native1") == true)
        #expect(lines.first?.contains(TestFlow.challenge) == false)
    }

    @Test("A code whose browser session has ended is not redeemed")
    func endedSession() async throws {
        let browser = TestBrowser(server)
        let tokens = try await server.tokens(browser: browser)
        let code = try await browser.authorize(TestFlow.request()).redirected["code"] ?? ""
        _ = try await browser.get(ProviderUnderTest.path("logout?id_token_hint=" + tokens.idToken))
        #expect(try await server.redeem(code).error == "invalid_grant")
    }

    @Test(
        "decision 0033: the same form sent twice, to two processes, makes one grant"
    )
    func sameRequestTwice() async throws {
        // One process gives one code; what another one gives, it does not know of.
        let other = try await ProviderUnderTest(database: server.database, clock: server.clock)
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request())
        let copy = TestBrowser(other)
        copy.cookies = browser.cookies
        let password = TestRealm.passwords["alice"] ?? ""
        let fields = [("username", "alice"), ("password", password)]
        let first = try await browser.submit(page, fields)
        let second = try await copy.submit(page, fields)
        expectCode(second)
        #expect(try await server.redeem(first.redirected["code"] ?? "").status == 200)
        #expect(try await server.redeem(second.redirected["code"] ?? "").error == "invalid_grant")
    }
}
