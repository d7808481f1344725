import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("HandleSessionStore: ends", .everyDatabase) struct HandleRevocationContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    /// What is noted in the transaction that ends a session.
    private static let noted = AccountSessionDeath.allCases.filter { $0 != .expired && $0 != .idle }

    @Test(
        "decision 0056: whatever ends a session makes its tokens due, and no others",
        arguments: noted
    )
    func due(_ death: AccountSessionDeath) async throws {
        let ann = try await stores.signedInByHandle()
        var event = AccountExample.signIn(AccountExample.key("bob"))
        event.handleSession = HandleExample.new("did:plc:bob")
        _ = try await stores.signIn(event)
        #expect(try await stores.takeDue().isEmpty)
        try await death.happen(to: ann, in: stores)
        let due = try await stores.takeDue()
        #expect(due.map(\.session.sessionID) == [ann.sessionID])
        #expect(due.map(\.session.sealed) == ["sealed 1"])
    }

    @Test("decision 0067: of one host's sessions only so many are taken, however long they wait")
    func ofHost() async throws {
        let now = HandleExample.now
        var other = HandleExample.new()
        other.host = "https://other.example.com"
        for number in 0..<5 {
            let ann = try await stores.signedInByHandle(number == 4 ? other : HandleExample.new())
            _ = try await stores.sessions.signOut(
                ann.sessionID,
                of: ann.account.id,
                at: now + Int64(number)
            )
        }
        func hosts(_ limit: Int) async throws -> [String] {
            let due = try await stores.handles.takeDue(
                limit: limit,
                ofHost: 2,
                at: now + 4,
                retryAt: now + 60
            )
            return due.map { String($0.session.host.dropFirst(8).prefix { $0 != "." }) }
        }
        #expect(try await hosts(9) == ["pds", "pds", "other"])
        #expect(try await hosts(1) == ["pds"])
        #expect(try await hosts(9) == ["pds"])
        #expect(try await hosts(9).isEmpty)
    }

    @Test("decision 0056: signing out elsewhere makes due the tokens of those that end")
    func elsewhere() async throws {
        let (here, there) = (
            try await stores.signedInByHandle(), try await stores.signedInByHandle()
        )
        _ = try await stores.signOutEverywhere(here.account, but: here.sessionID)
        #expect(try await stores.takeDue().map(\.session.sessionID) == [there.sessionID])
        #expect(try await stores.handle(here) != nil)
    }

    @Test(
        "decision 0056: the tokens of a session that expired become due when it is purged",
        arguments: [AccountSessionDeath.expired, .idle]
    )
    func expired(_ death: AccountSessionDeath) async throws {
        let ann = try await stores.signedInByHandle()
        try await death.happen(to: ann, in: stores)
        try await stores.purge(before: death.now)
        #expect(try await stores.takeDue(at: death.now + 1).isEmpty)
        try await stores.purge(before: death.now + 1)
        #expect(try await stores.hasRow(ofSession: ann.sessionID) == false)
        let due = try await stores.takeDue(at: death.now + 1)
        #expect(due.map(\.session.sealed) == ["sealed 1"])
        // It stays until they are revoked.
        try await stores.purge(before: death.now + 2)
        #expect(try await stores.hasHandleRow(ann))
        try await stores.handles.revoked(ann.sessionID, revision: 1, at: death.now + 2)
        try await stores.purge(before: death.now + 2)
        #expect(try await stores.hasHandleRow(ann) == false)
    }

    @Test("a purge leaves sessions that live, and of ended ones what is to be revoked")
    func purge() async throws {
        let (ann, left) = (try await stores.signedInByHandle(), try await stores.signedInByHandle())
        _ = try await stores.signOut(ann)
        try await stores.purge(before: HandleExample.now + 1)
        #expect(try await stores.hasRow(ofSession: ann.sessionID) == false)
        #expect(try await stores.takeDue().count == 1)
        #expect(try await stores.handle(left) != nil)
        // Its row goes with its tokens.
        try await stores.handles.revoked(ann.sessionID, revision: 1, at: HandleExample.now)
        try await stores.purge(before: HandleExample.now + 1)
        #expect(try await stores.hasHandleRow(ann) == false)
        #expect(try await stores.handle(left) != nil)
    }

    @Test("of concurrent takers one gets a session, and no other before its next try")
    func taking() async throws {
        let now = HandleExample.now
        for _ in 1...20 {
            let ann = try await stores.signedInByHandle()
            _ = try await stores.signOut(ann)
            let taken = try await concurrently(10) { _ in try await stores.takeDue(1) }
            #expect(taken.flatMap { $0 }.map(\.session.sessionID) == [ann.sessionID])
            #expect(taken.flatMap { $0 }.map(\.tries) == [1])
            #expect(try await stores.takeDue(at: now + 59).isEmpty)
            #expect(try await stores.takeDue(at: now + 60).map(\.tries) == [2])
            let id = ann.sessionID
            try await stores.handles.postpone(id, revision: 7, until: now + 1)
            #expect(try await stores.takeDue(at: now + 61).isEmpty)
            try await stores.handles.postpone(id, revision: 1, until: now + 61)
            #expect(try await stores.takeDue(at: now + 61).map(\.tries) == [3])
            try await stores.handles.revoked(id, revision: 7, at: now)
            #expect(try await stores.takeDue(at: now + 1000).map(\.tries) == [4])
            try await stores.handles.revoked(id, revision: 1, at: now)
            #expect(try await stores.takeDue(at: now + 9000).isEmpty)
            #expect(try await stores.kinds().last == .handleRevoked)
        }
    }

    @Test("ATP-TL-7: what the host ends ends the session, once, and forgets its tokens")
    func endedByHost() async throws {
        let (ann, other) = (
            try await stores.signedInByHandle(), try await stores.signedInByHandle()
        )
        @Sendable func end(_ revision: Int64) async throws -> Change {
            try await stores.handles.endedByHost(
                ann.sessionID,
                revision: revision,
                as: "invalid_grant",
                at: HandleExample.now
            )
        }
        let answers = try await concurrently(10) { _ in try await end(1) }
        #expect(answers.count(of: .changed) == 1)
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await stores.takeDue().isEmpty)
        #expect(try await stores.lease(ann) == .ended)
        let event = try await stores.events.latest([.handleEnded], of: ann.account.id, limit: 9)
        #expect(event.map(\.reason) == ["invalid_grant"])
        #expect(try await stores.handle(other) != nil)
    }

    @Test("ATP-TL-7: a refusal of tokens that were replaced meanwhile ends nothing")
    func replaced() async throws {
        let ann = try await stores.signedInByHandle()
        #expect(try await stores.keep(ann) == .kept)
        let change = try await stores.handles.endedByHost(
            ann.sessionID,
            revision: 1,
            as: "invalid_grant",
            at: HandleExample.now
        )
        #expect(change == .notFound)
        #expect(try await stores.handle(ann)?.sealed == "sealed 2")
    }
}

