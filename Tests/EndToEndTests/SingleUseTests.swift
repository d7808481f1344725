import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// What apps and their servers hold that is good once, used twice.
@Suite("End to end: the second use, by programs", .serialized)
struct SingleUseTests {
    @Test(
        "RFC 9126 §4, §7.3: a request_uri gives one grant, and is a page after that",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func requestURI(scripts: Bool) async throws {
        try await Stage.run { stage in
            let app = try await LoopbackApp(stage, "pusher", ["--pushed-requests"])
            try await Browser.use(scripts: scripts) { browser in
                let pushed = try await stage.post("ext/par/request", app.request())
                #expect(pushed.status == 201)
                let address = try app.pushedAddress(pushed)
                try await browser.open(address)
                // Opened again before it gave anything, as a reload does.
                try await browser.open(address)
                try await browser.signIn("ann", stage.password)
                let tokens = try await app.redeem(try await app.answer()["code"])
                #expect(try await app.isAlive(tokens))

                try await browser.open(address)
                try await browser.waitForTitle {
                    $0 == "Error: There’s a mistake in this app’s sign-in request – Demo"
                }
                #expect(try await app.isAlive(tokens))
                let next = try await stage.post("ext/par/request", app.request())
                try await browser.open(try app.pushedAddress(next))
                let second = try await app.redeem(try await app.answer(1)["code"])
                #expect(try await app.isAlive(second), "the next push is good")
            }
        }
    }

    @Test(
        "attack C26, RFC 7523 §3: an assertion proves one request, at whichever endpoint",
        .needs(.chromium)
    )
    func assertion() async throws {
        try await Stage.run { stage in
            let key = try SigningKey(generating: .es256, keyID: "key", random: .system)
            let keys = JWKSet([key.verificationKey]).serialized()
            var app = try await LoopbackApp(
                stage,
                "server",
                [
                    "--template", "web", "--authentication", "private_key_jwt", "--jwks-file",
                    try stage.file("keys.json", keys),
                ]
            )
            let issuer = stage.issuer
            let used = try Self.assertion(key, issuer)
            app.credentials = { used }
            let tokens = try await app.redeem(try await app.signIn())
            #expect(tokens.status == 200)

            let refused = try await app.refresh(tokens)
            #expect(refused.status == 401)
            #expect(refused.error == "invalid_client")
            let token = ("token", tokens.json.string("refresh_token") ?? "")
            for endpoint in ["ext/par/request", "token/introspect", "revoke"] {
                let reply = try await stage.post(endpoint, app.request() + used + [token])
                #expect(reply.error == "invalid_client", "\(endpoint)")
            }
            // None of it has touched the grant, and a new assertion works.
            #expect(try await app.isAlive(tokens))
            app.credentials = { try Self.assertion(key, issuer) }
            #expect(try await app.refresh(tokens).status == 200)
        }
    }

    /// RFC 7523 §2.2.
    private static func assertion(_ key: SigningKey, _ issuer: String) throws
        -> [(String, String)]
    {
        let now = Int64(Date().timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "server", "sub": "server", "aud": .string(issuer), "iat": .integer(now),
            "exp": .integer(now + 60), "jti": .string(RandomSource.system.text(16)),
        ]
        return [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", try key.sign(claims: claims, type: .jwt)),
        ]
    }

    @Test(
        "attack E17, RFC 8252 §8.3: the loopback port takes the one answer, and is closed after it",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func loopbackPort(scripts: Bool) async throws {
        try await Stage.run { stage in
            try await Browser.use(scripts: scripts) { browser in
                let login = try await stage.login(browser)
                let form = try await browser.address()
                let match = try #require(form.firstMatch(of: /127\.0\.0\.1%3A(\d+)%2Fcallback/))
                let port = try #require(UInt16(match.1))
                let callback = "http://127.0.0.1:\(port)/callback"
                let forged = try await stage.get(callback + "?code=stolen&state=guessed")
                #expect(forged.status == 400)
                #expect(forged.text.contains("Nothing was done"))
                #expect(login.isRunning)

                try await browser.signIn("ann", stage.password)
                #expect(try await login.end() == 0)
                #expect(RawSocket.connect(port: port) == nil)
                #expect(try await stage.portico("userinfo").status == 0)
            }
        }
    }

    @Test(
        "RFC 7009 §2.1: a token revoked once is dead, and revoking it again is no error",
        .needs(.chromium)
    )
    func revocation() async throws {
        try await Stage.run { stage in
            let app = try await LoopbackApp(stage, "revoker")
            let tokens = try await app.redeem(try await app.signIn())
            let form = [
                ("client_id", app.clientID),
                ("token", tokens.json.string("refresh_token") ?? ""),
            ]
            for _ in 0..<2 {
                #expect(try await stage.post("revoke", form).status == 200)
                #expect(try await !app.isAlive(tokens))
                #expect(try await app.refresh(tokens).error == "invalid_grant")
            }
        }
    }
}
