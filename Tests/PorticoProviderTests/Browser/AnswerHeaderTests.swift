import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// What every page and redirect of the Provider carries, seen on real ones.
@Suite("Headers and words of the pages") struct AnswerHeaderTests {
    private func header(_ reply: Reply, _ name: String) -> String? {
        HTTPField.Name(name).flatMap { reply.headers[$0] }
    }

    /// One of each page that a person can meet.
    private func pages(_ server: ProviderUnderTest) async throws -> [(name: String, reply: Reply)] {
        let browser = TestBrowser(server)
        let signIn = try await browser.authorize(TestFlow.request("third"))
        let wrong = try await browser.submit(signIn, [("username", "alice"), ("password", "no")])
        let consent = try await browser.submit(signIn, TestRealm.login())
        let account = try await browser.authorize(
            TestFlow.request("native1", [("prompt", "select_account")])
        )
        let posted = try await browser.authorize(
            TestFlow.request("web1", [("response_mode", "form_post")])
        )
        let logout = try await browser.get(.endpoint("logout"))
        let forged = try await browser.submit(consent, [("csrf", "x")])
        let stayed = try await browser.submit(logout, [("action", "stay")])
        let signedOut = try await browser.submit(logout, [("action", "sign-out")])
        let lost = try await TestBrowser(server).submit(signIn, [])
        let refused = try await browser.authorize([("client_id", "nobody")])
        let expired = try await browser.get("/realms/test/login-actions/restart?request=x")
        return [
            ("sign-in", signIn), ("wrong password", wrong), ("consent", consent),
            ("select account", account), ("form post", posted), ("sign out", logout),
            ("stayed", stayed), ("signed out", signedOut), ("forged form", forged),
            ("cookies blocked", lost), ("error", refused), ("expired", expired),
            ("not found", try await server.send(.get, "/nowhere")),
            ("no realm", try await server.send(.get, "/realms/none/login-actions/restart")),
            ("method", try await server.send(.put, "/realms/test/login-actions/consent")),
        ]
    }

    @Test("attack B12, WEB-CSP-1, WEB-CSP-6, RFC 6749 §10.13, RFC 9700 §4.16: nothing is framed")
    func framing() async throws {
        for (name, reply) in try await pages(try await ProviderUnderTest()) {
            #expect(reply.headers[.contentType] == "text/html; charset=utf-8", "\(name)")
            #expect(header(reply, "X-Frame-Options") == "DENY", "\(name)")
            #expect(header(reply, "Permissions-Policy")?.contains("camera=()") == true, "\(name)")
            let policy = reply.headers[.contentSecurityPolicy] ?? ""
            for directive in [
                "default-src 'none'", "object-src 'none'", "base-uri 'none'",
                "frame-ancestors 'none'",
            ] {
                #expect(policy.contains(directive), "\(name)")
            }
        }
    }

    @Test("WEB-CSP-1 to 4: no script but the one that posts a response, by its hash; no wildcard")
    func contentSecurity() async throws {
        for (name, reply) in try await pages(try await ProviderUnderTest()) {
            let policy = reply.headers[.contentSecurityPolicy] ?? ""
            #expect(!policy.contains("unsafe"), "\(name)")
            #expect(!policy.contains("*"), "\(name)")
            let scripts = reply.text.matches(of: /<script[^>]*>((?s:.*?))<\/script>/)
            #expect(scripts.count <= 1, "\(name)")
            let source = scripts.first.map { InlineSource.hash(of: String($0.1)) } ?? "'none'"
            #expect(policy.contains("script-src \(source);"), "\(name)")
            let form = policy.components(separatedBy: "; ").first { $0.hasPrefix("form-action") }
            switch name {
            // A client's server may lead on to anywhere (docs/decisions/0101).
            case "sign-in", "consent", "wrong password", "select account", "form post":
                #expect(form == nil, "\(name)")
            default: #expect(form == "form-action 'self'", "\(name)")
            }
        }
    }

