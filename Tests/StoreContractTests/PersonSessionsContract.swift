import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("SessionStore: where a person is signed in", .everyDatabase)
struct PersonSessionsContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.furnished() }

    /// Ann in three browsers, seen one after the other, and Bob in one.
    private static func furnished() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        var client = Example.client
        client.backchannelLogoutURI = HTTPAddress("https://notes.example/logout")
        #expect(try await stores.realms.update(client) == .changed)
        let bob = NewPerson(person: Example.person("bob"), password: nil, roles: [])
        #expect(try await stores.people.create(bob) == .created)
        for number in 2...4 as ClosedRange<Int64> {
            var session = Example.session("session-\(number)", cookie: Hash256(of: "\(number)"))
            session.lastSeenAt += number
            session.device = number == 2 ? "" : "Safari · iPhone"
            if number == 4 { session.personID = "person-bob" }
            try await stores.start(session)
        }
        for (number, session) in ["session-1", "session-2", "session-4"].enumerated() {
            var grant = Example.grant(Example.id(UInt8(number + 1)))
            grant.sessionID = session
            if session == "session-4" { grant.personID = "person-bob" }
            let request = Example.id(UInt8(number + 21))
            #expect(try await stores.redeem(grant, request: request) == .redeemed)
        }
        return stores
    }

    private static func list(
        _ stores: TestDatabase,
        of person: String = "person-ann",
        realm: String = "realm-1",
        at now: Int64 = Example.now,
        limit: Int = 10
    ) async throws -> [PersonSession] {
        try await stores.sessions.sessions(
            of: person,
            realmID: realm,
            at: now,
            idle: Example.idle,
            limit: limit
        )
    }

    private static func told(_ stores: TestDatabase) async throws -> [String] {
        try await stores.logoutDeliveries
            .claim(at: Example.now, until: Example.now + 60, limit: 100)
            .map(\.sessionID).sorted()
    }

    private static func isLive(_ grant: UInt8, _ stores: TestDatabase) async throws -> Bool? {
        try await stores.reading(Example.id(grant), at: Example.now)?.isLive
    }

    @Test("WEB-SESS-7: a person's live sessions are listed whole, the one seen last first")
    func listed() async throws {
        let all = try await Self.list(stores)
        #expect(all.map(\.id) == ["session-3", "session-2", "session-1"])
        #expect(all.map(\.device) == ["Safari · iPhone", "", "Firefox · Linux"])
        #expect(all.last == Example.session)
        #expect(try await Self.list(stores, limit: 2) == Array(all.prefix(2)))
        #expect(try await Self.list(stores, of: "person-bob").map(\.id) == ["session-4"])
        #expect(try await Self.list(stores, realm: "realm-2").isEmpty)
        #expect(try await Self.list(stores, of: "unknown").isEmpty)
        // By their last use, and not after their end.
        let late = Example.signedIn + Example.idle + 2
        #expect(try await Self.list(stores, at: late).map(\.id) == ["session-3"])
        #expect(try await Self.list(stores, at: Example.session.expiresAt).isEmpty)
    }

    @Test("a session is listed only until something ends it", arguments: SignInLoss.allCases)
    func ended(_ loss: SignInLoss) async throws {
        let stores = try await StoreUnderTest.furnished()
        #expect(try await Self.list(stores).map(\.id) == ["session-1"])
        try await loss.happen(to: stores)
        try await stores.sessions.touch([("session-1", loss.now)])
        #expect(try await Self.list(stores, at: loss.now).isEmpty)
    }

    @Test(
        "WEB-SESS-7, OIDCBCL-2.3-1: ending one session ends its grants and tells its clients; the others stay"
    )
    func endOne() async throws {
        func end() async throws -> SignOutOutcome {
            try await stores.sessions.signOut("session-2", of: "person-ann", at: Example.now)
        }
        #expect(try await end() == .signedOut(forgetting: []))
        #expect(try await Self.list(stores).map(\.id) == ["session-3", "session-1"])
        #expect(try await Self.isLive(2, stores) == false)
        #expect(try await Self.isLive(1, stores) == true)
        #expect(try await Self.told(stores) == ["session-2"])
        #expect(try await end() == .signedOut(forgetting: []))
        #expect(try await Self.told(stores).isEmpty)
    }

    @Test(
        "WEB-SESS-7: another person's session, or a made-up one, is not ended",
        arguments: [
            ("session-4", "person-ann"), ("session-9", "person-ann"), ("session-1", "person-bob"),
            ("", "person-ann"), ("session-1", ""),
        ]
    )
    func notTheirs(_ row: (String, String)) async throws {
        let outcome = try await stores.sessions.signOut(row.0, of: row.1, at: Example.now)
        #expect(outcome == .notFound)
        #expect(try await Self.list(stores).count == 3)
        #expect(try await Self.list(stores, of: "person-bob").count == 1)
        #expect(try await Self.told(stores).isEmpty)
    }

    @Test("WEB-SESS-7, OIDCBCL-2.3-1: ending the others leaves the one, and everyone else's")
    func endOthers() async throws {
        try await stores.endSessions(but: "session-2")
        #expect(try await Self.list(stores).map(\.id) == ["session-2"])
        #expect(try await Self.list(stores, of: "person-bob").count == 1)
        #expect(try await Self.isLive(1, stores) == false)
        #expect(try await Self.isLive(2, stores) == true)
        #expect(try await Self.told(stores) == ["session-1"])
        try await stores.endSessions(but: "session-2")
        #expect(try await Self.told(stores).isEmpty)
    }

    @Test("sessions that a new password ended are not ended and told of once more")
    func endedBefore() async throws {
        try await SignInLoss.passwordChanged.happen(to: stores)
        #expect(try await Self.told(stores) == ["session-1", "session-2"])
        try await stores.endSessions(but: "session-9")
        #expect(try await Self.told(stores).isEmpty)
    }
}
