import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: what a sign-out forgets of providers", .everyDatabase)
struct SignOutTokenContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let apple = AccountExample.key("ann", at: AccountExample.apple)
    static let other = AccountExample.key("ann", at: "https://id.example")

    @Test(
        "OIDCRPL-6-3: signing out forgets what the identity's provider gave us, and tells it once"
    )
    func once() async throws {
        let ann = try await stores.signedIn(bringing: "sealed")
        let bob = try await stores.signedIn(AccountExample.key("bob"), bringing: "Bob's")
        #expect(try await stores.signOut(ann).tokens == ["sealed"])
        #expect(try await stores.tokens(of: ann.account) == [nil])
        #expect(try await stores.signOut(ann).tokens == [])
        #expect(try await stores.tokens(of: bob.account) == ["Bob's"])
    }

    /// Another session of Ann's by the same identity.
    enum Left: String, CaseIterable, CustomTestStringConvertible {
        case browser = "in a browser"
        case app = "in an app"
        case waiting = "which waits for its app"

        var testDescription: String { rawValue }
    }

    @Test(
        "OIDCRPL-6-3: it is kept while another session is left that the identity began",
        arguments: Left.allCases
    )
    func left(_ left: Left) async throws {
        let ann = try await stores.signedIn(bringing: "sealed")
        let session =
            switch left {
            case .browser: AccountExample.browser()
            case .app: AccountExample.app()
            case .waiting: AccountExample.session(.handOff(AccountExample.handOff()))
            }
        _ = try await stores.signIn(AccountExample.signIn(session: session))
        #expect(try await stores.signOut(ann).tokens == [])
        #expect(try await stores.tokens(of: ann.account) == ["sealed"])
        let now = AccountExample.now
        let last = try await stores.sessions.signOut(session.id, of: ann.account.id, at: now)
        #expect(last.tokens == ["sealed"])
        #expect(try await stores.tokens(of: ann.account) == [nil])
    }

    @Test(
        "OIDCRPL-6-3: a session that is dead keeps nothing",
        arguments: [AccountSessionDeath.expired, .idle, .providerLogout]
    )
    func dead(_ death: AccountSessionDeath) async throws {
        let dead = try await stores.signedIn(bringing: "sealed")
        try await death.happen(to: dead, in: stores)
        #expect(try await stores.tokens(of: dead.account) == ["sealed"])
        let ann = try await stores.signedIn(at: death.now)
        #expect(try await stores.signOut(ann, at: death.now).tokens == ["sealed"])
    }

    @Test(
        "OIDCRPL-6-3: a session whose code is over, or was used up, keeps nothing",
        arguments: [true, false]
    )
    func codeOver(_ isSpent: Bool) async throws {
        let ann = try await stores.signedIn(bringing: "sealed")
        let (code, _, _) = try await stores.waiting()
        var now = AccountExample.now + 60
        if isSpent {
            now = AccountExample.now
            var wrong = AccountExample.presentation(of: code)
            wrong.challenge = AccountExample.freshHash()
            _ = try await stores.sessions.redeem(wrong, at: now)
        }
        #expect(try await stores.signOut(ann, at: now).tokens == ["sealed"])
    }

    @Test(
        "OIDCRPL-6-3: each identity's goes with its own sessions; all with the account's last session"
    )
    func identities() async throws {
        let (google, apple) = try await stores.threeWays()
        #expect(try await stores.tokens(of: google.account) == ["google", "apple", "other"])
        #expect(try await stores.signOut(apple).tokens == ["apple"])
        // No session was ever begun by the third: it is there for those that are left.
        #expect(try await stores.tokens(of: google.account) == ["google", nil, "other"])
        #expect(try await stores.signOut(google).tokens == ["google", "other"])
        #expect(try await stores.tokens(of: google.account) == [nil, nil, nil])
    }

    @Test(
        "OIDCRPL-6-3: signing out everywhere forgets all; elsewhere, what the sessions there leave"
    )
    func everywhere() async throws {
        let (google, apple) = try await stores.threeWays()
        _ = try await stores.signedIn()
        let elsewhere = try await stores.signOutEverywhere(google.account, but: google.sessionID)
        #expect(elsewhere.tokens == ["apple"])
        #expect(try await stores.live(apple.cookie) == nil)
        #expect(try await stores.tokens(of: google.account) == ["google", nil, "other"])
        let again = try await stores.signOutEverywhere(google.account, but: google.sessionID)
        #expect(again.tokens == [])
        #expect(try await stores.signOutEverywhere(google.account).tokens == ["google", "other"])
        #expect(try await stores.tokens(of: google.account) == [nil, nil, nil])
    }

    @Test("what ends a session without its person's asking forgets nothing")
    func unasked() async throws {
        let now = AccountExample.now
        var ann = try await stores.signedIn(bringing: "sealed")
        let id = ann.account.id
        let end = try await stores.sessions.end(
            sessionID: ann.sessionID,
            of: id,
            as: .refreshReplayed,
            at: now
        )
        #expect(end == .changed)
        ann = try await stores.signedIn()
        // Another person signs in in the same browser.
        let bob = AccountExample.browser(replacing: ann.cookie)
        _ = try await stores.signIn(AccountExample.signIn(AccountExample.key("bob"), session: bob))
        #expect(try await stores.live(ann.cookie) == nil)
        ann = try await stores.signedIn()
        #expect(try await stores.logout("ann", nil) == 1)
        ann = try await stores.signedIn()
        for isBlocked in [true, false] { _ = try await stores.block(id, isBlocked, at: now) }
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await stores.tokens(of: ann.account) == ["sealed"])
    }

    @Test("OIDCRPL-6-3: of any number of sign-outs at once one is told what was forgotten")
    func race() async throws {
        for round in 1...20 {
            let key = AccountExample.key("\(round)")
            let (one, two) = (
                try await stores.signedIn(key, bringing: "sealed"), try await stores.signedIn(key)
            )
            let outcomes = try await concurrently(9) { index in
                switch index % 3 {
                case 0: try await stores.signOut(one)
                case 1: try await stores.signOut(two)
                default: try await stores.signOutEverywhere(one.account)
                }
            }
            #expect(outcomes.flatMap(\.tokens) == ["sealed"])
            #expect(try await stores.tokens(of: one.account) == [nil])
        }
    }

    @Test("OIDCRPL-6-3: a sign-in that comes meanwhile keeps what it brings")
    func meanwhile() async throws {
        for round in 1...20 {
            let key = AccountExample.key("\(round)")
            let ann = try await stores.signedIn(key, bringing: "old")
            let tokens = try await concurrently(2) { index -> [String] in
                if index == round % 2 { return try await stores.signOut(ann).tokens }
                _ = try await stores.signedIn(key, bringing: "fresh")
                return []
            }
            #expect(try await stores.tokens(of: ann.account) == ["fresh"])
            #expect([[], ["old"]].contains(tokens.flatMap(\.self)))
        }
    }
}

