import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: signing out", .everyDatabase) struct AccountSignOutContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test("WEB-SESS-4: one session ends, once, and no other does")
    func one() async throws {
        let (ann, other) = (try await stores.signedIn(), try await stores.signedIn())
        for _ in 1...2 {
            #expect(try await stores.signOut(ann) == .signedOut(forgetting: []))
        }
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await stores.live(other.cookie) != nil)
        #expect(try await stores.kinds() == [.registered, .signedIn, .signedOut])
        let event = try await stores.events.latest(of: ann.account.id, limit: 1)
            .first
        #expect(event?.provider == "google")
        #expect(event?.device == "Firefox on Linux")
        #expect(event?.address == "192.0.2.7")
    }

    @Test("a session's end is called what its caller says")
    func replayed() async throws {
        let ann = try await stores.signedIn()
        let change = try await stores.sessions.end(
            sessionID: ann.sessionID,
            of: ann.account.id,
            as: .refreshReplayed,
            at: AccountExample.now
        )
        #expect(change == .changed)
        #expect(try await stores.kinds().last == .refreshReplayed)
    }

    @Test("no one ends another account's session")
    func others() async throws {
        let ann = try await stores.signedIn()
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        let outcome = try await stores.sessions.signOut(
            ann.sessionID,
            of: bob.account.id,
            at: AccountExample.now
        )
        #expect(outcome == .notFound)
        #expect(try await stores.live(ann.cookie) != nil)
        #expect(try await stores.kinds() == [.registered, .registered])
    }

    @Test("signing out everywhere ends every session of one account, those of the same second too")
    func everywhere() async throws {
        let (one, two) = (try await stores.signedIn(), try await stores.signedIn())
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        #expect(try await stores.signOutEverywhere(one.account) == .signedOut(forgetting: []))
        #expect(try await stores.live(one.cookie) == nil)
        #expect(try await stores.live(two.cookie) == nil)
        #expect(try await stores.live(bob.cookie) != nil)
        #expect(try await stores.kinds().last == .signedOutEverywhere)
        let next = try await stores.signedIn()
        #expect(try await stores.live(next.cookie) != nil)
        var nobody = next.account
        nobody.id = AccountExample.fresh().text
        #expect(try await stores.signOutEverywhere(nobody) == .notFound)
    }

    @Test("signing out elsewhere keeps one session")
    func elsewhere() async throws {
        let (here, there) = (try await stores.signedIn(), try await stores.signedIn())
        for _ in 1...2 {
            let outcome = try await stores.signOutEverywhere(here.account, but: here.sessionID)
            #expect(outcome == .signedOut(forgetting: []))
            #expect(try await stores.live(here.cookie) != nil)
            #expect(try await stores.live(there.cookie) == nil)
        }
    }

    @Test(
        "signing out elsewhere brings no session back, and keeps no other account's",
        arguments: [AccountSessionDeath.ended, .signedOutEverywhere]
    )
    func revival(_ death: AccountSessionDeath) async throws {
        let ann = try await stores.signedIn()
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        try await death.happen(to: ann, in: stores)
        _ = try await stores.signOutEverywhere(ann.account, but: ann.sessionID)
        #expect(try await stores.live(ann.cookie) == nil)
        _ = try await stores.signOutEverywhere(ann.account, but: bob.sessionID)
        #expect(try await stores.live(bob.cookie) != nil)
    }

    @Test("WEB-SESS-1: a sign-in ends the session of the cookie that the browser had")
    func replacement() async throws {
        let (old, other) = (try await stores.signedIn(), try await stores.signedIn())
        let cookie = AccountExample.freshHash()
        let session = AccountExample.browser(cookie, replacing: old.cookie)
        _ = try await stores.signIn(AccountExample.signIn(session: session))
        #expect(try await stores.live(old.cookie) == nil)
        #expect(try await stores.live(other.cookie) != nil)
        #expect(try await stores.live(cookie) != nil)
    }

    @Test("WEB-SESS-1: a cookie that there was before makes no session")
    func fixation() async throws {
        let ann = try await stores.signedIn()
        let session = AccountExample.browser(ann.cookie, replacing: ann.cookie)
        let event = AccountExample.signIn(AccountExample.key("bob"), session: session)
        await #expect(throws: StoreConflict.self) { try await stores.signIn(event) }
        #expect(try await stores.live(ann.cookie)?.person == ann.account)
    }
}

