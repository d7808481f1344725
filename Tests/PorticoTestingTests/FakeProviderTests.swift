import HTTPTypes
import Portico
import PorticoTesting
import Testing

@Suite("A fake provider")
struct FakeProviderTests {
    @Test("a sign-in runs every request of a real one, and nothing opens")
    func signIn() async throws {
        let fake = FakeProvider(people: [
            FakePerson(
                "p-1",
                name: "Ann",
                email: "ann@example.com",
                roles: ["editor"],
                clientRoles: ["shop": ["buyer"]],
                claims: ["locale": "de"]
            )
        ])
        let session = try await SignInClient.testing(fake).signIn()
        #expect(session.user.id == User(issuer: fake.issuer, subject: "p-1").id)
        #expect(session.user.name == "Ann")
        #expect(session.user.isEmailVerified)
        #expect(session.user.claims.string("locale") == "de")
        #expect(session.roles == Roles(names: ["editor"], clients: ["shop": ["buyer"]]))
        let steps: [FakeProvider.Step] = [.metadata, .authorization, .code, .keys]
        #expect(steps.allSatisfy { fake.count($0) == 1 })
        #expect(fake.browser.opened.count == 1)
        #expect(fake.liveSessions == 1)
        #expect(fake.personInBrowser?.subject == "p-1")
    }

    @Test(
        "the person decides how a sign-in ends",
        arguments: [
            (.denies, .denied), (.closesBrowser, .cancelled(.user)),
            (.takesTooLong, .cancelled(.timedOut)),
        ] as [(PersonAct, SignInError.Kind)]
    )
    func acts(act: PersonAct, kind: SignInError.Kind) async throws {
        let fake = FakeProvider()
        let client = SignInClient.testing(fake)
        fake.next(act)
        await #expect(throws: SignInError(kind)) { try await client.signIn() }
        #expect(fake.liveSessions == 0)
        _ = try await client.signIn()
        #expect(fake.liveSessions == 1)
    }

    @Test(
        "OpenID Connect Core §3.1.2.6: what prompt=none must not ask",
        arguments: [
            ("login_required", .loginRequired), ("consent_required", .consentRequired),
            ("interaction_required", .interactionRequired),
            ("account_selection_required", .accountSelectionRequired),
        ] as [(String, SignInError.Interaction)]
    )
    func promptNone(code: String, interaction: SignInError.Interaction) async throws {
        let fake = FakeProvider()
        let client = SignInClient.testing(fake)
        let silent = SignInRequest(prompt: [.none])
        // No one is signed in in the browser.
        await #expect(throws: SignInError(.interactionRequired(.loginRequired))) {
            try await client.signIn(silent)
        }
        _ = try await client.signIn()
        _ = try await client.signIn(silent)
        fake.next(.authorization, fails: .refused(code, "in the provider's words"))
        let error = await #expect(throws: SignInError.self) { try await client.signIn(silent) }
        #expect(error?.kind == .interactionRequired(interaction))
        #expect(error?.providerError?.description == "in the provider's words")
        fake.endSessions()
        await #expect(throws: SignInError(.interactionRequired(.loginRequired))) {
            try await client.signIn(silent)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: a hint chooses, and max_age asks again")
    func hints() async throws {
        let fake = FakeProvider(people: [.ann(), .bob()])
        let client = SignInClient.testing(fake)
        let bob = try await client.signIn(SignInRequest(loginHint: "bob@example.com"))
        #expect(bob.user.name == "Bob Brown")
        // Bob is the one who is signed in at the provider now.
        #expect(try await client.signIn().user.name == "Bob Brown")
        let first = bob.user.claims.int64("auth_time")
        fake.clock.advance(by: .minutes(10))
        #expect(try await client.signIn().user.claims.int64("auth_time") == first)
        let recent = try await client.signIn(SignInRequest(maxAge: .seconds(60)))
        #expect(recent.user.claims.int64("auth_time") == first.map { $0 + 600 })
        let strong = try await client.signIn(SignInRequest(acr: [.phishingResistant]))
        #expect(strong.user.claims.string("acr") == "phr")
    }

