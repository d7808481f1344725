import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: clearing away") struct GrantPurgeContract {
    static let day: Int64 = 86_400

    @Test(
        "a purge removes what has been dead, whatever it died of",
        arguments: StoreUnderTest.allCases,
        GrantDeath.allCases.filter { $0 != .personDisabled }
    )
    func dead(_ database: StoreUnderTest, _ death: GrantDeath) async throws {
        let stores = try await database.furnished()
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        try await death.happen(to: stores)
        try await stores.grants.purge(before: death.now + 1 + Self.day)
        #expect(try await stores.grants.isAnswered(requestID: Example.id(9)) == false)
    }

    @Test("a purge leaves what is alive", arguments: StoreUnderTest.allCases)
    func alive(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        var grant = Example.grant()
        grant.isOffline = true
        grant.expiresAt = nil
        grant.idleSeconds = 10 * Self.day
        #expect(try await stores.redeem(grant) == .redeemed)
        try await stores.grants.purge(before: Example.now + 5 * Self.day)
        #expect(try await stores.reading(grant.id, at: Example.now + 5 * Self.day)?.isLive == true)
    }

    @Test(
        "WEB-SESS-5: a grant of a person who was disabled is never valid again, and is deleted",
        arguments: StoreUnderTest.allCases
    )
    func disabled(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        var grant = Example.grant()
        grant.isOffline = true
        grant.expiresAt = nil
        grant.idleSeconds = 10 * Self.day
        #expect(try await stores.redeem(grant) == .redeemed)
        try await SignInLoss.disabled.happen(to: stores)
        #expect(try await stores.people.update(Example.ann) == .changed)
        #expect(try await stores.reading(grant.id)?.isLive == false)
        _ = try await stores.sessions.end(id: "session-1", realmID: "realm-1", at: Example.now)
        try await stores.grants.purge(before: Example.now + 5 * Self.day)
        #expect(try await stores.reading(grant.id) == nil)
    }

    @Test(
        "decision 0033: a spent code's row outlives the code by a day, and is still spent",
        arguments: StoreUnderTest.allCases,
        [true, false]
    )
    func spentCode(_ database: StoreUnderTest, isRefused: Bool) async throws {
        let stores = try await database.furnished()
        let request = Example.id(9)
        if isRefused {
            #expect(try await stores.refuse(Example.grant(), request: request) == .redeemed)
        } else {
            #expect(try await stores.redeem(Example.grant()) == .redeemed)
            #expect(try await stores.redeem(Example.grant()) == .replayed)
        }
        try await stores.grants.purge(before: Example.now + Self.day)
        #expect(try await stores.redeem(Example.grant()) == .replayed)
        try await stores.grants.purge(before: Example.now + Self.day + 1)
        #expect(try await stores.grants.isAnswered(requestID: request) == false)
    }

    @Test(
        "RFC 7523 §3: an assertion is remembered until it has expired",
        arguments: StoreUnderTest.allCases
    )
    func assertions(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let assertion = Example.assertion()
        let now = Example.now
        #expect(try await stores.grants.spend([assertion], at: now) == .spent)
        try await stores.grants.purge(before: assertion.expiresAt)
        #expect(try await stores.grants.spend([assertion], at: now) == .spentBefore(.assertion))
        try await stores.grants.purge(before: assertion.expiresAt + 1)
        #expect(try await stores.grants.spend([assertion], at: now) == .spent)
    }

    @Test("a purge clears more than one handful", arguments: StoreUnderTest.allCases)
    func many(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let ids = (0..<450).map { _ in Example.fresh() }
        _ = try await concurrently(ids.count) { index in
            try await stores.refuse(Example.grant(ids[index]), request: ids[index])
        }
        try await stores.grants.purge(before: Example.now + Self.day + 1)
        for id in ids {
            #expect(try await stores.grants.isAnswered(requestID: id) == false)
        }
    }
}
