import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("LogoutDeliveryStore", .everyDatabase) struct LogoutDeliveryContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.furnished() }

    private static let expected = LogoutDelivery(
        sessionID: "session-1",
        clientID: "client-uuid",
        realmID: "realm-1",
        personID: "person-ann",
        attempts: 1
    )

    private static func client(_ name: String, isTold: Bool = true) -> Client {
        var client = Example.client
        client.id = name + "-uuid"
        client.clientID = name
        client.backchannelLogoutURI =
            isTold ? HTTPAddress("https://\(name).example/logout") : nil
        return client
    }

    /// Ann signed in twice. In the first session four clients came for a grant: one that wants to
    /// be told, twice, one that does not, and one whose code was refused. In the second session one
    /// that wants to be told.
    private static func furnished() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        var notes = client("notes")
        notes.id = "client-uuid"
        #expect(try await stores.realms.update(notes) == .changed)
        let second = Example.session("session-9", cookie: Hash256(of: "second"))
        try await stores.start(second)
        for other in [client("silent", isTold: false), client("refused"), client("elsewhere")] {
            #expect(try await stores.realms.create(other) == .created)
        }
        for (number, name) in [(1, "client"), (2, "client"), (3, "silent"), (4, "elsewhere")] {
            var grant = Example.grant(Example.id(UInt8(number)))
            grant.clientID = name + "-uuid"
            if name == "elsewhere" { grant.sessionID = "session-9" }
            let request = Example.id(UInt8(number + 10))
            #expect(try await stores.redeem(grant, request: request) == .redeemed)
        }
        var refused = Example.grant(Example.id(5))
        refused.clientID = "refused-uuid"
        #expect(try await stores.refuse(refused, request: Example.id(15)) == .redeemed)
        #expect(try await stores.claimLogouts().isEmpty, "nothing has ended")
        return stores
    }

    @Test(
        "OIDCBCL-2.3-1: whichever way a session ends, each client that got a grant in it is put down once",
        arguments: [SignInLoss.signedOut, .replaced]
    )
    func session(_ loss: SignInLoss) async throws {
        try await loss.happen(to: stores)
        #expect(try await stores.claimLogouts() == [Self.expected])
        try await stores.logoutDeliveries.settle([Self.expected], postponing: [])
        // Once more changes nothing.
        let again = try await stores.endSession(at: Example.now + 1)
        #expect(again == .changed)
        #expect(try await stores.claimLogouts(at: Example.now + 10_000).isEmpty)
    }

    @Test(
        "OIDCBCL-2.3-1: what ends all sessions of a person puts down the clients of each",
        arguments: [SignInLoss.disabled, .deleted, .passwordChanged]
    )
    func person(_ loss: SignInLoss) async throws {
        try await loss.happen(to: stores)
        let claimed = try await stores.claimLogouts()
        #expect(claimed.map(\.clientID) == ["client-uuid", "elsewhere-uuid"])
        #expect(claimed.map(\.sessionID) == ["session-1", "session-9"])
        #expect(claimed.allSatisfy { $0.personID == "person-ann" && $0.realmID == "realm-1" })
    }

    @Test("OIDCBCL-2.3-1: so does signing out everywhere")
    func everywhere() async throws {
        var ann = Example.ann
        ann.givenName = "Ann"
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.claimLogouts().isEmpty, "a new name ends nothing")
        ann.notBefore = Example.now
        #expect(try await stores.people.update(ann) == .changed)
        #expect(try await stores.claimLogouts().count == 2)
    }

    @Test("a session that had ended before is not told of with the person's others")
    func endedBefore() async throws {
        try await SignInLoss.signedOut.happen(to: stores)
        try await stores.logoutDeliveries.settle(try await stores.claimLogouts(), postponing: [])
        try await SignInLoss.passwordChanged.happen(to: stores)
        let claimed = try await stores.claimLogouts()
        #expect(claimed.map(\.sessionID) == ["session-9"])
        try await stores.logoutDeliveries.settle(claimed, postponing: [])
        // Nor are those of the former password, one by one or all at once.
        #expect(try await stores.endSession("session-9") == .changed)
        #expect(try await stores.claimLogouts().isEmpty)
        try await SignInLoss.deleted.happen(to: stores)
        #expect(try await stores.claimLogouts().isEmpty)
    }

    @Test("the session ends and its clients are put down in one step, or neither")
    func atomic() async throws {
        var taken = Example.session("session-9", cookie: Hash256(of: "next"))
        taken.personID = "person-bob"
        await #expect(throws: StoreConflict.self) {
            try await stores.start(taken, replacing: Example.cookie)
        }
        #expect(try await stores.liveByCookie(Example.cookie) != nil)
        #expect(try await stores.claimLogouts().isEmpty)
    }

    @Test("another realm's session is not told of")
    func otherRealm() async throws {
        let now = Example.now
        #expect(
            try await stores.sessions.end(id: "session-1", realmID: "realm-2", at: now) == .notFound
        )
        #expect(
            try await stores.people.deletePerson(id: "person-ann", realmID: "realm-2") == .notFound
        )
        #expect(try await stores.claimLogouts().isEmpty)
    }

    @Test("a realm's deliveries go with it")
    func realmDeleted() async throws {
        try await SignInLoss.signedOut.happen(to: stores)
        try await SignInLoss.realmDeleted.happen(to: stores)
        #expect(try await stores.claimLogouts().isEmpty)
    }

    @Test("of any number of concurrent claims exactly one gets a delivery")
    func race() async throws {
        try await SignInLoss.signedOut.happen(to: stores)
        for round in 1...20 as ClosedRange<Int64> {
            let now = Example.now + round * 100
            let claims = try await concurrently(8) { _ in
                try await stores.logoutDeliveries.claim(at: now, until: now + 100, limit: 10)
            }
            #expect(claims.flatMap(\.self).map(\.attempts) == [round])
        }
    }

    @Test("what was claimed is due again at the end of the lease, what was put off at its time")
    func times() async throws {
        try await SignInLoss.passwordChanged.happen(to: stores)
        let now = Example.now
        let store = stores.logoutDeliveries
        let first = try await store.claim(at: now, until: now + 60, limit: 1)
        #expect(first == [Self.expected])
        let second = try await store.claim(at: now, until: now + 60, limit: 1)
        #expect(second.map(\.clientID) == ["elsewhere-uuid"])
        #expect(try await store.claim(at: now + 59, until: now + 60, limit: 9).isEmpty)
        let both = try await store.claim(at: now + 60, until: now + 90, limit: 9)
        #expect(both.map(\.attempts) == [2, 2])
        var uncounted = both[0]
        uncounted.attempts = 1
        try await store.settle([both[1]], postponing: [(delivery: uncounted, until: now + 70)])
        #expect(try await store.claim(at: now + 69, until: now + 99, limit: 9).isEmpty)
        let third = try await store.claim(at: now + 70, until: now + 99, limit: 9)
        #expect(third == Array(both.prefix(1)))
        // What is gone does not come back.
        try await store.settle(third, postponing: [])
        try await store.settle([], postponing: [(delivery: third[0], until: now)])
        #expect(try await store.claim(at: now + 9999, until: now + 9999, limit: 9).isEmpty)
    }

    @Test("OIDCBCL-2.3-1: every client with a grant is told, however long it has been dead")
    func deadGrant() async throws {
        let week: Int64 = 7 * 86_400
        var long = Example.session("session-3", cookie: Hash256(of: "long"))
        long.expiresAt = Example.signedIn + 10 * week
        try await stores.start(long)
        var grant = Example.grant(Example.id(7))
        grant.sessionID = "session-3"
        #expect(try await stores.redeem(grant, request: Example.id(17)) == .redeemed)
        _ = try await stores.revoke(grant.id)
        try await stores.grants.purge(before: Example.now + week)
        let end = Example.now + week
        _ = try await stores.endSession("session-3", at: end)
        #expect(try await stores.claimLogouts(at: end).map(\.sessionID) == ["session-3"])
        // With the session goes the reason to keep it.
        try await stores.grants.purge(before: end + week)
        #expect(try await stores.reading(grant.id) == nil)
    }
}

extension TestDatabase {
    fileprivate func claimLogouts(at now: Int64 = Example.now) async throws -> [LogoutDelivery] {
        try await logoutDeliveries.claim(at: now, until: now + 60, limit: 100)
            .sorted { $0.sessionID < $1.sessionID }
    }
}
