import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// The parameters of the Kape page, by plain requests: an app without our library.
@Suite("The parameters of cross-app sign-in, literally") struct ArticleParametersTests {
    @Test("SEED-KAPE-1, -4, -5, -6: discovery, login_hint, end session with the ID Token")
    func literal() async throws {
        let apps = try await VendorApps { new in
            // As that page has it: the token goes in the query, and nothing asks.
            new.clients[client: "my-mobile-app"].loginTokenTargets = [
                .init(clientID: "my-other-app", isSilent: true)
            ]
        }
        let server = apps.server
        let discovery = try await server.metadata()
        func path(_ name: String) throws -> String {
            let address = try #require(discovery.string(name))
            return String(address.dropFirst("https://op.example.com".count))
        }
        func request(_ client: String, _ additional: [(String, String)] = []) -> [(String, String)]
        {
            [
                ("client_id", client), ("response_type", "code"),
                ("redirect_uri", "com.example.app:/callback"),
                ("scope", "openid profile email offline_access"), ("state", "s-1"),
                ("nonce", "n-1"), ("code_challenge", TestFlow.challenge),
                ("code_challenge_method", "S256"),
            ] + additional
        }
        func address(_ parameters: [(String, String)]) throws -> String {
            TestBrowser.authorizationPath(
                parameters,
                at: try path("authorization_endpoint")
            )
        }
        func redeem(_ reply: Reply, _ client: String) async throws -> Reply {
            #expect(reply.location?.hasPrefix("com.example.app:/callback?") == true)
            return try await server.post(
                try path("token_endpoint"),
                [
                    ("grant_type", "authorization_code"), ("client_id", client),
                    ("code", reply.redirected["code"] ?? ""),
                    ("redirect_uri", "com.example.app:/callback"),
                    ("code_verifier", TestFlow.verifier),
                ]
            )
        }
        // Sign in to the first app.
        let browser = TestBrowser(server)
        let page = try await browser.get(try address(request("my-mobile-app")))
        let answer = try await browser.submit(page, TestRealm.login())
        let first = try await redeem(answer, "my-mobile-app")
        for name in ["access_token", "refresh_token", "id_token"] {
            #expect(first.json.string(name)?.isEmpty == false)
        }
        // A login token for the second, which it passes as login_hint.
        let exchanged = try await server.post(
            try path("token_endpoint"),
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("client_id", "my-mobile-app"), ("audience", "my-other-app"),
                ("requested_token_type", "urn:portico:token-type:login-token"),
                ("subject_token", try first.refreshToken),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
            ]
        )
        let hint = try exchanged.accessToken
        let fresh = TestBrowser(server)
        let silent = try await fresh.get(
            try address(request("my-other-app", [("login_hint", hint)]))
        )
        let second = try await redeem(silent, "my-other-app")
        #expect(second.json.string("refresh_token")?.isEmpty == false)
        let claims = try second.claims
        #expect(
            try claims.string("sub")
                == ProviderUnderTest.claims(first.json.string("id_token")).string("sub")
        )
        // Once more, or anything else, and the ordinary page comes.
        let again = try await fresh.get(
            try address(request("my-other-app", [("login_hint", hint)]))
        )
        let ordinary = try await fresh.get(try #require(again.location))
        expectPage(ordinary, "authenticate")
        // The end session request with the ID Token ends the sign-in for every app.
        let end = FormEncoding.appending(
            [
                ("id_token_hint", try first.idToken),
                ("post_logout_redirect_uri", "com.example.app:/callback"), ("state", "s-2"),
            ],
            to: try path("end_session_endpoint")
        )
        let out = try await browser.get(end)
        #expect(out.location?.hasPrefix("com.example.app:/callback?state=s-2") == true)
        let once = try await browser.get(try address(request("my-other-app")))
        expectPage(once, "authenticate")
    }
}
