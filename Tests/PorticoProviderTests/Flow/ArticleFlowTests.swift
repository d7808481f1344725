import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// What an app sends that was written for Keycloak, as the source article shows it: no nonce, the
/// scopes `openid profile`, and a sign-out without a browser.
@Suite("The requests of an app that was written for Keycloak") struct ArticleFlowTests {
    @Test("SEED-KCA-1, SEED-KCA-2, SEED-KCA-3, SEED-KCA-4: request, callback, answers and sign-out")
    func walk() async throws {
        // As an imported realm has it.
        let (server, browser) = try await ProviderUnderTest.withBrowser {
            $0.realm.signsOutByHintAlone = true
        }
        let redirectURI = try #require(TestFlow.redirects["native1"])
        let request = [
            ("code_challenge", TestFlow.challenge), ("code_challenge_method", "S256"),
            ("redirect_uri", redirectURI), ("client_id", "native1"), ("response_type", "code"),
            ("state", "s-1"), ("scope", "openid profile"),
        ]
        let page = try await browser.get(TestBrowser.authorizationPath(request))
        #expect(page.status == 200)
        let answer = try await browser.submit(page, TestRealm.login())
        #expect(answer.location?.hasPrefix(redirectURI + "?") == true)
        #expect(Set(answer.redirected.keys) == ["state", "session_state", "iss", "code"])
        #expect(answer.redirected["state"] == "s-1")
        #expect(answer.redirected["iss"] == TestRealm.issuer)

        let tokens = try await server.token([
            ("grant_type", "authorization_code"), ("client_id", "native1"),
            ("code", try #require(answer.redirected["code"])),
            ("code_verifier", TestFlow.verifier), ("redirect_uri", redirectURI),
        ])
        #expect(tokens.status == 200)
        for name in ["access_token", "refresh_token", "id_token", "session_state", "scope"] {
            #expect(tokens.json.string(name)?.isEmpty == false, "\(name)")
        }
        for name in ["expires_in", "refresh_expires_in", "not-before-policy"] {
            #expect(tokens.json.int64(name) != nil, "\(name)")
        }
        #expect(tokens.json.string("token_type") == "Bearer")
        let accessToken = try tokens.accessToken
        let claims = try JSONObject(
            parsing: try #require(Base64URL.decode(String(accessToken.split(separator: ".")[1])))
        )
        for name in ["exp", "iat", "auth_time"] { #expect(claims.int64(name) != nil, "\(name)") }
        #expect(claims.string("iss") == TestRealm.issuer && claims.string("typ") == "Bearer")
        #expect(claims.string("azp") == "native1" && claims["aud"] != nil)

        let info = try await server.userInfo(accessToken).json
        #expect(info.string("sub") == claims.string("sub"))
        #expect(info.string("name") == "Alice Example")
        #expect(info.string("given_name") == "Alice" && info.string("family_name") == "Example")
        #expect(info.string("preferred_username") == "alice")

        // By `fetch`, so without a cookie (docs/decisions/0018).
        let hint = try tokens.idToken
        let out = try await server.send(.get, String.endpoint("logout") + "?id_token_hint=\(hint)")
        #expect(out.status == 200)
        let again = try await browser.authorize(request + [("prompt", "none")])
        #expect(again.redirected["error"] == "login_required")
    }

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
            TestBrowser.authorizationPath(parameters, at: try path("authorization_endpoint"))
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
        let first = try await redeem(browser.submit(page, TestRealm.login()), "my-mobile-app")
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
        #expect(
            try second.claims.string("sub")
                == ProviderUnderTest.claims(first.json.string("id_token")).string("sub")
        )
        // Once more, or anything else, and the ordinary page comes.
        let again = try await fresh.get(
            try address(request("my-other-app", [("login_hint", hint)]))
        )
        expectPage(try await fresh.get(try #require(again.location)), "authenticate")
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
        expectPage(try await browser.get(try address(request("my-other-app"))), "authenticate")
    }
}
