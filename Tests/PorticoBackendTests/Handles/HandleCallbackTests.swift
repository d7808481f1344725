import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// Answers at `/oauth/callback` that are wrong, late, or come twice.
@Suite struct HandleCallbackTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    @Test("SEED-ADR-3: two tabs sign in side by side")
    func twoTabs() async throws {
        let first = try await visitor.begin("ann.example.com", [("redirect", "/one")])
        let two = try await visitor.returned("bob.example.com", [("redirect", "/two")], as: .bob)
        let one = try await visitor.request(server.hosts.approve(first.location, as: .ann))
        #expect([one.location, two.location] == ["/one", "/two"])
        #expect(try await server.handleSession(one)?.handle.did == TestHosts.Person.ann.did)
        // WEB-SESS-1: the browser has one session, the last.
        #expect(try await server.handleSession(two) == nil)
        #expect(try await server.user(of: visitor).string("name") == "ann.example.com")
    }

    @Test(
        "/oauth/callback: a late error changes nothing, and no one is asked anything",
        arguments: [true, false]
    )
    func lateError(_ isApp: Bool) async throws {
        let query = isApp ? TestApp().start : [("redirect", "/reports")]
        let begun = try await visitor.begin("ann.example.com", query)
        let good = try server.hosts.approve(begun.location, as: .ann)
        let late = try server.hosts.refuse(
            begun.location,
            "access_denied",
            "This request was already authorized"
        )
        let back = try await visitor.request(good)
        server.hosts.forgetRequests()
        for path in [late, good] {
            let again = try await visitor.request(path)
            if isApp {
                // Its app has the code.
                #expect(again.status == 400)
                #expect(again.location == nil)
            } else {
                #expect(again.location == "/reports")
            }
        }
        #expect(server.hosts.asked.isEmpty)
        #expect(server.hosts.looked.isEmpty)
        #expect(server.hosts.revoked.isEmpty)
        if !isApp { #expect(try await server.handleSession(back) != nil) }
    }

    @Test("Decision 0062: a code that is redeemed slowly survives what comes meanwhile")
    func slow() async throws {
        let begun = try await visitor.begin("ann.example.com")
        let good = try server.hosts.approve(begun.location, as: .ann)
        let error = try server.hosts.refuse(
            begun.location,
            "access_denied",
            "This request has expired"
        )
        let cookies = visitor.cookies
        let meanwhile = Locked<[Reply]>([])
        server.hosts.beforeTokens {
            server.hosts.beforeTokens(nil)
            for path in [error, good] {
                // What the browser had when it asked.
                let other = TestVisitor(server)
                other.cookies = cookies
                // `try?`: a reply that is not there is missed below.
                guard let reply = try? await other.request(path) else { continue }
                meanwhile.withLock { $0.append(reply) }
            }
        }
        let back = try await visitor.request(good)
        #expect(back.location == "/dashboard")
        #expect(try await server.handleSession(back) != nil)
        let replies = meanwhile.withLock { $0 }
        #expect(replies.count == 2)
        for reply in replies {
            #expect(!reply.headers[values: .setCookie].contains { $0.hasPrefix("sid=") })
        }
        #expect(server.hosts.asked.filter { $0.isGrant("authorization_code") }.count == 1)
        #expect(try server.accountSessions() == 1)
    }

    @Test("decision 0062: a code that could not be sent, because we are busy, may come again")
    func busy() async throws {
        let good = try await visitor.approved("ann.example.com")
        server.hosts.setBusy(true)
        for _ in 1...2 {
            let reply = try await visitor.request(good)
            #expect(reply.status == 503)
            #expect(reply.headers[.retryAfter] != nil)
        }
        server.hosts.setBusy(false)
        let back = try await visitor.request(good)
        #expect(back.location == "/dashboard")
        #expect(try await server.handleSession(back) != nil)
    }

    @Test("ATP-TL-7: answers that come together while we are busy end no attempt")
    func busyTogether() async throws {
        let good = try await visitor.approved("ann.example.com")
        server.hosts.setBusy(true)
        for _ in 1...10 {
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 1...4 { group.addTask { try await visitor.request(good) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for reply in replies where reply.status == 503 {
                #expect(!reply.headers[values: .setCookie].contains { $0.contains("Max-Age=0") })
            }
            #expect(replies.contains { $0.status == 503 })
        }
    }

    @Test("ATP-TL-7: an app is not told that we are busy: the answer comes again, and then it is")
    func busyForApp() async throws {
        let begun = try await visitor.begin(
            "ann.example.com",
            [("mobile", "true"), ("app", "moved")]
        )
        let good = try server.hosts.approve(begun.location, as: .ann)
        server.hosts.setBusy(true)
        let reply = try await visitor.request(good)
        #expect(reply.status == 503 && reply.location == nil)
        server.hosts.setBusy(false)
        let back = try await visitor.request(good)
        #expect(back.location?.contains("error") == false)
        #expect(try server.accountSessions() == 1)
    }

    @Test("decision 0062: a code that was spent before we are busy does not come again")
    func busyAfterwards() async throws {
        let good = try await visitor.approved("ann.example.com")
        server.hosts.beforeTokens {
            server.hosts.beforeTokens(nil)
            server.hosts.setBusy(true)
        }
        let reply = try await visitor.request(good)
        #expect(reply.status == 503)
        server.hosts.setBusy(false)
        let again = try await visitor.request(good)
        #expect(again.location == nil)
        #expect(server.hosts.asked.filter { $0.isGrant("authorization_code") }.count == 1)
        #expect(try server.accountSessions() == 0)
    }

    @Test("ATP-CB-1: an answer in another browser, or for no attempt, makes no request")
    func otherBrowser() async throws {
        let attacker = TestVisitor(server)
        let begun = try await attacker.begin("bob.example.com")
        let good = try server.hosts.approve(begun.location, as: .bob)
        server.hosts.forgetRequests()
        let victim = TestVisitor(server)
        for path in [good, "/oauth/callback", "/oauth/callback?code=c&state=", good + "x"] {
            let reply = try await victim.request(path)
            #expect(!reply.headers[values: .setCookie].contains { $0.hasPrefix("sid=") })
        }
        // A state that is a beginning of it, or longer, is another one.
        for change in ["", "x"] {
            let state = (Reply.query(good)["state"] ?? "").dropLast(change.isEmpty ? 1 : 0) + change
            let path = FormEncoding.appending(
                Reply.query(good).merging(["state": String(state)]) { $1 }
                    .map { (name: $0.key, value: $0.value) },
                to: "/oauth/callback"
            )
            _ = try await attacker.request(path)
        }
        #expect(server.hosts.asked.isEmpty)
        #expect(try server.accountSessions() == 0)
        #expect(try await attacker.request(good).location == "/dashboard")
    }

    @Test(
        "ATP-CB-1: iss missing or another: refused, the code stays unsent; the right answer counts",
        arguments: [
            nil, "https://other.example.com", "https://pds.example.com/",
            "https://PDS.example.com", "",
        ] as [String?]
    )
    func issuer(_ issuer: String?) async throws {
        let begun = try await visitor.begin("ann.example.com")
        let wrong = try server.hosts.approve(begun.location, as: .ann, changing: ["iss": issuer])
        let reply = try await visitor.request(wrong)
        #expect(reply.status == 403)
        #expect(!server.hosts.asked.contains { $0.path == "/oauth/token" })
        #expect(try server.accountSessions() == 0)
        let right = try server.hosts.approve(begun.location, as: .ann)
        #expect(try await visitor.request(right).location == "/dashboard")
    }

    @Test("/oauth/callback: a code of more than 4,096 bytes is not sent; the right answer counts")
    func longCode() async throws {
        let begun = try await visitor.begin("ann.example.com")
        let code = String(repeating: "c", count: 4097)
        let long = try server.hosts.approve(begun.location, as: .ann, changing: ["code": code])
        #expect(try await visitor.request(long).status == 403)
        #expect(!server.hosts.asked.contains { $0.path == "/oauth/token" })
        let right = try server.hosts.approve(begun.location, as: .ann)
        #expect(try await visitor.request(right).location == "/dashboard")
    }

    @Test("ATP-CB-3, attack G09: begun with a victim's handle, another's account is never had")
    func otherAccount() async throws {
        // Cat is at the same host, whose page lets her in instead.
        let reply = try await visitor.returned("ann.example.com", as: .cat)
        #expect(reply.status == 403)
        #expect(!visitor.cookies.keys.contains("sid"))
        #expect(try server.accountSessions() == 0)
        // What came is taken back.
        #expect(try await server.revoked(1).count == 1)
    }

    @Test("ATP-CB-4, attack G08: a host that names another's DID is refused; asked once more")
    func otherServer() async throws {
        let begun = try await visitor.begin(
            "https://other.example.com",
            [("mobile", "true"), ("app", "moved")]
        )
        server.hosts.set(.otherSubject(TestHosts.Person.ann.did))
        let page = try await visitor.open(server.hosts.approve(begun.location, as: .bob))
        #expect(page.reply.status == 409)
        #expect(page.reply.text.contains("pds.example.com"))
        #expect(try server.accountSessions() == 0)
        #expect(try await server.revoked(1).count == 1)
        let policy = page.reply.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("form-action"))
        server.hosts.set(nil)
        // Only if the person says so, and with what the app was asked with.
        #expect(!server.log.contains("handle.again"))
        let again = try await visitor.submit(page, [("action", "continue")])
        #expect(again.reply.status == 303)
        #expect(again.reply.location?.hasPrefix("https://pds.example.com/") == true)
        #expect(server.log.contains("handle.again"))
        #expect(server.log.contains("did=\(TestHosts.Person.ann.did)"))
        let back = try await visitor.request(server.hosts.approve(again.reply.location, as: .ann))
        #expect(back.location?.hasPrefix("com.example.moved:/auth-callback?session_token=") == true)
        #expect(back.redirected["did"] == TestHosts.Person.ann.did)
    }

    @Test("decision 0104: a form for another server without its cookie begins again for its app")
    func otherServerLater() async throws {
        let begun = try await visitor.begin(
            "https://other.example.com",
            [("mobile", "true"), ("app", "moved"), ("state", "s-1")]
        )
        server.hosts.set(.otherSubject(TestHosts.Person.ann.did))
        let page = try await visitor.open(server.hosts.approve(begun.location, as: .bob))
        #expect(page.reply.status == 409)
        server.hosts.set(nil)
        for name in visitor.cookies.keys where name.contains("visit") {
            visitor.cookies[name] = nil
        }
        func follow(_ page: TestVisitor.Visited) async throws -> TestVisitor.Visited {
            let path = try page.reply.loginLink()
            return try await visitor.open(path, from: page.url)
        }
        let lost = try await visitor.submit(page, [("action", "continue")])
        #expect(lost.reply.status == 403)
        #expect(!server.log.contains("handle.again"))
        let host = try await follow(lost)
        #expect(host.reply.status == 200 && host.reply.text.contains("pds.example.com"))
        let again = try await follow(host)
        let back = try await visitor.request(server.hosts.approve(again.reply.location, as: .ann))
        #expect(back.location?.hasPrefix("com.example.moved:/auth-callback?session_token=") == true)
        #expect(back.redirected["state"] == "s-1")
    }

    @Test("Decision 0062: the second mismatch ends it, and so does the person")
    func secondMismatch() async throws {
        for isCancelled in [true, false] {
            let begun = try await visitor.begin("https://other.example.com")
            server.hosts.set(.otherSubject(TestHosts.Person.ann.did))
            let page = try await visitor.open(server.hosts.approve(begun.location, as: .bob))
            let action = isCancelled ? "cancel" : "continue"
            let again = try await visitor.submit(page, [("action", action)])
            if isCancelled {
                #expect(again.reply.status == 403)
                continue
            }
            // Meanwhile the account has moved.
            server.hosts.set(nil)
            server.hosts.move(.ann, to: "other.example.com")
            let end = try await visitor.request(
                server.hosts.approve(again.reply.location, as: .ann)
            )
            #expect(end.status == 403)
        }
        #expect(try server.accountSessions() == 0)
        // Without our page's own form nothing is begun again.
        let forged = try await visitor.request(
            "/login",
            .post,
            [("handle", TestHosts.Person.ann.did), ("again", "1"), ("action", "continue")]
        )
        #expect(forged.status == 403)
    }

    @Test(
        "Decision 0062: an account that moved during the sign-in is looked at again",
        arguments: [TestHosts.Person.ann.handle, TestHosts.Person.ann.did]
    )
    func moved(_ start: String) async throws {
        let begun = try await visitor.begin(start)
        server.hosts.move(.ann, to: "other.example.com")
        let reply = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(reply.status == 409)
        #expect(try server.accountSessions() == 0)
        #expect(try await server.revoked(1).count == 1)
    }

    @Test("A host that names another server since the start is believed at the callback")
    func renamed() async throws {
        let path = try await visitor.approved("ann.example.com")
        server.hosts.setIssuer(of: "pds.example.com", "other.example.com")
        let reply = try await visitor.request(path)
        #expect(reply.status == 409)
        #expect(reply.text.contains("other.example.com"))
        #expect(server.hosts.asked.contains { $0.isGrant("authorization_code") })
        #expect(try server.accountSessions() == 0)
        #expect(try await server.revoked(1).count == 1)
    }

    @Test("Decision 0062: a code goes to the server that the attempt began at, and to no other")
    func serverChanged() async throws {
        let path = try await visitor.approved("ann.example.com")
        server.hosts.setIssuer(of: "pds.example.com", "other.example.com")
        server.clock.advance(by: 301)
        let reply = try await visitor.request(path)
        #expect(reply.status == 502)
        #expect(!server.hosts.asked.contains { $0.path == "/oauth/token" })
        #expect(try server.accountSessions() == 0)
    }

    @Test(
        "ATP-CB-3, ATP-CB-5, ATP-CB-7, ATP-DP-5: tokens that are no use begin no session",
        arguments: [
            TestHosts.Fault.bearer, .withoutScope, .withoutAtproto, .withoutSubject, .withoutNonce,
            .otherSubject("bob"),
        ]
    )
    func unusable(_ fault: TestHosts.Fault) async throws {
        let path = try await visitor.approved("ann.example.com")
        server.hosts.set(fault)
        let reply = try await visitor.request(path)
        #expect(reply.status == 502)
        #expect(!visitor.cookies.keys.contains("sid"))
        #expect(try server.accountSessions() == 0)
        #expect(try await server.revoked(1).count == 1)
    }

    private func failures() -> [Substring] {
        server.log.split(separator: "\n").filter { $0.contains("event=handle.failed") }
    }

    @Test("Decision 0027: a start is written nowhere, and what fails is a line of the log")
    func told() async throws {
        func events() async throws -> [Event.Kind] {
            try await server.database.events.latest(limit: 99)
                .map(\.kind)
        }
        let before = try await events()
        let begun = try await visitor.begin("ann.example.com")
        #expect(begun.status == 302)
        #expect(failures().isEmpty)
        let code = String(repeating: "c", count: 4097)
        let long = try server.hosts.approve(begun.location, as: .ann, changing: ["code": code])
        let failed = try server.hosts.refuse(begun.location, "server_error", "")
        let refused = try server.hosts.refuse(begun.location)
        for (path, why) in [
            (long, "why=not_finished"), (failed, "why=not_finished"), (refused, "why=denied"),
        ] {
            let before = failures()
            #expect(try await visitor.request(path).status == 403)
            let told = failures()
            #expect(told.count == before.count + 1, "\(told)")
            #expect(told.last?.contains(why) == true, "\(told)")
        }
        let late = try await visitor.begin("ann.example.com")
        server.clock.advance(by: 601)
        _ = try await visitor.request(server.hosts.approve(late.location, as: .ann))
        #expect(failures().last?.contains("why=expired") == true)
        #expect(try await events() == before)
        _ = try await visitor.byHandle()
        #expect(try await events().contains(.registered))
    }

    @Test("/oauth/callback: the person's refusal is told the app; other ends say not finished")
    func refused() async throws {
        let app = TestApp()
        let begun = try await visitor.begin("ann.example.com", app.start)
        for (error, description) in [
            ("access_denied", "This request has expired"), ("login_required", ""),
            ("access_denied", "The user rejected the request."),
        ] {
            let reply = try await visitor.request(
                server.hosts.refuse(begun.location, error, description)
            )
            #expect(reply.status == 403)
            #expect(reply.location == nil)
            let isOther = error == "login_required"
            #expect(reply.text.contains("different account from") == isOther)
            #expect(reply.text.contains("Sign-in wasn’t finished") == !isOther)
            // It carries on what the app was asked with.
            let fields = HTMLForm.all(in: reply.text).last?.hidden ?? []
            #expect(fields.contains { $0 == ("state", app.state) })
            #expect(reply.text.contains("value=\"ann.example.com\""))
        }
        let denied = try await visitor.request(server.hosts.refuse(begun.location))
        #expect(denied.redirected["error"] == "access_denied")
        #expect(denied.redirected["state"] == app.state)
        #expect(denied.location?.hasPrefix(app.redirectURI) == true)
        // That was the person's word: it is over.
        let late = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(late.redirected["error"] == "expired")
        #expect(!server.hosts.asked.contains { $0.path == "/oauth/token" })
    }

    @Test("/oauth/callback: after an end that was not the person's word, the answer still counts")
    func errorFirst() async throws {
        let begun = try await visitor.begin("ann.example.com")
        let error = try server.hosts.refuse(
            begun.location,
            "access_denied",
            "This request has expired"
        )
        #expect(try await visitor.request(error).status == 403)
        let good = try server.hosts.approve(begun.location, as: .ann)
        #expect(try await visitor.request(good).location == "/dashboard")
    }

    @Test(
        "ATP-M-9: after ten minutes the app is told, and people can begin again",
        arguments: [true, false]
    )
    func expired(_ isApp: Bool) async throws {
        let path = try await visitor.approved("ann.example.com", isApp ? TestApp().start : [])
        server.clock.advance(by: 601)
        server.hosts.forgetRequests()
        let reply = try await visitor.request(path)
        if isApp {
            #expect(reply.redirected["error"] == "expired")
        } else {
            #expect(reply.status == 401)
            #expect(HTMLForm.all(in: reply.text).contains { $0.action == "/login" })
        }
        #expect(server.hosts.asked.isEmpty)
        #expect(try server.accountSessions() == 0)
    }

    @Test("Attack F06: an attempt is no session, and a session is no attempt")
    func purposes() async throws {
        let path = try await visitor.approved("ann.example.com")
        let attempt = try #require(visitor.cookies.first { $0.key.hasPrefix("__Host-attempt") })
        let live = try #require(server.backend.signIn.directory.handles)
        let moment = Clock { server.clock.now }.moment()
        let presented = live.cookie.presented([.cookie: "sid=\(attempt.value)"], at: moment)
        #expect(presented == .invalid)
        let seal = try live.cookie.seal(
            of: UniqueID(random: .system).text,
            TestHosts.Person.ann.did,
            at: moment
        )
        visitor.cookies[attempt.key] = seal
        server.hosts.forgetRequests()
        let reply = try await visitor.request(path)
        #expect(!reply.headers[values: .setCookie].contains { $0.hasPrefix("sid=") })
        #expect(server.hosts.asked.isEmpty)
        // An attempt at another kind of provider is none at a host.
        let google = try await visitor.request("/v1/auth/google")
        let state = try #require(google.redirected["state"])
        let other = FormEncoding.appending(
            [("state", state), ("code", "c"), ("iss", "https://pds.example.com")],
            to: "/oauth/callback"
        )
        _ = try await visitor.request(other)
        #expect(server.hosts.asked.isEmpty)
    }

    @Test("Decision 0062: tokens whose person is not let in are taken back")
    func blocked() async throws {
        _ = try await TestVisitor(server).byHandle()
        let account = try #require(try await server.accounts().first)
        _ = try await server.database.block(account.id, true, at: server.clock.seconds)
        let reply = try await visitor.byHandle()
        #expect(reply.redirected["error"] == "account_blocked")
        #expect(!visitor.cookies.keys.contains("sid"))
        #expect(try await server.revoked(1).count == 1)
    }

    @Test("Decision 0062: tokens that cannot be stored are taken back")
    func notStored() async throws {
        let path = try await visitor.approved("ann.example.com")
        server.database.refuseWrites(StoreBusy())
        let reply = try await visitor.request(path)
        #expect(reply.status == 503)
        server.database.refuseWrites(nil)
        #expect(try await server.revoked(1).count == 1)
        #expect(try server.accountSessions() == 0)
    }
}

extension Reply {
    static func query(_ path: String) -> [String: String] {
        Reply(status: 302, headers: [.location: path], body: []).redirected
    }
}
