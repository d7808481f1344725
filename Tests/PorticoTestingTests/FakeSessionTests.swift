import HTTPTypes
import Portico
import PorticoTesting
import Testing

@Suite("A session at a fake provider")
struct FakeSessionTests {
    @Test("the clock makes tokens old, and a refresh brings what has changed since")
    func refresh() async throws {
        let fake = FakeProvider(people: [.ann(roles: ["reader"]), .bob()])
        let session = try await SignInClient.testing(fake).signIn()
        let first = try await session.token()
        #expect(try await session.token() == first)
        fake.change(.ann(roles: ["reader", "editor"]))
        fake.rotateKeys()
        fake.clock.advance(by: .hours(2))
        #expect(try await session.token() != first)
        #expect(session.roles.contains("editor"))
        #expect(fake.count(.refresh) == 1)
        #expect(fake.count(.keys) == 2)
        // It is still Ann who sits at the browser.
        fake.endSessions()
        #expect(try await SignInClient.testing(fake).signIn().user.name == "Ann Arnold")
    }

    @Test(
        "RFC 9700 §4.14.2: a lost answer ends no session where refresh is idempotent, and does where not",
        arguments: [(.idempotent, true), (.plain, false), (.reusable, true)]
            as [(RefreshRotation, Bool)]
    )
    func lostAnswer(rotation: RefreshRotation, survives: Bool) async throws {
        let fake = FakeProvider()
        fake.refreshRotation = rotation
        let session = try await SignInClient.testing(fake).signIn()
        fake.clock.advance(by: .hours(1))
        fake.next(.refresh, fails: .lostAnswer)
        await #expect(throws: SignInError(.transient(.unreachable, retryAfter: nil))) {
            try await session.token()
        }
        if survives {
            _ = try await session.token()
        } else {
            await #expect(throws: SignInError(.interactionRequired(.sessionEnded))) {
                try await session.token()
            }
        }
        #expect(session.isActive == survives)
        #expect(fake.liveSessions == (survives ? 1 : 0))
    }

    @Test("many tasks of two processes make one refresh, at a provider that rotates plainly")
    func race() async throws {
        for _ in 0..<20 {
            let fake = FakeProvider()
            fake.refreshRotation = .plain
            let storage = InMemory()
            let one = try await SignInClient.testing(fake, storage: storage).signIn()
            let neighbour = SignInClient.testing(fake, storage: storage)
            guard case .signedIn(let other) = await neighbour.restore() else {
                Issue.record("not restored")
                return
            }
            fake.clock.advance(by: .hours(1))
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<20 {
                    group.addTask { try await (index.isMultiple(of: 2) ? one : other).token() }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(fake.count(.refresh) == 1)
            #expect(fake.liveSessions == 1)
        }
    }

    @Test("a provider without refresh tokens, and one whose tokens live for a minute")
    func lives() async throws {
        let fake = FakeProvider()
        fake.refreshRotation = nil
        fake.accessTokenLife = .minutes(1)
        let session = try await SignInClient.testing(fake).signIn()
        #expect(!session.isRefreshable)
        fake.clock.advance(by: .minutes(2))
        await #expect(throws: SignInError(.interactionRequired(.expired))) {
            try await session.token()
        }
    }

    @Test("offline is offline for all requests, until it ends")
    func offline() async throws {
        let fake = FakeProvider()
        let session = try await SignInClient.testing(fake).signIn()
        fake.isOffline = true
        fake.clock.advance(by: .days(1))
        for _ in 0..<3 {
            await #expect(throws: SignInError(.transient(.unreachable, retryAfter: nil))) {
                try await session.token()
            }
        }
        fake.isOffline = false
        _ = try await session.token()
    }

    @Test("OpenID Connect Core §5.3: claims come from UserInfo, and only of the same person")
    func userInfo() async throws {
        let fake = FakeProvider()
        let session = try await SignInClient.testing(fake).signIn()
        #expect(try await session.userInfo().email == "ann@example.com")
        fake.next(.userInfo, fails: .forged)
        await #expect(throws: SignInError(.rejected(.subject))) { try await session.userInfo() }
        // The token is refused once, and replaced.
        fake.next(.userInfo, fails: .refused("invalid_token"))
        #expect(try await session.userInfo().name == "Ann Arnold")
        #expect(fake.count(.refresh) == 1)
    }

    @Test("an API of the app's own sees live tokens only, and knows whose they are")
    func api() async throws {
        let fake = FakeProvider()
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com", "https://other.example.com"]
        fake.serve("https://api.example.com") { call in
            .json(["who": .string(call.person.subject), "path": .string(call.request.path ?? "")])
        }
        let session = try await SignInClient.testing(fake, options: options).signIn()
        var request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/orders?page=2"
        )
        let (data, response) = try await session.http.data(for: request)
        #expect(response.status == .ok)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"who":"person-1","path":"/orders?page=2"}"#
        )
        // Refused once; the token is replaced.
        fake.next(.api, fails: .refused("invalid_token"))
        #expect(try await session.http.data(for: request).1.status == .ok)
        #expect(fake.count(.refresh) == 1)

        request.authority = "other.example.com"
        let (words, unserved) = try await session.http.data(for: request)
        #expect(unserved.status == .notImplemented)
        #expect(String(decoding: words, as: UTF8.self).contains("Call serve first."))
        request.authority = "foreign.example.com"
        await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
            try await session.http.data(for: request)
        }
    }

    @Test("RFC 9470 §3: the same person steps up, and another one changes nothing")
    func stepUp() async throws {
        let fake = FakeProvider(people: [.ann(), .bob()])
        let session = try await SignInClient.testing(fake).signIn()
        fake.clock.advance(by: .hours(1))
        let request = SignInRequest(maxAge: .seconds(60), acr: [.phishingResistant])
        fake.next(.signsIn(as: .bob()))
        await #expect(throws: SignInError(.rejected(.subject))) {
            try await session.stepUp(request)
        }
        #expect(session.user.claims.string("acr") == nil)
        try await session.stepUp(request)
        #expect(session.user.name == "Ann Arnold")
        #expect(session.user.claims.string("acr") == "phr")
    }

    @Test("a preview shows a person who is signed in, at once")
    func preview() async throws {
        let session = Session.preview(.ann(roles: ["editor"]))
        #expect(session.user.displayName == "Ann Arnold")
        #expect(session.roles.contains("editor"))
        #expect(session.isActive)
        #expect(try await !session.token().isEmpty)
        if case .signedIn(let one) = RestoredSession.signedIn(session) { #expect(one === session) }
        await session.signOut()
        #expect(!session.isActive)

        let backend = BackendSession.preview(.bob())
        #expect(
            backend.user
                == BackendUser(
                    id: "person-2",
                    email: "bob@example.com",
                    isEmailVerified: true,
                    name: "Bob Brown"
                )
        )
        #expect(backend.isActive)
    }

    @Test("each kind of error can be made, with a provider's words")
    func errors() {
        let error = SignInError(.denied, providerError: .init(code: "access_denied"))
        #expect(error == SignInError(.denied))
        #expect(error.providerError?.code == "access_denied")
    }
}

