import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoUpstream
import PorticoWeb
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

    @Test("PRV-G-11: in a browser within another app Google's button leads to words about it")
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
        let back = try await visitor.answered(page, [("person", "paul")])
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
        #expect(reply.refusal == "403 sign_up_closed")
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

@Suite("Providers that no one can sign in with") struct UnusableProviderTests {
    private static func record(_ name: String, _ kind: IdentityProvider.Kind = .google)
        -> ProviderRecord
    {
        ProviderRecord(
            realmID: "home",
            name: name,
            kind: kind.rawValue,
            place: 0,
            isEnabled: true,
            settings: ["clientID": "us"],
            sealedSecret: ProviderSecrets(ring: TestRealm.ring).seal(
                SecretText("a secret"),
                for: name,
                random: .system
            )
        )
    }

    private static func directory(_ records: [ProviderRecord]) async throws -> ProviderDirectory {
        let database = try TestDatabase.inMemory()
        for record in records { try await database.put(record) }
        let clock = StoppedClock()
        return try await ProviderDirectory(store: database.configuration) { record in
            try UpstreamClient(
                record,
                secrets: ProviderSecrets(ring: TestRealm.ring),
                transport: InProcessTransport([:]),
                now: { clock.now }
            )
        }
    }

    @Test("each that cannot start is told by its name when the server starts, and the others serve")
    func named() async throws {
        let good = Self.record("google")
        var bare = Self.record("bare")
        bare.sealedSecret = nil
        var foreign = Self.record("foreign")
        foreign.sealedSecret = "AAAA"
        var unset = Self.record("unset")
        unset.settings = [:]
        var disabled = Self.record("disabled")
        disabled.settings = [:]
        disabled.isEnabled = false
        let records = [
            good, bare, foreign, unset, disabled, Self.record("token"),
            Self.record("odd", .apple),
        ]
        let directory = try await Self.directory(records)
        #expect(directory.providers.map(\.name) == ["google"])
        #expect(
            Set(directory.failures.map(\.provider)) == ["bare", "foreign", "unset", "token", "odd"]
        )
    }

    @Test("one that cannot start is tried and told once, however often something else changes")
    func toldOnce() async throws {
        let database = try TestDatabase.inMemory()
        try await database.put(Self.record("google"))
        let tries = Locked(0)
        let directory = try await ProviderDirectory(store: database.configuration) { _ in
            tries.withLock { $0 += 1 }
            throw IdentityProviderRefusal.publicAddress
        }
        #expect(directory.failures.map(\.provider) == ["google"])
        for name in ["one", "two"] {
            try await database.put(.app(name, "com.example.\(name):/cb"))
            #expect(try await directory.refresh().isEmpty)
        }
        #expect(directory.failures.map(\.provider) == ["google"])
        #expect(tries.withLock { $0 } == 1)
        try await database.put(Self.record("google", .apple))
        #expect(try await directory.refresh().map(\.provider) == ["google"])
    }

    @Test("one that is mended serves, and is told no more")
    func mended() async throws {
        let database = try TestDatabase.inMemory()
        var record = Self.record("google")
        record.settings = [:]
        try await database.put(record)
        let clock = StoppedClock()
        let directory = try await ProviderDirectory(store: database.configuration) { record in
            try UpstreamClient(
                record,
                secrets: ProviderSecrets(ring: TestRealm.ring),
                transport: InProcessTransport([:]),
                now: { clock.now }
            )
        }
        #expect(directory.failures.map(\.provider) == ["google"])
        #expect(try await directory.refresh().isEmpty)
        try await database.put(Self.record("google"))
        #expect(try await directory.refresh().isEmpty)
        #expect(directory.failures.isEmpty)
        #expect(directory.providers.map(\.name) == ["google"])
    }
}

/// What the database cannot do now, or at all.
private struct Full: Error {}

@Suite("A backend that cannot do the work now") struct UnavailableTests {
    @Test("RFC 9110 §15.6.4: a busy database is 503 with Retry-After, for people and for apps")
    func busy() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let page = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(page.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let tokens = try await app.redeem(String(code), at: server)
        let refresh = [("refresh_token", tokens.json.string("refresh_token") ?? "")]
        let visitor = TestVisitor(server)
        let chooser = try await visitor.open("/v1/auth/google")

        server.database.refuseWrites(StoreBusy())
        let ofApp = try await server.post("/v1/auth/refresh", refresh)
        #expect(ofApp.status == 503)
        #expect(ofApp.headers[.retryAfter] != nil)
        #expect(ofApp.json.string("error") == "busy")
        let ofPerson = try await visitor.choose(.ann, at: chooser, "google")
        #expect(ofPerson.reply.status == 503)
        #expect(ofPerson.reply.headers[.retryAfter] != nil)
        #expect(ofPerson.reply.text.contains("<html"))
        #expect(!server.log.contains("unexpected"))

        server.database.refuseWrites(nil)
        #expect(try await server.post("/v1/auth/refresh", refresh).status == 200)
    }

    @Test("decision 0112: where nothing can be written, people and apps are told so with 503")
    func fullDisk() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let start = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(start.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let visitor = TestVisitor(server)
        let chooser = try await visitor.open("/v1/auth/google")
        server.database.refuseWrites(SQLError(.full, code: 13))
        let ofApp = try await app.redeem(String(code), at: server)
        #expect(ofApp.refusal == "503 busy")
        #expect(ofApp.json.string("message") == "The server cannot save anything now.")
        #expect(ofApp.headers[.retryAfter] == "60")
        let ofPerson = try await visitor.choose(.ann, at: chooser, "google")
        #expect(ofPerson.reply.status == 503)
        #expect(ofPerson.reply.text.contains("We can’t save anything right now"))
        #expect(!server.log.contains("unexpected"))
        server.database.refuseWrites(nil)
        #expect(try await app.redeem(String(code), at: server).status == 200)
    }

    @Test("WEB-ERR-1: an error of ours is 500 without a word of its cause, which the log has")
    func broken() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let chooser = try await visitor.open("/v1/auth/google")
        server.database.refuseWrites(Full())
        let page = try await visitor.choose(.ann, at: chooser, "google")
        #expect(page.reply.status == 500)
        #expect(!page.reply.text.contains("Full"))
        let found = server.log.split(separator: "\n").first { $0.contains("unexpected error") }
        let line = try #require(found)
        #expect(line.contains("kind=Full"))
        // The person reads it out, and the operator finds the line by it.
        let reference = try #require(line.firstMatch(of: /request=([A-Z0-9]{10})/)).1
        #expect(page.reply.text.contains(reference))
    }
}
