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
        let answer = try await TestBrowser(ProviderUnderTest()).signIn("alice", TestFlow.request())
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
        expectCode(try await browser.authorize(TestFlow.request("third")), of: "third")
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
        let machine = try await server.token(TestFlow.own, basic: ("third", TestRealm.secret))
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

    private static let redirect = "https://app.example.com/native/cb"
    /// All that could end a value, a fragment or an attribute.
    private static let state = "a b&code=evil#x\"'<script>+%\u{FC}"

    private func request(_ others: [(String, String)] = []) -> [(String, String)] {
        let mode = [("response_mode", "fragment"), ("state", Self.state)]
        return TestFlow.request("native1", mode + [("redirect_uri", Self.redirect)] + others)
    }

    /// native1 runs in the browser: it has an origin there.
    private func server(redirects: [String] = []) async throws -> ProviderUnderTest {
        let server = try await ProviderUnderTest()
        try await server.change("native1") {
            $0.webOrigins = ["https://app.example.com"]
            $0.redirectURIs += redirects.map(RedirectURI.init)
        }
        return server
    }

    private func fragment(_ reply: Reply) throws -> [String: String] {
        let location = try #require(reply.location)
        let parts = location.split(separator: "#", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(location)")
        #expect(parts[0] == Self.redirect, "nothing stands in the query")
        let form = try FormParameters(decoding: parts[1].utf8)
        return Dictionary(uniqueKeysWithValues: form.all.map { ($0.name, $0.value) })
    }

    @Test("The code comes in the fragment, with state and iss, and can be redeemed")
    func code() async throws {
        let server = try await server()
        let reply = try await TestBrowser(server).signIn("alice", request())
        #expect(reply.status == 303)
        let answer = try fragment(reply)
        #expect(answer["state"] == Self.state)
        #expect(answer["iss"] == TestRealm.issuer)
        let redirect = [("redirect_uri", Self.redirect)]
        #expect(try await server.redeem(answer["code"] ?? "", "native1", redirect).status == 200)
    }

    @Test("Errors come in the fragment too")
    func error() async throws {
        let reply = try await TestBrowser(server()).authorize(request([("prompt", "none")]))
        let answer = try fragment(reply)
        #expect(answer["error"] == "login_required")
        #expect(answer["state"] == Self.state)
        #expect(answer["iss"] == TestRealm.issuer)
        #expect(answer["code"] == nil)
    }

    @Test("A query of the redirect URI stays, and a loopback port is the request's")
    func ownQuery() async throws {
        let server = try await server(redirects: [Self.redirect + "?tenant=1"])
        let reply = try await TestBrowser(server).authorize(
            TestFlow.change(
                request([("prompt", "none")]),
                [("redirect_uri", Self.redirect + "?tenant=1")]
            )
        )
        #expect(
            reply.location?.hasPrefix(Self.redirect + "?tenant=1#error=login_required&") == true
        )
    }

    @Test("RFC 9110 §10.2.2: no client on a server or a device gets a fragment")
    func otherClients() async throws {
        let server = try await ProviderUnderTest()
        // web1 has an origin, and a secret; native1 neither.
        for client in ["web1", "native1"] {
            let others = [("response_mode", "fragment"), ("prompt", "none")]
            let request = TestFlow.request(client, others)
            let reply = try await TestBrowser(server).authorize(request)
            expectError(reply, "invalid_request", of: client)
            #expect(reply.location?.contains("#") == false)
            let pushed = try await server.push(request)
            #expect(pushed.status == 400 && pushed.error == "invalid_request")
        }
    }
}
