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

        let tokens = try await server.post(
            .endpoint("token"),
            [
                ("grant_type", "authorization_code"), ("client_id", "native1"),
                ("code", try #require(answer.redirected["code"])),
                ("code_verifier", TestFlow.verifier), ("redirect_uri", redirectURI),
            ]
        )
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
}
