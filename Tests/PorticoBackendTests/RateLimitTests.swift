import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// The rate limits of docs/threat-model.md, behind a trusted proxy: the proxy's own word, the last
/// in `X-Forwarded-For`, says who asks.
@Suite("How often an address may try") struct RateLimitTests {
    struct Limit: Sendable, CustomTestStringConvertible {
        let path: String
        var method: HTTPRequest.Method = .post
        var form: [(String, String)] = []
        let allowed: Int

        var testDescription: String { "\(method) \(path)" }

        func send(_ server: BackendUnderTest, from address: String) async throws -> Reply {
            method == .get
                ? try await server.send(.get, path, from: address)
                : try await server.post(path, form, from: address)
        }
    }

    @Test(
        "Rate limits hold per address behind a trusted proxy: X-Forwarded-For neither dodges them nor spends another's",
        arguments: [
            Limit(path: "/v1/auth/google", method: .get, allowed: 60),
            Limit(path: "/v1/auth/google/callback?state=x&code=y", method: .get, allowed: 10),
            Limit(path: "/v1/auth/keycloak/callback/link?state=x", method: .get, allowed: 10),
            Limit(path: "/v1/auth/google/callback?code=y", method: .get, allowed: 10),
            Limit(path: "/oauth/callback?state=x", method: .get, allowed: 10),
            Limit(path: "/oauth/callback?code=y", method: .get, allowed: 10),
            Limit(path: "/v1/auth/apple/native/nonce", allowed: 60),
            Limit(
                path: "/v1/auth/apple/native",
                form: [("app", "notes"), ("id_token", "a.b.c")],
                allowed: 10
            ),
            Limit(
                path: "/v1/auth/apple/native",
                form: [("app", "notes"), ("id_token", "a.b.c"), ("nonce", "made-up")],
                allowed: 10
            ),
            // Without a token there is nothing to guess.
            Limit(path: "/v1/auth/apple/native", form: [("app", "nowhere")], allowed: 60),
            Limit(path: "/v1/auth/google/one-tap", form: [("credential", "a.b.c")], allowed: 10),
            Limit(
                path: "/v1/auth/token",
                form: [
                    ("grant_type", "authorization_code"), ("code", "guess"), ("app", "notes"),
                    ("redirect_uri", "com.example.notes:/callback"), ("code_verifier", "guess"),
                ],
                allowed: 20
            ),
            Limit(
                path: "/v1/auth/keycloak/backchannel-logout",
                form: [("logout_token", "a.b.c")],
                allowed: 60
            ),
            Limit(path: "/v1/auth/apple/notifications", form: [("payload", "a")], allowed: 60),
            Limit(
                path: "/v1/auth/facebook/deauthorize",
                form: [("signed_request", "a.b")],
                allowed: 60
            ),
        ]
    )
    func perAddress(_ limit: Limit) async throws {
        let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
        for count in 0..<(limit.allowed + 3) {
            // A client writes what it likes further left.
            let forged = "203.0.113.\(count), 192.0.2.9"
            let reply = try await limit.send(server, from: forged)
            let isOver = count >= limit.allowed
            #expect((reply.status == 429) == isOver, "\(count)")
            #expect((reply.headers[.retryAfter] != nil) == isOver, "\(count)")
        }
        // The address named on the left has lost nothing; nor has any other.
        for other in ["203.0.113.1", "192.0.2.9, 198.51.100.7"] {
            #expect(try await limit.send(server, from: other).status != 429, "\(other)")
        }
        server.clock.advance(by: 61)
        #expect(try await limit.send(server, from: "192.0.2.9").status != 429)
    }

    @Test(
        "An answer with its attempt counts for that alone: strangers at its address keep nobody from the end of a sign-in",
        arguments: ["google", "atproto"]
    )
    func ownAttempt(_ provider: String) async throws {
        let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        let answers = [
            try await Self.answer(to: visitor, provider, server),
            try await Self.answer(to: other, provider, server),
        ]
        let path = provider == "google" ? "/v1/auth/google/callback" : "/oauth/callback"
        for count in 0..<12 {
            let reply = try await server.send(.get, "\(path)?state=x", from: visitor.address)
            #expect((reply.status == 429) == (count >= 10), "\(count)")
        }
        let begun = visitor.cookies
        let session = try await visitor.request(answers[0])
        #expect(session.status != 429)
        #expect(visitor.cookies.keys.contains("__Host-session"))
        // The same answer again, with the cookie that is over: no more than ten, and none for others.
        for count in 1..<12 {
            visitor.cookies = begun
            let reply = try await visitor.request(answers[0])
            #expect((reply.status == 429) == (count >= 10), "\(count)")
        }
        _ = try await other.request(answers[1])
        #expect(other.cookies.keys.contains("__Host-session"))
    }

