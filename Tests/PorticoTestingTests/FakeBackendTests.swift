import HTTPTypes
import Portico
import PorticoTesting
import Testing

@Suite("A fake backend")
struct FakeBackendTests {
    @Test("a sign-in, a second one, and sign-out everywhere")
    func signIn() async throws {
        let fake = FakeBackend(people: [.ann()])
        let client = BackendClient.testing(fake)
        let session = try await client.signIn(with: "google")
        #expect(session.user.name == "Ann Arnold")
        #expect(session.isNew)
        let second = try await client.signIn()
        #expect(!second.isNew)
        #expect(fake.liveSessions == 2)
        let start = "https://api.example.com/v1/auth/google?"
        #expect(fake.browser.opened.first?.hasPrefix(start) == true)
        let report = await second.signOut(everywhere: true)
        #expect(report.revoked && report.localCleared)
        #expect(fake.liveSessions == 0)
        await #expect(throws: SignInError(.interactionRequired(.signedOut))) {
            try await second.token()
        }
    }

    @Test(
        "each step fails as it would with a real backend",
        arguments: [
            (.authorization, .refused("invalid_state"), .cancelled(.timedOut)),
            (
                .authorization, .refused("email_unverified"),
                .interactionRequired(.interactionRequired)
            ),
            (.authorization, .forged, .rejected(.state)),
            (.code, .offline, .transient(.unreachable, retryAfter: nil)),
            (.code, .refused("invalid_grant"), .rejected(.codeRefused)),
            (.code, .otherPage, .rejected(.tokenResponse)),
        ] as [(FakeBackend.Step, FakeFailure, SignInError.Kind)]
    )
    func failures(step: FakeBackend.Step, failure: FakeFailure, kind: SignInError.Kind)
        async throws
    {
        let fake = FakeBackend()
        fake.next(step, fails: failure)
        let error = await #expect(throws: SignInError.self) {
            try await BackendClient.testing(fake).signIn()
        }
        #expect(error?.kind == kind)
        #expect(fake.liveSessions == 0)
    }

    @Test(
        "the person decides how a sign-in ends",
        arguments: [
            (.denies, .denied), (.closesBrowser, .cancelled(.user)),
            (.takesTooLong, .cancelled(.timedOut)),
        ] as [(PersonAct, SignInError.Kind)]
    )
    func acts(act: PersonAct, kind: SignInError.Kind) async throws {
        let fake = FakeBackend()
        fake.next(act)
        await #expect(throws: SignInError(kind)) {
            try await BackendClient.testing(fake).signIn(with: "apple")
        }
        fake.next(.signsIn(as: FakePerson("new-1", name: "Newcomer")))
        #expect(try await BackendClient.testing(fake).signIn().user.name == "Newcomer")
    }

    @Test("a session is checked, renewed, restored, and ended by the backend")
    func session() async throws {
        let fake = FakeBackend()
        let storage = InMemory()
        let session = try await BackendClient.testing(fake, storage: storage).signIn()
        fake.change(FakePerson("person-1", name: "Ann Bauer", email: "ann@example.com"))
        fake.clock.advance(by: .hours(1))
        try await session.check()
        #expect(fake.count(.refresh) == 1)
        #expect(session.user.name == "Ann Bauer")
        let restarted = BackendClient.testing(fake, storage: storage)
        guard case .signedIn(let restored) = await restarted.currentSession() else {
            Issue.record("not restored")
            return
        }
        fake.next(.session, fails: .forged)
        await #expect(throws: SignInError(.rejected(.subject))) { try await restored.check() }
        fake.endSessions()
        await #expect(throws: SignInError(.interactionRequired(.sessionEnded))) {
            try await restored.check()
        }
        guard case .signedOut = await restarted.restore() else {
            Issue.record("still stored")
            return
        }
    }

    @Test("the app's own API is behind the session")
    func api() async throws {
        let fake = FakeBackend()
        fake.serve { call in .json(["who": .string(call.person.subject)]) }
        let session = try await BackendClient.testing(fake).signIn()
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/v1/notes"
        )
        let (data, response) = try await session.http.data(for: request)
        #expect(response.status == .ok)
        #expect(String(decoding: data, as: UTF8.self) == #"{"who":"person-1"}"#)
        fake.clock.advance(by: .hours(1))
        fake.refreshRotation = .plain
        fake.next(.refresh, fails: .lostAnswer)
        await #expect(throws: SignInError(.transient(.unreachable, retryAfter: nil))) {
            try await session.http.data(for: request)
        }
        await #expect(throws: SignInError(.interactionRequired(.sessionEnded))) {
            try await session.http.data(for: request)
        }
        #expect(fake.liveSessions == 0)
    }

    @Test("a sign-in by handle gets a cookie, which is replaced in time, and ended by the backend")
    func byHandle() async throws {
        let alice = FakePerson(
            "alice",
            name: "Alice",
            claims: ["did": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "handle": "alice.example.com"]
        )
        let fake = FakeBackend(people: [.ann(), alice])
        fake.serve { call in .json(["of": .string(call.person.subject)]) }
        let storage = InMemory()
        let session = try await BackendClient.testing(fake, storage: storage)
            .signIn(byHandle: "alice.example.com")
        #expect(session.user.handle == "alice.example.com" && session.user.name == "Alice")
        #expect(session.user.did == "did:plc:ewvi7nxzyoun6zhxrhs64oiz")
        let first = try await session.token()
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/xrpc/com.example.notes"
        )
        #expect(try await session.http.data(for: request).1.status == .ok)
        #expect(try await session.token() == first)
        fake.clock.advance(by: .minutes(16))
        fake.isOffline = true
        guard case .signedIn = await BackendClient.testing(fake, storage: storage).currentSession()
        else {
            Issue.record("a missing network ends nothing")
            return
        }
        fake.isOffline = false
        try await session.check()
        let second = try await session.token()
        #expect(second != first)
        #expect(fake.count(.refresh) == 0)
        fake.endSessions()
        await #expect(throws: SignInError(.interactionRequired(.sessionEnded))) {
            try await session.http.data(for: request)
        }
        #expect(!session.isActive)
        #expect(try await storage.read() == nil)
    }

    @Test("the page asks for the handle where none is given, and knows those of its people only")
    func handles() async throws {
        let fake = FakeBackend()
        let session = try await BackendClient.testing(fake).signIn(byHandle: nil)
        #expect(session.user.handle == "person-1.example.com")
        #expect(
            fake.browser.opened.first?.hasPrefix("https://api.example.com/mobile-auth?") == true
        )
        await #expect(throws: SignInError(.cancelled(.user))) {
            try await BackendClient.testing(fake).signIn(byHandle: "nobody.example.com")
        }
        #expect(await session.signOut().revoked)
        #expect(fake.liveSessions == 0)
    }
}
