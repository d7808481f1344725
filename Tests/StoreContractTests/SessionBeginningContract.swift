import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

/// What happens to a browser's session when a person signs in with it.
@Suite("SessionStore: signing in again", .everyDatabase) struct SessionBeginningContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.furnished() }

    private static let next = Hash256(of: "next")
    private static let later = Example.signedIn + 5000

    /// Ann proves once more who she is, long after ``Example/idle``.
    private static func again(at now: Int64 = later) -> PersonSession {
        var session = Example.session("session-2", cookie: next)
        session.authenticatedAt = now
        session.provenAt = now
        session.acr = "2"
        session.amr = ["pwd", "otp"]
        session.device = "Safari · iPhone"
        session.createdAt = now
        session.lastSeenAt = now
        session.expiresAt = now + 36_000
        return session
    }

    /// Bob signs in where Ann was signed in.
    private static func another(_ cookie: Hash256 = next) -> PersonSession {
        var session = Example.session("session-2", cookie: cookie)
        session.personID = "person-bob"
        return session
    }

    private static func furnished() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        let bob = NewPerson(person: Example.person("bob"), password: nil)
        #expect(try await stores.people.create(bob) == .created)
        return stores
    }

    @Test(
        "WEB-SESS-1: the same person's session goes on with a new cookie, however long it was idle"
    )
    func goesOn() async throws {
        var grant = Example.grant()
        grant.idleSeconds = 10_000
        #expect(try await stores.redeem(grant) == .redeemed)
        #expect(try await stores.liveByCookie(at: Self.later) == nil, "idle")
        var expected = Self.again()
        expected.id = "session-1"
        expected.createdAt = Example.session.createdAt
        let outcome = try await stores.start(Self.again(), replacing: Example.cookie)
        #expect(outcome == .wentOn(expected))
        #expect(try await stores.liveByID(at: Self.later)?.session == expected)
        #expect(try await stores.liveByID("session-2", at: Self.later) == nil)
        #expect(try await stores.liveByCookie(at: Self.later) == nil, "the former cookie is dead")
        #expect(try await stores.liveByCookie(Self.next, at: Self.later)?.session == expected)
        #expect(try await stores.reading(grant.id, at: Self.later)?.isLive == true)
        #expect(try await stores.claim(at: Self.later).isEmpty)
    }

    /// What ends a session for good.
    enum End: CaseIterable { case signedOut, expired, passwordChanged, disabled }

    @Test(
        "a session that is over stays over: a proof of its person begins a new one",
        arguments: End.allCases
    )
    func stays(_ end: End) async throws {
        let now = end == .expired ? Example.session.expiresAt : Self.later
        var session = Self.again(at: now)
        switch end {
        case .signedOut: try await SignInLoss.signedOut.happen(to: stores)
        case .expired: break
        case .passwordChanged: try await SignInLoss.passwordChanged.happen(to: stores)
        case .disabled:
            try await SignInLoss.disabled.happen(to: stores)
            #expect(try await stores.people.update(Example.ann) == .changed)
        }
        session.epoch = try #require(try await stores.credentials("ann")).epoch
        #expect(try await stores.start(session, replacing: Example.cookie) == .began)
        #expect(try await stores.liveByID("session-2", at: now)?.session == session)
        #expect(try await stores.liveByID(at: now) == nil)
    }

    @Test("a sign-in that read the former password lets no session go on")
    func late() async throws {
        var late = Self.again()
        late.epoch = try #require(try await stores.credentials("ann")).epoch
        try await SignInLoss.passwordChanged.happen(to: stores)
        #expect(try await stores.start(late, replacing: Example.cookie) == .began)
        #expect(try await stores.liveByID("session-2", at: Self.later) == nil)
        #expect(try await stores.liveByID(at: Self.later) == nil)
    }

    @Test("another person's session ends with its grants, in the step that begins the new one")
    func tookOver() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        let outcome = try await stores.start(Self.another(), replacing: Example.cookie)
        #expect(outcome == .tookOver("session-1"))
        #expect(try await stores.liveByCookie() == nil)
        #expect(try await stores.liveByID() == nil)
        #expect(try await stores.reading(Example.grant().id)?.isLive == false)
        #expect(try await stores.liveByID("session-2")?.session == Self.another())
    }

    @Test(
        "another person's session that something else has ended ends once",
        arguments: [SignInLoss.signedOut, .passwordChanged, .deleted]
    )
    func endedBefore(_ loss: SignInLoss) async throws {
        try await loss.happen(to: stores)
        #expect(try await stores.start(Self.another(), replacing: Example.cookie) == .began)
        #expect(try await stores.liveByID("session-2") != nil)
    }

    @Test("a session that cannot start ends nothing")
    func failedStart() async throws {
        var twice = Self.another()
        twice.id = "session-1"
        await #expect(throws: StoreConflict.self) {
            try await stores.start(twice, replacing: Example.cookie)
        }
        #expect(try await stores.liveByCookie() != nil)
    }

    @Test("a sign-in neither ends nor takes up a session of another realm")
    func elsewhere() async throws {
        for (number, person) in ["person-ann", "person-bob"].enumerated() {
            var next = Example.session("other-\(number)", cookie: Hash256(of: person))
            next.realmID = "realm-2"
            next.personID = person
            #expect(try await stores.start(next, replacing: Example.cookie) == .began)
            #expect(try await stores.liveByCookie() != nil)
        }
    }

    @Test("of two sign-ins at once with one cookie one lets the session go on")
    func race() async throws {
        for _ in 1...10 {
            let stores = try await Self.furnished()
            let outcomes = try await concurrently(2) { index in
                var session = Self.again(at: Example.now)
                session.id = "session-\(index + 2)"
                session.form = .browser(cookieHash: Hash256(of: "cookie-\(index)"))
                return try await stores.start(session, replacing: Example.cookie)
            }
            #expect(outcomes.count(of: .began) == 1)
            #expect(try await stores.liveByCookie() == nil)
            #expect(try await stores.liveByID() != nil)
        }
    }
}
