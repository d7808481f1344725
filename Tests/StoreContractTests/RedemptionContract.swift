import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: redeeming codes", .everyDatabase) struct RedemptionContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    @Test("RFC 6749 §4.1.3: a code's first redemption keeps its grant, live, as it was given")
    func first() async throws {
        var grant = Example.grant()
        grant.claims = #"{"id_token":{"acr":null}}"#
        grant.refresh?.idempotencyKey = Hash256(of: "key")
        #expect(try await stores.redeem(grant) == .redeemed)
        let reading = try await stores.reading(grant.id)
        #expect(reading?.grant == grant)
        #expect(reading?.isLive == true)
        #expect(reading?.person?.person == Example.ann)
        #expect(reading?.person?.roles == [RoleName(clientID: nil, name: "admin")])
    }

    @Test("RFC 6749 §4.1.2: of any number of concurrent redemptions of a code exactly one wins")
    func race() async throws {
        for _ in 1...20 {
            let grant = Example.grant(Example.fresh())
            let answers = try await concurrently(20) { _ in
                try await stores.redeem(grant, request: Example.fresh())
            }
            #expect(answers.count(of: .redeemed) == 1)
            #expect(answers.count(of: .replayed) == 19)
        }
    }

    @Test(
        "decision 0033: of any number of codes for one authorization request exactly one is redeemed"
    )
    func requestRace() async throws {
        for _ in 1...20 {
            let request = Example.fresh()
            let answers = try await concurrently(20) { _ in
                try await stores.redeem(Example.grant(Example.fresh()), request: request)
            }
            #expect(answers.count(of: .redeemed) == 1)
            #expect(answers.count(of: .replayed) == 19)
        }
    }

    @Test("RFC 6749 §4.1.2: a code redeemed again is refused, and what it issued is revoked")
    func replay() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.redeem(Example.grant()) == .replayed)
        #expect(try await stores.reading(Example.grant().id)?.isLive == false)
    }

    @Test("RFC 6749 §4.1.2: a replay revokes also once the browser session has ended")
    func replayAfterSession() async throws {
        var grant = Example.grant()
        grant.isOffline = true
        #expect(try await stores.redeem(grant) == .redeemed)
        _ = try await stores.endSession()
        #expect(try await stores.reading(grant.id)?.isLive == true)
        #expect(try await stores.redeem(grant) == .replayed)
        #expect(try await stores.reading(grant.id)?.isLive == false)
    }

    @Test(
        "decision 0033: a second code of an answered request is refused and leaves the grant alone"
    )
    func secondCode() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.redeem(Example.grant(Example.id(2))) == .replayed)
        #expect(try await stores.reading(Example.grant().id)?.isLive == true)
        #expect(try await stores.reading(Example.id(2)) == nil)
    }

    @Test("RFC 8693 §2.1: of any number of codes from one login token exactly one is redeemed")
    func loginToken() async throws {
        for round in UInt8(0)..<5 {
            let stores = try await StoreUnderTest.furnished()
            let token = Example.id(100 + round)
            #expect(
                try await stores.redeem(Example.grant(Example.id(99)), request: Example.id(98))
                    == .redeemed
            )
            #expect(try await !stores.grants.isSpent(loginToken: token))
            let outcomes = try await withThrowingTaskGroup(of: Redemption.self) { group in
                for number in UInt8(0)..<4 {
                    group.addTask {
                        try await stores.grants.redeem(
                            Example.grant(Example.id(20 + number)),
                            requestID: Example.id(40 + number),
                            issuedAt: Example.now,
                            derivedBy: Derivation(parentID: Example.id(99), loginTokenID: token),
                            spending: [],
                            at: Example.now
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .redeemed } == 1)
            #expect(outcomes.count { $0 == .loginTokenSpent } == 3)
            #expect(try await stores.grants.isSpent(loginToken: token))
            var live = 0
            for number in UInt8(0)..<4 {
                let reading = try await stores.reading(Example.id(20 + number))
                if reading?.isLive == true { live += 1 }
            }
            #expect(live == 1)
            // Codes without one do not count.
            #expect(try await stores.redeem(Example.grant()) == .redeemed)
        }
    }

    @Test(
        "decision 0033: no grant comes of a code whose browser session or person is gone",
        arguments: SignInLoss.allCases
    )
    func sessionEnded(_ loss: SignInLoss) async throws {
        try await loss.happen(to: stores)
        #expect(try await stores.redeem(Example.grant(), at: loss.now) == .sessionEnded)
        #expect(try await stores.reading(Example.grant().id) == nil)
        #expect(try await stores.grants.isAnswered(requestID: Example.id(9)) == false)
    }

    @Test("decision 0033: no grant comes of a code for another person than the session's")
    func otherPerson() async throws {
        _ = try await stores.people.create(NewPerson(person: Example.person("bob"), password: nil))
        var grant = Example.grant()
        grant.personID = "person-bob"
        #expect(try await stores.redeem(grant) == .sessionEnded)
    }

    @Test("decision 0033: a code presented wrongly is never good again")
    func refusal() async throws {
        let request = Example.id(9)
        #expect(try await stores.refuse(Example.grant(), request: request) == .redeemed)
        #expect(try await stores.reading(Example.grant().id)?.isLive == false)
        #expect(try await stores.grants.isAnswered(requestID: request))
        #expect(try await stores.redeem(Example.grant(), request: request) == .replayed)
        #expect(try await stores.reading(Example.grant().id)?.isLive == false)
    }

    @Test("decision 0033: a wrong presentation after the right one changes nothing")
    func lateRefusal() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.refuse(Example.grant(), request: Example.id(9)) == .replayed)
        #expect(try await stores.reading(Example.grant().id)?.isLive == true)
    }

    @Test("decision 0033: of a right and a wrong presentation at once one spends the code")
    func refusalRace() async throws {
        for _ in 1...20 {
            let grant = Example.grant(Example.fresh())
            let request = Example.fresh()
            let answers = try await concurrently(10) { index in
                index == 0
                    ? try await stores.redeem(grant, request: request)
                    : try await stores.refuse(grant, request: request)
            }
            #expect(answers.count(of: .redeemed) == 1)
        }
    }

    @Test("RFC 9126 §4: a request is answered once a grant was made or refused for it")
    func answered() async throws {
        #expect(try await stores.grants.isAnswered(requestID: Example.id(9)) == false)
        _ = try await stores.redeem(Example.grant())
        #expect(try await stores.grants.isAnswered(requestID: Example.id(9)))
        #expect(try await stores.grants.isAnswered(requestID: Example.id(8)) == false)
        let refused = try await stores.grants.refuse(
            Example.grant(Example.id(2)),
            requestID: Example.id(8),
            spending: [],
            at: Example.now
        )
        #expect(refused == .redeemed)
        #expect(try await stores.grants.isAnswered(requestID: Example.id(8)))
    }

    @Test("a grant without a code is kept once")
    func insertion() async throws {
        var grant = Example.grant()
        grant.personID = nil
        grant.sessionID = nil
        grant.refresh = nil
        grant.authenticatedAt = nil
        grant.acr = nil
        #expect(try await stores.insert(grant) == .redeemed)
        #expect(try await stores.insert(grant) == .replayed)
        let reading = try await stores.reading(grant.id)
        #expect(reading?.grant == grant)
        #expect(reading?.isLive == true)
        #expect(reading?.person == nil)
    }
}