@Suite("BackendConfigurationStore: our keys at hosts") struct HandleKeyContract {
    @Test(
        "ATP-CA-5: a new key retires the one before when it is used, and raises the version",
        arguments: StoreUnderTest.allCases
    )
    func rotation(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let store = stores.configuration
        let before = try await store.version()
        let (one, two) = (
            HandleExample.key("a", activeFrom: HandleExample.now), HandleExample.key("b")
        )
        try await store.add(one)
        #expect(try await store.configuration().handleKeys == [one])
        try await store.add(two)
        var retired = one
        retired.retiredAt = two.activeFrom
        let configuration = try await store.configuration()
        #expect(configuration.handleKeys == [two, retired])
        #expect(configuration.version != before)
        await #expect(throws: StoreConflict.self) { try await store.add(one) }
        #expect(try await store.configuration().handleKeys == [two, retired])
    }

    @Test(
        "ATP-CA-6: a key is withdrawn once, and is known for half a year",
        arguments: StoreUnderTest.allCases
    )
    func withdrawal(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let (store, now) = (stores.configuration, HandleExample.now)
        #expect(try await store.withdrawHandleKey("a", at: now) == .notFound)
        try await store.add(HandleExample.key("a"))
        let before = try await store.version()
        #expect(try await store.withdrawHandleKey("a", at: now) == .changed)
        #expect(try await store.withdrawHandleKey("a", at: now + 5) == .changed)
        let configuration = try await store.configuration()
        #expect(configuration.handleKeys.map(\.withdrawnAt) == [now])
        #expect(configuration.version != before)
        let kinds = try await stores.kinds()
        #expect(kinds == [.handleKeyAdded, .handleKeyWithdrawn])
        try await stores.purge(before: now + 180 * 86_400)
        #expect(try await store.configuration().handleKeys.count == 1)
        try await stores.purge(before: now + 180 * 86_400 + 1)
        #expect(try await store.configuration().handleKeys.isEmpty)
    }

    @Test(
        "ATP-CA-5: a key is needed while a session has tokens, also one that waits to be revoked",
        arguments: StoreUnderTest.allCases
    )
    func use(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let ann = try await stores.signedInByHandle()
        _ = try await stores.signedInByHandle()
        _ = try await stores.signedInByHandle(HandleExample.new(key: "key-2"))
        _ = try await stores.signedInByHandle(HandleExample.new(key: nil))
        #expect(try await stores.handles.sessionsByKey() == ["key-1": 2, "key-2": 1])
        _ = try await stores.signOut(ann)
        #expect(try await stores.handles.sessionsByKey() == ["key-1": 2, "key-2": 1])
        try await stores.handles.revoked(ann.sessionID, revision: 1, at: HandleExample.now)
        #expect(try await stores.handles.sessionsByKey() == ["key-1": 1, "key-2": 1])
    }
}
