import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("How long a person stays signed in (decision 0111)") struct StayingSignedInTests {
    private static let day: Double = 86_400

    /// A person's browser, and what an app got in it.
    private final class Scene {
        let server: ProviderUnderTest
        let browser: TestBrowser
        var tokens: Reply

        init(_ stay: StaySignedIn = .realm, scope: String = "openid", appIdle: Int64? = nil)
            async throws
        {
            server = try await ProviderUnderTest { new in
                if let appIdle { new.realm.lifetimes.appIdle = appIdle }
                new.clients[client: "native1"].staySignedIn = stay
            }
            browser = TestBrowser(server)
            tokens = try await server.tokens(scope: scope, browser: browser)
        }

        var claims: JSONObject { get throws { try tokens.claims } }

        /// Whether the app still gets tokens.
        func isSignedIn() async throws -> Bool {
            let next = try await server.refresh(try tokens.refreshToken)
            guard next.status == 200 else {
                #expect(next.error == "invalid_grant")
                return false
            }
            tokens = next
            #expect(try await server.userInfo(next.accessToken).status == 200)
            return true
        }

        func browserIsSignedIn() async throws -> Bool {
            try await browser.authorize(TestFlow.silent).redirected["code"] != nil
        }

        func logout(_ browser: TestBrowser, hint: Bool) async throws -> Reply {
            let parameters = hint ? [(name: "id_token_hint", value: try tokens.idToken)] : []
            return try await browser.get(
                FormEncoding.appending(parameters, to: String.endpoint("logout")),
                headers: [.accept: "text/html"]
            )
        }
    }

    @Test("RFC 9700 §4.14.2, decision 0111: an app outlives the browser's session, idle or expired")
    func outlives() async throws {
        let scene = try await Scene()
        #expect(scene.tokens.json["scope"] != nil)
        #expect(scene.tokens.json.int64("refresh_expires_in") == 2_592_000)
        scene.server.clock.advance(by: 1 * 3600)
        #expect(try await !scene.browserIsSignedIn(), "the browser was idle")
        #expect(try await scene.isSignedIn())
        for _ in 1...4 {
            scene.server.clock.advance(by: 29 * Self.day)
            try await scene.server.database.sessions.purge(before: scene.server.clock.seconds)
            try await scene.server.database.grants.purge(before: scene.server.clock.seconds)
            #expect(try await scene.isSignedIn())
        }
        #expect(try await !scene.browserIsSignedIn(), "an app's use gives a browser nothing")
        scene.server.clock.advance(by: 30 * Self.day)
        #expect(try await !scene.isSignedIn(), "thirty days without use")
        try await scene.server.database.sessions.purge(before: scene.server.clock.seconds + 1)
        try await scene.server.database.grants.purge(before: scene.server.clock.seconds + 1)
        #expect(try await scene.server.remains().sessions == 0)
    }

    @Test(
        "decision 0111: the time is the client's, or the realm's",
        arguments: [
            (.idle(7200), nil, 7199, true), (.idle(7200), nil, 7200, false),
            (.realm, 7200, 7199, true), (.realm, 7200, 7200, false),
            (.session, 90_000, 1799, true), (.session, 90_000, 1800, false),
        ] as [(StaySignedIn, Int64?, Double, Bool)]
    )
    func times(_ stay: StaySignedIn, appIdle: Int64?, after: Double, isAlive: Bool) async throws {
        let scene = try await Scene(stay, appIdle: appIdle)
        scene.server.clock.advance(by: after)
        #expect(try await scene.isSignedIn() == isAlive)
    }

    @Test("decision 0111: a client without times ends with the browser session's longest")
    func longest() async throws {
        let scene = try await Scene(.session)
        for _ in 1...25 {
            scene.server.clock.advance(by: 1400)
            #expect(try await scene.isSignedIn())
        }
        scene.server.clock.advance(by: 1000)
        #expect(try await !scene.isSignedIn())
    }

    /// What ends an app that lives on by its own times.
    enum End: CaseIterable {
        case hintInItsBrowser, browserSignsOut, hintElsewhere, password, everywhere, disabled
        case anotherPerson, otherDevices
    }

    @Test(
        "RP-Initiated Logout §3, decision 0111: whatever signs out ends it, also after the session expired",
        arguments: End.allCases,
        [600, 3600, 3 * 86_400] as [Double]
    )
    func ends(_ end: End, after: Double) async throws {
        let scene = try await Scene()
        let server = scene.server
        server.clock.advance(by: after)
        #expect(try await scene.isSignedIn())
        let realm = try await server.database.realms.snapshot().realms[0]
        let person = try #require(try scene.claims.string("sub"))
        switch end {
        case .hintInItsBrowser:
            #expect(try await scene.logout(scene.browser, hint: true).text.contains("signed out"))
        case .browserSignsOut:
            let page = try await scene.logout(scene.browser, hint: false)
            _ = try await scene.browser.submit(page, [("action", "sign-out")])
        case .hintElsewhere:
            let stranger = TestBrowser(server)
            let page = try await scene.logout(stranger, hint: true)
            #expect(try await scene.isSignedIn(), "nothing ends before the answer")
            #expect(page.formAction != nil, "\(page.status) \(page.text)")
            let done = try await stranger.submit(page, [("action", "sign-out")])
            #expect(done.status == 200, "\(done.status) \(done.text)")
        case .password:
            let hash = try await TestRealm.hash(of: "another is 2 places")
            let people = server.database.people
            #expect(
                try await people.setPassword(hash, of: person, at: server.clock.seconds) == .changed
            )
        case .everywhere:
            let change = try await server.database.people.signOutEverywhere(
                person,
                realmID: realm.id,
                at: server.clock.seconds
            )
            #expect(change == .changed)
        case .disabled:
            let reading = try await server.database.people.person(id: person, realmID: realm.id)
            var changed = try #require(reading).person
            changed.isEnabled = false
            #expect(try await server.database.people.update(changed) == .changed)
        case .anotherPerson:
            _ = try await scene.browser.signIn(
                "bob",
                TestFlow.request("web1", [("prompt", "login")])
            )
        case .otherDevices:
            let other = TestBrowser(server)
            _ = try await server.tokens("alice", "web1", browser: other)
            let page = try await other.get("/realms/test/account/devices")
            let offered = page.hiddenFields.filter { $0.name == "id" }.map(\.value)
            let sid = try scene.claims.string("sid")
            #expect(offered == [sid], "the device is listed, so that it can be ended")
            let proof = page.formProof
            _ = try await other.post(
                "/realms/test/account/devices",
                proof + [("action", "end-others")]
            )
        }
        #expect(try await !scene.isSignedIn())
    }

    @Test("decision 0111: after the same person's next sign-in there, one sign-out ends both")
    func sameBrowser() async throws {
        let scene = try await Scene()
        let sid = try scene.claims.string("sid")
        scene.server.clock.advance(by: 5 * Self.day)
        let again = try await scene.server.tokens("alice", "web1", browser: scene.browser)
        #expect(try again.claims.string("sid") == sid)
        #expect(try await scene.isSignedIn())
        let page = try await scene.logout(scene.browser, hint: false)
        _ = try await scene.browser.submit(page, [("action", "sign-out")])
        #expect(try await !scene.isSignedIn())
    }

    @Test("OpenID Connect Core §11: offline_access outlives the sign-out too, asked for as before")
    func offline() async throws {
        let scene = try await Scene(scope: "openid offline_access")
        scene.server.clock.advance(by: 3600)
        _ = try await scene.logout(scene.browser, hint: true)
        #expect(try await scene.isSignedIn())
    }

    @Test("decision 0111: an app that another handed its sign-in to lives by its own times, too")
    func handedOn() async throws {
        let apps = try await VendorApps { new in
            for index in new.clients.indices { new.clients[index].staySignedIn = .realm }
        }
        let form = VendorApps.exchange(of: try await apps.tokens())
        let second = try await apps.server.token(form)
        apps.server.clock.advance(by: 20 * Self.day)
        #expect(try await apps.server.refresh(second.refreshToken, "my-other-app").status == 200)
    }
}
