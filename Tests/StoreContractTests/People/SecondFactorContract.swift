import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonStore: second factors are spent", .everyDatabase) struct SecondFactorContract {
    private let stores: TestDatabase

    init() async throws { stores = try await Self.furnished() }

    private static let realmID = Example.session.realmID

    private static func furnished() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        for kind in [Credential.Kind.totp, .recoveryCodes] {
            let used: Int64 = kind == .totp ? 100 : 0b10
            let credential = Example.credential(kind.rawValue, kind, used: used)
            #expect(try await stores.people.add(credential, realmID: realmID) == .changed)
        }
        return stores
    }

    private static func used(_ stores: TestDatabase) async throws -> [String: Int64] {
        let all = try await stores.secondFactors()
        return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.used) })
    }

    private static func start(
        _ use: CredentialUse,
        _ stores: TestDatabase,
        of person: String = "person-ann",
        number: Int = 2
    ) async throws -> SessionBeginning {
        var session = Example.session("session-\(number)", cookie: Hash256(of: "cookie-\(number)"))
        session.personID = person
        return try await stores.sessions.start(
            session,
            replacing: nil,
            upgrading: nil,
            spending: use
        )
    }

    /// What does not begin a session, after step 100 and the second code were spent.
    private static let spent = [
        CredentialUse(id: "totp", spent: .step(100)), CredentialUse(id: "totp", spent: .step(99)),
        CredentialUse(id: "recovery-codes", spent: .code(1)),
        CredentialUse(id: "recovery-codes", spent: .code(-1)),
        CredentialUse(id: "recovery-codes", spent: .code(63)),
        CredentialUse(id: "recovery-codes", spent: .code(64)),
        CredentialUse(id: "recovery-codes", spent: .code(1_000_000)),
        // Of another kind, and of none.
        CredentialUse(id: "recovery-codes", spent: .step(1000)),
        CredentialUse(id: "totp", spent: .code(5)), CredentialUse(id: "other", spent: .step(101)),
    ]

    @Test("RFC 6238 §5.2: what is spent begins nothing")
    func spent() async throws {
        for use in Self.spent {
            #expect(try await Self.start(use, stores) == .codeSpent)
        }
        #expect(try await stores.liveByID("session-2", at: Example.now) == nil)
        #expect(try await stores.liveByCookie() != nil)
        #expect(try await Self.used(stores) == ["totp": 100, "recovery-codes": 0b10])
    }

    @Test("a session begins and its code is spent in one step")
    func begins() async throws {
        let step = CredentialUse(id: "totp", spent: .step(101))
        #expect(try await Self.start(step, stores) == .began)
        #expect(try await Self.used(stores)["totp"] == 101)
        for place in [0, 62] {
            let code = CredentialUse(id: "recovery-codes", spent: .code(place))
            #expect(try await Self.start(code, stores, number: place + 3) == .began)
            #expect(try await Self.start(code, stores, number: 200) == .codeSpent)
        }
        #expect(try await Self.used(stores)["recovery-codes"] == 0b11 | 1 << 62)
    }

    @Test("a person spends their own codes only")
    func others() async throws {
        for use in [
            CredentialUse(id: "totp", spent: .step(101)),
            CredentialUse(id: "recovery-codes", spent: .code(5)),
        ] {
            #expect(try await Self.start(use, stores, of: "person-bob") == .codeSpent)
        }
        #expect(try await Self.used(stores) == ["totp": 100, "recovery-codes": 0b10])
    }

    @Test("a session that cannot begin spends nothing")
    func failed() async throws {
        await #expect(throws: StoreConflict.self) {
            try await Self.start(CredentialUse(id: "totp", spent: .step(101)), stores, number: 1)
        }
        #expect(try await Self.used(stores)["totp"] == 100)
    }

    @Test("of many at once with one code exactly one begins a session")
    func race() async throws {
        for round in 1...10 {
            let stores = try await Self.furnished()
            let use =
                round.isMultiple(of: 2)
                ? CredentialUse(id: "totp", spent: .step(101))
                : CredentialUse(id: "recovery-codes", spent: .code(7))
            let outcomes = try await concurrently(8) { index in
                try await Self.start(use, stores, number: index + 2)
            }
            #expect(outcomes.count(of: .began) == 1)
            #expect(outcomes.count(of: .codeSpent) == 7)
        }
    }

    @Test("an operator takes all second factors, and leaves what is kept for an export")
    func taken() async throws {
        let other = Example.credential("other", .other)
        #expect(try await stores.people.add(other, realmID: Self.realmID) == .changed)
        #expect(try await stores.people.removeSecondFactors(of: "person-bob") == .notFound)
        #expect(try await stores.people.removeSecondFactors(of: "person-ann") == .changed)
        #expect(try await Self.used(stores) == ["other": 0])
        #expect(try await stores.people.removeSecondFactors(of: "person-ann") == .notFound)
    }

    /// A session that was begun with a code as well.
    private static func withCode(_ stores: TestDatabase) async throws -> PersonSession {
        var session = Example.session("session-7", cookie: Hash256(of: "cookie-7"))
        session.amr = ["pwd", "otp"]
        #expect(try await stores.start(session) == .began)
        return session
    }

    private static func enrol(
        _ id: String,
        as kind: Credential.Kind = .totp,
        in session: PersonSession = Example.session,
        endingOthers: Bool = false,
        at now: Int64 = Example.now,
        _ stores: TestDatabase
    ) async throws -> PersonStore.Enrolment {
        try await stores.people.enrol(
            Example.credential(id, kind),
            in: session,
            endingOthers: endingOthers,
            notice: nil,
            at: now
        )
    }

    @Test(
        "decision 0081: a session changes factors if it proves the person lately, with what they have now"
    )
    func proves() async throws {
        let stores = try await StoreUnderTest.furnished()
        let sessions = stores.sessions
        var other = Example.session("session-2", cookie: Hash256(of: "cookie-2"))
        try await sessions.start(other, replacing: nil, upgrading: nil)
        let late = Example.signedIn + SessionStore.freshness + 1
        #expect(try await sessions.proves(other, .now, at: late - 1))
        #expect(try await !sessions.proves(other, .now, at: late))
        #expect(try await sessions.proves(other, .strength, at: late))
        #expect(try await Self.enrol("app-1", at: late, stores) == .unproven)
        // The first factor: the other session is weaker from now on, this one is not.
        #expect(try await Self.enrol("app-1", stores) == .added(ended: 0))
        #expect(try await sessions.proves(Example.session, .now, at: Example.now))
        // What a session says of itself does not count, only what is kept of it.
        other.amr = ["pwd", "otp"]
        for proof in [SessionStore.Proof.now, .strength] {
            #expect(try await !sessions.proves(other, proof, at: Example.now))
        }
        let kept = try #require(
            try await sessions.live(
                id: "session-1",
                realmID: Self.realmID,
                at: Example.now,
                idle: Example.idle
            )
        )
        #expect(kept.session.amr == ["pwd", "otp"])
        for kind in [Credential.Kind.totp, .recoveryCodes] {
            #expect(try await Self.enrol("thief's", as: kind, in: other, stores) == .unproven)
        }
        let removal = try await stores.people.removeSecondFactor(
            id: "app-1",
            in: other,
            notice: nil,
            at: Example.now
        )
        #expect(removal == .unproven)
        var next = other
        next.id = "session-9"
        next.form = .browser(cookieHash: Hash256(of: "cookie-9"))
        let password = try await stores.people.changePassword(
            PasswordHash(encoded: "thief's"),
            in: other,
            continuing: next,
            notice: nil,
            at: Example.now
        )
        #expect(password == nil)
        let left = try await stores.secondFactors()
        #expect(left.map(\.id) == ["app-1"])
        #expect(try await stores.credentials("ann")?.password == Example.password)
        // No one's for another.
        var bobs = Example.session
        bobs.personID = "person-bob"
        #expect(try await !sessions.proves(bobs, .strength, at: Example.now))
    }

    @Test(
        "decision 0081: with an app the other sessions end, if so asked, and wishes of the password alone"
    )
    func endsOthers() async throws {
        let stores = try await StoreUnderTest.furnished()
        for number in 2...3 {
            let session = Example.session(
                "session-\(number)",
                cookie: Hash256(of: "cookie-\(number)")
            )
            try await stores.start(session)
        }
        let ann = try #require(try await stores.credentials("ann"))
        #expect(try await stores.mailboxes.demand(Example.reset(21), of: ann) == .changed)
        #expect(try await Self.enrol("app-1", endingOthers: true, stores) == .added(ended: 2))
        #expect(try await stores.liveByCookie() != nil)
        for number in 2...3 {
            #expect(try await stores.liveByID("session-\(number)", at: Example.now) == nil)
        }
        #expect(try await stores.reset(Example.id(21)) == nil)
    }

    @Test("one setup sent many times at once adds one app, and one mail tells of it")
    func setUpTwice() async throws {
        let session = try await Self.withCode(stores)
        for round in 0..<10 {
            let mails = try await stores.outbox.latest(limit: 100).count
            let answers = try await concurrently(8) { _ in
                try await stores.people.enrol(
                    Example.credential("app-\(round % 5)", .totp),
                    in: session,
                    endingOthers: false,
                    notice: Example.mail(.secondFactorAdded, to: "ann@example.com"),
                    at: Example.now
                )
            }
            #expect(answers.count(of: .added(ended: 0)) == 8)
            // Once more changes nothing, either.
            let isNew = round < 5
            #expect(try await stores.outbox.latest(limit: 100).count == mails + (isNew ? 1 : 0))
        }
        let apps = try await stores.secondFactors()
        #expect(apps.count { $0.id.hasPrefix("app-") } == 5)
    }

    @Test("a demanded password spends a code as a session does")
    func demanded() async throws {
        let ann = try #require(try await stores.credentials("ann"))
        func demand(_ number: UInt8) async throws -> PasswordDemand {
            try await stores.mailboxes.demand(
                Example.reset(number),
                of: ann,
                spending: CredentialUse(id: "totp", spent: .step(101))
            )
        }
        #expect(try await demand(21) == .changed)
        #expect(try await demand(22) == .codeSpent)
        #expect(try await stores.reset(Example.id(21)) != nil)
        #expect(try await stores.reset(Example.id(22)) == nil)
    }
}
