import HTTPTypes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Signing out (OpenID Connect RP-Initiated Logout, decision 0018)") struct SignOutTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private static let bye = "https://app.example.com/bye"

    /// A browser in which a person is signed in, and the ID Token that web1 got there.
    private func signedIn(_ server: ProviderUnderTest, _ name: String = "alice") async throws -> (
        browser: TestBrowser, hint: String, tokens: Reply
    ) {
        let browser = TestBrowser(server)
        let tokens = try await server.tokens(name, "web1", browser: browser)
        return (browser, try tokens.idToken, tokens)
    }

    private func expectAsked(_ reply: Reply, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(reply.status == 200, sourceLocation: sourceLocation)
        #expect(reply.location == nil, sourceLocation: sourceLocation)
        #expect(
            reply.formAction == String.endpoint("logout/logout-confirm"),
            sourceLocation: sourceLocation
        )
        #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
    }

    @Test("WEB-SESS-4: where a person is signed out the browser drops the pages that it has kept")
    func keptPages() async throws {
        let name = try #require(HTTPField.Name("Clear-Site-Data"))
        let browser = TestBrowser(server)
        let signedIn = try await browser.signIn("alice", TestFlow.request())
        expectCode(signedIn)
        #expect(signedIn.headers[name] == nil)
        // Another person, in the place of the first.
        let taken = try await browser.signIn("bob", TestFlow.again)
        expectCode(taken)
        #expect(taken.headers[name] == "\"cache\"")
        let asked = try await browser.logout()
        expectAsked(asked)
        #expect(asked.headers[name] == nil)
        let done = try await browser.submit(asked, [("action", "sign-out")])
        #expect(done.status == 200 && done.headers[name] == "\"cache\"")
        // By an app, which gets the browser back.
        let (other, hint, _) = try await self.signedIn(server)
        let led = try await other.logout(hint: hint, to: Self.bye)
        #expect(led.location == Self.bye && led.headers[name] == "\"cache\"")
    }

    @Test("RP-Initiated Logout §2, §3: a valid hint ends the session, then the browser goes back")
    func hint() async throws {
        let (browser, hint, tokens) = try await signedIn(server)
        let old = browser.cookies
        let reply = try await browser.logout(hint: hint, to: Self.bye, state: "a b&c=\u{FC}#")
        #expect(reply.status == 303)
        #expect(reply.location == Self.bye + "?state=a%20b%26c%3D%C3%BC%23")
        #expect(reply.headers[values: .setCookie].contains { $0.contains("Max-Age=0") })
        #expect(try await server.remains().liveSessions == 0, "§3: ended before the answer")
        // WEB-SESS-4: a copied cookie is dead, and so is what hung on the session.
        let copy = TestBrowser(server)
        copy.cookies = old
        #expect(try await !copy.isSignedIn())
        let refreshed = try await server.token(
            [("grant_type", "refresh_token"), ("refresh_token", try tokens.refreshToken)],
            basic: TestRealm.web1
        )
        #expect(refreshed.status == 400)
        #expect(try await server.userInfo(try tokens.accessToken).status == 401)
        // Once more: friendly, and still no harm.
        let again = try await browser.logout(hint: hint)
        #expect(again.status == 200)
        #expect(again.location == nil)
    }

    @Test("RP-Initiated Logout §2: POST is as good as GET, and the hint may have expired")
    func post() async throws {
        let (browser, hint, _) = try await signedIn(server)
        server.clock.advance(by: 1000)
        let reply = try await browser.post(
            .endpoint("logout"),
            [
                ("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye),
                ("client_id", "web1"),
            ]
        )
        #expect(reply.status == 303)
        #expect(reply.location == Self.bye)
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("RP-Initiated Logout §2, decision 0018: where apps rely on it a hint alone signs out")
    func withoutCookie() async throws {
        let server = try await ProviderUnderTest { $0.realm.signsOutByHintAlone = true }
        let (browser, hint, _) = try await signedIn(server)
        let other = try await signedIn(server)
        let reply = try await TestBrowser(server).logout(hint: hint)
        #expect(reply.status == 200)
        #expect(reply.location == nil)
        #expect(try await !browser.isSignedIn())
        #expect(try await other.browser.isSignedIn(), "another session of the same person stays")
    }

    @Test("RP-Initiated Logout §2: a hint without its session's cookie asks, and names no one")
    func asksWithoutCookie() async throws {
        let (browser, hint, tokens) = try await signedIn(server)
        let other = try await signedIn(server)
        let stranger = TestBrowser(server)
        let page = try await stranger.logout(hint: hint, to: Self.bye, state: "s-2")
        expectAsked(page)
        for name in ["alice", "Alice", "example.com\""] { #expect(!page.text.contains(name)) }
        #expect(page.text.contains("another browser or on another device"))
        #expect(try await stranger.submit(page, [("action", "stay")]).status == 200)
        #expect(try await browser.isSignedIn(), "nothing ends before the answer")
        #expect(try await server.userInfo(try tokens.accessToken).status == 200)
        let done = try await stranger.submit(page, [("action", "sign-out")])
        #expect(done.location == Self.bye + "?state=s-2")
        #expect(try await !browser.isSignedIn())
        #expect(try await other.browser.isSignedIn())
        // What is over is not asked about: the browser goes back.
        #expect(try await TestBrowser(server).logout(hint: hint, to: Self.bye).location == Self.bye)
        let friendly = try await TestBrowser(server).logout(hint: hint)
        #expect(friendly.status == 200)
        #expect(friendly.text.contains("You weren’t signed in"))
    }

    @Test("decision 0104: a sign-out page from before another sign-in asks about that one")
    func pageOfBefore() async throws {
        let (browser, _, _) = try await signedIn(ProviderUnderTest())
        let page = try await browser.logout()
        _ = try await browser.submit(page, [("action", "sign-out")])
        _ = try await browser.signIn("bob", TestFlow.request())
        let again = try await browser.submit(page, [("action", "sign-out")])
        expectAsked(again)
        #expect(try await browser.isSignedIn())
        _ = try await browser.submit(again, [("action", "sign-out")])
        #expect(try await !browser.isSignedIn())
    }

    @Test("RP-Initiated Logout §2: the cookie of a session counts, however long no one used it")
    func idle() async throws {
        let server = try await ProviderUnderTest { $0.realm.lifetimes.accessToken = 20_000 }
        let (browser, hint, tokens) = try await signedIn(server)
        let second = try await signedIn(server)
        server.clock.advance(by: 1800 + 300)
        #expect(try await !browser.isSignedIn())
        #expect(try await browser.logout(hint: hint, to: Self.bye).location == Self.bye)
        #expect(try await server.remains().liveSessions == 1)
        #expect(try await server.userInfo(try tokens.accessToken).status == 401)
        // Without a hint the page asks, and shows no one's name to the current user.
        let page = try await second.browser.logout()
        expectAsked(page)
        #expect(!page.text.contains("alice@example.com"))
        let wrong = try await second.browser.logout(client: "native1", to: "https://x.example")
        #expect(wrong.status == 400)
        #expect(!wrong.text.contains("alice@example.com"))
        #expect(try await second.browser.submit(page, [("action", "sign-out")]).status == 200)
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("attack E30, RP-Initiated Logout §6: without a hint nothing ends before a yes")
    func withoutHint() async throws {
        let (browser, _, _) = try await signedIn(server)
        let page = try await browser.logout(client: "web1", to: Self.bye, state: "s-9")
        expectAsked(page)
        #expect(try await browser.isSignedIn())
        let stayed = try await browser.submit(page, [("action", "stay")])
        #expect(stayed.status == 200)
        #expect(stayed.location == nil)
        #expect(try await browser.isSignedIn(), "§4: refused, so the session stays")
        for action in ["", "SIGN-OUT"] {
            _ = try await browser.submit(page, [("action", action)])
            #expect(try await browser.isSignedIn())
        }
        let done = try await browser.submit(page, [("action", "sign-out")])
        #expect(done.status == 303)
        #expect(done.location == Self.bye + "?state=s-9")
        #expect(try await !browser.isSignedIn())
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("RP-Initiated Logout §6: an image on another site signs no one out")
    func foreignImage() async throws {
        let (browser, _, _) = try await signedIn(ProviderUnderTest())
        expectAsked(try await browser.get(.endpoint("logout"), headers: [.fetchSite: "cross-site"]))
        #expect(try await browser.isSignedIn())
    }

    @Test("a sign-out from a client's page is not taken as refused while clients cannot be read")
    func unreadableClients() async throws {
        let (browser, _, _) = try await signedIn(server)
        try await server.database.database.write { transaction in
            _ = try transaction.run("ALTER TABLE clients RENAME TO away", [])
        }
        // One that is in no memory.
        let reply = try await browser.post(
            .endpoint("logout"),
            [("client_id", "never-seen")],
            headers: [.fetchSite: "cross-site"]
        )
        #expect(reply.status == 500 && reply.location == nil)
        try await server.database.database.write { transaction in
            _ = try transaction.run("ALTER TABLE away RENAME TO clients", [])
        }
        #expect(try await browser.isSignedIn())
    }

    @Test("attack E30: bob's hint while alice is signed in asks, and ends neither")
    func otherPerson() async throws {
        let alice = try await signedIn(server)
        let bob = try await signedIn(server, "bob")
        let page = try await alice.browser.logout(hint: bob.hint, to: Self.bye)
        expectAsked(page)
        #expect(page.text.contains("alice@example.com"))
        #expect(!page.text.contains("bob@example.com"))
        #expect(try await alice.browser.isSignedIn())
        #expect(try await bob.browser.isSignedIn())
        #expect(try await alice.browser.submit(page, [("action", "sign-out")]).location == Self.bye)
        #expect(try await !alice.browser.isSignedIn())
        #expect(try await bob.browser.isSignedIn())
    }

    @Test("attack E30, RP-Initiated Logout §2, §4: a forged hint is a page, and nothing ends")
    func forgedHint() async throws {
        let (browser, hint, tokens) = try await signedIn(server)
        let access = try tokens.accessToken
        for forged in try HintForge(hint).all + ["x", access] {
            for client in [browser, TestBrowser(server)] {
                expectErrorPage(try await client.logout(hint: forged, to: Self.bye))
            }
        }
        #expect(try await browser.isSignedIn())
    }

    @Test("attack E30, WEB-REDIR-1, RP-Initiated Logout §3: only registered addresses lead back")
    func redirects() async throws {
        let (browser, hint, _) = try await signedIn(ProviderUnderTest())
        for redirect in [
            "https://evil.example", "https://app.example.com/bye/", "https://app.example.com/BYE",
            "https://app.example.com/bye?x=1", "https://app.example.com/bye#", "//evil.example",
            "/\\evil.example", "javascript:alert(1)", "https://app.example.com/cb", "/bye",
            "https://app.example.com:443/bye", "com.example.app:/bye", " " + Self.bye,
        ] {
            for parameters in [
                [("id_token_hint", hint)], [("client_id", "web1")],
                [("id_token_hint", hint), ("client_id", "web1")],
            ] {
                let query = FormEncoding.appending(
                    (parameters + [("post_logout_redirect_uri", redirect)]).map {
                        (name: $0.0, value: $0.1)
                    },
                    to: String.endpoint("logout")
                )
                expectErrorPage(try await browser.get(query))
            }
        }
        #expect(try await browser.isSignedIn())
    }

    /// A native client with its loopback addresses; a confidential one that registered the same.
    private func loopbackServer() async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            for index in realm.clients.indices
            where ["native1", "web1"].contains(realm.clients[index].clientID) {
                realm.clients[index].postLogoutRedirectURIs += [
                    RedirectURI("http://127.0.0.1/bye"), RedirectURI("http://[::1]/bye?from=app"),
                ]
            }
        }
    }

    @Test(
        "RFC 8252 §7.3, RP-Initiated Logout §3: an app's loopback address is gone back to on any port",
        arguments: [
            "http://127.0.0.1/bye", "http://127.0.0.1:49152/bye", "http://127.0.0.1:1/bye",
            "http://[::1]:65535/bye?from=app",
        ]
    )
    func anyPort(address: String) async throws {
        let server = try await loopbackServer()
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "native1", browser: browser)
        let reply = try await browser.logout(hint: try tokens.idToken, to: address, state: "s-1")
        #expect(reply.status == 303)
        let separator = address.contains("?") ? "&" : "?"
        #expect(reply.location == address + separator + "state=s-1")
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test(
        "attack E30, RFC 8252 §7.3: nothing but the port of a registered loopback literal is open",
        arguments: [
            "http://localhost:49152/bye", "http://127.0.0.1:49152/", "http://127.0.0.1:49152/bye/",
            "http://127.0.0.1:49152/bye?x=1", "http://127.0.0.1:49152/bye#x",
            "https://127.0.0.1:49152/bye", "http://127.0.0.2:49152/bye", "http://127.1:49152/bye",
            "http://[::1]:49152/bye", "http://[0:0:0:0:0:0:0:1]:49152/bye?from=app",
            "http://0.0.0.0:49152/bye", "http://127.0.0.1:99999/bye", "http://127.0.0.1:-1/bye",
            "http://127.0.0.1:+80/bye", "http://127.0.0.1:80:90/bye",
            "http://127.0.0.1:\u{665}\u{660}/bye", "http://127.0.0.1@evil.example/bye",
            "http://127.0.0.1:49152@evil.example/bye", "http://127.0.0.1.evil.example/bye",
            "http://evil.example:49152/bye", "com.example.app:49152/bye",
        ]
    )
    func onlyThePort(address: String) async throws {
        let server = try await loopbackServer()
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "native1", browser: browser)
        expectErrorPage(try await browser.logout(hint: tokens.idToken, to: address))
        #expect(try await browser.isSignedIn())
    }

    @Test("attack E30, RP-Initiated Logout §3: the port is open to native apps only")
    func confidentialPort() async throws {
        let (browser, hint, _) = try await signedIn(loopbackServer())
        for address in ["http://127.0.0.1:49152/bye", "https://app.example.com:8443/bye"] {
            expectErrorPage(try await browser.logout(hint: hint, to: address))
        }
        #expect(try await browser.isSignedIn())
        let exact = ("post_logout_redirect_uri", "http://127.0.0.1/bye")
        #expect(try await browser.logout(hint: hint, exact).location == "http://127.0.0.1/bye")
    }

    @Test("RP-Initiated Logout §2, §3: hint, client_id and address must belong together")
    func otherClient() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "other1"].postLogoutRedirectURIs = [
                RedirectURI("https://other.example.net/bye")
            ]
        }
        let (browser, hint, _) = try await signedIn(server)
        let other = ("post_logout_redirect_uri", "https://other.example.net/bye")
        expectErrorPage(try await browser.logout(hint: hint, other))
        expectErrorPage(try await browser.logout(hint: hint, client: "other1", other))
        expectErrorPage(try await browser.logout(hint: hint, client: "nobody"))
        expectErrorPage(try await browser.logout(hint: hint, client: "web1", ("client_id", "web1")))
        #expect(try await browser.isSignedIn())
    }

    @Test("RP-Initiated Logout §2, §3: without hint and client_id it asks, and goes back nowhere")
    func unknownClient() async throws {
        let (browser, _, _) = try await signedIn(ProviderUnderTest())
        for address in [Self.bye, "https://evil.example", "javascript:alert(1)"] {
            let page = try await browser.logout(to: address)
            expectAsked(page)
            #expect(!page.text.contains(address))
            #expect(try await browser.isSignedIn())
            #expect(try await browser.submit(page, [("action", "stay")]).location == nil)
        }
        let done = try await browser.submit(browser.logout(to: Self.bye), [("action", "sign-out")])
        #expect(done.status == 200 && done.location == nil)
        #expect(!done.text.contains(Self.bye))
        #expect(try await !browser.isSignedIn())
        let nobody = try await browser.logout(to: Self.bye)
        #expect(nobody.status == 200 && nobody.location == nil)
    }

    @Test("A refused request says what was wrong, and lets the person sign out all the same")
    func stillSignedIn() async throws {
        for (parameters, words, description) in [
            (
                [("client_id", "web1"), ("post_logout_redirect_uri", "https://evil.example")],
                "an address that isn’t set up for it",
                "post_logout_redirect_uri is not one the client registered."
            ),
            (
                [("id_token_hint", "x"), ("post_logout_redirect_uri", Self.bye)],
                "There’s a mistake in this app’s sign-in request",
                "id_token_hint is not an ID Token of this issuer."
            ),
            (
                [("client_id", "nobody")], "This app isn’t registered here",
                "client_id is not that of a registered client."
            ),
        ] {
            let (browser, _, tokens) = try await signedIn(server)
            let path = TestBrowser.authorizationPath(parameters, at: String.endpoint("logout"))
            let page = try await browser.get(path)
            expectErrorPage(page)
            #expect(page.text.contains(words), "\(description)")
            #expect(page.text.contains(">\(description)</bdi>"))
            #expect(page.text.contains("You’re still signed in"))
            #expect(!page.text.contains("evil"))
            #expect(page.formAction == String.endpoint("logout/logout-confirm"))
            #expect(try await browser.isSignedIn())
            let stayed = try await browser.submit(page, [("action", "stay")])
            #expect(stayed.status == 200 && stayed.location == nil)
            #expect(try await browser.isSignedIn())
            let done = try await browser.submit(page, [("action", "sign-out")])
            #expect(done.status == 200 && done.location == nil, "it goes back nowhere")
            #expect(try await !browser.isSignedIn())
            #expect(try await server.userInfo(try tokens.accessToken).status == 401)
            // Whom no one has signed in has nothing to sign out of.
            let alone = try await browser.get(path)
            expectErrorPage(alone)
            #expect(alone.formAction == nil)
            #expect(alone.text.contains(description))
        }
    }

    @Test("RP-Initiated Logout §2: logout_hint and ui_locales are taken, and do no harm")
    func otherParameters() async throws {
        let (browser, _, _) = try await signedIn(ProviderUnderTest())
        let page = try await browser.logout(("logout_hint", "bob"), ("ui_locales", "tlh de"))
        expectAsked(page)
        #expect(page.text.contains("<html lang=\"de\""))
        let state = String(repeating: "s", count: 4097)
        expectErrorPage(try await browser.logout(state: state))
    }

    @Test("RP-Initiated Logout §2: a server's unseen request is never answered like a yes")
    func unseen() async throws {
        let (browser, hint, _) = try await signedIn(server)
        func ask(_ query: String, _ headers: HTTPFields) async throws -> Reply {
            try await server.send(.get, String.endpoint("logout") + query, headers: headers)
        }
        for headers in [[:], [.accept: "*/*"], [.accept: "application/json"]] as [HTTPFields] {
            let asked = try await ask("?id_token_hint=" + hint, headers)
            #expect(asked.status == 400 && asked.error == "interaction_required")
            #expect(asked.json.string("error_description")?.hasPrefix("id_token_hint") == true)
            let bare = try await ask("", headers)
            #expect(bare.status == 400)
            #expect(
                bare.json.string("error_description")?.hasPrefix("id_token_hint is missing") == true
            )
        }
        #expect(try await browser.isSignedIn(), "and nothing has ended")
        // A person's browser is asked, and so is one that has only lost its cookies.
        expectAsked(try await ask("?id_token_hint=" + hint, [.accept: "text/html,*/*"]))
        _ = try await browser.logout(hint: hint)
        // What is over is over.
        #expect(try await ask("?id_token_hint=" + hint, [:]).status == 200)
    }

    @Test(
        "RP-Initiated Logout §4: a hint that is none leads on: to the client, or to the account",
        arguments: ["undefined", "null", "x.y.z"]
    )
    func noHint(_ hint: String) async throws {
        let known = try await TestBrowser(server).logout(hint: hint, client: "web1", to: Self.bye)
        expectErrorPage(known)
        #expect(known.text.contains("href=\"\(Self.bye)\""))
        for more in [[], [("client_id", "web1")], [("client_id", "nobody")]] {
            let reply = try await TestBrowser(server).get(
                FormEncoding.appending(
                    ([("id_token_hint", hint)] + more).map { (name: $0.0, value: $0.1) },
                    to: String.endpoint("logout")
                )
            )
            expectErrorPage(reply)
            #expect(reply.text.contains("href=\"/realms/test/account/apps\""))
        }
        // Never anywhere that is not registered.
        let evil = try await TestBrowser(server).logout(
            hint: hint,
            client: "web1",
            to: "https://evil.example/"
        )
        expectErrorPage(evil)
    }

    @Test("decision 0104: a sign-out page that was left open asks again, with the same way back")
    func lateConfirmation() async throws {
        let (browser, _, _) = try await signedIn(server)
        let page = try await browser.logout(client: "web1", to: Self.bye)
        expectAsked(page)
        server.clock.advance(by: 3601)
        let again = try await browser.submit(page, [("action", "sign-out")])
        if again.formAction == nil {
            // The session is over by then.
            #expect(again.status == 200)
        } else {
            expectAsked(again)
            #expect(try await browser.submit(again, [("action", "sign-out")]).location == Self.bye)
        }
        #expect(try await server.remains().liveSessions <= 1)
    }
}