    /// Begins a sign-in, and says yes at the other side.
    ///
    /// - Returns: The address with the answer, which was not opened.
    private static func answer(
        to visitor: TestVisitor,
        _ provider: String,
        _ server: BackendUnderTest
    ) async throws -> String {
        guard provider == "google" else {
            let begun = try await visitor.begin("ann.example.com")
            return try server.hosts.approve(begun.location, as: .ann)
        }
        let page = try await visitor.open("/v1/auth/google")
        let chosen = try await visitor.answered(page, [("person", StandInPerson.ben.id)])
        return try #require(chosen.location)
    }

    @Test("WEB-BRUTE-2: an office signs in by its apps; only tokens that are refused are few")
    func nativeOffice() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits())
        var fields: [(String, String)] = []
        for number in 1...30 {
            let made = try await server.send(.post, "/v1/auth/apple/native/nonce")
            let nonce = try #require(made.json.string("nonce"))
            let hash = Hash256(of: nonce).bytes.map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }
            let token = try server.standIns.identityToken(
                of: .ann,
                at: .apple,
                audience: "com.example.notes",
                nonce: hash.joined()
            )
            fields = [("app", "notes"), ("id_token", try #require(token)), ("nonce", nonce)]
            let reply = try await server.post("/v1/auth/apple/native", fields)
            #expect(reply.status == 200, "\(number)")
        }
        // The last one again: it was used.
        for number in 1...12 {
            let reply = try await server.post("/v1/auth/apple/native", fields)
            #expect(reply.status == (number > 10 ? 429 : 401), "\(number)")
        }
        let other = try await server.post("/v1/auth/apple/native", fields, from: "192.0.2.2")
        #expect(other.status == 401)
    }

    @Test("WEB-BRUTE-2: an app that must wait for refused tokens uses up no sign-ins by asking")
    func nativeWaits() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits())
        let fields = [("app", "notes"), ("id_token", "x"), ("nonce", "x")]
        for _ in 1...10 {
            #expect(try await server.post("/v1/auth/apple/native", fields).status == 401)
        }
        let nonce = "/v1/auth/apple/native/nonce"
        for _ in 1...70 { #expect(try await server.send(.post, nonce).status == 429) }
        // One more token may be refused.
        server.clock.advance(by: 7)
        for number in 1...61 {
            let status = try await server.send(.post, nonce).status
            #expect(status == (number > 60 ? 429 : 200), "\(number)")
        }
    }

    @Test("An app that waits is told by a page, not by a redirect that costs a sign-in")
    func page() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits())
        let visitor = TestVisitor(server)
        for _ in 0..<5 { _ = try await visitor.request("/v1/auth/google") }
        let reply = try await visitor.request("/v1/auth/google")
        #expect(reply.status == 429)
        #expect(reply.headers[.contentType]?.hasPrefix("text/html") == true)
        #expect(reply.headers[values: .setCookie].isEmpty)
    }

    @Test("Five links an hour for an account, by whatever way they are begun")
    func links() async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("google", as: .ben)
        try await server.proveSessions()
        for count in 0..<7 {
            let reply =
                count == 2
                ? try await Self.linkByPage(visitor)
                : try await visitor.program(.post, "/v1/account/link/facebook")
            #expect((reply.status == 429) == (count >= 5), "\(count)")
        }
        #expect(try await Self.linkByPage(visitor).status == 429)
    }

    private static func linkByPage(_ visitor: TestVisitor) async throws -> Reply {
        let page = try await visitor.open("/account/ways")
        let form = HTMLForm.all(in: page.reply.text).first { $0.action == "/account/ways" }
        return try await visitor.request(
            "/account/ways",
            .post,
            (form?.hidden ?? []) + [("way", "facebook")],
            from: page.url
        )
    }

    @Test("WEB-BRUTE-2: five codes an hour for each requester; a refused request is not counted")
    func mails() async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("google", as: .ben)
        try await server.proveSessions()
        for count in 0..<30 {
            // Capitals make no other mailbox.
            let address = count.isMultiple(of: 2) ? "layla2@example.org" : "Layla2@Example.ORG"
            let reply = try await visitor.program(.post, "/v1/account/email", [("email", address)])
            #expect(reply.status == (count < 5 ? 200 : 429), "\(count)")
        }
        // The honest owner of the mailbox gets her five.
        let other = try await server.signedIn("google", as: .layla)
        try await server.proveSessions()
        for count in 0..<6 {
            let reply = try await other.program(
                .post,
                "/v1/account/email",
                [("email", "layla2@example.org")]
            )
            #expect(reply.status == (count < 5 ? 200 : 429), "\(count)")
        }
    }

    @Test("WEB-BRUTE-2: wrong codes count across codes, until no other is sent to the mailbox")
    func wrongCodes() async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("google", as: .ben)
        var wrong = 0
        for _ in 0..<10 {
            try await server.proveSessions()
            let reply = try await visitor.program(
                .post,
                "/v1/account/email",
                [("email", "layla2@example.org")]
            )
            guard reply.status == 200 else { break }
            let code = try #require(try await server.mailedCode())
            for _ in 0..<5 {
                let form = [("code", BackendUnderTest.otherCode(than: code))]
                _ = try await visitor.program(.post, "/v1/account/email/confirm", form)
                wrong += 1
            }
            // Waiting for the limit on mails does not help.
            server.clock.advance(by: 720)
        }
        #expect(wrong == 15)
        // The mailbox's owner, whom this is not, gets a code.
        let other = try await server.signedIn("google", as: .layla)
        try await server.proveSessions()
        let own = [("email", "layla2@example.org")]
        #expect(try await other.program(.post, "/v1/account/email", own).status == 200)
    }
}