    @Test("WEB-CSP-5, WEB-CSP-7, WEB-REF-1, WEB-CACHE-1, RFC 9700 §4.2.4: headers of every answer")
    func others() async throws {
        let server = try await ProviderUnderTest()
        var replies = try await pages(server)
        let browser = TestBrowser(server)
        replies.append(("code", try await browser.signIn("alice", TestFlow.request())))
        let silent = TestFlow.request("third", [("prompt", "none")])
        replies.append(("error redirect", try await browser.authorize(silent)))
        replies.append(("pushed", try await server.push(TestFlow.request())))
        replies.append(("push refused", try await server.push([])))
        for path in ["account", "account/apps", "account/devices"] {
            replies.append((path, try await browser.get("/realms/test/\(path)")))
        }
        for (name, reply) in replies {
            #expect(header(reply, "X-Content-Type-Options") == "nosniff", "\(name)")
            #expect(header(reply, "Referrer-Policy") == "no-referrer", "\(name)")
            #expect(reply.headers[.cacheControl] == "no-store", "\(name)")
            // What an app shows in a window of its own must find back to it.
            let isCut =
                ["not found", "no realm", "pushed", "push refused"].contains(name)
                || name.hasPrefix("account")
            let opener = header(reply, "Cross-Origin-Opener-Policy")
            #expect(opener == (isCut ? "same-origin" : nil), "\(name)")
            #expect(header(reply, "Cross-Origin-Resource-Policy") == "same-origin", "\(name)")
            #expect(
                header(reply, "Strict-Transport-Security") == "max-age=63072000; includeSubDomains",
                "\(name)"
            )
            #expect(header(reply, "Server") == nil, "\(name)")
        }
    }

    @Test("WEB-CORS-2, RFC 9700 §2.6: no page and no redirect has a word for other origins")
    func crossOrigin() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        for origin in ["https://app.example.com", "https://evil.example", "null"] {
            for path in [
                TestBrowser.authorizationPath(TestFlow.request("web1")),
                TestBrowser.authorizationPath(TestFlow.request("web1", [("prompt", "login")])),
                String.endpoint("logout"), "/realms/test/login-actions/consent",
                "/realms/test/login-actions/authenticate",
                String.endpoint("ext/par/request"),
            ] {
                let headers: HTTPFields = [.origin: origin]
                let get = try await browser.get(path, headers: headers)
                let preflight = try await server.send(.options, path, headers: headers)
                // At the address for signing out programs post, too: that is no page.
                let isForPrograms = path == String.endpoint("logout")
                let isKnown = isForPrograms && origin == "https://app.example.com"
                #expect(preflight.status == (isForPrograms ? 204 : 405))
                for reply in isKnown ? [get] : [get, preflight] {
                    #expect(
                        !reply.headers.contains {
                            $0.name.canonicalName.hasPrefix("access-control-")
                        }
                    )
                }
            }
        }
    }

    @Test("WEB-XSS-1, RFC 6749 §10.14: whatever a client or a person is called is text on the page")
    func escaping() async throws {
        let name = "<img src=x onerror=alert(1)>\"'`&amp;{{x}}"
        let server = try await ProviderUnderTest { realm in
            realm.realm.displayName = name
            for index in realm.clients.indices { realm.clients[index].name = name }
            realm.people[0].person.givenName = name
        }
        let browser = TestBrowser(server)
        let page = try await browser.authorize(
            TestFlow.request("third", [("login_hint", name), ("ui_locales", name)])
        )
        let wrong = try await browser.submit(page, [("username", name), ("password", name)])
        let consent = try await browser.submit(page, TestRealm.login())
        let account = try await browser.authorize(
            TestFlow.request("native1", [("prompt", "select_account")])
        )
        let logout = try await browser.get(String.endpoint("logout") + "?client_id=third")
        let unknown = try await browser.authorize([("client_id", name)])
        let posted = try await browser.authorize(
            TestFlow.request("web1", [("response_mode", "form_post"), ("state", name)])
        )
        expectPage(consent, "consent")
        for reply in [page, wrong, consent, account, logout, unknown, posted] {
            #expect(!reply.text.contains("<img src=x"))
            #expect(!reply.text.contains("\"'`"))
            #expect(reply.text.contains("&lt;img src=x onerror=alert(1)&gt;"))
        }
    }

    @Test("RFC 9700 §4.2.4, WEB-REDIR-1: no page loads from elsewhere or leads there")
    func noThirdParties() async throws {
        for (name, reply) in try await pages(try await ProviderUnderTest()) {
            let addresses = reply.text.matches(of: /(?:href|src|action|url)\s*[=(]\s*"?([^")]*)/)
                .map { String($0.1) }
            for address in addresses {
                let isOurs =
                    address.hasPrefix("/realms/test/") || address.hasPrefix("#")
                    || address == "/favicon.ico"
                let isClients = name == "form post" && address == "https://app.example.com/cb"
                #expect(isOurs || isClients || address.hasPrefix("data:"), "\(name): \(address)")
            }
        }
    }

    @Test("WEB-ERR-1: what no one expected is 500 with an id, and no word of where or why")
    func unexpected() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        try await server.database.database.write { transaction in
            try transaction.run("DROP TABLE grants", [])
            try transaction.run("DROP TABLE sessions", [])
            try transaction.run("DROP TABLE pushed_requests", [])
        }
        let failed = try await browser.submit(page, TestRealm.login())
        let pushed = try await server.push(TestFlow.request())
        let checkout = try #require(#filePath.split(separator: "/Tests/").first)
        for reply in [failed, pushed] {
            #expect(reply.status == 500)
            #expect(reply.location == nil)
            #expect(reply.headers[values: .setCookie].isEmpty)
            for word in [
                "SQL", "sql", "GRDB", "table", "swift", "Sources", "Error(", String(checkout),
                "/Users",
                "sessions", "pushed_requests", "insert", "INSERT",
            ] {
                #expect(!reply.text.contains(word), "\(word)")
            }
        }
        #expect(pushed.error == "server_error")
        // The id on the page is the one in the log.
        let ids = server.log.matches(of: /request=([A-Za-z0-9_-]+)/).map { String($0.1) }
        #expect(ids.contains { failed.text.contains($0) })
    }

    @Test("WEB-COOKIE-3: no cookie, password or verifier is on any page")
    func noSecrets() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let request = TestFlow.request("third")
        let page = try await browser.authorize(request)
        let wrong = try await browser.submit(
            page,
            [("username", "alice"), ("password", "a-wrong-one-of-alice")]
        )
        let consent = try await browser.submit(page, TestRealm.login())
        let logout = try await browser.get(.endpoint("logout"))
        for reply in [page, wrong, consent, logout] {
            for secret in browser.cookies.values { #expect(!reply.text.contains(secret)) }
            #expect(!reply.text.contains("a-wrong-one-of-alice"))
            #expect(!reply.text.contains(TestRealm.passwords["alice"] ?? "-"))
        }
    }
}
