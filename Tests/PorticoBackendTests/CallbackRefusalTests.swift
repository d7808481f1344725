import Foundation
import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What a callback refuses") struct CallbackRefusalTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    /// A browser that has been at Google and stands before its callback.
    private struct Returning {
        let server: BackendUnderTest
        let visitor: TestVisitor
        /// Path and query.
        let callback: String

        init(_ provider: String = "google", _ start: String = "") async throws {
            server = try await BackendUnderTest()
            visitor = TestVisitor(server)
            let page = try await visitor.open("/v1/auth/\(provider)\(start)")
            let hidden = HTMLForm.all(in: page.reply.text).first
            let reply = try await visitor.request(
                "http://localhost:9000" + (hidden?.action ?? ""),
                .post,
                (hidden?.hidden ?? []) + [("person", "ann")],
                from: page.url
            )
            callback = reply.location ?? "none"
            server.standIns.log.clear()
        }

        func changed(_ name: String, _ value: String?) -> String {
            let parts = callback.split(separator: "?", maxSplits: 1)
            var pairs = parts[1].split(separator: "&").map(String.init)
            pairs.removeAll { $0.hasPrefix(name + "=") }
            if let value { pairs.append("\(name)=\(value)") }
            return parts[0] + "?" + pairs.joined(separator: "&")
        }

        /// No one has registered, and the provider was asked nothing.
        func expectNothing(_ reason: Comment? = nil) async throws {
            #expect(server.standIns.log.count(.token, at: .google) == 0, reason)
            #expect(try await server.accounts().isEmpty, reason)
            #expect(visitor.cookies["__Host-session"] == nil, reason)
        }
    }

    @Test(
        "attack E01, SEED-ADR-6: without a state, with an empty one, or another's, no one is asked or registered",
        arguments: [nil, "", "AAAAAAAAAAAAAAAAAAAAAA"] as [String?]
    )
    func otherState(_ state: String?) async throws {
        let returning = try await Returning()
        let page = try await returning.visitor.open(returning.changed("state", state))
        #expect(page.reply.status == 400)
        try await returning.expectNothing()
        // The attempt is untouched: the right answer still counts.
        let right = try await returning.visitor.open(returning.callback)
        #expect(right.path == "/onboarding")
    }

    @Test("attack E01: an attempt is good for ten minutes; then the page says so and starts again")
    func expired() async throws {
        let returning = try await Returning("google", "?return_to=/orders")
        returning.server.clock.advance(by: 601)
        let page = try await returning.visitor.open(returning.callback)
        #expect(page.path.hasPrefix("/login?error=invalid_state&reason=expired&provider=google"))
        #expect(page.path.contains("return_to=%2Forders"))
        try await returning.expectNothing()
    }

    @Test("attack E01: a used state is not accepted again, even with a kept cookie")
    func used() async throws {
        let returning = try await Returning()
        let kept = returning.visitor.cookies
        _ = try await returning.visitor.open(returning.callback)
        #expect(returning.server.standIns.log.count(.token, at: .google) == 1)
        returning.visitor.cookies = kept
        _ = try await returning.visitor.open(returning.callback)
        #expect(returning.server.standIns.log.count(.token, at: .google) == 1)
    }

    @Test("decision 0104: three answers at once are one sign-in, and none ends at a dead page")
    func together() async throws {
        let returning = try await Returning("google", "?return_to=/account/devices")
        let (server, callback) = (returning.server, returning.callback)
        let cookies = returning.visitor.cookies
        let replies = try await withThrowingTaskGroup { group in
            for _ in 1...3 {
                let copy = TestVisitor(server)
                copy.cookies = cookies
                group.addTask { try await copy.request(callback) }
            }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
        #expect(server.standIns.log.count(.token, at: .google) == 1, "attack E27")
        #expect(try await server.accounts().count == 1)
        #expect(replies.allSatisfy { $0.status == 303 })
        let again = replies.filter { $0.location?.hasPrefix("/v1/auth/google?") == true }
        #expect(again.count == 2)
        for reply in again {
            #expect(reply.location?.contains("return_to=%2Faccount%2Fdevices") == true)
            #expect(reply.location?.contains("error") == false)
            // It begins the same sign-in once more, and brings the person where they wanted.
            let page = try await returning.visitor.open(reply.location ?? "")
            #expect(page.reply.text.contains("Choose an account"))
        }
        // Who kept the first answer goes on at once.
        let signedIn = try await server.signedIn("google", as: .ann)
        for (name, value) in cookies { signedIn.cookies[name] = value }
        #expect(
            try await signedIn.request(callback).location?.hasPrefix("/account/devices") == true
        )
    }

    @Test("attack E04, E09: one provider's answer at another's callback is refused, no code sent")
    func mixUp() async throws {
        let returning = try await Returning()
        let other = returning.callback.replacing("/google/", with: "/keycloak/")
        let page = try await returning.visitor.open(other)
        #expect(page.path.hasPrefix("/login?error=invalid_state"))
        #expect(returning.server.standIns.log.serverCalls == 0)
        try await returning.expectNothing()
    }

    @Test("attack E04: a foreign or missing iss is refused before the code is sent")
    func otherIssuer() async throws {
        for issuer in ["https%3A%2F%2Fevil.example", nil] {
            let returning = try await Returning()
            let page = try await returning.visitor.open(returning.changed("iss", issuer))
            #expect(page.path.hasPrefix("/login?error="))
            try await returning.expectNothing("iss \(issuer ?? "-")")
        }
    }

    @Test("attack E07: a parameter twice, and a code beside an error, are refused without a call")
    func repeats() async throws {
        for addition in ["&code=another", "&state=another"] {
            let returning = try await Returning()
            let page = try await returning.visitor.open(returning.callback + addition)
            #expect(page.reply.status == 400)
            try await returning.expectNothing("\(addition)")
        }
        let returning = try await Returning()
        _ = try await returning.visitor.open(returning.callback + "&error=access_denied")
        try await returning.expectNothing()
    }

    @Test("RFC 6749 §10.12, RFC9700-U.3-1: another browser's answer begins no session here")
    func otherBrowser() async throws {
        let returning = try await Returning()
        let victim = TestVisitor(returning.server)
        let page = try await victim.open(returning.callback)
        #expect(page.reply.status == 400)
        #expect(victim.cookies["__Host-session"] == nil)
        try await returning.expectNothing()
    }

    @Test("attack E27: reloading the callback leads on, and nothing is redeemed twice")
    func reload() async throws {
        let returning = try await Returning("google", "?return_to=/orders")
        _ = try await returning.visitor.open(returning.callback)
        let again = try await returning.visitor.request(returning.callback)
        #expect(again.status == 303)
        // The empty fragment keeps what a provider has left behind off the page.
        #expect(again.location == "/orders#")
        #expect(returning.server.standIns.log.count(.token, at: .google) == 1)
        #expect(try await returning.server.accounts().count == 1)
    }

    @Test(
        "a person who stops at a provider has cancelled, by whichever word the provider has for it",
        arguments: ["access_denied", "user_cancelled_login", "user_cancelled_authorize"]
    )
    func stopped(_ error: String) async throws {
        let returning = try await Returning("keycloak")
        let back = returning.changed("code", nil) + "&error=" + error
        let reply = try await returning.visitor.request(back)
        #expect(reply.location?.contains("error=access_denied") == true)
        #expect(reply.location?.contains("reason=user_denied_permission") == true)
        // PRV-F-13: what was behind the provider may have added a fragment.
        #expect(reply.location?.hasSuffix("#") == true)
    }

    @Test("Decision 0028, SEED-ADR-8: cancelling leads back to the choice, with plain words")
    func cancelled() async throws {
        for provider in ["google", "facebook", "apple", "keycloak"] {
            let page = try await visitor.open("/v1/auth/\(provider)")
            var back = try await visitor.submit(page, [("cancel", "1")])
            if provider == "apple" { back = try await visitor.submit(back, []) }
            #expect(
                back.path.hasPrefix(
                    "/login?error=access_denied&reason=user_denied_permission&provider=\(provider)"
                ),
                "\(provider)"
            )
            #expect(back.reply.status == 200)
        }
        #expect(server.standIns.log.count(.token, at: .google) == 0)
        #expect(server.log.contains("event=sign_in.cancelled"))
        #expect(!server.log.contains("event=provider.failed"), "nothing is broken")
    }

    @Test("A secret that the provider does not know: a plain page, and for the operator what to do")
    func wrongSecret() async throws {
        let returning = try await Returning()
        let server = returning.server
        let configuration = server.database.configuration
        var record = try #require(
            try await configuration.configuration().providers.first { $0.name == "google" }
        )
        record.sealedSecret = ProviderSecrets(ring: server.ring).seal(
            SecretText("not-the-secret"),
            for: record.name,
            random: .system
        )
        try await configuration.put(record)
        try await server.backend.signIn.directory.refresh()
        let page = try await returning.visitor.open(returning.callback)
        #expect(page.path.contains("error=authentication_failed&reason=provider_misconfigured"))
        #expect(returning.visitor.cookies["__Host-session"] == nil)
        #expect(server.log.contains("event=provider.failed"))
        #expect(server.log.contains("advice="))
        #expect(!"\(page.reply.text)\(server.log)".contains("not-the-secret"))
    }

    @Test("PRV-E-2: a provider that is down at the callback is told as that; the attempt is gone")
    func down() async throws {
        let returning = try await Returning()
        returning.server.standIns.configure(.google) { $0.failing = [.token] }
        let page = try await returning.visitor.open(returning.callback)
        #expect(page.path.contains("reason=provider_unreachable"))
        #expect(page.reply.status == 503)
        #expect(page.reply.headers[.retryAfter] != nil)
        #expect(!returning.visitor.cookies.keys.contains { $0.hasPrefix("__Host-attempt-") })
        returning.server.standIns.repair()
    }

    @Test("Decision 0029: a program at a callback is told why in JSON")
    func programs() async throws {
        let json: HTTPFields = [.accept: "application/json"]
        func answer(
            _ change: (Returning) -> String,
            _ prepare: (BackendUnderTest) -> Void = { _ in }
        ) async throws -> Reply {
            let returning = try await Returning()
            prepare(returning.server)
            let reply = try await returning.visitor.request(change(returning), .get, [], json)
            #expect(returning.visitor.cookies["__Host-session"] == nil)
            return reply
        }
        let unmatched = try await answer { $0.changed("state", "AAAAAAAAAAAAAAAAAAAAAA") }
        #expect(unmatched.refusal == "401 invalid_state")
        let expired = try await answer({ $0.callback }, { $0.clock.advance(by: 601) })
        #expect(expired.refusal == "401 invalid_state")
        let foreign = try await answer { $0.changed("iss", nil) }
        #expect(foreign.refusal == "502 provider_error")
        let down = try await answer(
            { $0.callback },
            { $0.standIns.configure(.google) { $0.failing = [.token] } }
        )
        #expect(down.refusal == "503 provider_unreachable")
        #expect(down.headers[.retryAfter] != nil)
    }

    @Test("PRV-E-2: a provider that is down at the start stays on the page, with a note")
    func downAtStart() async throws {
        server.standIns.configure(.google) { $0.isDown = true }
        let page = try await visitor.open("/v1/auth/google")
        #expect(page.reply.status == 503)
        #expect(page.reply.headers[.retryAfter] != nil)
        let login = try await visitor.open("/login")
        #expect(login.reply.text.contains("/v1/auth/google"))
        #expect(login.reply.text.localizedStandardContains("not responding"))
    }

    @Test("attack E11, PRV-A-4: Apple's post brings no cookie, and becomes a GET of its address")
    func applePost() async throws {
        let page = try await visitor.open("/v1/auth/apple")
        let answer = try await visitor.submit(page, [("person", "ann")])
        let form = try #require(HTMLForm.all(in: answer.reply.text).first)
        #expect(form.action == "https://app.example.com/v1/auth/apple/callback")
        let bounced = try await visitor.request(form.action, .post, form.hidden, from: answer.url)
        #expect(bounced.status == 303)
        let next = try #require(bounced.location)
        #expect(next.hasPrefix("/v1/auth/apple/callback?answer="))
        for (_, value) in form.hidden where value.utf8.count > 10 {
            #expect(!next.contains(value))
        }
        // No one else's browser completes it, and after a minute no one's.
        #expect(try await TestVisitor(server).open(next).reply.status == 400)
        server.clock.advance(by: 61)
        #expect(try await visitor.open(next).reply.status == 400)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("attack E11: a megabyte of user is 413; markup in a name is text; the token's mail wins")
    func appleUser() async throws {
        let huge = try await server.post(
            "/v1/auth/apple/callback",
            [("state", "x"), ("code", "y"), ("user", String(repeating: "u", count: 1_000_000))]
        )
        #expect(huge.status == 413)
        let welcome = try await visitor.signIn("apple", as: .mia)
        #expect(!welcome.reply.text.contains("<script>alert"))
        #expect(try await server.user(of: visitor).string("email") == "mia@example.net")
    }

    @Test(
        "attack E12, WEB-REDIR-1: a way back to another site becomes our own root",
        arguments: [
            "//evil.example", "/\\evil.example", "\\/evil.example", "/%5Cevil.example",
            "/%2f%2fevil.example", "/%09/evil.example", "https:evil.example", "javascript:alert(1)",
            "/\t/evil.example", "/\r\nSet-Cookie:a=b", "///evil.example", "/..//evil.example", "",
            "https://evil.example/", "/a/../../b", "/x#y", "/é", "/a/..;/b", "/a/%2e%2E;v=1/b",
        ]
    )
    func offSite(_ path: String) async throws {
        _ = try await visitor.signIn()
        let end = try await visitor.signIn("google", as: .ann, [("return_to", path)])
        #expect(end.url.hasPrefix("https://app.example.com/"))
        #expect(["/", "/dashboard"].contains(end.path))
        #expect(visitor.cookies["a"] == nil)
    }

    @Test(
        "attack E12: a way back within our site is kept",
        arguments: [
            "/orders", "/@evil.example", "/.evil", "/x?u=https://evil", "/a%20b/", "/a/b?c=%2F%2Fd",
        ]
    )
    func onSite(_ path: String) async throws {
        _ = try await visitor.signIn()
        let end = try await visitor.signIn("google", as: .ann, [("return_to", path)])
        #expect(end.path == path)
    }
}

