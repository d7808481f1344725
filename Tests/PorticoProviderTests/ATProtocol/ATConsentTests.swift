import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Who is asked at a host of the AT Protocol") struct ATConsentTests {
    @Test("ATP-UI-1, ATP-MD-14, CIMD-6.4-2: the page says which client asks, and for what")
    func page() async throws {
        let scope = "atproto transition:generic openid"
        let scene = try await ATScene([
            "scope": .string(scope), "logo_uri": "https://app.example.com/the-best-logo.png",
        ])
        let page = try await scene.signIn([("scope", scope)])
        #expect(page.status == 200)
        #expect(page.text.contains("app.example.com/client.json"))
        #expect(page.text.contains("Full access to your account"))
        #expect(page.text.contains("We don’t know these permissions"))
        #expect(!page.text.contains("The best app"), "a name that anybody can give themselves")
        #expect(!page.text.contains("the-best-logo"), "and a picture that anybody can draw")
    }

    @Test("ATP-UI-1: who does not allow it gives no code")
    func denied() async throws {
        let scene = try await ATScene()
        let browser = TestBrowser(scene.server)
        let page = try await scene.signIn([], as: "alice", browser)
        let answer = try await browser.submit(page, [("action", "deny")])
        #expect(answer.redirected["error"] == "access_denied")
        #expect(answer.redirected["code"] == nil)
        // Who turns round at the first page said no, too.
        let other = TestBrowser(scene.server)
        let first = try await other.authorize(try await scene.reference())
        let stopped = try await other.submit(first, [("action", "cancel")])
        for reply in [answer, stopped] {
            #expect(reply.redirected["error_description"] == "The user rejected the request")
        }
        // The client's server leads on to an app, and Chromium must let the browser go there.
        for shown in [page, first] {
            let policy = try #require(shown.headers[.contentSecurityPolicy])
            #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("form-action"))
        }
    }

    /// Whether a request of somebody who is signed in is answered without a page.
    private func isSilent(
        _ scene: ATScene,
        _ browser: TestBrowser,
        _ changes: [(String, String)]
    ) async throws -> Bool {
        let answer = try await browser.authorize(try await scene.reference(changes))
        return answer.redirected["code"] != nil
    }

    /// Signs alice in and lets the client in once.
    private func allowed(_ scene: ATScene, _ changes: [(String, String)] = []) async throws
        -> TestBrowser
    {
        let browser = TestBrowser(scene.server)
        let page = try await scene.signIn(changes, as: "alice", browser)
        #expect(try await browser.submit(page, [("action", "allow")]).redirected["code"] != nil)
        return browser
    }

    private let hint = ("login_hint", "alice.example.com")

    @Test("ATP-UI-3: a public client is always asked about")
    func publicClient() async throws {
        let scene = try await ATScene()
        let browser = try await allowed(scene, [hint])
        #expect(try await !isSilent(scene, browser, [hint]))
        #expect(try await !isSilent(scene, browser, [hint, ("scope", "atproto")]))
    }

    @Test("ATP-UI-3: a confidential one is not, for these scopes or fewer, with hint and session")
    func confidential() async throws {
        let scene = try await ATScene(isConfidential: true)
        let browser = try await allowed(scene, [hint])
        #expect(try await isSilent(scene, browser, [hint]))
        #expect(try await isSilent(scene, browser, [hint, ("scope", "atproto")]))
        #expect(try await isSilent(scene, browser, [hint, ("prompt", "none")]))
        let wider = "atproto transition:generic transition:chat.bsky"
        #expect(try await !isSilent(scene, browser, [hint, ("scope", wider)]))
        #expect(try await !isSilent(scene, browser, []), "without a hint")
        #expect(try await !isSilent(scene, browser, [hint, ("prompt", "consent")]))
    }

    @Test("ATP-UI-3: who signs in for the very request is asked, whatever they allowed before")
    func freshSession() async throws {
        let scene = try await ATScene(isConfidential: true)
        _ = try await allowed(scene, [hint])
        let page = try await scene.signIn([hint])
        #expect(page.status == 200 && page.redirected["code"] == nil)
    }

    private static let apps = "/realms/test/account/apps"
    private static let devices = "/realms/test/account/devices"

    /// Signs somebody in at their account, and so before any request.
    private func account(_ scene: ATScene, _ name: String = "alice") async throws -> TestBrowser {
        let browser = TestBrowser(scene.server)
        _ = try await browser.submit(try await browser.get(Self.apps), TestRealm.login(name))
        return browser
    }

    /// Presses the button beside the app with that id; without one, beside the first.
    private func remove(_ account: TestBrowser, _ id: String? = nil) async throws -> Reply {
        let page = try await account.get(Self.apps)
        let proof = page.formProof
        let first = page.hiddenFields.first { $0.name == "id" }?.value
        return try await account.post(
            Self.apps,
            proof + [("id", try #require(id ?? first)), ("action", "remove")]
        )
    }

    /// Ends the newest session of such a client.
    private func end(_ account: TestBrowser) async throws {
        let page = try await account.open(Self.devices)
        let ids = page.text.matches(of: /name="id" value="(session-[^"]*)"/).map { String($0.1) }
        let newest: String = try #require(ids.first)
        let form = page.formProof + [("id", newest), ("action", "end")]
        #expect(try await account.follow(account.post(Self.devices, form)).status == 200)
    }

    @Test("ATP-UI-2: after the last session was ended at the account, a page asks again")
    func ended() async throws {
        let scene = try await ATScene(isConfidential: true)
        let browser = try await allowed(scene, [hint])
        for _ in 1...2 { #expect(try await scene.tokens([hint]).status == 200) }
        let account = try await self.account(scene)
        try await end(account)
        #expect(try await isSilent(scene, browser, [hint]), "another session is left")
        try await end(account)
        #expect(try await !isSilent(scene, browser, [hint]))
    }

    @Test("ATP-UI-3: after a new password a page asks again, whatever was allowed before")
    func newPassword() async throws {
        let scene = try await ATScene(isConfidential: true)
        _ = try await allowed(scene, [hint])
        #expect(try await isSilent(scene, account(scene), [hint]))
        let people = scene.server.database.people
        let alice = try await scene.server.person()
        let password = try #require(alice.password)
        let change = try await people.setPassword(
            password,
            of: alice.person.id,
            at: scene.server.clock.seconds
        )
        #expect(change == .changed)
        let browser = try await account(scene)
        #expect(try await !isSilent(scene, browser, [hint]))
        #expect(try await !isSilent(scene, browser, [hint, ("prompt", "none")]))
        #expect(try await browser.get(Self.apps).text.contains("No connected apps"))
    }

    @Test("ATP-UI-3: what was allowed before the realm's not-before is asked about again")
    func notBefore() async throws {
        let scene = try await ATScene(isConfidential: true)
        #expect(try await scene.tokens([hint]).status == 200)
        scene.server.clock.advance(by: 1)
        let now = scene.server.clock.seconds
        try await scene.server.changeRealm { $0.notBefore = now }
        let browser = try await account(scene)
        #expect(try await !isSilent(scene, browser, [hint]))
        #expect(try await browser.get(Self.apps).text.contains("No connected apps"))
    }

    @Test("ATP-UI-2: what is allowed is listed also without a session, and can be taken back")
    func withoutSession() async throws {
        let scene = try await ATScene(isConfidential: true)
        let browser = try await allowed(scene, [hint])
        let refresh = try await scene.tokens([hint]).json.string("refresh_token") ?? ""
        let account = try await self.account(scene)
        let removal = "Remove <bdi>app.example.com/client.json</bdi>"
        #expect(try await account.get(Self.apps).text.contains(removal))
        // The client ends its session, and not what it may.
        let revoked = try await scene.server.post(
            scene.server.path(of: "revoke"),
            [("token", refresh), ("client_id", ATScene.url)] + scene.assertion()
        )
        #expect(revoked.status == 200)
        #expect(try await isSilent(scene, browser, [hint]))
        let page = try await account.get(Self.apps)
        #expect(page.text.contains(removal))
        // No one else takes it away.
        let id = try #require(page.hiddenFields.first { $0.name == "id" }?.value)
        let bob = try await self.account(scene, "bob")
        let allowing = TestBrowser(scene.server)
        let bobs = [("login_hint", "bob.example.com")]
        let asked = try await scene.signIn(bobs, as: "bob", allowing)
        _ = try await allowing.submit(asked, [("action", "allow")])
        #expect(try await remove(bob, id).status == 200)
        #expect(try await isSilent(scene, browser, [hint]))
        #expect(try await !isSilent(scene, bob, bobs), "it was his own")
        let removed = try await remove(account)
        #expect(removed.text.contains("can no longer use your account"))
        #expect(!removed.text.contains(removal))
        #expect(try await !isSilent(scene, browser, [hint]))
        #expect(scene.server.log.contains("event=consent.removed "))
    }

    @Test("WEB-SESS-7: sessions of such a client are among the devices, and end with the others")
    func elsewhere() async throws {
        let scene = try await ATScene(isConfidential: true)
        var refresh: [String] = []
        var others = ""
        for name in ["alice", "alice", "bob"] {
            let tokens = try await scene.tokens(as: name)
            refresh.append(try tokens.refreshToken)
            let id = try tokens.accessClaims.string("jti").flatMap { AccessTokenID($0) }
            others = "session-" + (id?.grantID.text ?? "")
            scene.server.clock.advance(by: 1)
        }
        let account = try await self.account(scene)
        #expect(try await isSilent(scene, account, [hint]))
        let path = Self.devices
        let page = try await account.get(path)
        let ids = page.text.matches(of: /name="id" value="(session-[^"]*)"/).map { String($0.1) }
        #expect(ids.count == 2 && page.text.contains(">app.example.com/client.json</bdi>"))
        let proof = page.formProof
        _ = try await account.post(path, proof + [("id", others), ("action", "end")])
        let list = try await account.get(Self.apps)
        #expect(list.text.matches(of: /name="id" value=/).count == 1, "one app, whatever it has")
        let newest = try #require(ids.first)
        let one = try await account.follow(
            account.post(path, proof + [("id", newest), ("action", "end")])
        )
        #expect(one.text.matches(of: /value="session-/).count == 1)
        #expect(try await scene.refresh(refresh[1]).error == "invalid_grant")
        #expect(try await isSilent(scene, account, [hint]))
        let all = try await account.follow(
            account.post(path, proof + [("action", "end-others")])
        )
        #expect(all.text.contains("not signed in anywhere else"))
        #expect(try await scene.refresh(refresh[0]).error == "invalid_grant")
        #expect(try await scene.refresh(refresh[2]).status == 200, "bob's")
        #expect(try await !isSilent(scene, account, [hint]))
    }

    @Test("ATP-UI-3: of a public client nothing is kept that would be listed and never count")
    func publicUnlisted() async throws {
        let scene = try await ATScene()
        _ = try await allowed(scene)
        #expect(try await self.account(scene).get(Self.apps).text.contains("No connected apps"))
    }

    @Test(
        "CIMD-6.3-1: a client whose redirect URIs, keys or name have changed is asked about again",
        arguments: ["redirect_uris", "jwks", "client_name", "client_uri"]
    )
    func changed(member: String) async throws {
        let scene = try await ATScene(isConfidential: true)
        let browser = try await allowed(scene, [hint])
        let other = try SigningKey(generating: .es256, keyID: "two", random: .system)
        let changes: JSONObject = [
            "redirect_uris": [.string(ATScene.redirect), "https://app.example.com/other"],
            "jwks": [
                "keys": [
                    .object(scene.key.verificationKey.jwk.object),
                    .object(other.verificationKey.jwk.object),
                ]
            ],
            "client_name": "The worst app", "client_uri": "https://app.example.com",
        ]
        scene.server.clock.advance(by: 600)
        #expect(try await isSilent(scene, browser, [hint]), "nothing has changed")
        scene.publish([member: changes[member] ?? .null])
        scene.server.clock.advance(by: 600)
        #expect(try await !isSilent(scene, browser, [hint]))
        // What changes nothing for people is no reason to ask.
        scene.publish(["logo_uri": "https://app.example.com/logo.png"])
        scene.server.clock.advance(by: 600)
        #expect(try await isSilent(scene, browser, [hint]))
    }
}
