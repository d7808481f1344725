import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: clearing away", .everyDatabase) struct GrantPurgeContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    static let day: Int64 = 86_400

    @Test(
        "a purge removes what has been dead, whatever it died of",
        arguments: GrantDeath.allCases.filter { $0 != .personDisabled }
    )
    func dead(_ death: GrantDeath) async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        try await death.happen(to: stores)
        try await stores.grants.purge(before: death.now + 1 + Self.day)
        #expect(try await stores.grants.isAnswered(requestID: Example.id(9)) == false)
    }

    @Test("a purge leaves what is alive")
    func alive() async throws {
        var grant = Example.grant()
        grant.isOffline = true
        grant.expiresAt = nil
        grant.idleSeconds = 10 * Self.day
        #expect(try await stores.redeem(grant) == .redeemed)
        try await stores.grants.purge(before: Example.now + 5 * Self.day)
        #expect(try await stores.reading(grant.id, at: Example.now + 5 * Self.day)?.isLive == true)
    }

    @Test("WEB-SESS-5: a grant of a person who was disabled is never valid again, and is deleted")
    func disabled() async throws {
        var grant = Example.grant()
        grant.isOffline = true
        grant.expiresAt = nil
        grant.idleSeconds = 10 * Self.day
        #expect(try await stores.redeem(grant) == .redeemed)
        try await SignInLoss.disabled.happen(to: stores)
        #expect(try await stores.people.update(Example.ann) == .changed)
        #expect(try await stores.reading(grant.id)?.isLive == false)
        _ = try await stores.endSession()
        try await stores.grants.purge(before: Example.now + 5 * Self.day)
        #expect(try await stores.reading(grant.id) == nil)
    }

    @Test(
        "decision 0033: a spent code's row outlives the code by a day, and is still spent",
        arguments: [true, false]
    )
    func spentCode(isRefused: Bool) async throws {
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

    @Test("RFC 7523 §3: an assertion is remembered until it has expired")
    func assertions() async throws {
        let assertion = Example.assertion()
        let now = Example.now
        #expect(try await stores.grants.spend([assertion], at: now) == .spent)
        try await stores.grants.purge(before: assertion.expiresAt)
        #expect(try await stores.grants.spend([assertion], at: now) == .spentBefore(.assertion))
        try await stores.grants.purge(before: assertion.expiresAt + 1)
        #expect(try await stores.grants.spend([assertion], at: now) == .spent)
    }

    @Test("a purge clears more than one handful")
    func many() async throws {
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
