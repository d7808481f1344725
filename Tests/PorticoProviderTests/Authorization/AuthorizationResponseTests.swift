import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("The authorization response") struct AuthorizationResponseTests {
    @Test("attack B31, RFC 9700 §2.1, §4.12: after a password comes 303, and nothing of it goes on")
    func seeOther() async throws {
        let server = try await ProviderUnderTest()
        let answer = try await TestBrowser(server).signIn("alice", TestFlow.request())
        #expect(answer.status == 303)
        #expect(answer.body.isEmpty)
        let location = try #require(answer.location)
        #expect(!location.contains("alice"))
        #expect(!location.contains("password"))
        #expect(!location.contains("csrf"))
    }

    @Test("RFC 9207 §2: every response names the issuer of the metadata, errors too")
    func issuer() async throws {
        let server = try await ProviderUnderTest()
        for name in ["openid-configuration", "oauth-authorization-server"] {
            let document = try await server.send(.get, "/realms/test/.well-known/" + name).json
            #expect(document.string("issuer") == TestRealm.issuer)
            #expect(document.bool("authorization_response_iss_parameter_supported") == true)
        }
        let browser = TestBrowser(server)
        let silent = [("prompt", "none")]
        let replies = [
            try await browser.authorize(TestFlow.request("native1", silent)),
            try await browser.authorize(TestFlow.request("native1", [("response_type", "token")])),
            try await browser.authorize(TestFlow.request("native1", [("scope", "\"")])),
            try await browser.submit(
                try await browser.authorize(TestFlow.request()),
                [("action", "cancel")]
            ),
            try await browser.signIn("alice", TestFlow.request()),
            try await browser.authorize(TestFlow.request("third", silent)),
        ]
        let errors = replies.map { $0.redirected["error"] ?? "none" }
        #expect(
            errors == [
                "login_required", "unsupported_response_type", "invalid_scope", "access_denied",
                "none", "consent_required",
            ]
        )
        let encoded = "iss=https%3A%2F%2Fop.example.com%2Frealms%2Ftest"
        for reply in replies {
            #expect(reply.redirected["iss"] == TestRealm.issuer)
            #expect(reply.location?.components(separatedBy: encoded).count == 2)
        }
    }

    @Test("RFC 8252 §4.1, §7.1: the response is appended to the very redirect URI, code alone")
    func appended() async throws {
        let server = try await ProviderUnderTest()
        let answer = try await TestBrowser(server).signIn("alice", TestFlow.request())
        #expect(answer.location?.hasPrefix("com.example.app:/cb?code=") == true)
        for name in ["access_token", "id_token", "token_type"] {
            #expect(answer.redirected[name] == nil)
        }
    }

    @Test("RFC 6749 §3.1.2: the query of a registered redirect URI is kept")
    func query() async throws {
        let redirect = "https://app.example.com/cb?tenant=1&x=%2F"
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].redirectURIs = [RedirectURI(redirect)]
        }
        let request = TestFlow.request("native1", [("redirect_uri", redirect)])
        let browser = TestBrowser(server)
        let answer = try await browser.signIn("alice", request)
        #expect(answer.location?.hasPrefix(redirect + "&code=") == true)
        let error = try await browser.authorize(TestFlow.change(request, [("scope", "\"")]))
        #expect(error.location?.hasPrefix(redirect + "&error=") == true)
    }

    @Test("RFC 7636 §4.4, RFC 9700 §4.2.4: the code is opaque, and no challenge can be read in it")
    func opaqueCode() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code()
        #expect((100...1500).contains(code.utf8.count), "at most 1.5 KB")
        let bytes = try #require(Base64URL.decode(code))
        for secret in [TestFlow.challenge, "alice", "n-1", "native1", "s-1"] {
            #expect(!code.contains(secret))
            #expect(!bytes.contains(secret.utf8))
        }
        let challenge = try #require(Base64URL.decode(TestFlow.challenge))
        #expect(!bytes.contains(challenge))
        #expect(try await server.code() != code)
    }

    @Test("RFC 7636 §4.2, §7.3, RFC 9700 §2.1.1, §2.4: the metadata offers S256 and code alone")
    func metadata() async throws {
        let server = try await ProviderUnderTest()
        for name in ["openid-configuration", "oauth-authorization-server"] {
            let document = try await server.send(.get, "/realms/test/.well-known/" + name).json
            #expect(document.strings("code_challenge_methods_supported") == ["S256"])
            #expect(document.strings("response_types_supported") == ["code"])
            #expect(document.strings("grant_types_supported")?.contains("password") == false)
            #expect(document.strings("grant_types_supported")?.contains("implicit") == false)
            #expect(document.bool("request_parameter_supported") == false)
            #expect(document.bool("request_uri_parameter_supported") == false)
            #expect(document.bool("claims_parameter_supported") == true)
            #expect(
                document.strings("id_token_signing_alg_values_supported")?.contains("RS256") == true
            )
            // OpenID Connect Core §3.1.2, RP-Initiated Logout §2.1.
            for name in ["authorization_endpoint", "token_endpoint", "end_session_endpoint"] {
                #expect(document.string(name)?.hasPrefix(TestRealm.issuer + "/") == true)
            }
        }
    }

    @Test("attack B28, WEB-CSP-4: form_post escapes what it posts to the proven redirect")
    func formPost() async throws {
        let server = try await ProviderUnderTest()
        let state = "\"><script>alert(1)</script>&amp;'"
        let request = TestFlow.request("web1", [("response_mode", "form_post"), ("state", state)])
        let browser = TestBrowser(server)
        let error = try await browser.authorize(TestFlow.change(request, [("prompt", "none")]))
        let success = try await browser.signIn("alice", request)
        for (reply, name) in [(error, "error"), (success, "code")] {
            #expect(reply.status == 200)
            #expect(reply.location == nil)
            #expect(reply.formAction == "https://app.example.com/cb")
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(reply.headers[HTTPField.Name("Referrer-Policy") ?? .age] == "no-referrer")
            #expect(!reply.text.contains("<script>alert"))
            let fields = Dictionary(reply.hiddenFields.map { ($0.name, $0.value) }) { first, _ in
                first
            }
            #expect(fields["state"] == state)
            #expect(fields["iss"] == TestRealm.issuer)
            #expect(fields[name]?.isEmpty == false)
            let policy = try #require(reply.headers[.contentSecurityPolicy])
            // Where the client leads on to is its own matter (docs/decisions/0101).
            #expect(!policy.contains("form-action"))
            #expect(reply.text.components(separatedBy: "<form").count == 2)
            #expect(policy.contains("script-src 'sha256-"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(reply.text.contains("<button"), "it goes on without scripts")
        }
        #expect(success.formAction == "https://app.example.com/cb")
        let code = success.hiddenFields.first { $0.name == "code" }?.value ?? ""
        #expect(try await server.redeem(code, "web1").status == 200)
    }

    @Test("RFC 8252 §8.6: prior consent does not count where anyone can receive the answer")
    func unassuredClient() async throws {
        let (_, browser) = try await ProviderUnderTest.signedIn()
        for redirect in ["org.example.third:/cb", "http://127.0.0.1:5000/third"] {
            let request = TestFlow.request("third", [("redirect_uri", redirect)])
            let page = try await browser.authorize(request)
            expectPage(page, "consent")
            let answer = try await browser.submit(page, [("action", "allow")])
            #expect(answer.location?.hasPrefix(redirect + "?code=") == true)
            expectPage(try await browser.authorize(request), "consent")
            let silent = try await browser.authorize(TestFlow.change(request, [("prompt", "none")]))
            #expect(silent.redirected["error"] == "consent_required")
            #expect(silent.location?.hasPrefix(redirect + "?") == true)
        }
        // §8.6: on a claimed https redirect what was allowed before counts.
        let https = try await browser.authorize(TestFlow.request("third"))
        expectCode(https, of: "third")
        let more = TestFlow.request("third", scope: "openid profile email phone")
        expectPage(try await browser.authorize(more), "consent")
    }

    @Test("RFC 8252 §7.2, §8.5: a secret makes no public client confidential")
    func publicClientWithSecret() async throws {
        let server = try await ProviderUnderTest { realm in
            let secret = realm.clients.first { $0.clientID == "web1" }?.secret
            realm.clients[client: "third"].secret = secret
            realm.clients[client: "third"].requiresConsent = true
        }
        let withoutPKCE = TestFlow.request(
            "third",
            [("code_challenge", ""), ("code_challenge_method", "")]
        )
        expectError(
            try await TestBrowser(server).authorize(withoutPKCE),
            "invalid_request",
            of: "third"
        )
        let machine = try await server.token(
            [("grant_type", "client_credentials")],
            basic: ("third", TestRealm.secret)
        )
        #expect([400, 401].contains(machine.status))
        #expect(machine.json["access_token"] == nil)
        // §7.2: the type is the registration's: an https redirect makes no one confidential.
        let code = try await server.code(
            "alice",
            "native1",
            [("redirect_uri", "https://app.example.com/native/cb")]
        )
        let redirect = [("redirect_uri", "https://app.example.com/native/cb")]
        #expect(try await server.redeem(code, "native1", redirect).status == 200)
        let web = try await server.code("alice", "web1")
        #expect(try await server.token(TestFlow.redemption(web, "web1")).status == 401)
    }
}
