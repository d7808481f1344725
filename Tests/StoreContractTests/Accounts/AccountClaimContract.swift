import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: claiming an account by its mailbox", .everyDatabase)
struct AccountClaimContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let apple = AccountExample.key("ann", at: AccountExample.apple)

    @Test(
        "decision 0020: if no one proved an account's address, its first owner is removed: sessions, codes and identities",
        arguments: [AccountExample.unverified(), AccountExample.vouched()]
    )
    func preregistration(_ email: Mailbox) async throws {
        let attacker = try await stores.signedIn(email: email)
        let oidc = AccountExample.key("attacker", at: "https://id.example")
        #expect(try await stores.link(oidc, in: attacker.sessionID) == .linked)
        let waiting = try await stores.waiting()
        let app = AccountExample.app()
        _ = try await stores.signIn(AccountExample.signIn(session: app))
        try await stores.startConfirmation(of: "ann@example.com")

        let cookie = AccountExample.freshHash()
        var event = AccountExample.signIn(Self.apple, session: AccountExample.browser(cookie))
        event.notice = AccountExample.notice()
        let account = try await stores.claim(attacker.account.id, event).account
        #expect(account?.id == attacker.account.id)
        #expect(account?.mailbox == AccountExample.mailed())
        #expect(try await stores.live(cookie)?.person == account)
        #expect(try await stores.live(cookie)?.providers == ["apple"])

        #expect(try await stores.live(attacker.cookie) == nil)
        #expect(try await stores.isLive(app.id) == false)
        #expect(try await stores.rotate(app.id, 1) == .outdated)
        #expect(try await stores.redeem(waiting.code) == .refused(.accountGone))
        let back = try await stores.signedIn(email: email)
        #expect(back.account.id != attacker.account.id)
        #expect(back.account.mailbox == nil)
        let kinds = try await stores.kinds(of: attacker.account.id)
        #expect(kinds.suffix(3) == [.accountClaimed, .signedIn, .handOffRefused])
        #expect(try await stores.recipients().filter { $0 == "ann@example.com" }.count == 2)
    }

    @Test(
        "decision 0020: an account with a proven address gets one more identity and the notice of it, and no one goes",
        arguments: [AccountExample.verified(), AccountExample.mailed()]
    )
    func verified(_ email: Mailbox) async throws {
        let ann = try await stores.signedIn(email: email)
        try await stores.startConfirmation(of: "ann@example.com")
        let cookie = AccountExample.freshHash()
        var event = AccountExample.signIn(Self.apple, session: AccountExample.browser(cookie))
        event.linkNotice = AccountExample.notice()
        let before = try await stores.recipients().count
        #expect(try await stores.claim(ann.account.id, event).account?.id == ann.account.id)
        #expect(try await stores.live(cookie)?.providers == ["google", "apple"])
        #expect(try await stores.recipients().count == before + 1)
        #expect(try await stores.live(ann.cookie)?.person.mailbox == email)
    }

    @Test("a claim ends the session of the cookie that the browser had")
    func replacement() async throws {
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        let ann = try await stores.signedIn(email: AccountExample.verified())
        try await stores.startConfirmation(of: "ann@example.com")
        let session = AccountExample.browser(replacing: bob.cookie)
        let event = AccountExample.signIn(Self.apple, session: session)
        #expect(try await stores.claim(ann.account.id, event).account != nil)
        #expect(try await stores.live(bob.cookie) == nil)
    }

    @Test(
        "WEB-ACC-1: a mailbox claims no account but one that has its address",
        arguments: [
            AccountExample.verified("bob@example.com"), AccountExample.relay("ann@example.com"),
            nil,
        ]
    )
    func otherAddress(_ email: Mailbox?) async throws {
        let bob = try await stores.signedIn(email: email)
        try await stores.startConfirmation(of: "ann@example.com")
        let event = AccountExample.signIn(Self.apple)
        #expect(try await stores.claim(bob.account.id, event) == .unknown)
        let identities = try await stores.accounts.identities(of: bob.account.id)
        #expect(identities.map(\.provider) == ["google"])
        #expect(try await stores.isLive(event.session.id) == false)
        #expect(try await stores.live(bob.cookie) != nil)
    }

    @Test("WEB-ACC-1: without the right code no one claims anything")
    func wrongCode() async throws {
        let ann = try await stores.signedIn(email: AccountExample.unverified())
        try await stores.startConfirmation(of: "ann@example.com")
        let event = AccountExample.signIn(Self.apple)
        let outcome = try await stores.claim(ann.account.id, event, code: "guess")
        #expect(outcome == .wrong(triesLeft: 4, address: "ann@example.com"))
        #expect(try await stores.live(ann.cookie)?.providers == ["google"])
        // The attempt is still good for the next code.
        #expect(try await stores.claim(ann.account.id, event).account != nil)
    }

    @Test("decision 0020: an address that another account has verified meanwhile claims nothing")
    func taken() async throws {
        let attacker = try await stores.signedIn(email: AccountExample.unverified())
        try await stores.startConfirmation(of: "ann@example.com")
        let ann = try await stores.meet(AccountExample.key("real"), rule: .separate)
        #expect(ann.account?.mailbox == AccountExample.verified())
        let event = AccountExample.signIn(Self.apple)
        #expect(try await stores.claim(attacker.account.id, event) == .taken)
        #expect(try await stores.accounts.identities(of: attacker.account.id).count == 1)
    }

    @Test(
        "a claim whose identity is another account's, or whose attempt is spent, does nothing",
        arguments: [true, false]
    )
    func spent(isAttempt: Bool) async throws {
        let ann = try await stores.signedIn(email: AccountExample.unverified())
        try await stores.startConfirmation(of: "ann@example.com")
        let attempt = AccountExample.attempt()
        let key = isAttempt ? AccountExample.key("bob") : Self.apple
        _ = try await stores.signIn(
            AccountExample.signIn(key, spending: isAttempt ? [attempt] : [AccountExample.attempt()])
        )
        let event = AccountExample.signIn(Self.apple, spending: [attempt])
        #expect(try await stores.claim(ann.account.id, event) == .spent)
        #expect(try await stores.live(ann.cookie)?.providers == ["google"])
        #expect(try await stores.isLive(event.session.id) == false)
        // The code is spent, too.
        #expect(try await stores.claim(ann.account.id, event) == .unknown)
    }

    @Test("a claim of a blocked account, or with a second identity of a provider, does nothing")
    func refused() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        try await stores.startConfirmation(of: "ann@example.com")
        let second = AccountExample.signIn(AccountExample.key("second"))
        #expect(try await stores.claim(ann.account.id, second) == .secondOfProvider)
        #expect(try await stores.isLive(second.session.id) == false)
        try await stores.startConfirmation(of: "ann@example.com")
        _ = try await stores.block(ann.account.id, true, at: AccountExample.now)
        let event = AccountExample.signIn(Self.apple)
        #expect(try await stores.claim(ann.account.id, event) == .blocked)
        #expect(try await stores.accounts.identities(of: ann.account.id).count == 1)
    }

    @Test("of any number of concurrent claims with one code exactly one counts")
    func race() async throws {
        for round in 1...20 {
            let address = "ann-\(round)@example.com"
            let ann = try await stores.signedIn(
                AccountExample.key("ann-\(round)"),
                email: AccountExample.unverified(address)
            )
            try await stores.startConfirmation(of: address)
            let outcomes = try await concurrently(10) { index in
                let key = AccountExample.key("\(round)-\(index)", at: AccountExample.apple)
                return try await stores.claim(ann.account.id, AccountExample.signIn(key))
            }
            #expect(outcomes.filter { $0.account != nil }.count == 1)
            #expect(outcomes.count(of: .unknown) == 9)
            #expect(try await stores.accounts.identities(of: ann.account.id).count == 1)
        }
    }
}
