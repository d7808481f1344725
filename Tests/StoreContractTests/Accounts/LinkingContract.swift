import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

/// The table of docs/decisions/0030, as far as a store decides it.
@Suite("AccountStore: one person, several sign-in methods", .everyDatabase) struct LinkingContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let apple = AccountExample.key("ann", at: AccountExample.apple)

    @Test(
        "decision 0030: the identity of an account signs in to it, and is never moved",
        arguments: [SignInEvent.EmailRule.never, .ask, .link, .separate]
    )
    func neverMoved(_ rule: SignInEvent.EmailRule) async throws {
        let ann = try await stores.signedIn()
        let bob = try await stores.signedIn(
            AccountExample.key("bob"),
            email: AccountExample.verified("bob@example.com")
        )
        let event = AccountExample.signIn(
            email: AccountExample.verified("bob@example.com"),
            rule: rule
        )
        let outcome = try await stores.signIn(event)
        #expect(outcome.account?.id == ann.account.id)
        #expect(outcome.account?.email == nil)
        let identities = try await stores.accounts.identities(of: bob.account.id)
        #expect(identities.map(\.key) == [AccountExample.key("bob")])
    }

    @Test(
        "decision 0030, WEB-ACC-1: a person who is signed in adds an identity that no account has"
    )
    func link() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let outcome = try await stores.link(
            Self.apple,
            email: AccountExample.relay(),
            in: ann.sessionID,
            notice: AccountExample.notice(),
            at: AccountExample.now + 5
        )
        #expect(outcome == .linked)
        var identity = AccountExample.identity(Self.apple, AccountExample.relay())
        identity.linkedAt = AccountExample.now + 5
        identity.lastUsedAt = AccountExample.now + 5
        #expect(try await stores.accounts.identities(of: ann.account.id).last == identity)
        #expect(try await stores.accounts.person(ann.account.id) == ann.account)
        #expect(try await stores.kinds() == [.registered, .wayAdded])
        let event = try await stores.events.latest(of: ann.account.id, limit: 1)
            .first
        #expect(event?.provider == "apple")
        #expect(event?.device == "Firefox on Linux")
        #expect(try await stores.recipients() == ["ann@example.com"])
        #expect(try await stores.signedIn(Self.apple).account.id == ann.account.id)
    }

    @Test("decision 0030: an identity of another account stays there")
    func taken() async throws {
        let bob = try await stores.signedIn(Self.apple)
        let ann = try await stores.signedIn()
        #expect(try await stores.link(Self.apple, in: ann.sessionID) == .taken)
        #expect(try await stores.accounts.identities(of: ann.account.id).count == 1)
        #expect(try await stores.accounts.identities(of: bob.account.id).map(\.key) == [Self.apple])
        #expect(try await stores.kinds() == [.registered, .registered])
    }

    @Test(
        "a link that is there, a second identity of one provider and a spent attempt change nothing"
    )
    func refusals() async throws {
        let ann = try await stores.signedIn()
        let before = try await stores.accounts.identities(of: ann.account.id)
        let notice = AccountExample.notice(to: "ann@example.com")
        let attempt = AccountExample.attempt()
        let again = try await stores.link(
            AccountExample.ann,
            in: ann.sessionID,
            spending: [attempt],
            notice: notice
        )
        #expect(again == .alreadyLinked)
        let key = AccountExample.key("second")
        #expect(try await stores.link(key, in: ann.sessionID, notice: notice) == .secondOfProvider)
        let spent = try await stores.link(
            Self.apple,
            in: ann.sessionID,
            spending: [attempt],
            notice: notice
        )
        #expect(spent == .spent)
        #expect(try await stores.accounts.identities(of: ann.account.id) == before)
        #expect(try await stores.recipients().isEmpty)
        #expect(try await stores.kinds() == [.registered])
    }

    @Test(
        "decision 0030: verified on both sides, an address is asked about, or linked and told of where that is the rule"
    )
    func bothVerified() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified("Ann@Example.com"))
        let match = AccountMatch(
            personID: ann.account.id,
            verification: .authoritative,
            providers: ["google"]
        )
        #expect(try await stores.meet(Self.apple, rule: .ask) == .matches([match]))
        #expect(try await stores.accountCount() == 1)
        #expect(try await stores.kinds() == [.registered])
        #expect(try await stores.recipients().isEmpty)
        var event = AccountExample.signIn(Self.apple, email: AccountExample.verified(), rule: .link)
        event.linkNotice = AccountExample.notice()
        let outcome = try await stores.signIn(event)
        #expect(try await stores.recipients() == ["Ann@Example.com"])
        #expect(outcome.account?.id == ann.account.id)
        #expect(outcome.isNew == false)
        #expect(try await stores.kinds() == [.registered, .wayAdded, .signedIn])
        let providers = try await stores.accounts.identities(of: ann.account.id).map(\.provider)
        #expect(providers == ["google", "apple"])
    }

    @Test("decision 0030, WEB-BFF-6: a person's decision counts once, and only if they were asked")
    func decision() async throws {
        _ = try await stores.signedIn(email: AccountExample.verified())
        let question = SpentOnce(hash: Hash256(of: "question"), expiresAt: AccountExample.now + 600)
        let decision = SpentOnce(
            hash: Hash256(of: "decision"),
            expiresAt: AccountExample.now + 600,
            after: question.hash
        )
        let decided = AccountExample.signIn(
            Self.apple,
            email: AccountExample.verified(),
            rule: .separate,
            spending: [decision]
        )
        #expect(try await stores.signIn(decided) == .spent)
        // A person who is not asked leaves no open question.
        var event = AccountExample.signIn(Self.apple, rule: .ask)
        event.question = question
        event.identity.subject = "somebody else"
        #expect(try await stores.signIn(event).isNew == true)
        #expect(try await stores.signIn(decided) == .spent)

        event = AccountExample.signIn(Self.apple, email: AccountExample.verified(), rule: .ask)
        event.question = question
        guard case .matches = try await stores.signIn(event) else {
            Issue.record("nobody was asked")
            return
        }
        #expect(try await stores.signIn(decided).isNew == true)
        #expect(try await stores.signIn(decided) == .spent)
    }

    @Test(
        "decision 0030, WEB-ACC-1: where either side is not proven nothing is linked, whatever the rule",
        arguments: [
            (AccountExample.unverified(), AccountExample.verified()),
            (AccountExample.verified(), AccountExample.unverified()),
            (AccountExample.unverified(), AccountExample.unverified()),
            (AccountExample.vouched(), AccountExample.verified()),
            (AccountExample.verified(), AccountExample.vouched()),
            (AccountExample.vouched(), AccountExample.vouched()),
        ]
    )
    func unproven(_ sides: (Mailbox, Mailbox)) async throws {
        let ann = try await stores.signedIn(email: sides.0)
        for rule in [SignInEvent.EmailRule.ask, .link] {
            let outcome = try await stores.meet(Self.apple, email: sides.1, rule: rule)
            let match = AccountMatch(
                personID: ann.account.id,
                verification: sides.0.verification,
                providers: ["google"]
            )
            #expect(outcome == .matches([match]))
        }
        #expect(try await stores.accounts.identities(of: ann.account.id).count == 1)
        #expect(try await stores.live(ann.cookie) != nil)
    }

    @Test(
        "decision 0030: an account whose address a mailed code has proven is linked, as one that the mailbox's owner vouches for"
    )
    func mailedCode() async throws {
        let ann = try await stores.signedIn(email: AccountExample.vouched())
        guard case .matches = try await stores.meet(Self.apple, rule: .link) else {
            Issue.record("nobody was asked")
            return
        }
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.confirm(ann).account?.mailbox == AccountExample.mailed())
        #expect(try await stores.meet(Self.apple, rule: .link).account?.id == ann.account.id)
    }

    @Test(
        "decision 0030: a missing address matches no one, and with the rule never, no address does",
        arguments: [
            (nil, SignInEvent.EmailRule.ask), (nil, .link), (AccountExample.unverified(), .never),
        ] as [(Mailbox?, SignInEvent.EmailRule)]
    )
    func noAddress(_ sample: (Mailbox?, SignInEvent.EmailRule)) async throws {
        _ = try await stores.signedIn(email: AccountExample.verified())
        let outcome = try await stores.meet(Self.apple, email: sample.0, rule: sample.1)
        #expect(outcome.isNew == true)
        #expect(outcome.account?.email == nil)
    }

    @Test(
        "decision 0030, PRV-A-8: a relay's address matches no one, and no one's address matches it",
        arguments: [SignInEvent.EmailRule.ask, .link]
    )
    func relays(_ rule: SignInEvent.EmailRule) async throws {
        let relay = AccountExample.relay("ann@example.com")
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let one = try await stores.meet(Self.apple, email: relay, rule: rule)
        #expect(one.isNew == true)
        #expect(one.account?.mailbox == relay)
        let other = try await stores.meet(AccountExample.key("x"), email: relay, rule: rule)
        #expect(other.isNew == true)
        #expect(other.account?.mailbox == relay)
        let match = AccountMatch(
            personID: ann.account.id,
            verification: .authoritative,
            providers: ["google"]
        )
        let key = AccountExample.key("y", at: AccountExample.apple)
        #expect(try await stores.meet(key, rule: .ask) == .matches([match]))
    }

    @Test(
        "decision 0030: whose address is a relay's can be asked first; nothing is made, sign-up open or not",
        arguments: [true, false]
    )
    func askFirst(isSignUpOpen: Bool) async throws {
        var event = AccountExample.signIn(email: AccountExample.relay(), rule: .askFirst)
        event.isSignUpOpen = isSignUpOpen
        #expect(try await stores.signIn(event) == .matches([]))
        #expect(try await stores.accountCount() == 0)
        #expect(try await stores.signIn(event) == .spent)
    }

    @Test(
        "decision 0030: two matches are asked about, at most five, the oldest first, and never linked",
        arguments: [SignInEvent.EmailRule.ask, .link]
    )
    func several(_ rule: SignInEvent.EmailRule) async throws {
        var ids: [String] = []
        for index: Int64 in 0..<7 {
            let email = AccountExample.unverified("ANN@example.com")
            let key = AccountExample.key("ann-\(index)")
            let new = try await stores.signedIn(key, email: email, at: AccountExample.now - index)
            ids.insert(new.account.id, at: 0)
        }
        guard case .matches(let matches) = try await stores.meet(Self.apple, rule: rule) else {
            Issue.record("nobody was asked")
            return
        }
        #expect(matches.map(\.personID) == Array(ids.prefix(5)))
        #expect(try await stores.accountCount() == 7)
    }

    @Test("a match names its sign-in methods, most recently used first")
    func ways() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        #expect(try await stores.link(Self.apple, in: ann.sessionID) == .linked)
        let key = AccountExample.key("ann", at: "https://id.example")
        func providers() async throws -> [String] {
            guard case .matches(let matches) = try await stores.meet(key, rule: .ask) else {
                return []
            }
            return matches.flatMap(\.providers)
        }
        _ = try await stores.signedIn(at: AccountExample.now + 1)
        #expect(try await providers() == ["google", "apple"])
        _ = try await stores.signedIn(Self.apple, at: AccountExample.now + 2)
        #expect(try await providers() == ["apple", "google"])
    }

    @Test(
        "WEB-SESS-5: an address links no one to a blocked account, nor a second one of a provider"
    )
    func notLinked() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let second = try await stores.meet(AccountExample.key("second"), rule: .link)
        let match = AccountMatch(
            personID: ann.account.id,
            verification: .authoritative,
            providers: ["google"]
        )
        #expect(second == .matches([match]))
        _ = try await stores.block(ann.account.id, true, at: AccountExample.now)
        #expect(try await stores.meet(Self.apple, rule: .link) == .blocked(ann.account.id))
        #expect(try await stores.accounts.identities(of: ann.account.id).count == 1)
        #expect(try await stores.accountCount() == 1)
    }

    @Test(
        "a closed sign-up still links, and asks, whom an address names",
        arguments: [SignInEvent.EmailRule.ask, .link]
    )
    func closed(_ rule: SignInEvent.EmailRule) async throws {
        _ = try await stores.signedIn(email: AccountExample.verified())
        var event = AccountExample.signIn(Self.apple, email: AccountExample.verified(), rule: rule)
        event.isSignUpOpen = false
        #expect(try await stores.signIn(event) != .signUpClosed)
        #expect(try await stores.accountCount() == 1)
    }
}

extension TestDatabase {
    /// A person comes with an identity and, unless told otherwise, Ann's address, verified.
    func meet(
        _ key: IdentityKey,
        email: Mailbox? = AccountExample.verified(),
        rule: SignInEvent.EmailRule
    ) async throws -> SignInOutcome {
        try await signIn(AccountExample.signIn(key, email: email, rule: rule))
    }
}
