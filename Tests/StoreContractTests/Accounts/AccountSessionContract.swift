import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("AccountStore: sessions", .everyDatabase) struct AccountSessionContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test("a session is live as it was given, by its cookie and by its id")
    func live() async throws {
        let cookie = AccountExample.freshHash()
        var new = AccountExample.browser(cookie)
        new.providerSessionID = "sid-1"
        let event = AccountExample.signIn(session: new)
        let account = try #require(try await stores.signIn(event).account)
        let session = PersonSession(
            new,
            of: account,
            epoch: 0,
            by: AccountExample.identity(),
            at: AccountExample.now
        )
        #expect(session.cookieHash == cookie)
        #expect(session.identity == AccountExample.ann)
        #expect(session.provenAt == nil, "the provider did not say when it asked")
        #expect(session.authenticatedAt == AccountExample.now)
        let live = LiveSession(session: session, person: account, providers: ["google"])
        #expect(try await stores.live(cookie) == live)
        #expect(try await stores.liveByFirstStep(id: new.id, at: AccountExample.now) == live)
        #expect(try await stores.live(AccountExample.freshHash()) == nil)
        #expect(try await stores.isLive(AccountExample.freshSession()) == false)
    }

    @Test("an app's own session is live at once, with its refresh state")
    func appSession() async throws {
        var refresh = AccountExample.refresh()
        refresh.idempotencyKey = Hash256(of: "key")
        let new = AccountExample.app(refresh: refresh)
        _ = try await stores.signIn(AccountExample.signIn(session: new))
        let live = try await stores.liveByFirstStep(id: new.id, at: AccountExample.now)
        #expect(live?.session.form == .app(name: "notes", refresh: refresh))
    }

    @Test("a live session says the providers of its account in the order of linking")
    func providers() async throws {
        let ann = try await stores.signedIn()
        for issuer in ["https://id.example", AccountExample.apple] {
            let key = AccountExample.key("ann", at: issuer)
            #expect(try await stores.link(key, in: ann.sessionID) == .linked)
        }
        #expect(try await stores.live(ann.cookie)?.providers == ["google", "oidc", "apple"])
        let providers = try await stores.accounts.identities(of: ann.account.id).map(\.provider)
        #expect(providers == ["google", "oidc", "apple"])
    }

    @Test(
        "WEB-SESS-3, WEB-SESS-4, WEB-SESS-5: a session is dead, whatever it died of",
        arguments: AccountSessionDeath.allCases
    )
    func dead(_ death: AccountSessionDeath) async throws {
        let ann = try await stores.signedIn()
        #expect(try await stores.live(ann.cookie) != nil)
        try await death.happen(to: ann, in: stores)
        #expect(try await stores.live(ann.cookie, at: death.now) == nil)
        #expect(try await stores.isLive(ann.sessionID, at: death.now) == false)
        let sessions = try await stores.sessions(of: ann.account.id, at: death.now)
        #expect(sessions.contains { $0.id == ann.sessionID } == false)
        let link = try await stores.link(
            AccountExample.key("ann", at: AccountExample.apple),
            in: ann.sessionID,
            at: death.now
        )
        #expect(link == .sessionEnded)
    }

    @Test("of an account's live sessions no more are listed than are asked for, those seen last")
    func listed() async throws {
        var ids: [String] = []
        var account: Person?
        for later in 0..<5 as Range<Int64> {
            let signedIn = try await stores.signedIn(at: AccountExample.now + later)
            ids.append(signedIn.sessionID)
            account = signedIn.account
        }
        let id = try #require(account?.id)
        for limit in [3, 5, .max] {
            let listed = try await stores.sessions.sessions(
                of: id,
                realmID: "home",
                at: AccountExample.now + 5,
                idle: 1800,
                limit: limit
            )
            #expect(listed.map(\.id) == Array(ids.reversed().prefix(limit)))
        }
    }

    @Test(
        "WEB-SESS-5: an app's session that is dead rotates no more",
        arguments: AccountSessionDeath.allCases.filter { $0 != .replaced }
    )
    func deadRotation(_ death: AccountSessionDeath) async throws {
        let new = AccountExample.app()
        let event = AccountExample.signIn(session: new)
        let account = try #require(try await stores.signIn(event).account)
        let ann = TestDatabase.SignedIn(
            account: account,
            cookie: AccountExample.freshHash(),
            sessionID: new.id
        )
        try await death.happen(to: ann, in: stores)
        #expect(try await stores.rotate(new.id, 1, at: death.now) == .outdated)
    }

    @Test(
        "decision 0035: of any number of concurrent rotations of one generation exactly one counts"
    )
    func rotationRace() async throws {
        let new = AccountExample.app()
        _ = try await stores.signIn(AccountExample.signIn(session: new))
        for generation: UInt32 in 1...20 {
            let outcomes = try await concurrently(20) { _ in
                try await stores.rotate(new.id, generation)
            }
            #expect(outcomes.count(of: .rotated) == 1)
            #expect(outcomes.count(of: .outdated) == 19)
        }
    }

    @Test("a rotation keeps its key, master key and time, and counts as seen")
    func rotation() async throws {
        let new = AccountExample.app()
        _ = try await stores.signIn(AccountExample.signIn(session: new))
        let later = AccountExample.now + AccountExample.idle - 1
        let rotation = Rotation(
            familyID: try #require(UniqueID(new.id)),
            generation: 1,
            idempotencyKey: Hash256(of: "key"),
            keyID: [9, 9, 9, 9]
        )
        #expect(try await stores.sessions.rotate(rotation, at: later) == .rotated)
        let live = try await stores.liveByFirstStep(id: new.id, at: later + 1000)
        var refresh = AccountExample.refresh(2)
        refresh.keyID = [9, 9, 9, 9]
        refresh.rotatedAt = later
        refresh.idempotencyKey = Hash256(of: "key")
        #expect(live?.session.form == .app(name: "notes", refresh: refresh))
        #expect(live?.session.lastSeenAt == later)
    }

    @Test("a browser's session does not rotate")
    func browserRotation() async throws {
        let ann = try await stores.signedIn()
        #expect(try await stores.rotate(ann.sessionID, 1) == .outdated)
    }

    @Test("sessions are noted as seen, many at once, never backwards")
    func touch() async throws {
        let (one, other) = (try await stores.signedIn(), try await stores.signedIn())
        let now = AccountExample.now
        try await stores.sessions.touch([(one.sessionID, now + 50), (other.sessionID, now - 50)])
        #expect(try await stores.live(one.cookie)?.session.lastSeenAt == now + 50)
        #expect(try await stores.live(other.cookie)?.session.lastSeenAt == now)
        try await stores.sessions.touch([])
        let seen = now + 50 + AccountExample.idle
        #expect(try await stores.live(one.cookie, at: seen - 1) != nil)
        #expect(try await stores.live(one.cookie, at: seen) == nil)
        #expect(try await stores.live(other.cookie, at: seen - 1) == nil)
    }

    @Test("WEB-SESS-7: the live sessions of one account, the one seen last first")
    func list() async throws {
        let one = try await stores.signedIn()
        let two = try await stores.signedIn()
        _ = try await stores.waiting()
        _ = try await stores.signedIn(AccountExample.key("bob"))
        try await stores.sessions.touch([(one.sessionID, AccountExample.now + 1)])
        let sessions = try await stores.sessions(of: one.account.id)
        #expect(sessions.map(\.id) == [one.sessionID, two.sessionID])
    }
}