/// Other sites' pages use up nothing of what their visitors, and everybody at their address, may do
/// (docs/decisions/0093).
@Suite("Requests that other sites' pages make") struct OtherSitesRequestTests {
    struct Asking: Sendable, CustomTestStringConvertible {
        let site: String
        let mode: String
        let place: String
        var isPrefetch = false

        var testDescription: String { "\(site) \(mode) \(place)\(isPrefetch ? " prefetch" : "")" }

        var fields: HTTPFields {
            var fields: HTTPFields = [.accept: "*/*"]
            fields[.fetchSite] = site
            fields[.fetchMode] = mode
            fields[.fetchDestination] = place
            if isPrefetch { fields[.fetchPurpose] = "prefetch" }
            return fields
        }
    }

    private static let unseenOnes = [
        Asking(site: "cross-site", mode: "no-cors", place: "image"),
        Asking(site: "same-site", mode: "no-cors", place: "script"),
        Asking(site: "cross-site", mode: "cors", place: "empty"),
        Asking(site: "cross-site", mode: "navigate", place: "iframe"),
        Asking(site: "cross-site", mode: "navigate", place: "object"),
        Asking(site: "cross-site", mode: "navigate", place: "document", isPrefetch: true),
    ]

    @Test(
        "decision 0093: what no one sees begins and ends no sign-in, and counts for no one",
        arguments: unseenOnes
    )
    func unseen(_ asking: Asking) async throws {
        let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
        for path in [
            "/v1/auth/google", "/v1/auth/google/callback?state=x&code=y",
            "/v1/auth/keycloak/callback/link?state=x", "/oauth/callback?state=x",
            "/login?handle=ann.example.com", "/login", "/mobile-auth",
        ] {
            for _ in 1...70 {
                let reply = try await server.send(.get, path, headers: asking.fields)
                #expect(reply.status == 403, "\(path)")
                #expect(reply.headers[values: .setCookie].isEmpty)
            }
            let own = try await server.send(.get, path, headers: [.accept: "text/html"])
            #expect(own.status != 429 && own.status != 403, "\(path)")
        }
    }

