import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// `POST …/logout` with a refresh token, as Keycloak's older adapters and apps send it.
@Suite("Signing out with a refresh token") struct LegacySignOutTests {
    private let path = String.endpoint("logout")

    @Test("Keycloak's POST with a refresh token ends its session; another client's ends nothing")
    func refreshToken() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let form = [("refresh_token", try tokens.refreshToken)]
        let foreign = try await server.post(path, form + [("client_id", "native1")])
        #expect(foreign.status == 400 && foreign.error == "invalid_grant")
        for secret in ["wrong", ""] {
            let headers: HTTPFields = [.authorization: ProviderUnderTest.basic("web1", secret)]
            let refused = try await server.post(path, form, headers: headers)
            #expect(refused.status == 401 && refused.error == "invalid_client")
            #expect(refused.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
        }
        #expect(try await server.post(path, form + [("client_id", "web1")]).status == 401)
        #expect(try await browser.isSignedIn())
        #expect(try await server.post(path, form, headers: .web1).status == 204)
        #expect(try await !browser.isSignedIn())
        #expect(try await server.userInfo(try tokens.accessToken).status == 401)
    }

    @Test("OpenID Connect Core §11: an offline token that signs out ends itself, and no other")
    func offline() async throws {
        let server = try await ProviderUnderTest()
        let scope = "openid offline_access"
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "native1", scope: scope, browser: browser)
        let beside = TestFlow.request("web1", scope: scope)
        let code = expectCode(try await browser.authorize(beside), of: "web1")
        let ofOtherClient = try await server.redeem(code, "web1").refreshToken
        let elsewhere = try await server.tokens(scope: scope).refreshToken

        let token = try tokens.refreshToken
        let form = [("refresh_token", token), ("client_id", "native1")]
        #expect(try await server.post(path, form).status == 204)
        #expect(try await !browser.isSignedIn())
        #expect(try await server.refresh(token).error == "invalid_grant")
        #expect(try await server.userInfo(tokens.accessToken).status == 401)

        #expect(try await server.refresh(elsewhere).status == 200)
        let other = try await server.token(
            [("grant_type", "refresh_token"), ("refresh_token", ofOtherClient)],
            basic: TestRealm.web1
        )
        #expect(other.status == 200)
    }

    /// How jwt1 proves itself, each time anew.
    private func proof(_ server: ProviderUnderTest) throws -> [(String, String)] {
        let claims: JSONObject = [
            "iss": "jwt1", "sub": "jwt1", "aud": .string(TestRealm.issuer),
            "exp": .integer(server.clock.seconds + 60), "iat": .integer(server.clock.seconds),
            "jti": .string(RandomSource.system.text(16)),
        ]
        return [
            TestFlow.assertionType,
            ("client_assertion", try TestRealm.clientKey.sign(claims: claims, type: .jwt)),
        ]
    }

    @Test("RFC 7523 §3: an assertion that was used before signs no one out")
    func usedAssertion() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let code = try await server.code("alice", "jwt1", browser: browser)
        let used = try proof(server)
        let tokens = try await server.redeem(code, "jwt1", used)
        #expect(tokens.status == 200)
        let form = [("refresh_token", try tokens.refreshToken)]
        let replay = try await server.post(path, form + used)
        #expect(replay.status == 401 && replay.error == "invalid_client")
        #expect(try await browser.isSignedIn())
        #expect(try await server.post(path, form + proof(server)).status == 204)
        #expect(try await !browser.isSignedIn())
    }

    @Test("decision 0035: an altered refresh token signs no one out")
    func altered() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let token = try await server.tokens(browser: browser).refreshToken
        // 57 bytes: every bit of the last character is one of the MAC.
        let altered = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
        let form = [("refresh_token", altered), ("client_id", "native1")]
        let refused = try await server.post(path, form)
        #expect(refused.status == 400 && refused.error == "invalid_grant")
        #expect(try await browser.isSignedIn())
        #expect(try await server.refresh(token).status == 200)
    }
}
