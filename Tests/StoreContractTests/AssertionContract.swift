import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: client assertions", .everyDatabase) struct AssertionContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    @Test("RFC 7523 §3: a spent assertion stops every event, which then changes nothing")
    func spent() async throws {
        let used = Example.assertion()
        let now = Example.now
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.grants.spend([used], at: now) == .spent)

        let other = Example.grant(Example.id(2))
        let request = Example.id(8)
        #expect(
            try await stores.redeem(other, request: request, spending: [used])
                == .spentBefore(.assertion)
        )
        #expect(
            try await stores.redeem(Example.grant(), spending: [used]) == .spentBefore(.assertion)
        )
        #expect(
            try await stores.grants.refuse(other, requestID: request, spending: [used], at: now)
                == .spentBefore(.assertion)
        )
        #expect(
            try await stores.grants.insert(other, spending: [used], at: now)
                == .spentBefore(.assertion)
        )
        #expect(try await stores.rotate(spending: [used]) == .spentBefore(.assertion))
        #expect(
            try await stores.grants.revoke(id: Example.id(1), spending: [used], at: now)
                == .spentBefore(.assertion)
        )
        #expect(try await stores.grants.spend([used], at: now) == .spentBefore(.assertion))

        #expect(try await stores.reading(other.id) == nil)
        #expect(try await stores.grants.isAnswered(requestID: request) == false)
        let reading = try await stores.reading(Example.id(1))
        #expect(reading?.isLive == true)
        #expect(reading?.grant == Example.grant())
    }

    @Test(
        "RFC 7523 §3: every event spends the assertion that came with it, whatever it answers",
        arguments: Event.allCases
    )
    func spends(_ event: Event) async throws {
        try await event.happen(on: stores, spending: Example.assertion())
        let again = try await stores.grants.spend([Example.assertion()], at: Example.now)
        #expect(again == .spentBefore(.assertion))
    }

    @Test("RFC 7523 §3: of any number of concurrent uses of an assertion exactly one counts")
    func race() async throws {
        for round in 1...20 {
            let assertion = Example.assertion("jti \(round)")
            let answers = try await concurrently(20) { _ in
                try await stores.redeem(
                    Example.grant(Example.fresh()),
                    request: Example.fresh(),
                    spending: [assertion]
                )
            }
            #expect(answers.count(of: .redeemed) == 1)
            #expect(answers.count(of: .spentBefore(.assertion)) == 19)
        }
    }

    enum Event: CaseIterable {
        case redemption, replay, endedSession, refusal, insertion, outdatedRotation, revocation
        case push

        func happen(on stores: TestDatabase, spending used: SpentOnce) async throws {
            let now = Example.now
            let grant = Example.grant()
            let request = Example.id(9)
            switch self {
            case .redemption:
                #expect(try await stores.redeem(grant, spending: [used]) == .redeemed)
            case .replay:
                #expect(try await stores.redeem(grant) == .redeemed)
                #expect(try await stores.redeem(grant, spending: [used]) == .replayed)
            case .endedSession:
                try await SignInLoss.signedOut.happen(to: stores)
                #expect(try await stores.redeem(grant, spending: [used]) == .sessionEnded)
            case .refusal:
                let outcome = try await stores.grants.refuse(
                    grant,
                    requestID: request,
                    spending: [used],
                    at: now
                )
                #expect(outcome == .redeemed)
            case .insertion:
                let outcome = try await stores.grants.insert(grant, spending: [used], at: now)
                #expect(outcome == .redeemed)
            case .outdatedRotation:
                #expect(try await stores.rotate(7, spending: [used]) == .outdated)
            case .revocation:
                let outcome = try await stores.grants.revoke(
                    id: Example.id(1),
                    spending: [used],
                    at: now
                )
                #expect(outcome == .notFound)
            case .push:
                let outcome = try await stores.pushedRequests.push(
                    .example,
                    spending: [used],
                    at: now
                )
                #expect(outcome == .spent)
            }
        }
    }
}
