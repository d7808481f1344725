import Foundation
import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What the log of a whole run holds (WEB-LOG-1 to 3)") struct ProviderLogTests {
    @Test("WEB-LOG-1, OpenID Connect Core §16.1, RFC 9700 §4.9: no secret is in the log")
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
        let consent = try await browser.submit(page, TestRealm.login())
        secrets += browser.cookies.values
        secrets += consent.hiddenFields.map(\.value)
        let code = expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
        secrets.append(code)
        let tokens = try await server.redeem(code, "third")
        _ = try await server.redeem(code, "third")
        _ = try await server.redeem(code, "third", [("code_verifier", TestFlow.verifier + "x")])
        let refreshed = try await server.refresh(
            try tokens.refreshToken,
            "third",
            key: "idempotency-key-of-alice"
        )
        secrets.append("idempotency-key-of-alice")
        for reply in [tokens, refreshed] {
            for name in ["access_token", "refresh_token", "id_token"] {
                secrets += [reply.json.string(name)].compactMap(\.self)
            }
        }
        let access = try tokens.accessToken
        _ = try await server.userInfo(access)
        _ = try await server.userInfo("wrong." + access)
        _ = try await server.send(.get, String.endpoint("userinfo") + "?access_token=" + access)
        for secret in [TestRealm.secret, "a-wrong-secret-of-web1"] {
            secrets.append(ProviderUnderTest.basic("web1", secret))
            secrets.append(secret)
            for endpoint in ["token", "token/introspect", "revoke", "ext/par/request"] {
                _ = try await server.post(
                    .endpoint(endpoint),
                    [("token", access), ("grant_type", "client_credentials")],
                    headers: .basic("web1", secret)
                )
            }
        }
        let pushed = try await server.push(TestFlow.request())
        let uri = try pushed.requestURI
        secrets.append(uri)
        _ = try await browser.authorize([("client_id", "native1"), ("request_uri", uri)])
        _ = try await browser.get(String.endpoint("logout") + "?id_token_hint=" + tokens.idToken)
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
        _ = try await server.token(TestFlow.own, basic: (evil, evil))
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
        _ = try await browser.submit(browser.submit(page, TestRealm.login()), [("action", "allow")])
        try await browser.signOut()
        _ = try await server.token(TestFlow.own, basic: ("web1", "wrong"))
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

    @Test("WEB-LOG-3: revocations and replays are recorded, and no code or token with them")
    func replays() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens()
        let first = try tokens.refreshToken
        let sub = try #require(try tokens.claims.string("sub"))
        _ = try await server.refresh(first, key: "k-1")
        #expect(!server.log.contains(".replayed"), "an ordinary refresh is none")
        _ = try await server.refresh(first, key: "k-1")
        #expect(!server.log.contains(".replayed"), "nor is one whose answer was lost")
        #expect(try await server.refresh(first, key: "k-2").error == "invalid_grant")

        let code = try await server.code()
        #expect(try await server.redeem(code).status == 200)
        #expect(try await server.redeem(code).error == "invalid_grant")
        let wrong = [("code_verifier", String(repeating: "w", count: 43))]
        #expect(try await server.redeem(code, "native1", wrong).error == "invalid_grant")

        let other = try await server.tokens().refreshToken
        for _ in 0..<2 {
            let form = [("token", other), ("client_id", "native1")]
            #expect(try await server.post(.endpoint("revoke"), form).status == 200)
        }
        let nobodys = [("token", "x"), ("client_id", "native1")]
        _ = try await server.post(.endpoint("revoke"), nobodys)

        let lines = server.log.split(separator: "\n").filter { $0.contains("security event") }
        let replays = lines.filter { $0.contains(".replayed") }
        #expect(replays.map { $0.contains("event=refresh.replayed") } == [true, false, false])
        #expect(replays.map { $0.contains("event=code.replayed") } == [false, true, true])
        #expect(lines.filter { $0.contains("event=token.revoked") }.count == 2)
        for line in replays + lines.filter({ $0.contains("event=token.revoked") }) {
            for fact in ["realm=test", "request=", "192.0.2.1", "client=native1", "grant="] {
                #expect(line.contains(fact))
            }
        }
        for line in replays { #expect(line.contains("sub=\(sub)")) }
        for secret in [first, other, code] { #expect(!server.log.contains(secret)) }
    }

    @Test("WEB-LOG-3: a change of a realm's signing keys is recorded by the server that sees it")
    func keys() async throws {
        let server = try await ProviderUnderTest()
        let realms = server.database.realms
        let snapshot = try await realms.snapshot()
        let realm = try #require(snapshot.realms.first)
        let maker = SigningKeyMaker(ring: server.ring)
        let moment = Moment(now: server.clock.now, random: .system)
        var key = try maker.make(.es256, realmID: realm.id, activeFrom: 2_000_000_000, at: moment)
        func change() async throws -> String {
            let before = server.log.count
            for change in try await server.provider.realms.refresh() {
                server.provider.events.keysChanged(change)
            }
            return String(server.log.dropFirst(before))
        }
        try await realms.rotate(adding: [key], changing: [])
        let published = try await change()
        #expect(published.contains("event=key.published"))
        #expect(published.contains("kid=\(key.keyID)"))
        #expect(published.contains("realm=test"))
        #expect(published.contains("signs_from=2033-05-18T03:33:20Z"))
        #expect(published.split(separator: "\n").count == 1)

        key.activeFrom = server.clock.seconds
        try await realms.rotate(adding: [], changing: [key])
        #expect(try await change().contains("event=key.brought_forward"))
        key.retiredFrom = 5
        try await realms.rotate(adding: [], changing: [key])
        #expect(try await change() == "")
        try await realms.removeKeys(retiredBefore: 6)
        let removed = try await change()
        #expect(removed.contains("event=key.removed"))
        #expect(removed.contains("kid=\(key.keyID)"))
        #expect(!server.log.contains(key.sealedPrivateKey))
        _ = try await realms.update(realm)
        #expect(try await change() == "")
    }

    private func line(_ path: String, _ server: ProviderUnderTest) -> String {
        server.log.split(separator: "\n").last {
            $0.contains("message=request ") && $0.contains("path=\(path) ")
        }.map(String.init) ?? ""
    }

    @Test("WEB-LOG-2: a request's line names the realm, and the error of a refusal")
    func refused() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let path = String.endpoint("auth")
        #expect(try await browser.authorize(TestFlow.request()).status == 200)
        #expect(line(path, server).contains("realm=test"))
        #expect(!line(path, server).contains("error="))

        // Neither has another trace: no one is told but the person.
        _ = try await browser.authorize(TestFlow.request("native1", [("client_id", "nobody")]))
        #expect(line(path, server).contains("realm=test error=invalid_request"))
        let redirect = ("redirect_uri", "https://evil.example/")
        _ = try await browser.authorize(TestFlow.request("native1", [redirect]))
        #expect(line(path, server).contains("realm=test error=invalid_request"))

        let token = String.endpoint("token")
        _ = try await server.token(TestFlow.own, basic: ("machine", "wrong"))
        #expect(line(token, server).contains("realm=test error=invalid_client"))
        let form = [("execution", "forged"), ("username", "alice"), ("password", "x")]
        _ = try await browser.post("/realms/test/login-actions/authenticate", form)
        let forged = line("/realms/test/login-actions/authenticate", server)
        #expect(forged.contains("realm=test error="))
    }

    @Test("WEB-CRYPT-2, RFC 6749 §10.4: the database has no code, token, cookie or password")
    func nothingToUse() async throws {
        let database = try TestDatabase.inFile()
        let server = try await ProviderUnderTest(database: database)
        let browser = TestBrowser(server)
        let code = try await server.code(browser: browser)
        let tokens = try await server.redeem(code)
        let refreshed = try await server.refresh(
            try tokens.refreshToken,
            key: "idempotency-key-of-alice"
        )
        let pushed = try await server.push(TestFlow.request())
        let uri = try pushed.requestURI
        #expect(refreshed.status == 200)
        var secrets = [
            code, String(uri.split(separator: ":").last ?? ""), TestFlow.verifier,
            "idempotency-key-of-alice", TestRealm.secret, TestRealm.otherSecret,
        ]
        secrets += TestRealm.passwords.values
        secrets += browser.cookies.values
        for reply in [tokens, refreshed] {
            for name in ["access_token", "refresh_token", "id_token"] {
                secrets.append(try #require(reply.json.string(name)))
            }
        }
        let file = try #require(database.file)
        var kept = try Data(contentsOf: URL(filePath: file))
        kept += try Data(contentsOf: URL(filePath: file + "-wal"))
        #expect(kept.range(of: Data("alice@example.com".utf8)) != nil, "it is the right file")
        for secret in secrets {
            #expect(secret.utf8.count > 15)
            #expect(kept.range(of: Data(secret.utf8)) == nil)
            // Nor as the bytes that the text stands for: of a token their secret end.
            if let bytes = Base64URL.decode(secret) {
                #expect(kept.range(of: Data(bytes.suffix(32))) == nil)
            }
        }
    }
}
