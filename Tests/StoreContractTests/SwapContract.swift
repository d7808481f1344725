import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("GrantStore: tokens of the server before", .everyDatabase) struct SwapContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private func token(_ name: String, sid: String = "moved-1", isOffline: Bool = false)
        -> MovedToken
    {
        MovedToken(
            hash: Hash256(of: name),
            realmID: "realm-1",
            sessionID: sid,
            isOffline: isOffline,
            clientID: "notes"
        )
    }

    private func swap(
        _ token: MovedToken,
        _ stores: TestDatabase,
        grant id: UniqueID = Example.fresh(),
        issuedAt: Int64 = Example.signedIn,
        session change: @Sendable (inout PersonSession) -> Void = { _ in },
        spending: [SpentOnce] = []
    ) async throws -> SwapOutcome {
        var grant = Example.grant(id)
        grant.sessionID = token.sessionID
        grant.isOffline = token.isOffline
        var session = Example.session(token.sessionID, cookie: Hash256(of: id.bytes))
        change(&session)
        return try await stores.grants.swap(
            token,
            for: grant,
            in: token.isOffline ? nil : session,
            issuedAt: issuedAt,
            spending: spending,
            at: Example.now
        )
    }

    private func isLive(_ id: UniqueID, _ stores: TestDatabase) async throws -> Bool {
        try await stores.grants.grant(id: id, realmID: "realm-1", at: Example.now)?.isLive ?? false
    }

    @Test("decision 0051: of many concurrent swaps of one token exactly one is done")
    func race() async throws {
        for round in 0..<30 {
            let token = token("token \(round)", sid: "moved \(round % 3)")
            let ids = (0..<8).map { _ in Example.fresh() }
            let answers = try await concurrently(8) { index in
                (ids[index], try await swap(token, stores, grant: ids[index]))
            }
            let outcomes = answers.map(\.1)
            #expect(outcomes.count(of: .swapped) == 1)
            #expect(outcomes.count(of: .usedBefore) == 7)
            let winner = try #require(answers.first { $0.1 == .swapped }?.0)
            for id in ids { #expect(try await isLive(id, stores) == (id == winner)) }
            #expect(try await stores.grants.moved(token).grantID == winner)
        }
    }

    @Test("decision 0051: a session that has ended, or is another's, takes no more tokens")
    func ended() async throws {
        #expect(try await swap(token("1"), stores) == .swapped)
        #expect(try await swap(token("2"), stores) == .swapped, "another client's, perhaps")
        #expect(try await swap(token("3"), stores, session: { $0.personID = "x" }) == .sessionEnded)
        #expect(try await swap(token("4"), stores, session: { $0.realmID = "x" }) == .sessionEnded)
        #expect(try await stores.grants.moved(token("4")).grantID == nil, "nothing happened")
        #expect(try await stores.endSession("moved-1") == .changed)
        #expect(try await swap(token("5"), stores) == .sessionEnded)
        // Also when nothing is left of it.
        try await stores.sessions.purge(before: Example.now + 100_000)
        #expect(try await swap(token("5"), stores) == .sessionEnded)
        #expect(try await stores.grants.moved(token("5")).isEnded)
        // The offline session of that name is one of its own.
        #expect(try await swap(token("6", isOffline: true), stores) == .swapped)
    }

    @Test("decision 0051: what is revoked or removed here is not begun again by another old token")
    func revokedHere() async throws {
        for isRemoved in [false, true] {
            let stores = try await StoreUnderTest.furnished()
            let id = Example.fresh()
            let first = token("1", isOffline: true)
            #expect(try await swap(first, stores, grant: id) == .swapped)
            if isRemoved {
                #expect(try await stores.disconnect() == .changed)
            } else {
                #expect(try await stores.revoke(id) == .revoked)
            }
            #expect(try await swap(token("2", isOffline: true), stores) == .sessionEnded)
            let other = token("3", sid: "moved-2", isOffline: true)
            #expect(try await swap(other, stores) == .swapped)
        }
    }

    @Test("decision 0051: a session that never came here can end")
    func endedBefore() async throws {
        for _ in 1...2 {
            try await stores.sessions.endMoved(id: "moved-1", realmID: "realm-1", at: Example.now)
        }
        #expect(try await swap(token("1"), stores) == .sessionEnded)
        #expect(try await swap(token("2", sid: "moved-2"), stores) == .swapped)
    }

    @Test("decision 0051: a session that is ended while it comes has ended")
    func endedMeanwhile() async throws {
        for round in 0..<20 {
            let (id, token) = (Example.fresh(), token("\(round)", sid: "moved-\(round)"))
            _ = try await concurrently(2) { index in
                if index == round % 2 {
                    _ = try await swap(token, stores, grant: id)
                } else {
                    try await stores.sessions.endMoved(
                        id: token.sessionID,
                        realmID: "realm-1",
                        at: Example.now
                    )
                }
            }
            #expect(try await !isLive(id, stores))
        }
        // One that came first ends like any other.
        let (id, last) = (Example.fresh(), token("last", sid: "moved-last"))
        #expect(try await swap(last, stores, grant: id) == .swapped)
        try await stores.sessions.endMoved(id: "moved-last", realmID: "realm-1", at: Example.now)
        #expect(try await !isLive(id, stores))
    }

    @Test("decision 0051: whether a session may come yet is known: it has not, and has not ended")
    func mayCome() async throws {
        func mayCome(_ sid: String, _ realmID: String = "realm-1") async throws -> Bool {
            try await stores.sessions.mayCome(id: sid, realmID: realmID)
        }
        for sid in ["moved-1", "moved-2"] { #expect(try await mayCome(sid)) }
        #expect(try await swap(token("1"), stores) == .swapped)
        #expect(try await !mayCome("moved-1"))
        // One client's part of it, or the offline session of that name, is not the whole.
        _ = try await stores.grants.endPart(
            ofSession: token("2", sid: "moved-2"),
            of: "client-uuid",
            spending: [],
            at: Example.now
        )
        #expect(try await mayCome("moved-2"))
        try await stores.sessions.endMoved(id: "moved-2", realmID: "realm-1", at: Example.now)
        #expect(try await !mayCome("moved-2"))
        #expect(try await mayCome("moved-2", "realm-2"))
    }

    @Test("decision 0051: only while the person is there, enabled and not signed out since")
    func people() async throws {
        let early = try StoreUnderTest.empty()
        var new = Example.newRealm
        new.people[0].person.notBefore = Example.signedIn
        #expect(try await early.realms.create(new) == .created)
        let before = Example.signedIn - 1
        #expect(try await swap(token("1"), early, issuedAt: before) == .personGone)
        #expect(try await swap(token("1"), early, issuedAt: before + 1) == .swapped)

        let disabled = try StoreUnderTest.empty()
        new.people[0].person.isEnabled = false
        #expect(try await disabled.realms.create(new) == .created)
        #expect(try await swap(token("1"), disabled) == .personGone, "and was so before the move")

        var ann = Example.ann
        ann.isEnabled = false
        _ = try await stores.people.update(ann)
        #expect(try await swap(token("2"), stores) == .personGone)
        ann.isEnabled = true
        _ = try await stores.people.update(ann)
        #expect(try await swap(token("2"), stores) == .personGone, "it is not as before the move")
        #expect(try await stores.grants.moved(token("2")).grantID == nil)
    }

    @Test("RFC 7523 §3: an assertion that was used before swaps and ends nothing")
    func assertion() async throws {
        let used = SpentOnce(.assertion, hash: Hash256(of: "jti"), expiresAt: Example.now + 60)
        #expect(try await stores.grants.spend([used], at: Example.now) == .spent)
        #expect(try await swap(token("1"), stores, spending: [used]) == .spentBefore(.assertion))
        let revoked = try await stores.grants.endPart(
            ofSession: token("1"),
            of: "client-uuid",
            spending: [used],
            at: Example.now
        )
        #expect(revoked == .spentBefore(.assertion))
        let signedOut = try await stores.grants.signOut(
            token("1"),
            spending: [used],
            at: Example.now
        )
        #expect(signedOut == .spentBefore(.assertion))
        #expect(try await swap(token("1"), stores) == .swapped)
    }

    @Test("decision 0051: a list counts for its client and kind; a new one replaces it, and no end")
    func list() async throws {
        func listed(_ sid: String, _ client: String = "notes") -> ListedSession {
            ListedSession(
                sessionID: sid,
                isOffline: true,
                clientID: client,
                personID: "person-ann",
                startedAt: 5
            )
        }
        let first = [listed("a"), listed("b"), listed("c", "other"), listed("e")]
        try await stores.grants.list(first, realmID: "realm-1", at: 10)
        func reading(_ sid: String, isOffline: Bool = true) async throws -> MovedReading {
            try await stores.grants.moved(token(sid, sid: sid, isOffline: isOffline))
        }
        #expect(try await reading("a").listed == listed("a"))
        #expect(try await reading("a", isOffline: false).listed == nil)
        #expect(try await reading("c").listed == nil)
        let revoked = try await stores.grants.endPart(
            ofSession: token("e", sid: "e", isOffline: true),
            of: "client-uuid",
            spending: [],
            at: Example.now
        )
        #expect(revoked == .spent)

        try await stores.grants.list([listed("b"), listed("e")], realmID: "realm-1", at: 20)
        try await stores.grants.unlist(before: 20, realmID: "realm-1")
        #expect(try await reading("a").listed == nil)
        #expect(try await reading("b").listed == listed("b"))
        #expect(try await reading("e").isEnded, "a list revives nothing")
    }

    @Test("decision 0051: what is used up is kept as long as a key can verify it, and no longer")
    func purge() async throws {
        let stores = try StoreUnderTest.empty()
        var new = Example.newRealm
        new.realm.tokenSwap = TokenSwap(issuer: "https://old.example", closesAt: Example.now)
        new.keptKeys = [
            KeptKey(
                realmID: "realm-1",
                keyID: "hmac",
                kind: .hmac,
                algorithm: "HS512",
                sealed: "sealed",
                publicJWK: nil,
                priority: 0,
                component: [:]
            )
        ]
        #expect(try await stores.realms.create(new) == .created)
        for number in 1...450 {
            let name = "token \(number)"
            #expect(try await swap(token(name, sid: name), stores) == .swapped)
        }
        try await stores.realms.closeTokenSwaps(at: Example.now - 1)
        try await stores.grants.purgeMoved()
        #expect(try await stores.grants.moved(token("token 7")).grantID != nil)
        #expect(try await swap(token("token 450"), stores) == .usedBefore)

        let version = try await stores.realms.version()
        try await stores.realms.closeTokenSwaps(at: Example.now)
        #expect(try await stores.realms.version() > version, "every process lets go of the key")
        #expect(try await stores.realms.snapshot().keptKeys.isEmpty)
        try await stores.grants.purgeMoved()
        for number in [1, 7, 200, 450] {
            let name = "token \(number)"
            let reading = try await stores.grants.moved(token(name, sid: name))
            #expect(reading == MovedReading(grantID: nil, listed: nil, isEnded: false))
        }
    }
}