@Suite("A session at a fake provider whose tokens are bound to a key")
struct FakeBoundSessionTests {
    private var options: SignInClient.Options {
        var options = SignInClient.Options()
        options.dpop = true
        options.apiOrigins = ["https://api.example.com"]
        return options
    }

    @Test(
        "RFC 9449: sign-in, an API, a refresh after a restart, and sign-out, with nonces that change"
    )
    func life() async throws {
        let fake = FakeProvider()
        let storage = InMemory()
        let client = SignInClient.testing(fake, options: options, storage: storage)
        let session = try await client.signIn()
        fake.serve("https://api.example.com") { call in .json(["of": .string(call.person.subject)])
        }
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/notes"
        )
        #expect(try await session.http.data(for: request).1.status == .ok)
        #expect(try await session.userInfo().name == "Ann Arnold")
        fake.clock.advance(by: .hours(2))
        let restarted = SignInClient.testing(fake, options: options, storage: storage)
        guard case .signedIn(let again) = await restarted.currentSession() else {
            Issue.record("not restored")
            return
        }
        #expect(try await again.http.data(for: request).1.status == .ok)
        // What only asked for a nonce is not counted.
        #expect(fake.count(.code) == 1 && fake.count(.refresh) == 1 && fake.count(.api) == 2)
        let raw = try await again.token()
        var bearer = request
        bearer.headerFields[.authorization] = "Bearer \(raw)"
        let reply = try await fake.send(
            bearer,
            body: [],
            limits: HTTPLimits(bytes: 1024, seconds: 1)
        )
        #expect(reply.response.status.code == 401)
        #expect(await again.signOut(.tokens).revoked)
        #expect(fake.liveSessions == 0)
    }

    @Test("a provider that ignores proofs is refused, and one without the option asks for none")
    func unsupported() async throws {
        let fake = FakeProvider()
        fake.bindsTokens = false
        await #expect(throws: SignInError(.rejected(.tokenNotBound))) {
            try await SignInClient.testing(fake, options: options).signIn()
        }
        fake.bindsTokens = true
        let session = try await SignInClient.testing(fake).signIn()
        #expect(try await session.userInfo().name == "Ann Arnold")
    }
}