    @Test("decision 0093: what a person sees counts, but not for what they begin themselves")
    func seen() async throws {
        let led = Asking(site: "cross-site", mode: "navigate", place: "document")
        for (path, most) in [
            ("/v1/auth/google", 60), ("/v1/auth/google/callback?state=x&code=y", 10),
            ("/oauth/callback?state=x", 10),
        ] {
            let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
            for number in 1...(most + 5) {
                let reply = try await server.send(.get, path, headers: led.fields)
                #expect((reply.status == 429) == (number > most), "\(path) \(number)")
            }
            let own = try await server.send(.get, path, headers: [.accept: "text/html"])
            #expect(own.status != 429, "\(path)")
        }
    }

    @Test(
        "decision 0093: rows of programs take nothing of another site, and it counts for no one",
        arguments: ["cross-site", "same-site", nil] as [String?]
    )
    func programs(_ site: String?) async throws {
        let server = try await BackendUnderTest(limits: SignInLimits())
        var fields = HTTPFields()
        fields[.fetchSite] = site
        // Browsers without that field say where a post comes from.
        if site == nil { fields[.origin] = "https://evil.example" }
        let rows: [(String, [(String, String)])] = [
            (
                "/v1/auth/token",
                [
                    ("grant_type", "authorization_code"), ("code", "guess"), ("app", "notes"),
                    ("redirect_uri", "com.example.notes:/callback"), ("code_verifier", "guess"),
                ]
            ),
            ("/v1/auth/apple/native/nonce", []),
            ("/v1/auth/apple/native", [("id_token", "a.b.c")]),
            ("/v1/auth/keycloak/backchannel-logout", [("logout_token", "a.b.c")]),
            ("/v1/auth/apple/notifications", [("payload", "a.b.c")]),
            ("/v1/auth/facebook/deauthorize", [("signed_request", "a.b")]),
            ("/v1/auth/facebook/data-deletion", [("signed_request", "a.b")]),
            ("/v1/auth/google/one-tap", [("credential", "a.b.c")]),
        ]
        for (path, form) in rows {
            for _ in 1...70 {
                let reply = try await server.post(path, form, headers: fields)
                #expect(reply.refusal == "403 forbidden", "\(path)")
            }
            #expect(try await server.post(path, form).status != 429, "\(path)")
            let own: HTTPFields = [.fetchSite: "same-origin"]
            #expect(try await server.post(path, form, headers: own).status != 403, "\(path)")
        }
        let refresh = try await server.post(
            "/v1/auth/refresh",
            [("refresh_token", "x")],
            headers: fields
        )
        #expect(refresh.status == 403)
    }

    @Test("an office of one address: sixty begin at each provider a minute, each browser five")
    func office() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits())
        for number in 1...12 {
            let visitor = TestVisitor(server)
            for _ in 1...5 {
                #expect(try await visitor.request("/v1/auth/google").status == 303, "\(number)")
            }
            let reply = try await visitor.request("/v1/auth/google")
            #expect(reply.status == 429 && reply.headers[.retryAfter] != nil)
        }
        let other = TestVisitor(server)
        #expect(try await other.request("/v1/auth/google").status == 429)
        #expect(try await other.request("/v1/auth/facebook").status == 303)
        // Without cookies only the address counts.
        #expect(try await server.send(.get, "/v1/auth/apple").status == 303)
        server.clock.advance(by: 61)
        #expect(try await other.request("/v1/auth/google").status == 303)
    }
}

@Suite("Limits of the backend") struct BackendLimitTests {
    @Test("WEB-BRUTE-2: a thousand people a second, each from an address of their own, all get in")
    func crowd() {
        let limits = SignInLimits()
        let begun = Date(timeIntervalSince1970: 1_800_000_000)
        var refused = 0
        for number in 0..<60_000 {
            let now = begun.addingTimeInterval(Double(number) / 1000)
            for limit in [limits.starts, limits.callbacks] {
                let verdict = limit.take(LimitKey("address", "\(number)"), at: now)
                if verdict != .allowed { refused += 1 }
            }
        }
        #expect(refused == 0)
        // One of them alone is limited as ever.
        let end = begun.addingTimeInterval(60)
        let tries = (0..<20).map { _ in limits.starts.take(LimitKey("address", "x"), at: end) }
        #expect(tries.count { $0 == .allowed } <= 5)
    }
}
