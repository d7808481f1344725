import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("GrantStore: a grant's life", .everyDatabase) struct GrantLifeContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    @Test(
        "decision 0035: a grant is alive only while all that it hangs on allows it",
        arguments: GrantDeath.allCases
    )
    func death(_ death: GrantDeath) async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.reading(Example.id(1), at: death.before)?.isLive == true)
        try await death.happen(to: stores)
        #expect(try await stores.reading(Example.id(1), at: death.now)?.isLive != true)
        #expect(try await stores.rotate(at: death.now) == .outdated)
    }

    @Test("OpenID Connect Core §11: an offline grant outlives its browser session")
    func offline() async throws {
        var grant = Example.grant()
        grant.isOffline = true
        grant.expiresAt = nil
        #expect(try await stores.redeem(grant) == .redeemed)
        _ = try await stores.endSession()
        #expect(try await stores.reading(grant.id)?.isLive == true)
        #expect(try await stores.rotate() == .rotated)
    }

    @Test("decision 0035: a disabled person has no live grant, and cannot redeem one")
    func disabledBefore() async throws {
        try await SignInLoss.disabled.happen(to: stores)
        var grant = Example.grant()
        grant.sessionID = nil
        #expect(try await stores.redeem(grant) == .sessionEnded)
        #expect(try await stores.insert(grant) == .redeemed)
        #expect(try await stores.reading(grant.id)?.isLive == false)
        #expect(try await stores.rotate() == .outdated)
    }

    @Test(
        "RFC 6749 §4.3: a password that was judged before another was set gives no grant, and no session"
    )
    func judged() async throws {
        func insert(_ id: UniqueID, judgedIn epoch: Int64) async throws -> Redemption {
            var session = Example.session(id.text, cookie: Hash256(of: id.text))
            session.epoch = epoch
            var grant = Example.grant(id)
            grant.sessionID = session.id
            let outcome = try await stores.grants.insert(
                grant,
                beginning: session,
                spending: [],
                at: Example.now
            )
            let begun = try await stores.sessions.sessions(
                of: session.personID,
                realmID: session.realmID,
                at: Example.now,
                idle: 100_000,
                limit: 1000
            ).contains { $0.id == session.id }
            // A new password may have ended it since.
            #expect(outcome == .redeemed || !begun)
            return outcome
        }
        for round in Int64(0)..<20 {
            let id = Example.fresh()
            async let outcome = insert(id, judgedIn: round)
            #expect(try await stores.setPassword(Example.password) == .changed)
            let kept = try await outcome
            let reading = try await stores.reading(id)
            #expect(kept == .redeemed || kept == .sessionEnded)
            #expect((reading != nil) == (kept == .redeemed))
            #expect(reading?.isLive != true)
            #expect(try await insert(Example.fresh(), judgedIn: round) == .sessionEnded)
        }
        let last = Example.fresh()
        #expect(try await insert(last, judgedIn: 20) == .redeemed)
        #expect(try await stores.reading(last)?.isLive == true)
        #expect(
            try await stores.endSession(last.text)
                == .changed
        )
        #expect(try await stores.reading(last)?.isLive == false)
        try await SignInLoss.disabled.happen(to: stores)
        for epoch in Int64(20)..<23 {
            #expect(try await insert(Example.fresh(), judgedIn: epoch) == .sessionEnded)
        }
    }

    @Test("a grant is not read in another realm")
    func otherRealm() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        let reading = try await stores.grants.grant(
            id: Example.id(1),
            realmID: "realm-2",
            at: Example.now
        )
        #expect(reading == nil)
    }

    @Test("decision 0035: a rotation moves the grant to the next generation and says who asked")
    func rotation() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        let key = Hash256(of: "key")
        let rotation = Rotation(
            familyID: Example.id(1),
            generation: 1,
            idempotencyKey: key,
            keyID: [5, 6, 7, 8]
        )
        let later = Example.now + 100
        let outcome = try await stores.grants.rotate(
            rotation,
            sessionIdle: Example.idle,
            spending: [],
            at: later
        )
        #expect(outcome == .rotated)
        var expected = Example.grant()
        expected.refresh?.generation = 2
        expected.refresh?.idempotencyKey = key
        expected.refresh?.keyID = [5, 6, 7, 8]
        expected.refresh?.rotatedAt = later
        #expect(try await stores.reading(Example.id(1), at: later)?.grant == expected)
    }

    @Test("decision 0035: a refresh is a use of its browser session, noted once in five minutes")
    func use() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        let start = Example.signedIn
        for (generation, at, noted) in [
            (1, start + 299, start), (2, start + 300, start + 300), (3, start + 599, start + 300),
            (4, start + 600, start + 600),
        ] as [(UInt32, Int64, Int64)] {
            #expect(try await stores.rotate(generation, at: at) == .rotated)
            #expect(try await stores.liveByID(at: at)?.session.lastSeenAt == noted)
        }
        #expect(try await stores.rotate(1, at: start + 1500) == .outdated)
        #expect(try await stores.liveByID(at: start + 1500)?.session.lastSeenAt == start + 600)
    }

    @Test(
        "decision 0035: a refresh revives no idle session, and is no use of one that it has left behind"
    )
    func noUse() async throws {
        var grant = Example.grant()
        grant.idleSeconds = 10_000
        #expect(try await stores.redeem(grant) == .redeemed)
        let idle = Example.signedIn + Example.idle
        #expect(try await stores.rotate(1, at: idle) == .rotated)
        #expect(try await stores.liveByID(at: idle) == nil)
        let offline = try await StoreUnderTest.furnished()
        grant.isOffline = true
        #expect(try await offline.redeem(grant) == .redeemed)
        #expect(try await offline.rotate(1, at: idle - 1) == .rotated)
        #expect(try await offline.liveByID(at: idle) == nil)
    }

    @Test(
        "WEB-SESS-5: a person who is enabled again has no session and no grant of before",
        arguments: [true, false]
    )
    func enabledAgain(isOffline: Bool) async throws {
        var grant = Example.grant()
        grant.isOffline = isOffline
        #expect(try await stores.redeem(grant) == .redeemed)
        try await SignInLoss.disabled.happen(to: stores)
        // All in one second: times cannot tell them apart.
        #expect(try await stores.people.update(Example.ann) == .changed)
        #expect(try await stores.people.update(Example.ann) == .changed)
        #expect(try await stores.liveByCookie() == nil)
        #expect(try await stores.reading(grant.id)?.isLive == false)
        #expect(try await stores.rotate() == .outdated)
        let code = Example.grant(Example.id(2))
        #expect(try await stores.redeem(code, request: Example.id(8)) == .sessionEnded)
        // What is begun afterwards lives.
        var session = Example.session("session-2", cookie: Hash256(of: "after"))
        session.epoch = try #require(try await stores.credentials("ann")).epoch
        #expect(try await stores.start(session) == .began)
        #expect(try await stores.liveByID("session-2") != nil)
    }

    @Test(
        "RFC 9700 §4.14.2: of any number of concurrent rotations of a generation exactly one wins"
    )
    func rotationRace() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        for generation: UInt32 in 1...20 {
            let answers = try await concurrently(20) { _ in
                try await stores.rotate(generation)
            }
            #expect(answers.count(of: .rotated) == 1)
            #expect(answers.count(of: .outdated) == 19)
        }
        #expect(try await stores.reading(Example.id(1))?.grant.refresh?.generation == 21)
    }

    @Test(
        "decision 0035: neither an earlier nor a later generation rotates",
        arguments: [0, 1, 3] as [UInt32]
    )
    func outdated(_ generation: UInt32) async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await stores.rotate(1) == .rotated)
        #expect(try await stores.rotate(generation) == .outdated)
        #expect(try await stores.reading(Example.id(1))?.grant.refresh?.generation == 2)
    }

    @Test("the last generation does not wrap around")
    func lastGeneration() async throws {
        var grant = Example.grant()
        grant.refresh?.generation = .max
        #expect(try await stores.redeem(grant) == .redeemed)
        #expect(try await stores.rotate(.max) == .outdated)
        #expect(try await stores.reading(grant.id)?.grant.refresh?.generation == .max)
    }

    @Test("a grant without refresh state does not rotate")
    func nothingToRotate() async throws {
        var grant = Example.grant()
        grant.refresh = nil
        #expect(try await stores.redeem(grant) == .redeemed)
        #expect(try await stores.rotate(0) == .outdated)
        #expect(try await stores.reading(grant.id)?.isLive == true)
    }

    @Test("decision 0035: a grant ends at its own time, however long its browser session lives")
    func ownTime() async throws {
        var grant = Example.grant()
        grant.expiresAt = Example.now + 100
        #expect(try await stores.redeem(grant) == .redeemed)
        #expect(try await stores.reading(grant.id, at: Example.now + 99)?.isLive == true)
        #expect(try await stores.reading(grant.id, at: Example.now + 100)?.isLive == false)
        #expect(try await stores.rotate(1, at: Example.now + 100) == .outdated)
        #expect(try await stores.rotate(1, at: Example.now + 99) == .rotated)
    }

    @Test("decision 0035: a grant ends with its browser session's time, however long its own is")
    func sessionTime() async throws {
        let end = Example.session("session-1", cookie: Hash256(of: "cookie")).expiresAt
        var grant = Example.grant()
        grant.expiresAt = end + 1000
        grant.idleSeconds = 100_000
        #expect(try await stores.redeem(grant) == .redeemed)
        #expect(try await stores.reading(grant.id, at: end - 1)?.isLive == true)
        #expect(try await stores.reading(grant.id, at: end)?.isLive == false)
        #expect(try await stores.rotate(1, at: end) == .outdated)
        // Without a session of its own it lives on.
        let offline = try await StoreUnderTest.furnished()
        grant.isOffline = true
        #expect(try await offline.redeem(grant) == .redeemed)
        #expect(try await offline.rotate(1, at: end) == .rotated)
    }

    @Test("RFC 7009 §2.2: ending a grant twice changes nothing, and no grant is an answer too")
    func revocation() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        for now in [Example.now, Example.now + 1] {
            #expect(try await stores.revoke(Example.id(1), at: now) == .revoked)
        }
        #expect(try await stores.revoke(Example.id(2), at: 1) == .notFound)
    }
}

