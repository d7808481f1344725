import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: what is bound to a key, and what is good once", .everyDatabase)
struct BoundGrantContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private static let key = JWKThumbprint("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")

    private static let other = JWKThumbprint("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")

    private static func used(_ kind: SpentOnce.Kind, _ text: String) -> SpentOnce {
        SpentOnce(kind, hash: Hash256(of: text), expiresAt: Example.now + 300)
    }

    @Test("RFC 9449 §5: a grant keeps what it is bound to, over a rotation too")
    func kept() async throws {
        var grant = Example.grant()
        grant.dpopKey = Self.key
        grant.clientKey = "kid ES256 thumbprint"
        #expect(try await stores.redeem(grant) == .redeemed)
        #expect(try await stores.reading(grant.id)?.grant == grant)
        #expect(try await stores.rotate() == .rotated)
        let rotated = try #require(try await stores.reading(grant.id)?.grant)
        #expect(rotated.dpopKey == Self.key)
        #expect(rotated.clientKey == "kid ES256 thumbprint")

        #expect(
            try await stores.redeem(Example.grant(Example.id(2)), request: Example.id(8))
                == .redeemed
        )
        let free = try #require(try await stores.reading(Example.id(2))?.grant)
        #expect(free.dpopKey == nil)
        #expect(free.clientKey == nil)
    }

    @Test("RFC9449-5-5: a rotation binds a grant that is free, and no other one")
    func boundLater() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.rotate(2, binding: Self.other) == .outdated)
        #expect(try await stores.rotate() == .rotated)
        #expect(try await stores.reading(Example.id(1))?.grant.dpopKey == nil)
        #expect(try await stores.rotate(2, binding: Self.key) == .rotated)
        #expect(try await stores.rotate(3, binding: Self.other) == .rotated)
        #expect(try await stores.rotate(4) == .rotated)
        let grant = try #require(try await stores.reading(Example.id(1))?.grant)
        #expect(grant.dpopKey == Self.key && grant.boundSince == 3)
    }

    @Test(
        "decision 0035: whoever proved the key of a bound grant rotated it; of a free one who has the same Idempotency-Key"
    )
    func rotatedBy() {
        var grant = Example.grant()
        let one = Hash256(of: "1")
        grant.refresh?.idempotencyKey = one
        func wasRotated(by key: Hash256?, proving proof: JWKThumbprint?) -> Bool {
            grant.wasRotated(by: key, proving: proof, at: Example.now + 1500, grace: 60)
        }
        #expect(wasRotated(by: one, proving: nil) && wasRotated(by: one, proving: Self.key))
        #expect(!wasRotated(by: nil, proving: Self.key))
        grant.dpopKey = Self.key
        #expect(grant.dpopKey != nil)
        #expect(wasRotated(by: nil, proving: Self.key))
        #expect(!wasRotated(by: one, proving: nil) && !wasRotated(by: one, proving: Self.other))
        grant.refresh = nil
        #expect(!wasRotated(by: one, proving: Self.key))
    }

    @Test("RFC 9449 §11.1: the answer says what was used before, and nothing else happens")
    func named() async throws {
        let proof = Self.used(.proof, "proof")
        let assertion = Self.used(.assertion, "assertion")
        #expect(try await stores.grants.spend([proof], at: Example.now) == .spent)
        let outcome = try await stores.redeem(Example.grant(), spending: [assertion, proof])
        #expect(outcome == .spentBefore(.proof))
        #expect(try await stores.reading(Example.id(1)) == nil)
        // The assertion was presented, and is no second time.
        let again = try await stores.grants.spend([assertion], at: Example.now)
        #expect(again == .spentBefore(.assertion))
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
    }

    @Test("RFC 9449 §11.1: of any number of concurrent uses of a proof exactly one counts")
    func race() async throws {
        for round in 1...20 {
            let proof = Self.used(.proof, "proof \(round)")
            let answers = try await concurrently(20) { number in
                let assertion = Self.used(.assertion, "assertion \(round) \(number)")
                return try await stores.redeem(
                    Example.grant(Example.fresh()),
                    request: Example.fresh(),
                    spending: [assertion, proof]
                )
            }
            #expect(answers.count(of: .redeemed) == 1)
            #expect(answers.count(of: .spentBefore(.proof)) == 19)
        }
    }

    @Test(
        "attack B09: a challenge is good for one code; the second code is spent, the first grant lives"
    )
    func challenge() async throws {
        let challenge = Self.used(.challenge, "challenge")
        func redeem(_ id: UniqueID, _ request: UniqueID) async throws -> Redemption {
            try await stores.grants.redeem(
                Example.grant(id),
                requestID: request,
                issuedAt: Example.now,
                spending: [],
                once: challenge,
                at: Example.now
            )
        }
        #expect(try await redeem(Example.id(1), Example.id(8)) == .redeemed)
        #expect(try await redeem(Example.id(2), Example.id(9)) == .spentBefore(.challenge))
        #expect(try await stores.reading(Example.id(2))?.isLive == false)
        #expect(try await stores.reading(Example.id(1))?.isLive == true)
        // The same code again is a replay, whatever its challenge.
        #expect(try await redeem(Example.id(2), Example.id(9)) == .replayed)
        #expect(try await redeem(Example.id(1), Example.id(8)) == .replayed)
        #expect(try await stores.reading(Example.id(1))?.isLive == false)
    }

    @Test("attack B09: of any number of codes with one challenge exactly one is redeemed")
    func challengeRace() async throws {
        for round in 1...20 {
            let challenge = Self.used(.challenge, "challenge \(round)")
            let answers = try await concurrently(20) { _ in
                try await stores.grants.redeem(
                    Example.grant(Example.fresh()),
                    requestID: Example.fresh(),
                    issuedAt: Example.now,
                    spending: [],
                    once: challenge,
                    at: Example.now
                )
            }
            #expect(answers.count(of: .redeemed) == 1)
            #expect(answers.count(of: .spentBefore(.challenge)) == 19)
        }
    }
}
