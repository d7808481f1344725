import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Browser sessions and their cookies") struct BrowserSessionTests {
    private func sessionCookie(_ browser: TestBrowser) -> (name: String, value: String)? {
        browser.cookies.first { $0.key.contains("session") }.map { ($0.key, $0.value) }
    }

    @Test("WEB-COOKIE-1 to 4, 6, 8: every cookie of a sign-in is __Host-, Secure, HttpOnly and Lax")
    func attributes() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request("third"))
        let answer = try await browser.submit(page, TestRealm.login())
        let cookies = [page, answer].flatMap { $0.headers[values: .setCookie] }
        #expect(cookies.count == 5)
        for cookie in cookies {
            let parts = cookie.components(separatedBy: "; ")
            #expect(parts[0].hasPrefix("__Host-"))
            #expect(parts.contains("Path=/"))
            #expect(parts.contains("Secure"))
            #expect(parts.contains("HttpOnly"))
            #expect(parts.contains("SameSite=Lax"))
            #expect(!cookie.lowercased().contains("domain"))
            #expect(parts[0].utf8.count <= 4096)
        }
        // WEB-COOKIE-3: no value is in a body or an address.
        for value in browser.cookies.values {
            #expect(!page.text.contains(value))
            #expect(!answer.text.contains(value))
        }
    }

    @Test("WEB-COOKIE-7: a session cookie that comes twice counts as none")
    func duplicates() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let cookie = try #require(sessionCookie(browser))
        let pair = "\(cookie.name)=\(cookie.value)"
        let path = TestBrowser.authorizationPath(TestFlow.silent)
        for header in [
            "\(pair); \(pair)", "\(cookie.name)=x; \(pair)", "\(pair); \(cookie.name)=x",
        ] {
            let reply = try await server.send(.get, path, headers: [.cookie: header])
            expectError(reply, "login_required")
        }
        expectCode(try await server.send(.get, path, headers: [.cookie: pair]))
        for value in [
            "", "x", cookie.value + "A", String(cookie.value.dropLast()), "\"\(cookie.value)\"",
        ] {
            let header = "\(cookie.name)=\(value)"
            expectError(
                try await server.send(.get, path, headers: [.cookie: header]),
                "login_required"
            )
        }
    }

    @Test("WEB-SESS-1: no cookie from before a sign-in is worth anything after it")
    func fixation() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        let before = browser.cookies
        let planted = TestBrowser(server)
        planted.cookies = before
        let form = TestRealm.login()
        expectCode(try await browser.submit(page, form))
        #expect(Set(before.values).isDisjoint(with: browser.cookies.values))
        #expect(try await !planted.isSignedIn())
        // Again, with a session: a new cookie, and the old one is dead.
        let old = browser.cookies
        expectCode(try await browser.signIn("alice", TestFlow.again))
        #expect(Set(old.values).isDisjoint(with: browser.cookies.values))
        planted.cookies = old
        #expect(try await !planted.isSignedIn())
        #expect(try await browser.isSignedIn())
        #expect(try await server.remains().liveSessions == 1)
    }

    @Test("WEB-SESS-1: a session cookie that a person planted never becomes a session")
    func plantedSession() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let name = try #require(sessionCookie(browser)).name
        let planted = RandomSource.system.text(32)
        let victim = TestBrowser(server)
        victim.cookies[name] = planted
        expectCode(try await victim.signIn("alice", TestFlow.request()))
        #expect(victim.cookies[name] != planted)
        let attacker = TestBrowser(server)
        attacker.cookies[name] = planted
        #expect(try await !attacker.isSignedIn())
    }

    @Test("WEB-SESS-2, WEB-CRYPT-2: the cookie has 256 random bits, and the store its hash alone")
    func storedHashed() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let value = try #require(sessionCookie(browser)).value
        let bytes = try #require(Base64URL.decode(value))
        #expect(bytes.count == 32)
        let stored = try server.database.database.read { reader in
            try reader.rows("SELECT cookie_hash, id FROM sessions", []) {
                (try $0.bytes(0), try $0.text(1))
            }
        }
        #expect(stored.count == 1)
        #expect(stored.first?.0 == Hash256(of: value).bytes)
        #expect(stored.first?.0 != bytes)
        let id = try #require(stored.first?.1)
        let forged = TestBrowser(server)
        let name = try #require(sessionCookie(browser)).name
        for value in [id, Base64URL.encode(Hash256(of: value).bytes)] {
            forged.cookies[name] = value
            #expect(try await !forged.isSignedIn())
        }
    }

    @Test("WEB-SESS-3: a session ends when it is not used, and after ten hours even if it is")
    func lifetimes() async throws {
        let server = try await ProviderUnderTest()
        let idle = TestBrowser(server)
        _ = try await idle.signIn("alice", TestFlow.request())
        server.clock.advance(by: 1800 + 300)
        #expect(try await !idle.isSignedIn())
        let used = TestBrowser(server)
        let answer = try await used.signIn("alice", TestFlow.request())
        let id = try #require(answer.redirected["session_state"])
        for _ in 0..<23 {
            server.clock.advance(by: 1500)
            #expect(try await used.isSignedIn())
            try await server.database.sessions.touch([(id: id, at: server.clock.seconds)])
        }
        server.clock.advance(by: 1499)
        #expect(try await used.isSignedIn(), "a second before the end")
        server.clock.advance(by: 1)
        #expect(try await !used.isSignedIn(), "10 hours")
    }

    @Test("WEB-SESS-5: a disabled or deleted person is signed out everywhere, tokens included")
    func disabled() async throws {
        for isDeleted in [false, true] {
            let (server, browser) = try await ProviderUnderTest.withBrowser()
            let tokens = try await server.tokens(browser: browser)
            let id = try #require(tokens.claims.string("sub"))
            let realm = try #require(server.provider.realms.realm(named: "test")).realm.id
            if isDeleted {
                _ = try await server.database.people.deletePerson(id: id, realmID: realm)
            } else {
                var person = try #require(
                    try await server.database.people.person(id: id, realmID: realm)
                ).person
                person.isEnabled = false
                _ = try await server.database.people.update(person)
            }
            #expect(try await !browser.isSignedIn())
            #expect(try await server.refresh(try tokens.refreshToken).status == 400)
            #expect(try await server.userInfo(try tokens.accessToken).status == 401)
            let page = try await TestBrowser(server).signIn("alice", TestFlow.request())
            #expect(page.location == nil)
        }
    }

    @Test("WEB-SESS-6: a new password ends the old one's sessions, those of that second too")
    func newPassword() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens(browser: browser)
        let id = try #require(try tokens.claims.string("sub"))
        let hash = try await TestRealm.hash(of: "another long pass phrase")
        _ = try await server.database.people.setPassword(hash, of: id, at: server.clock.seconds)
        #expect(try await !browser.isSignedIn())
        #expect(try await server.refresh(try tokens.refreshToken).status == 400)
        expectPage(try await browser.signIn("alice", TestFlow.request()), "authenticate")
    }

    private static let weak = (
        password: "kept since the first day",
        hashes: [
            // Made with 4 MiB, as long ago; and by another server.
            "$argon2id$v=19$m=4096,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg"
                + "$zBZXCJkGn2i32JZG7DYUALE+UqwFCX3eNHhEWbqh4V0",
            "$pbkdf2-sha256$i=27500,l=64$MDEyMzQ1Njc4OWFiY2RlZg"
                + "$NrqOMucPCs1IiYSkcSlyUmAPtq+GwgeB01BwTVJYCXd26i+ZDsG0ZCoKRfEWHn+UqVVzpUN07UtG9Ij1gPpLWw",
        ]
        .map(PasswordHash.init(encoded:))
    )

    @Test(
        "WEB-PW-2, decision 0034: a weaker hash, or a foreign one, is replaced in the transaction",
        arguments: weak.hashes
    )
    func rehash(hash: PasswordHash) async throws {
        let server = try await ProviderUnderTest { $0.people[0].password = hash }
        func kept() async throws -> PasswordHash? {
            try await server.person().password
        }
        func signIn(_ browser: TestBrowser, _ password: String) async throws -> Reply {
            let page = try await browser.authorize(TestFlow.again)
            return try await browser.submit(page, [("username", "alice"), ("password", password)])
        }
        let browser = TestBrowser(server)
        expectPage(try await signIn(browser, "another one altogether"), "authenticate")
        #expect(try await kept() == hash, "a wrong password changes nothing")

        let before = server.database.database.commitCounts.writes
        expectCode(try await signIn(browser, Self.weak.password))
        #expect(server.database.database.commitCounts.writes == before + 1)
        let stronger = try #require(try await kept())
        #expect(stronger.encoded.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        // No one was signed out by it, the password is the same one, and once is enough.
        #expect(try await browser.isSignedIn())
        expectCode(try await signIn(TestBrowser(server), Self.weak.password))
        #expect(try await kept() == stronger)
        #expect(try await browser.isSignedIn())
    }

    @Test("WEB-SESS-1: where the answer is an error after all, the browser still gets its session")
    func sessionBesideError() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let hint = try await server.tokens("bob").idToken
        let before = try await server.remains()
        let page = try await browser.authorize(
            TestFlow.request("native1", [("id_token_hint", hint)])
        )
        let form = try await browser.submit(page, [("action", "switch")])
        let answer = try await browser.submit(form, TestRealm.login())
        #expect(answer.redirected["error"] == "login_required")
        #expect(answer.redirected["code"] == nil)
        #expect(try await browser.isSignedIn())
        #expect(try await server.remains().liveSessions == before.liveSessions)
    }

    @Test("Blocked cookies are told apart from an expired page")
    func blocked() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        browser.cookies = [:]
        let reply = try await browser.submit(page, TestRealm.login())
        #expect(reply.status == 403)
        #expect(reply.text.localizedCaseInsensitiveContains("cookies"))
        #expect(try await server.remains() == Remains())
    }
}
