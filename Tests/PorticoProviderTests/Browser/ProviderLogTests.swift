import Foundation
import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("What the log of a whole run holds (WEB-LOG)") struct ProviderLogTests {
    @Test(
        "WEB-LOG-1, OpenID Connect Core §16.1, RFC 9700 §4.9: no secret of a whole run is in the log"
    )
    func secrets() async throws {
        let server = try await ProviderUnderTest()
        var secrets = [TestFlow.verifier, TestRealm.secret, TestRealm.otherSecret, "w-rong-pass"]
        secrets += TestRealm.passwords.values
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request("third"))
        secrets += browser.cookies.values
        secrets += page.hiddenFields.map(\.value)
        _ = try await browser.submit(page, [("username", "alice"), ("password", "w-rong-pass")])
        // People type passwords into the other field.
        _ = try await browser.submit(page, [("username", "w-rong-pass"), ("password", "x")])
        let consent = try await browser.submit(
            page,
            [("username", "alice"), ("password", TestRealm.passwords["alice"] ?? "")]
        )
        secrets += browser.cookies.values
        secrets += consent.hiddenFields.map(\.value)
        let code = expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
        secrets.append(code)
        let tokens = try await server.redeem(code, "third")
        _ = try await server.redeem(code, "third")
        _ = try await server.redeem(code, "third", [("code_verifier", TestFlow.verifier + "x")])
        let refreshed = try await server.refresh(
            tokens.json.string("refresh_token") ?? "",
            "third",
            key: "idempotency-key-of-alice"
        )
        secrets.append("idempotency-key-of-alice")
        for reply in [tokens, refreshed] {
            for name in ["access_token", "refresh_token", "id_token"] {
                secrets += [reply.json.string(name)].compactMap(\.self)
            }
        }
        let access = tokens.json.string("access_token") ?? ""
        _ = try await server.userInfo(access)
        _ = try await server.userInfo("wrong." + access)
        _ = try await server.send(
            .get,
            ProviderUnderTest.path("userinfo") + "?access_token=" + access
        )
        for secret in [TestRealm.secret, "a-wrong-secret-of-web1"] {
            secrets.append(ProviderUnderTest.basic("web1", secret))
            secrets.append(secret)
            for endpoint in ["token", "token/introspect", "revoke", "ext/par/request"] {
                _ = try await server.post(
                    ProviderUnderTest.path(endpoint),
                    [("token", access), ("grant_type", "client_credentials")],
                    headers: [.authorization: ProviderUnderTest.basic("web1", secret)]
                )
            }
        }
        let pushed = try await server.push(TestFlow.request())
        let uri = try #require(pushed.json.string("request_uri"))
        secrets.append(uri)
        _ = try await browser.authorize([("client_id", "native1"), ("request_uri", uri)])
        let hint = try #require(tokens.json.string("id_token"))
        _ = try await browser.get(ProviderUnderTest.path("logout") + "?id_token_hint=" + hint)
        _ = try await browser.get("/realms/test/login-actions/restart?request=" + secrets[0])

        let log = server.log
        #expect(log.count > 2000, "the run was logged")
        for secret in secrets where secret.count > 3 {
            #expect(!log.contains(secret), "a secret of \(secret.count) characters")
            let tail = String(secret.suffix(24))
            #expect(!log.contains(tail), "the end of a secret of \(secret.count) characters")
        }
        for word in ["state=", "code=", "Bearer ", "Basic ", "password=", "s-1", "n-1"] {
            #expect(!log.contains(word), "\(word)")
        }
        #expect(!log.contains("alice@example.com"))
    }

    @Test("WEB-LOG-2: no input begins a line of its own, or reaches a terminal raw")
    func injection() async throws {
        let server = try await ProviderUnderTest()
        let evil = "x\r\nlevel=error msg=\"FAKE sign_in.ok\"\u{1B}[31m\u{85}\u{2028}"
        let before = server.log.split(separator: "\n").count
        var requests = 0
        for parameters in [
            [("client_id", evil)], TestFlow.request("native1", [("state", evil)]),
            TestFlow.request("native1", [("login_hint", evil)]),
        ] {
            _ = try await TestBrowser(server).authorize(parameters)
            requests += 1
        }
        _ = try await server.token(
            [("grant_type", evil), ("client_id", evil), ("client_secret", evil)]
        )
        _ = try await server.token([("grant_type", "client_credentials")], basic: (evil, evil))
        _ = try await TestBrowser(server).signIn(evil, TestFlow.request())
        let log = server.log
        let lines = log.split(separator: "\n")
        for line in lines { #expect(!line.hasPrefix("level=error")) }
        #expect(log.unicodeScalars.allSatisfy { $0 == "\n" || (0x20...0x7E).contains($0.value) })
        // One line a request, and one for each event.
        #expect(lines.count - before <= (requests + 4) * 2)
    }

    @Test("WEB-LOG-3: what matters for security is recorded, with who, through what, from where")
    func events() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server, from: "198.51.100.20")
        let page = try await browser.authorize(TestFlow.request("third"))
        _ = try await browser.submit(page, [("username", "alice"), ("password", "wrong")])
        let consent = try await browser.submit(
            page,
            [("username", "alice"), ("password", TestRealm.passwords["alice"] ?? "")]
        )
        _ = try await browser.submit(consent, [("action", "allow")])
        let logout = try await browser.get(ProviderUnderTest.path("logout"))
        _ = try await browser.submit(logout, [("action", "sign-out")])
        _ = try await server.token(
            [("grant_type", "client_credentials")],
            basic: ("web1", "wrong")
        )
        let lines = server.log.split(separator: "\n").filter { $0.contains("security event") }
        for event in [
            "sign_in.failed", "sign_in.ok", "consent.given", "sign_out", "client.refused",
        ] {
            let line = try #require(lines.first { $0.contains("event=\(event)") }, "\(event)")
            #expect(line.contains("realm=test"))
            #expect(line.contains("request="))
            #expect(line.contains(event == "client.refused" ? "192.0.2.1" : "198.51.100.20"))
            #expect(line.contains("2027-01-15T"), "the stopped clock's day")
        }
        #expect(lines.first { $0.contains("consent.given") }?.contains("client=third") == true)
    }
}
