import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("AccountStore: signing in", .everyDatabase) struct SignInContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test(
        "decision 0030, SEED-ADR-7, SEED-ADR-9: an unknown person is registered, with what the provider said"
    )
    func registration() async throws {
        var event = AccountExample.signIn(email: AccountExample.verified())
        event.identity.sealedToken = "sealed"
        event.session.providerSessionID = "sid-1"
        let outcome = try await stores.signIn(event)
        var expected = Person(
            id: event.newPersonID,
            realmID: "home",
            username: LoginName.folded(event.newPersonID),
            createdAt: AccountExample.now
        )
        expected.mailbox = AccountExample.verified()
        expected.setName("Ann", isOwn: false)
        expected.picture = "https://pictures.example/ann"
        expected.language = "de"
        expected.lastSignInAt = AccountExample.now
        #expect(outcome == .signedIn(expected, isNew: true))
        #expect(try await stores.accounts.person(event.newPersonID) == expected)
        var identity = event.identity
        identity.linkedAt = AccountExample.now
        identity.lastUsedAt = AccountExample.now
        #expect(try await stores.accounts.identities(of: event.newPersonID) == [identity])
        let registration = try await stores.accounts.registration(of: event.newPersonID)
        let told = Registration(
            provider: "google",
            at: AccountExample.now,
            address: "192.0.2.7",
            userAgent: "Mozilla/5.0"
        )
        #expect(registration == told)
    }

    @Test(
        "decision 0030: a known person is signed in to their account, whatever the rule",
        arguments: [SignInEvent.EmailRule.never, .ask, .askFirst, .link, .separate]
    )
    func known(_ rule: SignInEvent.EmailRule) async throws {
        let first = try await stores.signedIn(email: AccountExample.verified())
        var event = AccountExample.signIn(email: AccountExample.verified(), rule: rule)
        event.isSignUpOpen = false
        event.name = "Another name"
        event.picture = nil
        let outcome = try await stores.signIn(event, at: AccountExample.now + 100)
        var expected = first.account
        expected.lastSignInAt = AccountExample.now + 100
        #expect(outcome == .signedIn(expected, isNew: false))
        #expect(try await stores.accounts.person(first.account.id) == expected)
        #expect(try await stores.accountCount() == 1)
    }

    @Test("WEB-ACC-2, SEED-ADR-4: 50 concurrent first sign-ins of one identity make one account")
    func race() async throws {
        for round in 1...20 {
            let key = AccountExample.key("somebody-\(round)")
            let outcomes = try await concurrently(50) { _ in
                try await stores.signIn(AccountExample.signIn(key))
            }
            #expect(outcomes.filter { $0.isNew == true }.count == 1)
            #expect(outcomes.filter { $0.isNew == false }.count == 49)
            #expect(Set(outcomes.compactMap(\.account?.id)).count == 1)
            #expect(try await stores.accountCount() == round)
        }
    }

    @Test("attack E01: of any number of sign-ins with one attempt exactly one is not spent")
    func attempts() async throws {
        for round in 1...20 {
            let attempt = AccountExample.attempt()
            let outcomes = try await concurrently(20) { index in
                let key = AccountExample.key("somebody-\(round)-\(index)")
                return try await stores.signIn(AccountExample.signIn(key, spending: [attempt]))
            }
            #expect(outcomes.count(of: .spent) == 19)
            #expect(try await stores.accountCount() == round)
        }
    }

    @Test("a sign-in with anything spent does nothing, and spends nothing else")
    func spentTwice() async throws {
        let (used, other) = (AccountExample.attempt(), AccountExample.attempt())
        let old = AccountExample.freshHash()
        let first = AccountExample.signIn(session: AccountExample.browser(old), spending: [used])
        _ = try await stores.signIn(first)
        let cookie = AccountExample.freshHash()
        var event = AccountExample.signIn(
            session: AccountExample.browser(cookie, replacing: old),
            spending: [other, used]
        )
        event.notice = AccountExample.notice(to: "ann@example.com")
        #expect(try await stores.signIn(event) == .spent)
        #expect(try await stores.live(cookie) == nil)
        #expect(try await stores.live(old) != nil)
        #expect(try await stores.kinds() == [.registered])
        #expect(try await stores.recipients().isEmpty)
        event.spending = [other]
        #expect(try await stores.signIn(event).account != nil)
    }

    @Test("WEB-SESS-5: a blocked account is not signed in to; nothing but the attempt is spent")
    func blocked() async throws {
        let ann = try await stores.signedIn()
        _ = try await stores.block(ann.account.id, true, at: AccountExample.now)
        let cookie = AccountExample.freshHash()
        let event = AccountExample.signIn(session: AccountExample.browser(cookie))
        #expect(try await stores.signIn(event) == .blocked(ann.account.id))
        #expect(try await stores.live(cookie) == nil)
        #expect(try await stores.kinds().last == .signInBlocked)
        #expect(try await stores.signIn(event) == .spent)
        var account = ann.account
        account.isEnabled = false
        #expect(try await stores.accounts.person(ann.account.id) == account)
    }

    @Test(
        "where sign-up is closed no one new is registered; nothing but the attempt is spent",
        arguments: [SignInEvent.EmailRule.never, .ask, .link, .separate]
    )
    func closed(_ rule: SignInEvent.EmailRule) async throws {
        var event = AccountExample.signIn(email: AccountExample.verified(), rule: rule)
        event.isSignUpOpen = false
        #expect(try await stores.signIn(event) == .signUpClosed)
        #expect(try await stores.accountCount() == 0)
        #expect(try await stores.kinds().isEmpty)
        event.isSignUpOpen = true
        #expect(try await stores.signIn(event) == .spent)
    }

    @Test("PRV-N-4: the same subject at another issuer is another person")
    func issuers() async throws {
        let one = try await stores.signedIn(AccountExample.key("1"))
        let other = try await stores.signedIn(AccountExample.key("1", at: AccountExample.apple))
        #expect(one.account.id != other.account.id)
    }

    @Test("the address and token that an identity brings replace its own; what is missing stays")
    func identityUse() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        var event = AccountExample.signIn(email: AccountExample.unverified("new@example.com"))
        event.identity.sealedToken = "sealed"
        _ = try await stores.signIn(event, at: AccountExample.now + 1)
        _ = try await stores.signIn(AccountExample.signIn(), at: AccountExample.now + 2)
        let identity = try await stores.accounts.identities(of: ann.account.id).first
        #expect(identity?.email == AccountExample.unverified("new@example.com"))
        #expect(identity?.sealedToken == "sealed")
        #expect(identity?.linkedAt == AccountExample.now)
        #expect(identity?.lastUsedAt == AccountExample.now + 2)
        let account = try await stores.accounts.person(ann.account.id)
        #expect(account?.mailbox == AccountExample.verified())
    }

    @Test("PRV-A-5: a name or picture that is missing is filled in, one that is there stays")
    func names() async throws {
        var first = AccountExample.signIn()
        first.name = nil
        first.picture = nil
        _ = try await stores.signIn(first)
        let second = try await stores.signIn(AccountExample.signIn()).account
        #expect(second?.name == "Ann")
        #expect(second?.picture == "https://pictures.example/ann")
        var third = AccountExample.signIn()
        third.name = "Mallory"
        #expect(try await stores.signIn(third).account?.name == "Ann")
        let id = first.newPersonID
        #expect(try await stores.accounts.person(id)?.name == "Ann")
    }

    @Test(
        "SEED-ADR-5: an id that an account has or had makes no other account",
        arguments: [true, false]
    )
    func ids(isDeleted: Bool) async throws {
        let ann = try await stores.signedIn()
        if isDeleted {
            _ = try await stores.delete(ann.account.id)
        }
        let events = try await stores.kinds()
        var event = AccountExample.signIn(AccountExample.key("bob"))
        event.newPersonID = ann.account.id
        await #expect(throws: StoreConflict.self) { try await stores.signIn(event) }
        #expect(try await stores.kinds() == events)
    }

    @Test("every sign-in is noted with provider, app, device and address")
    func notes() async throws {
        let ann = try await stores.signedIn()
        _ = try await stores.signIn(AccountExample.signIn(session: AccountExample.app()))
        let events = Array(try await stores.events.latest().reversed())
        let expected: [(Event.Kind, String?)] = [(.registered, nil), (.signedIn, "notes")]
        #expect(events.count == expected.count)
        for (event, (kind, app)) in zip(events, expected) {
            #expect(event.kind == kind)
            #expect(event.clientID == app)
            #expect(event.at == AccountExample.now * 1000)
            #expect(event.subjectID == ann.account.id)
            #expect(event.provider == "google")
            #expect(event.device == "Firefox on Linux")
            #expect(event.address == "192.0.2.7")
        }
    }

    @Test("the notice of a new device goes to the verified address of a known person, to no other")
    func notices() async throws {
        func signIn(_ key: IdentityKey, _ email: Mailbox?) async throws {
            var event = AccountExample.signIn(key, email: email)
            event.notice = AccountExample.notice()
            _ = try await stores.signIn(event)
        }
        try await signIn(AccountExample.ann, AccountExample.verified())
        #expect(try await stores.recipients().isEmpty)
        try await signIn(AccountExample.ann, nil)
        #expect(try await stores.recipients() == ["ann@example.com"])
        for email in [AccountExample.unverified("bob@example.com"), nil] {
            try await signIn(AccountExample.key("bob"), email)
        }
        #expect(try await stores.recipients() == ["ann@example.com"])
    }
}