@Suite("AccountStore: signed out by the provider", .everyDatabase) struct ProviderLogoutContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test(
        "OIDCBCL-2.7-1: sessions end by sid, by subject, or by both",
        arguments: [
            ("ann", nil, ["ann-1", "ann-2", "ann-app"]), ("ann", "1", ["ann-1"]),
            (nil, "1", ["ann-1"]), ("bob", "1", []), (nil, "unknown", []), (nil, nil, []),
        ] as [(String?, String?, [String])]
    )
    func logout(_ sample: (String?, String?, [String])) async throws {
        let (subject, sid, expected) = sample
        let stores = try StoreUnderTest.empty()
        var ids: [String: String] = [:]
        func begin(_ name: String, _ key: IdentityKey, _ sid: String?, isApp: Bool = false)
            async throws
        {
            var session = isApp ? AccountExample.app() : AccountExample.browser()
            session.providerSessionID = sid
            ids[name] = session.id
            _ = try await stores.signIn(AccountExample.signIn(key, session: session))
        }
        try await begin("ann-1", AccountExample.ann, "1")
        try await begin("ann-2", AccountExample.ann, "2")
        try await begin("ann-app", AccountExample.ann, nil, isApp: true)
        try await begin("bob", AccountExample.key("bob"), "3")
        try await begin("elsewhere", AccountExample.key("ann", at: AccountExample.apple), "1")
        #expect(try await stores.logout(subject, sid) == expected.count)
        for (name, id) in ids {
            #expect(try await stores.isLive(id) == !expected.contains(name), "\(name)")
        }
        let ended = try await stores.kinds().filter { $0 == .signedOutByProvider }
        #expect(ended.count == expected.count)
    }

    @Test("attack E31: of any number of logouts with one token exactly one does something")
    func race() async throws {
        for _ in 1...20 {
            let ann = try await stores.signedIn()
            let token = AccountExample.attempt()
            let counts = try await concurrently(10) { _ in
                try await stores.logout("ann", nil, spending: token)
            }
            #expect(counts.filter { $0 == 1 }.count == 1)
            #expect(counts.filter { $0 == nil }.count == 9)
            #expect(try await stores.live(ann.cookie) == nil)
        }
    }

    @Test("attack E31: a logout token that was spent before ends nothing")
    func replay() async throws {
        let token = AccountExample.attempt()
        #expect(try await stores.logout("ann", nil, spending: token) == 0)
        let ann = try await stores.signedIn()
        #expect(try await stores.logout("ann", nil, spending: token) == nil)
        #expect(try await stores.live(ann.cookie) != nil)
    }

    @Test("OIDCBCL-2.7-1: sessions that another identity of the account began live on")
    func otherIdentity() async throws {
        let google = try await stores.signedIn()
        let key = AccountExample.key("ann", at: AccountExample.apple)
        #expect(try await stores.link(key, in: google.sessionID) == .linked)
        let apple = try await stores.signedIn(key)
        #expect(apple.account.id == google.account.id)
        #expect(try await stores.logout("ann", nil) == 1)
        #expect(try await stores.live(google.cookie) == nil)
        #expect(try await stores.live(apple.cookie) != nil)
    }
}

extension TestDatabase {
    func signOut(_ person: SignedIn, at now: Int64 = AccountExample.now) async throws
        -> SignOutOutcome
    {
        try await sessions.signOut(person.sessionID, of: person.account.id, at: now)
    }

    func signOutEverywhere(
        _ account: Person,
        but kept: String? = nil,
        at now: Int64 = AccountExample.now
    ) async throws -> SignOutOutcome {
        try await sessions.signOutEverywhere(of: account.id, except: kept, at: now)
    }

    func logout(
        _ subject: String?,
        _ sid: String?,
        spending token: SpentOnce = AccountExample.attempt()
    ) async throws -> Int? {
        try await sessions.endSessions(
            issuer: AccountExample.google,
            subject: subject,
            providerSessionID: sid,
            realmID: "home",
            spending: token,
            at: AccountExample.now
        )
    }
}
