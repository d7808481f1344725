import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("How a sign-in that fails is told") struct SignInFailureTests {
    private static let phone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/22A Instagram 350.0"

    @Test(
        "PRV-E-1, SEED-ADR-11: in the person's language, in our words and with a way to try again",
        arguments: [
            "access_denied&reason=user_denied_permission",
            "authentication_failed&reason=token_exchange_failed",
            "authentication_failed&reason=invalid_id_token",
            "authentication_failed&reason=provider_error",
            "authentication_failed&reason=provider_unreachable",
            "authentication_failed&reason=provider_misconfigured", "invalid_state&reason=expired",
            "invalid_state&reason=unknown", "account_blocked&reason=blocked",
            "link_required&reason=second_of_provider", "sign_up_closed&reason=closed",
        ]
    )
    func words(_ failure: String) async throws {
        let server = try await BackendUnderTest()
        var texts: Set<String> = []
        for (language, direction) in [("en", "ltr"), ("de", "ltr"), ("ar", "rtl")] {
            let reply = try await TestVisitor(server).request(
                "/login?error=\(failure)&provider=google&ui_locales=\(language)"
            )
            #expect([200, 503].contains(reply.status))
            let html = try #require(reply.text.firstMatch(of: /<html[^>]*>/)).output
            #expect(html.contains("lang=\"\(language)\"") && html.contains("dir=\"\(direction)\""))
            let alert = try #require(
                reply.text.firstMatch(of: /role="alert"[\s\S]*?<\/(?:section|div)>/)
            ).output
            texts.insert(String(alert))
            // No code of a machine's stands in what a person reads.
            for code in failure.split(separator: "&reason=") where code.contains("_") {
                #expect(!alert.contains(code), "\(code)")
            }
            #expect(reply.text.contains("formaction=\"/v1/auth/google\""))
        }
        #expect(texts.count == 3)
    }

    @Test("PRV-E-1: what a provider writes about an error is on no page and in no app's address")
    func providersWords() async throws {
        for start in [[], TestApp().start] {
            let server = try await BackendUnderTest()
            let visitor = TestVisitor(server)
            let started = try await visitor.request(
                FormEncoding.appending(start, to: "/v1/auth/google")
            )
            let state = try #require(started.redirected["state"])
            let back = FormEncoding.appending(
                [
                    ("error", "server_error"), ("error_description", "Traceback line 12"),
                    ("error_uri", "https://evil.example/"), ("state", state),
                    ("iss", "http://localhost:9000/google"),
                ],
                to: "/v1/auth/google/callback"
            )
            let end = try await visitor.open(back)
            for word in ["Traceback", "evil.example"] {
                #expect(!end.reply.text.contains(word) && !end.url.contains(word))
                #expect(!server.log.contains(word))
            }
            #expect(end.url.contains("error="))
            #expect(server.standIns.log.count(.token, at: .google) == 0)
        }
    }

    @Test(
        "PRV-G-11: in a browser within another app Google's button leads to words about it, not to Google"
    )
    func embedded() async throws {
        let server = try await BackendUnderTest()
        for agent in [
            Self.phone,
            "Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 Chrome/130.0 Mobile",
            "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 [FBAN/FBIOS;FBAV/480.0]",
        ] {
            let visitor = TestVisitor(server, userAgent: agent)
            let reply = try await visitor.request("/v1/auth/google?return_to=/orders")
            #expect(reply.status == 403)
            #expect(reply.location == nil)
            #expect(reply.text.contains("https://app.example.com/v1/auth/google?return_to="))
            // Other providers do not mind.
            #expect(try await visitor.request("/v1/auth/facebook").status == 303)
        }
        #expect(try await TestVisitor(server).request("/v1/auth/google").status == 303)
    }

    @Test(
        "PRV-F-13: Facebook's fragment ends at the callback, in our addresses and in an app's",
        arguments: [true, false]
    )
    func fragment(_ isApp: Bool) async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let start = isApp ? TestApp().start : [(name: "return_to", value: "/orders")]
        let page = try await visitor.open(FormEncoding.appending(start, to: "/v1/auth/facebook"))
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        let back = try await visitor.request(
            "http://localhost:9000" + form.action,
            .post,
            form.hidden + [("person", "paul")],
            from: page.url
        )
        #expect(back.location?.hasSuffix("#_=_") == true)
        let end = try await visitor.request(try #require(back.location))
        #expect(end.status == 303)
        // Without one of its own a redirect inherits the fragment (RFC 9110 §10.2.2).
        #expect(end.location?.hasSuffix("#") == true)
        let cancelled = try await visitor.submit(
            try await visitor.open("/v1/auth/facebook"),
            [("cancel", "1")]
        )
        #expect(cancelled.path.hasPrefix("/login?error=access_denied"))
        #expect(!cancelled.url.contains("_=_"))
    }

    @Test("No one new is let in where sign-up is closed, by browser or by app")
    func closed() async throws {
        let server = try await BackendUnderTest(rules: AccountRules(isSignUpOpen: false))
        let visitor = TestVisitor(server)
        let refused = try await visitor.signIn("google", as: .ben)
        #expect(refused.path.hasPrefix("/login?error=sign_up_closed"))
        #expect(visitor.cookies["__Host-session"] == nil)
        let made = try await server.post("/v1/auth/google/native/nonce", [])
        let nonce = try #require(made.json.string("nonce"))
        let token = try server.googleToken(.ben, nonce: nonce)
        let reply = try await server.post(
            "/v1/auth/google/native",
            [("id_token", token), ("nonce", nonce)]
        )
        #expect(reply.status == 403)
        #expect(reply.json.string("error") == "sign_up_closed")
        #expect(try await server.accounts().isEmpty)
    }

    @Test("a start that names too little says on the page what is missing, as it does in JSON")
    func missing() async throws {
        let server = try await BackendUnderTest()
        for (query, told) in [
            ("platform=mobile&app=notes", "redirect_uri is required for this app."),
            ("platform=mobile&platform=web", "platform is given more than once."),
            ("platform=tv", "platform must be web or mobile."),
        ] {
            let page = try await TestVisitor(server).request(
                "/v1/auth/google?" + query,
                .get,
                [],
                [.accept: "text/html"]
            )
            #expect(page.status == 400)
            #expect(page.text.contains(told), "\(query)")
            let json = try await TestVisitor(server).request(
                "/v1/auth/google?" + query,
                .get,
                [],
                [.accept: "application/json"]
            )
            #expect(json.json.string("message") == told)
        }
    }
}