/// What ends a session.
enum AccountSessionDeath: String, CaseIterable, CustomTestStringConvertible {
    case ended = "it was ended"
    case replaced = "someone else signed in in the browser"
    case expired = "its time is over"
    case idle = "it was not seen for long"
    case signedOutEverywhere = "the account was signed out everywhere"
    case blocked = "the account was blocked"
    case unblocked = "the account was blocked, and let in again"
    case deleted = "the account was deleted"
    case unlinked = "the identity was unlinked"
    case providerLogout = "the provider signed the person out"

    var testDescription: String { rawValue }

    /// When it is looked at.
    var now: Int64 {
        switch self {
        case .expired: AccountExample.now + AccountExample.sessionLife
        case .idle: AccountExample.now + AccountExample.idle
        default: AccountExample.now
        }
    }

    func happen(to ann: TestDatabase.SignedIn, in stores: TestDatabase) async throws {
        let (accounts, sessions) = (stores.accounts, stores.sessions)
        let (id, now) = (ann.account.id, AccountExample.now)
        switch self {
        case .ended:
            let outcome = try await sessions.signOut(ann.sessionID, of: id, at: now)
            #expect(outcome == .signedOut(forgetting: []))
        case .replaced:
            let session = AccountExample.browser(replacing: ann.cookie)
            let bob = AccountExample.key("bob")
            _ = try await stores.signIn(AccountExample.signIn(bob, session: session))
        case .expired:
            try await sessions.touch([(ann.sessionID, self.now - 1)])
        case .idle: break
        case .signedOutEverywhere:
            let outcome = try await sessions.signOutEverywhere(of: id, except: nil, at: now)
            #expect(outcome == .signedOut(forgetting: []))
        case .blocked:
            #expect(try await stores.block(id, true, at: now) == .changed)
        case .unblocked:
            #expect(try await stores.block(id, true, at: now) == .changed)
            #expect(try await stores.block(id, false, at: now) == .changed)
        case .deleted:
            #expect(try await stores.delete(id) != nil)
        case .unlinked:
            let other = try await stores.signedIn()
            let key = AccountExample.key("ann", at: AccountExample.apple)
            #expect(try await stores.link(key, in: other.sessionID) == .linked)
            let outcome = try await accounts.unlink(
                provider: "google",
                from: id,
                usable: ["google", "apple"],
                notice: nil,
                at: now
            )
            #expect(outcome.identity?.key == AccountExample.ann)
        case .providerLogout:
            let count = try await sessions.endSessions(
                issuer: AccountExample.google,
                subject: "ann",
                providerSessionID: nil,
                realmID: "home",
                spending: AccountExample.attempt(),
                at: now
            )
            #expect(count == 1)
        }
    }
}

extension TestDatabase {
    func rotate(_ id: String, _ generation: UInt32, at now: Int64 = AccountExample.now)
        async throws -> RotationOutcome
    {
        try await sessions.rotate(
            Example.rotation(of: #require(UniqueID(id)), from: generation),
            at: now
        )
    }
}

extension UnlinkOutcome {
    /// What was unlinked.
    var identity: Identity? {
        if case .unlinked(let identity) = self { identity } else { nil }
    }
}
