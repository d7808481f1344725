import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("SessionStore", .everyDatabase) struct BrowserSessionContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    @Test(
        "OpenID Connect Core §3.1.2.3: a live session is found by cookie and by sid, with its person"
    )
    func found() async throws {
        let expected = LiveSession(session: Example.session, person: Example.ann)
        #expect(try await stores.liveByCookie() == expected)
        #expect(try await stores.liveByID() == expected)
    }

    @Test("a session is not found in another realm")
    func otherRealm() async throws {
        let sessions = stores.sessions
        let now = Example.now
        let byCookie = try await sessions.live(
            cookie: Example.cookie,
            realmID: "realm-2",
            at: now,
            idle: Example.idle
        )
        let byID = try await sessions.live(
            id: "session-1",
            realmID: "realm-2",
            at: now,
            idle: Example.idle
        )
        #expect(byCookie == nil)
        #expect(byID == nil)
        #expect(try await sessions.end(id: "session-1", realmID: "realm-2", at: now) == .notFound)
    }

    @Test("a session is live only until something ends it", arguments: SignInLoss.allCases)
    func ended(_ loss: SignInLoss) async throws {
        try await loss.happen(to: stores)
        // Used all the while, so that idleness is not what ends it.
        try await stores.sessions.touch([("session-1", loss.now)])
        #expect(try await stores.liveByCookie(at: loss.now) == nil)
        #expect(try await stores.liveByID(at: loss.now) == nil)
    }

    @Test("an unused session ends")
    func idle() async throws {
        let last = Example.signedIn + Example.idle
        #expect(try await stores.liveByCookie(at: last - 1) != nil)
        #expect(try await stores.liveByCookie(at: last) == nil)
        #expect(try await stores.liveByID(at: last - 1) != nil)
        #expect(try await stores.liveByID(at: last) == nil)
    }

    @Test("a session's use is noted, and never backwards")
    func touch() async throws {
        let second = Example.session("session-2", cookie: Hash256(of: "second"))
        try await stores.start(second)
        let later = Example.signedIn + 1000
        try await stores.sessions.touch([("session-1", later), ("session-2", later - 1)])
        try await stores.sessions.touch([("session-1", later - 500), ("unknown", later)])
        try await stores.sessions.touch([])
        #expect(try await stores.liveByID()?.session.lastSeenAt == later)
        #expect(try await stores.liveByID("session-2")?.session.lastSeenAt == later - 1)
    }

    @Test("ending a session twice changes nothing")
    func endTwice() async throws {
        let now = Example.now
        #expect(try await stores.endSession(at: now) == .changed)
        #expect(try await stores.endSession(at: now) == .changed)
        #expect(try await stores.endSession("unknown", at: now) == .notFound)
    }

    @Test("a purge removes what ended or expired before, and nothing else")
    func purge() async throws {
        let sessions = stores.sessions
        try await sessions.start(
            Example.session("session-2", cookie: Hash256(of: "second")),
            replacing: nil,
            upgrading: nil
        )
        _ = try await stores.endSession("session-2")
        try await sessions.purge(before: Example.now)
        #expect(
            try await stores.endSession("session-2")
                == .changed
        )
        try await sessions.purge(before: Example.now + 1)
        #expect(
            try await stores.endSession("session-2")
                == .notFound
        )
        #expect(try await stores.liveByID() != nil)
        try await sessions.purge(before: Example.session.expiresAt + 1)
        #expect(
            try await stores.endSession()
                == .notFound
        )
    }

    @Test("a session may be purged under its grants: they are dead with it and without it")
    func purgedUnderGrant() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        try await SignInLoss.signedOut.happen(to: stores)
        try await stores.sessions.purge(before: Example.now + 1)
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
    }
}
