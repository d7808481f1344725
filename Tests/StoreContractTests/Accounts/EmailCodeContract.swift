import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: codes that prove a mailbox", .everyDatabase) struct EmailCodeContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let message = MailDraft.Message.confirmationCode(
        sealedCode: "sealed",
        use: .confirmAddress,
        minutes: 10
    )

    @Test("a code that comes back makes the address the account's, verified, once")
    func right() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified("old@example.com"))
        try await stores.startConfirmation(of: "Ann@Example.com")
        var expected = ann.account
        expected.mailbox = AccountExample.mailed("Ann@Example.com")
        #expect(try await stores.confirm(ann) == .confirmed(expected))
        #expect(try await stores.accounts.person(ann.account.id) == expected)
        #expect(try await stores.confirm(ann) == .unknown)
        #expect(try await stores.kinds() == [.registered, .emailConfirmed])
    }

    @Test(
        "WEB-BRUTE-3: the verified address that a new one takes the place of is told, in the account's language",
        arguments: [
            (AccountExample.verified("old@example.com"), ["old@example.com"]),
            (AccountExample.relay(), ["x1@privaterelay.example"]),
            // The mailbox's owner is unknown.
            (AccountExample.unverified("old@example.com"), []),
            // The same mailbox, written in another way.
            (AccountExample.verified("ANN@example.com"), []),
            (nil, []),
        ] as [(Mailbox?, [String])]
    )
    func formerAddress(_ former: (Mailbox?, told: [String]))
        async throws
    {
        let ann = try await stores.signedIn(email: former.0)
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(
            try await stores.confirm(ann, code: "guess")
                == .wrong(triesLeft: 4, address: "ann@example.com")
        )
        #expect(try await stores.notices().isEmpty)
        #expect(try await stores.confirm(ann).account != nil)
        let notices = try await stores.notices()
        #expect(notices.map(\.to) == former.told)
        #expect(notices.allSatisfy { $0.message == .emailChanged && $0.language == "de" })
    }

    @Test("a refused new address is not reported to anyone")
    func untold() async throws {
        _ = try await stores.signedIn(email: AccountExample.verified())
        let bob = try await stores.signedIn(
            AccountExample.key("bob"),
            email: AccountExample.verified("bob@example.com")
        )
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.confirm(bob) == .taken)
        #expect(try await stores.notices().isEmpty)
    }

    @Test("the mail that brings a code goes to the address that is to be proven")
    func mail() async throws {
        try await stores.startConfirmation(of: "ann@example.com")
        let mail = try #require(try await stores.outbox.latest(limit: 1).first)
        #expect(mail.draft.to == "ann@example.com")
        #expect(mail.draft.message == Self.message)
    }

    @Test("the fifth wrong code spends it, and the right one comes too late")
    func tries() async throws {
        let ann = try await stores.signedIn()
        try await stores.startConfirmation(of: "ann@example.com")
        for left in [4, 3, 2, 1, 0] {
            #expect(
                try await stores.confirm(ann, code: "guess")
                    == .wrong(triesLeft: left, address: "ann@example.com")
            )
        }
        #expect(try await stores.confirm(ann) == .unknown)
        #expect(try await stores.accounts.person(ann.account.id)?.email == nil)
    }

    @Test("the right code after four wrong ones is right")
    func lastTry() async throws {
        let ann = try await stores.signedIn()
        try await stores.startConfirmation(of: "ann@example.com")
        for _ in 1...4 { _ = try await stores.confirm(ann, code: "guess") }
        #expect(try await stores.confirm(ann).account?.mailbox == AccountExample.mailed())
    }

    @Test("of any number of concurrent wrong codes five count")
    func wrongRace() async throws {
        let ann = try await stores.signedIn()
        for _ in 1...20 {
            try await stores.startConfirmation(of: "ann@example.com")
            let outcomes = try await concurrently(20) { _ in
                try await stores.confirm(ann, code: "guess")
            }
            for left in 0...4 {
                #expect(
                    outcomes.count(of: .wrong(triesLeft: left, address: "ann@example.com")) == 1
                )
            }
            #expect(outcomes.count(of: .unknown) == 15)
        }
    }

    @Test("of any number of concurrent right codes exactly one counts")
    func rightRace() async throws {
        let ann = try await stores.signedIn()
        for _ in 1...20 {
            try await stores.startConfirmation(of: "ann@example.com")
            let outcomes = try await concurrently(20) { _ in try await stores.confirm(ann) }
            #expect(outcomes.filter { $0.account != nil }.count == 1)
            #expect(outcomes.count(of: .unknown) == 19)
        }
    }

    @Test("a code is good until its time is over")
    func expiry() async throws {
        let ann = try await stores.signedIn()
        try await stores.startConfirmation(of: "ann@example.com")
        let end = AccountExample.now + 600
        #expect(try await stores.confirm(ann, at: end) == .expired)
        #expect(try await stores.confirm(ann, at: end - 1).account != nil)
    }

    @Test("a new code takes the place of the earlier one of its owner, and of no other's")
    func replacement() async throws {
        let ann = try await stores.signedIn()
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        try await stores.startConfirmation(of: "bob@example.com", owner: "bob")
        try await stores.startConfirmation(of: "ann@example.com", code: "first")
        for _ in 1...4 { _ = try await stores.confirm(ann, code: "guess") }
        try await stores.startConfirmation(of: "new@example.com", code: "second")
        #expect(
            try await stores.confirm(ann, code: "first")
                == .wrong(triesLeft: 4, address: "new@example.com")
        )
        let email = try await stores.confirm(ann, code: "second").account?.mailbox
        #expect(email == AccountExample.mailed("new@example.com"))
        #expect(try await stores.confirm(ann) == .unknown)
        #expect(try await stores.confirm(bob, owner: "bob").account != nil)
    }

    @Test(
        "WEB-ACC-1: an address proven by two accounts is taken from neither",
        arguments: [AccountExample.verified(), AccountExample.mailed()]
    )
    func taken(_ email: Mailbox) async throws {
        let ann = try await stores.signedIn(email: email)
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        try await stores.startConfirmation(of: "ANN@example.com")
        #expect(try await stores.confirm(bob) == .taken)
        #expect(try await stores.confirm(bob) == .unknown)
        #expect(try await stores.accounts.person(bob.account.id) == bob.account)
        #expect(try await stores.accounts.person(ann.account.id) == ann.account)
    }

    @Test(
        "decision 0020: a proven address is taken from accounts that never proved it, and nothing else of theirs",
        arguments: [AccountExample.unverified(), AccountExample.vouched()]
    )
    func squatter(_ email: Mailbox) async throws {
        let squatter = try await stores.signedIn(email: email)
        let ann = try await stores.signedIn(AccountExample.key("real"))
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.confirm(ann).account?.mailbox == AccountExample.mailed())
        var left = squatter.account
        left.mailbox = nil
        #expect(try await stores.accounts.person(left.id) == left)
        #expect(try await stores.live(squatter.cookie)?.providers == ["google"])
        #expect(try await stores.kinds(of: left.id) == [.registered, .emailLost])
    }

    @Test("the code of an account that is gone does nothing")
    func gone() async throws {
        let ann = try await stores.signedIn()
        try await stores.startConfirmation(of: "ann@example.com")
        _ = try await stores.delete(ann.account.id)
        #expect(try await stores.confirm(ann) == .unknown)
    }
}