/// What may become of a sign-in between code and redemption.
enum SignInLoss: String, CaseIterable, CustomTestStringConvertible {
    case signedOut = "the person signed out"
    case sessionExpired = "the session expired"
    case replaced = "the session was replaced"
    case disabled = "the person was disabled"
    case deleted = "the person was deleted"
    case passwordChanged = "the password was changed"
    case realmDeleted = "the realm was deleted"

    var testDescription: String { rawValue }

    /// When it is looked at.
    var now: Int64 { self == .sessionExpired ? Example.session.expiresAt : Example.now }

    func happen(to stores: TestDatabase) async throws {
        switch self {
        case .signedOut:
            #expect(try await stores.endSession() == .changed)
        case .sessionExpired: break
        case .replaced:
            // By another person: the same one's would go on.
            var next = Example.session("session-2", cookie: Hash256(of: "next"))
            next.personID = "person-bob"
            let outcome = try await stores.start(next, replacing: Example.cookie)
            #expect(outcome == .tookOver("session-1"))
        case .disabled:
            var person = Example.ann
            person.isEnabled = false
            #expect(try await stores.people.update(person) == .changed)
        case .deleted:
            let change = try await stores.people.deletePerson(id: "person-ann", realmID: "realm-1")
            #expect(change == .changed)
        case .passwordChanged:
            let change = try await stores.people.setPassword(
                PasswordHash(encoded: "new"),
                of: "person-ann",
                // The second of the sign-in: times cannot tell them apart.
                at: Example.signedIn
            )
            #expect(change == .changed)
        case .realmDeleted:
            #expect(try await stores.realms.deleteRealm(id: "realm-1") == .changed)
        }
    }
}

extension TestDatabase {
    func redeem(
        _ grant: Grant,
        request: UniqueID = Example.id(9),
        issuedAt: Int64? = Example.now,
        derivedFrom parentID: UniqueID? = nil,
        spending used: [SpentOnce] = [],
        at now: Int64 = Example.now
    ) async throws -> Redemption {
        try await grants.redeem(
            grant,
            requestID: request,
            issuedAt: issuedAt,
            derivedBy: parentID.map { Derivation(parentID: $0, loginTokenID: nil) },
            spending: used,
            at: now
        )
    }

    func refuse(_ grant: Grant, request: UniqueID) async throws -> Redemption {
        try await grants.refuse(grant, requestID: request, spending: [], at: Example.now)
    }

    func reading(_ id: UniqueID, at now: Int64 = Example.now) async throws -> GrantReading? {
        try await grants.grant(id: id, realmID: "realm-1", at: now)
    }
}