/// Everything a live grant may die of.
enum GrantDeath: String, CaseIterable, CustomTestStringConvertible {
    case revoked = "it was revoked"
    case expired = "its time is over"
    case idle = "nobody refreshed it for too long"
    case clientDeleted = "its client was deleted"
    case signedOut = "its browser session ended"
    case sessionReplaced = "its browser session was replaced"
    case personDisabled = "its person was disabled"
    case personDeleted = "its person was deleted"
    case notBefore = "its person was signed out everywhere"
    case passwordChanged = "its person's password was changed"
    case realmDeleted = "its realm was deleted"

    var testDescription: String { rawValue }

    /// When it is dead.
    var now: Int64 {
        switch self {
        case .expired: Example.signedIn + 36_000
        case .idle: Example.now + 1800
        default: Example.now + 2
        }
    }

    /// When it was still alive.
    var before: Int64 {
        switch self {
        case .idle: Example.now + 1799
        default: Example.now
        }
    }

    func happen(to stores: TestDatabase) async throws {
        switch self {
        case .revoked:
            #expect(try await stores.revoke(Example.id(1)) == .revoked)
        case .expired:
            // Refreshed meanwhile, so that idleness is not what ends it.
            var now = Example.now
            for generation: UInt32 in 1...21 {
                now += 1700
                #expect(try await stores.rotate(generation, at: now) == .rotated)
            }
        case .idle: break
        case .clientDeleted:
            #expect(try await stores.realms.deleteClient(id: "client-uuid") == .changed)
        case .signedOut: try await SignInLoss.signedOut.happen(to: stores)
        case .sessionReplaced: try await SignInLoss.replaced.happen(to: stores)
        case .personDisabled: try await SignInLoss.disabled.happen(to: stores)
        case .personDeleted: try await SignInLoss.deleted.happen(to: stores)
        case .notBefore:
            var person = Example.ann
            // The second in which the grant was made.
            person.notBefore = Example.now
            #expect(try await stores.people.update(person) == .changed)
        case .passwordChanged: try await SignInLoss.passwordChanged.happen(to: stores)
        case .realmDeleted: try await SignInLoss.realmDeleted.happen(to: stores)
        }
    }
}

extension TestDatabase {
    func rotate(
        _ generation: UInt32 = 1,
        binding key: JWKThumbprint? = nil,
        spending used: [SpentOnce] = [],
        at now: Int64 = Example.now
    ) async throws -> RotationOutcome {
        try await grants.rotate(
            Example.rotation(of: Example.id(1), from: generation),
            sessionIdle: Example.idle,
            binding: key,
            spending: used,
            at: now
        )
    }
}