extension TestDatabase {
    func startConfirmation(of address: String, owner: String = "ann", code: String = "123456")
        async throws
    {
        let confirmation = EmailConfirmation(
            owner: Hash256(of: owner),
            address: address,
            codeHash: Hash256(of: code),
            expiresAt: AccountExample.now + 600
        )
        let mail = Example.mail(EmailCodeContract.message)
        try await accounts.startConfirmation(confirmation, mail: mail)
    }

    func confirm(
        _ user: SignedIn,
        owner: String = "ann",
        code: String = "123456",
        at now: Int64 = AccountExample.now
    ) async throws -> EmailConfirmationOutcome {
        let presentation = EmailCodePresentation(
            owner: Hash256(of: owner),
            codeHash: Hash256(of: code),
            then: .setEmail(personID: user.account.id, noticeID: AccountExample.fresh())
        )
        return try await accounts.confirm(presentation, at: now)
    }

    /// An unknown person proves the mailbox of an account's address with the right code.
    func claim(_ personID: String, _ event: SignInEvent, code: String = "123456") async throws
        -> EmailConfirmationOutcome
    {
        let presentation = EmailCodePresentation(
            owner: Hash256(of: "ann"),
            codeHash: Hash256(of: code),
            then: .claim(personID: personID, event)
        )
        return try await accounts.confirm(presentation, at: AccountExample.now)
    }
}

extension EmailConfirmationOutcome {
    var account: Person? {
        if case .confirmed(let account) = self { account } else { nil }
    }
}
