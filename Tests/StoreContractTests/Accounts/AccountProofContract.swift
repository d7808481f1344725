import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: proving who has a session", .everyDatabase) struct AccountProofContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    private static let later = AccountExample.now + 30

    private static func proven(_ stores: TestDatabase, _ cookie: Hash256) async throws -> Int64? {
        try await stores.live(cookie, at: later)?.session.provenAt
    }

    @Test(
        "WEB-SESS-8: a sign-in is no proof by itself; it is where the provider says when it asked, never later than now",
        arguments: [
            (nil, nil), (AccountExample.now - 5, AccountExample.now - 5),
            (AccountExample.now + 5, AccountExample.now), (-5, 0),
        ] as [(Int64?, Int64?)]
    )
    func signIn(_ times: (told: Int64?, kept: Int64?)) async throws {
        let cookie = AccountExample.freshHash()
        var session = AccountExample.browser(cookie)
        session.provenAt = times.told
        _ = try await stores.signIn(AccountExample.signIn(session: session))
        #expect(try await Self.proven(stores, cookie) == times.kept)
        let id = try #require(try await stores.live(cookie)?.person.id)
        let listed = try await stores.sessions(of: id)
        #expect(listed.map(\.provenAt) == [times.kept])

        let code = AccountExample.handOff()
        var waiting = AccountExample.session(.handOff(code))
        waiting.provenAt = times.told
        _ = try await stores.signIn(AccountExample.signIn(session: waiting))
        guard case .redeemed(let live, _) = try await stores.redeem(code) else {
            Issue.record("not redeemed")
            return
        }
        #expect(live.session.provenAt == times.kept)
    }

    @Test(
        "WEB-SESS-1, WEB-SESS-8: a mailed code proves the session that it came back in, which has another cookie then; and its address",
        arguments: [
            AccountExample.unverified(), AccountExample.vouched(), AccountExample.verified(),
        ]
    )
    func code(_ email: Mailbox) async throws {
        let ann = try await stores.signedIn(email: email)
        let phone = try await stores.signedIn()
        try await stores.startConfirmation(of: "ann@example.com")
        let cookie = AccountExample.freshHash()
        let account = try await stores.prove(ann.sessionID, cookie).account
        #expect(account?.mailbox == AccountExample.mailed())
        #expect(try await stores.accounts.person(ann.account.id) == account)
        #expect(try await stores.live(ann.cookie) == nil)
        let live = try #require(try await stores.live(cookie, at: Self.later))
        #expect(live.session.id == ann.sessionID && live.session.provenAt == Self.later)
        #expect(live.session.createdAt == AccountExample.now)
        #expect(try await Self.proven(stores, phone.cookie) == .none)
        #expect(try await stores.kinds(of: ann.account.id).last == .proven)
        #expect(try await stores.prove(ann.sessionID, AccountExample.freshHash()) == .unknown)
        #expect(try await stores.live(cookie) != nil)
    }

    @Test("an app's session is proven as it is")
    func app() async throws {
        let app = AccountExample.app()
        let event = AccountExample.signIn(email: AccountExample.verified(), session: app)
        _ = try await stores.signIn(event)
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.prove(app.id, nil).account != nil)
        let live = try await stores.liveByFirstStep(id: app.id, at: Self.later)
        #expect(live?.session.provenAt == Self.later)
        #expect(try await stores.rotate(app.id, 1) == .rotated)
    }

    @Test(
        "WEB-SESS-8: neither a wrong code, nor one of another address, nor a session that has ended proves anything"
    )
    func refused() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let cookie = AccountExample.freshHash()
        try await stores.startConfirmation(of: "ann@example.com")
        let wrong = try await stores.prove(ann.sessionID, cookie, code: "guess")
        #expect(wrong == .wrong(triesLeft: 4, address: "ann@example.com"))
        try await stores.startConfirmation(of: "other@example.com")
        #expect(try await stores.prove(ann.sessionID, cookie) == .unknown)
        #expect(try await Self.proven(stores, ann.cookie) == .none)
        #expect(try await stores.live(cookie) == nil)

        _ = try await stores.sessions.signOut(
            ann.sessionID,
            of: ann.account.id,
            at: AccountExample.now
        )
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.prove(ann.sessionID, cookie) == .unknown)
        #expect(try await stores.live(cookie) == nil)

        let nobody = try await stores.signedIn(AccountExample.key("paul"))
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.prove(nobody.sessionID, cookie) == .unknown)
        #expect(try await stores.kinds().contains(.proven) == false)
    }

    @Test("WEB-SESS-8: anyone who claims an account by its mailbox has proven it")
    func claim() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        try await stores.startConfirmation(of: "ann@example.com")
        let cookie = AccountExample.freshHash()
        let event = AccountExample.signIn(
            AccountExample.key("ann", at: AccountExample.apple),
            session: AccountExample.browser(cookie)
        )
        _ = try await stores.claim(ann.account.id, event)
        #expect(try await Self.proven(stores, cookie) == AccountExample.now)
    }
}

extension TestDatabase {
    /// The right code proves who has a session.
    fileprivate func prove(
        _ sessionID: String,
        _ cookieHash: Hash256?,
        code: String = "123456"
    ) async throws -> EmailConfirmationOutcome {
        let presentation = EmailCodePresentation(
            owner: Hash256(of: "ann"),
            codeHash: Hash256(of: code),
            then: .prove(sessionID: sessionID, cookieHash: cookieHash)
        )
        return try await accounts.confirm(presentation, at: AccountExample.now + 30)
    }
}
