import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// A browser's session is of its realm and the backend alike (docs/decisions/0167).
@Suite("SessionStore: one session, however it began", .everyDatabase)
struct SharedSessionContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    private static let now = AccountExample.now

    /// Ann signs in with a password.
    private func byPassword(_ ann: TestDatabase.SignedIn, _ cookie: Hash256) -> PersonSession {
        PersonSession(
            id: AccountExample.freshSession(),
            realmID: "home",
            personID: ann.account.id,
            cookieHash: cookie,
            authenticatedAt: Self.now + 5,
            acr: "1",
            amr: ["pwd"],
            device: "Firefox on Linux",
            createdAt: Self.now + 5,
            lastSeenAt: Self.now + 5,
            expiresAt: Self.now + 36_000,
            epoch: 0
        )
    }

    private func atRealm(_ cookie: Hash256, at now: Int64 = now + 5) async throws -> PersonSession?
    {
        try await stores.sessions.live(cookie: cookie, realmID: "home", at: now, idle: 1800)?
            .session
    }

    @Test("WEB-SESS-1: it goes on by a provider, and by a password, each time with a new cookie")
    func goesOn() async throws {
        let ann = try await stores.signedIn()
        let next = AccountExample.freshHash()
        let again = AccountExample.browser(next, replacing: ann.cookie)
        _ = try await stores.signIn(AccountExample.signIn(session: again))
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await stores.live(next)?.session.id == ann.sessionID)
        #expect(try await stores.live(next)?.session.identity == AccountExample.ann)

        let last = AccountExample.freshHash()
        let outcome = try await stores.sessions.start(
            byPassword(ann, last),
            replacing: next,
            upgrading: nil
        )
        guard case .wentOn(let kept) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(kept.id == ann.sessionID)
        #expect(try await stores.live(next) == nil)
        let session = try #require(try await atRealm(last))
        #expect(session.id == ann.sessionID && session.identity == nil)
        #expect(session.amr == ["pwd"] && session.idleSeconds == nil)
        #expect(try await stores.sessions(of: ann.account.id).count == 1)
        // The backend knows it as well, for as long as the realm lets it idle.
        #expect(try await stores.live(last, at: Self.now + 5 + 1799)?.session.id == ann.sessionID)
        #expect(try await stores.live(last, at: Self.now + 5 + 1800) == nil)
    }

    @Test("another person's ends")
    func another() async throws {
        let ann = try await stores.signedIn()
        let session = AccountExample.browser(replacing: ann.cookie)
        let bob = AccountExample.key("bob")
        _ = try await stores.signIn(AccountExample.signIn(bob, session: session))
        #expect(try await stores.isLive(ann.sessionID) == false)
        #expect(try await stores.isLive(session.id))
    }

    @Test("one with a host's tokens does not go on: it ends, and they become due")
    func byHandle() async throws {
        let ann = try await stores.signedInByHandle()
        let session = AccountExample.browser(replacing: ann.cookie)
        _ = try await stores.signIn(AccountExample.signIn(session: session))
        #expect(try await stores.isLive(ann.sessionID) == false)
        #expect(try await stores.takeDue().map(\.session.sessionID) == [ann.sessionID])
        // Nor does any go on as one with tokens, which are sealed for its id.
        let cookie = AccountExample.freshHash()
        let google = try await stores.signedIn()
        var event = AccountExample.signIn(
            session: AccountExample.browser(cookie, replacing: google.cookie)
        )
        event.handleSession = HandleExample.new()
        _ = try await stores.signIn(event)
        #expect(try await stores.isLive(google.sessionID) == false)
        #expect(try await stores.handles.live(event.session.id, at: Self.now) != nil)
    }

    @Test("decision 0050: a provider's word alone is none in the realm of who has a second step")
    func secondStep() async throws {
        let ann = try await stores.signedIn()
        #expect(try await atRealm(ann.cookie, at: Self.now)?.id == ann.sessionID)
        try await addFactor(ann)
        #expect(try await atRealm(ann.cookie, at: Self.now) == nil)
        #expect(try await stores.live(ann.cookie) != nil)
        let next = AccountExample.freshHash()
        let use = CredentialUse(id: "totp", spent: .step(100))
        func step(_ old: Hash256, _ use: CredentialUse) async throws -> SecondStepOutcome {
            try await stores.sessions.addSecondStep(
                to: ann.sessionID,
                cookie: next,
                replacing: old,
                spending: use,
                at: Self.now + 9
            )
        }
        #expect(try await step(AccountExample.freshHash(), use) == .sessionEnded)
        #expect(try await step(ann.cookie, use) == .taken)
        let session = try await atRealm(next, at: Self.now + 9)
        #expect(session?.id == ann.sessionID && session?.identity == AccountExample.ann)
        #expect(session?.amr == ["otp"])
        #expect(session?.authenticatedAt == Self.now && session?.provenAt == nil)
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await step(next, use) == .codeSpent)
        _ = try await stores.sessions.signOut(ann.sessionID, of: ann.account.id, at: Self.now)
        let later = CredentialUse(id: "totp", spent: .step(101))
        #expect(try await step(next, later) == .sessionEnded)
    }

    @Test("decision 0050: the session of a handle takes the second step, with its tokens")
    func secondStepByHandle() async throws {
        let ann = try await stores.signedInByHandle()
        try await addFactor(ann)
        let outcome = try await stores.sessions.addSecondStep(
            to: ann.sessionID,
            cookie: AccountExample.freshHash(),
            replacing: ann.cookie,
            spending: CredentialUse(id: "totp", spent: .step(100)),
            at: Self.now
        )
        #expect(outcome == .taken)
        #expect(try await stores.handle(ann)?.sealed == "sealed 1")
    }

    private func addFactor(_ ann: TestDatabase.SignedIn) async throws {
        try await stores.database.write { transaction in
            _ = try transaction.run(
                """
                INSERT INTO credentials (id, person_id, kind, label, created_at, priority,
                    parameters, sealed_secret, used)
                VALUES ('totp', $1, 'totp', '', 0, 0, '{}', 'sealed', 0)
                """,
                [.text(ann.account.id)]
            )
        }
    }

    @Test("one by a password proves its person and takes an identity at the backend, too")
    func passwordAtBackend() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let cookie = AccountExample.freshHash()
        var session = byPassword(ann, cookie)
        session.provenAt = nil
        _ = try await stores.sessions.start(session, replacing: nil, upgrading: nil)
        let apple = AccountExample.key("ann", at: AccountExample.apple)
        #expect(try await stores.link(apple, in: session.id, at: Self.now + 5) == .linked)
        let realmProof = try await stores.sessions.proves(session, .now, at: Self.now + 5)
        #expect(!realmProof)
    }

    @Test("a provider's token goes with the last session by it, or of its person")
    func tokens() async throws {
        let ann = try await stores.signedIn()
        let kept = try await stores.accounts.keepToken(
            "sealed",
            of: ann.account.id,
            at: "google",
            replacing: nil
        )
        #expect(kept == .changed)
        let one = byPassword(ann, AccountExample.freshHash())
        let two = byPassword(ann, AccountExample.freshHash())
        for session in [one, two] {
            _ = try await stores.sessions.start(session, replacing: nil, upgrading: nil)
        }
        func signOut(_ id: String) async throws -> SignOutOutcome {
            try await stores.sessions.signOut(id, of: ann.account.id, at: Self.now + 6)
        }
        #expect(try await signOut(one.id) == .signedOut(forgetting: []))
        #expect(try await signOut(ann.sessionID).count == 1, "no session by Google is left")
        #expect(try await signOut(two.id) == .signedOut(forgetting: []))
    }

    @Test("OpenID Connect Back-Channel Logout §2.3: signing in again the next day tells no client")
    func expired() async throws {
        let ann = try await stores.signedIn()
        let first = byPassword(ann, AccountExample.freshHash())
        _ = try await stores.sessions.start(first, replacing: nil, upgrading: nil)
        var next = byPassword(ann, AccountExample.freshHash())
        next.createdAt = first.expiresAt + 1
        next.lastSeenAt = next.createdAt
        next.authenticatedAt = next.createdAt
        next.expiresAt = next.createdAt + 36_000
        let outcome = try await stores.sessions.start(
            next,
            replacing: first.cookieHash,
            upgrading: nil
        )
        #expect(outcome == .began)
        let ended = try stores.database.read { reader in
            try reader.hasRow(
                "SELECT 1 FROM sessions WHERE id = $1 AND ended_at IS NOT NULL",
                [.text(first.id)]
            )
        }
        #expect(!ended)
    }
}

extension SignOutOutcome {
    fileprivate var count: Int {
        if case .signedOut(let forgotten) = self { forgotten.count } else { 0 }
    }
}