extension SignOutOutcome {
    /// What was forgotten, in the order of linking.
    var tokens: [String] {
        switch self {
        case .signedOut(let identities): identities.compactMap(\.sealedToken)
        case .notFound: []
        }
    }
}

extension TestDatabase {
    /// A person who signed in with a browser, and their provider gave us a token to keep.
    func signedIn(_ key: IdentityKey = AccountExample.ann, bringing token: String) async throws
        -> SignedIn
    {
        let cookie = AccountExample.freshHash()
        let session = AccountExample.browser(cookie)
        var event = AccountExample.signIn(key, session: session)
        event.identity.sealedToken = token
        let account = try #require(try await signIn(event).account)
        return SignedIn(account: account, cookie: cookie, sessionID: session.id)
    }

    /// Ann signed in with Google and with Apple, and linked a third way that she has not used.
    fileprivate func threeWays() async throws -> (google: SignedIn, apple: SignedIn) {
        let google = try await signedIn(bringing: "google")
        for (key, token) in [
            (SignOutTokenContract.apple, nil), (SignOutTokenContract.other, "other"),
        ] {
            let event = LinkEvent(
                spending: [AccountExample.attempt()],
                identity: AccountExample.identity(key, token: token),
                sessionID: google.sessionID,
                notice: nil
            )
            #expect(try await accounts.link(event, at: AccountExample.now) == .linked)
        }
        return (google, try await signedIn(SignOutTokenContract.apple, bringing: "apple"))
    }

    /// Of its identities, in the order of linking.
    func tokens(of account: Person) async throws -> [String?] {
        try await accounts.identities(of: account.id).map(\.sealedToken)
    }
}