/// How an answer comes is part of what was asked: `response_mode`.
@Suite("A callback takes the method that was asked for") struct CallbackMethodTests {
    /// A browser that has chosen Ann at the provider, and what it brings back.
    private static func returning(_ provider: String, _ server: BackendUnderTest) async throws -> (
        visitor: TestVisitor, answer: [(String, String)]
    ) {
        let visitor = TestVisitor(server)
        let page = try await visitor.open("/v1/auth/\(provider)")
        let reply = try await visitor.answered(page, [("person", "ann")])
        guard let location = reply.location else {
            // The page that posts the answer.
            let posting = try #require(HTMLForm.all(in: reply.text).first)
            return (visitor, posting.hidden)
        }
        let query = location.split(separator: "?", maxSplits: 1)[1].prefix { $0 != "#" }
        return (visitor, try FormParameters(decoding: query.utf8).all.map { ($0.name, $0.value) })
    }

    @Test(
        "OAuth 2.0 Form Post Response Mode §2: what was to come by a redirect is not taken from a form",
        arguments: ["google", "facebook", "keycloak"],
        ["callback", "callback/link"]
    )
    func posted(_ provider: String, _ path: String) async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning(provider, server)
        let reply = try await visitor.request(
            "/v1/auth/\(provider)/\(path)",
            .post,
            answer,
            from: "http://localhost:9000/"
        )
        #expect(reply.status == 405)
        #expect(reply.headers[.allow] == "GET")
        #expect(try await server.accounts().isEmpty)
        // Nothing of the attempt is lost.
        let address = FormEncoding.appending(
            answer.map { (name: $0.0, value: $0.1) },
            to: "/v1/auth/\(provider)/callback"
        )
        #expect(try await visitor.open(address).reply.status == 200)
        #expect(try await server.accounts().count == 1)
    }

    @Test("OAuth 2.0 Form Post Response Mode §2: what was to be posted is taken from no address")
    func byAddress() async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning("apple", server)
        let address = FormEncoding.appending(
            answer.map { (name: $0.0, value: $0.1) },
            to: "/v1/auth/apple/callback"
        )
        let page = try await visitor.open(address)
        #expect(page.reply.status == 400)
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().isEmpty)
        #expect(server.standIns.log.count(.token, at: .apple) == 0)
        let posted = try await visitor.open(
            "/v1/auth/apple/callback",
            method: .post,
            form: answer,
            from: "http://localhost:9000/"
        )
        #expect(posted.path == "/onboarding")
    }

    @Test("attack E09: an answer posted to one provider is not carried to another's callback")
    func carried() async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning("google", server)
        let sealed = try await visitor.request(
            "/v1/auth/apple/callback",
            .post,
            answer,
            from: "http://localhost:9000/"
        )
        let location = try #require(sealed.location)
        let carried = location.replacing("/apple/", with: "/google/")
        #expect(try await visitor.open(carried).reply.status == 400)
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("a HEAD request to a callback spends nothing", arguments: [true, false])
    func head(_ isLink: Bool) async throws {
        let server = try await BackendUnderTest()
        let (visitor, answer) = try await Self.returning("google", server)
        let path = "/v1/auth/google/callback"
        let query = answer.map { (name: $0.0, value: $0.1) }
        let looked = try await visitor.request(
            FormEncoding.appending(query, to: isLink ? path + "/link" : path),
            .head
        )
        #expect(looked.status == 405)
        #expect(server.standIns.log.count(.token, at: .google) == 0)
        let back = try await visitor.open(FormEncoding.appending(query, to: path))
        #expect(back.path == "/onboarding")
    }
}