    @Test(
        "each step fails as it would with a real provider",
        arguments: [
            (.metadata, .offline, .transient(.unreachable, retryAfter: nil)),
            (.metadata, .forged, .rejected(.metadataIssuer)),
            (.metadata, .otherPage, .rejected(.metadata)),
            (.keys, .timeout, .transient(.timedOut, retryAfter: nil)),
            (.keys, .forged, .rejected(.signature)),
            (.authorization, .offline, .cancelled(.user)),
            (.authorization, .forged, .rejected(.state)),
            (.code, .untrusted, .misconfigured(.certificateUntrusted)),
            (.code, .serverError, .transient(.serverError, retryAfter: nil)),
            (.code, .lostAnswer, .transient(.unreachable, retryAfter: nil)),
            (.code, .refused("invalid_grant"), .rejected(.codeRefused)),
            (.code, .forged, .rejected(.signature)),
            (
                .code, .tooManyRequests(retryAfter: .seconds(9)),
                .transient(.tooManyRequests, retryAfter: .seconds(9))
            ),
        ] as [(FakeProvider.Step, FakeFailure, SignInError.Kind)]
    )
    func failures(step: FakeProvider.Step, failure: FakeFailure, kind: SignInError.Kind)
        async throws
    {
        let fake = FakeProvider()
        fake.next(step, fails: failure)
        let error = await #expect(throws: SignInError.self) {
            try await SignInClient.testing(fake).signIn()
        }
        #expect(error?.kind == kind)
        // The failure is over.
        _ = try await SignInClient.testing(fake).signIn()
    }

    @Test("signing out ends the session at the provider and in the browser, unless it fails")
    func signOut() async throws {
        let fake = FakeProvider()
        let client = SignInClient.testing(fake)
        let first = try await client.signIn()
        let report = await first.signOut(using: .systemBrowser, returnPath: "/signed-out")
        #expect(report.revoked && report.browserSessionEnded && report.localCleared)
        #expect(fake.liveSessions == 0)
        #expect(fake.personInBrowser == nil)

        let second = try await client.signIn()
        fake.next(.revocation, fails: .serverError)
        let failed = await second.signOut(.tokens)
        #expect(!failed.revoked && failed.localCleared)
        #expect(!second.isActive)
        #expect(fake.personInBrowser != nil)
    }

    @Test("an app that opens addresses itself is given the browser, and what comes back")
    func byHand() async throws {
        let fake = FakeProvider()
        let client = SignInClient.testing(
            fake,
            redirect: .https("https://app.example.com/signed-in")
        )
        let attempt = try await client.begin()
        try await fake.browser.open(attempt.address)
        let callback = try #require(fake.browser.callback)
        #expect(callback.hasPrefix("https://app.example.com/signed-in?"))
        #expect(try await attempt.complete(callback).isActive)
        // A sign-in by the library itself opens nothing, whatever the redirect.
        #expect(try await client.signIn().isActive)

        fake.next(.closesBrowser)
        try await fake.browser.open(try await client.begin().address)
        #expect(fake.browser.callback == nil)
    }

    @Test("what a test does wrong is told in words")
    func mistakes() async throws {
        let empty = SignInClient.testing(FakeProvider(people: []))
        let error = await #expect(throws: SignInError.self) { try await empty.signIn() }
        #expect(error?.description.contains("FakeProvider(people: [.ann()])") == true)

        let fake = FakeProvider()
        fake.next(.signsIn(as: .bob()))
        let stranger = await #expect(throws: SignInError.self) {
            try await SignInClient.testing(fake).signIn()
        }
        #expect(stranger?.description.contains("has no account here") == true)
        await #expect(throws: SignInError.self) {
            try await fake.browser.open("https://elsewhere.example.com/auth?redirect_uri=x")
        }
    }
}
