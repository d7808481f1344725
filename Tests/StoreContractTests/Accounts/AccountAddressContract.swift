import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: whose an address is", .everyDatabase) struct AccountAddressContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let apple = AccountExample.key("ann", at: AccountExample.apple)

    @Test(
        "WEB-ACC-1: a new account has no address that another one has verified",
        arguments: [SignInEvent.EmailRule.never, .separate]
    )
    func taken(_ rule: SignInEvent.EmailRule) async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        for (index, email) in [
            AccountExample.verified("ANN@example.com"), AccountExample.unverified(),
        ].enumerated() {
            let key = AccountExample.key("other-\(index)")
            let outcome = try await stores.meet(key, email: email, rule: rule)
            #expect(outcome.isNew == true)
            #expect(outcome.account?.email == nil)
            let id = try #require(outcome.account?.id)
            #expect(try await stores.accounts.person(id)?.email == nil)
            // As its identity's it is kept.
            #expect(try await stores.accounts.identities(of: id).map(\.email) == [email])
        }
        #expect(try await stores.accounts.person(ann.account.id) == ann.account)
    }

    @Test("an address that a new account has verified is taken from those that never proved it")
    func takenUp() async throws {
        let squatter = try await stores.signedIn(email: AccountExample.unverified())
        let other = try await stores.signedIn(
            AccountExample.key("other"),
            email: AccountExample.unverified("other@example.com")
        )
        let relay = try await stores.signedIn(
            AccountExample.key("relay"),
            email: Mailbox(address: "ann@example.com", isRelay: true)
        )
        let ann = try await stores.meet(Self.apple, rule: .separate)
        #expect(ann.account?.mailbox == AccountExample.verified())
        #expect(try await stores.accounts.person(squatter.account.id)?.email == nil)
        for kept in [other, relay] {
            #expect(try await stores.accounts.person(kept.account.id) == kept.account)
        }
    }

    @Test("an unverified address may be several accounts'")
    func shared() async throws {
        let email = AccountExample.unverified()
        let ann = try await stores.signedIn(email: email)
        let other = try await stores.meet(Self.apple, email: email, rule: .separate)
        #expect(other.account?.mailbox == email)
        #expect(try await stores.accounts.person(ann.account.id)?.mailbox == email)
        var query = PersonQuery()
        query.email = "ann@example.com"
        #expect(try await stores.people.count(query, realmID: "home") == 2)
    }

    @Test(
        "an account without an address takes the one that an identity brings later",
        arguments: [true, false]
    )
    func later(isLinked: Bool) async throws {
        let ann = try await stores.signedIn()
        let email = AccountExample.verified()
        if isLinked {
            #expect(try await stores.link(Self.apple, email: email, in: ann.sessionID) == .linked)
        } else {
            #expect(try await stores.signedIn(email: email).account.mailbox == email)
        }
        #expect(try await stores.accounts.person(ann.account.id)?.mailbox == email)
    }

    @Test("an account's address is verified once an identity brings the same one verified")
    func upgrade() async throws {
        let ann = try await stores.signedIn(email: AccountExample.unverified())
        let other = AccountExample.verified("other@example.com")
        #expect(try await stores.signedIn(email: other).account.mailbox?.isVerified == false)
        let same = AccountExample.verified()
        #expect(try await stores.signedIn(email: same).account.mailbox == same)
        #expect(try await stores.accounts.person(ann.account.id)?.mailbox == same)
        #expect(
            try await stores.signedIn(email: AccountExample.unverified()).account.mailbox == same
        )
    }

    @Test("an unverified address does not become verified where another account has it verified")
    func lateUpgrade() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let other = try await stores.signedIn(Self.apple)
        let again = try await stores.signedIn(Self.apple, email: AccountExample.verified())
        #expect(again.account.id == other.account.id)
        #expect(again.account.mailbox == nil)
        #expect(try await stores.accounts.person(ann.account.id) == ann.account)
    }

    @Test(
        "decision 0020: a proven address is taken from an account that was only vouched for; a vouched one from none that is verified"
    )
    func proof() async throws {
        let first = try await stores.signedIn(email: AccountExample.vouched())
        let other = try await stores.meet(
            AccountExample.key("other"),
            email: AccountExample.vouched(),
            rule: .separate
        )
        #expect(other.isNew == true && other.account?.email == nil)
        #expect(try await stores.accounts.person(first.account.id) == first.account)

        let owner = try await stores.meet(Self.apple, rule: .separate)
        #expect(owner.account?.mailbox == AccountExample.verified())
        #expect(try await stores.accounts.person(first.account.id)?.email == nil)
        #expect(try await stores.kinds(of: first.account.id) == [.registered, .emailLost])
        #expect(try await stores.live(first.cookie)?.providers == ["google"])
        // An account that lost the address does not get it back by claiming it again.
        #expect(try await stores.signedIn(email: AccountExample.vouched()).account.email == nil)
    }

    @Test("an address is kept on the best ground that there was for it")
    func bestGround() async throws {
        let ann = try await stores.signedIn(email: AccountExample.unverified())
        for (brought, kept) in [
            (AccountExample.vouched(), AccountExample.vouched()),
            (AccountExample.unverified(), AccountExample.vouched()),
            (AccountExample.verified(), AccountExample.verified()),
            (AccountExample.vouched(), AccountExample.verified()),
        ] {
            #expect(try await stores.signedIn(email: brought).account.mailbox == kept)
            // What the provider said this time is the identity's.
            let identities = try await stores.accounts.identities(of: ann.account.id)
            #expect(identities.map(\.email) == [brought])
        }
        try await stores.startConfirmation(of: "ann@example.com")
        #expect(try await stores.confirm(ann).account?.mailbox == AccountExample.mailed())
        let again = try await stores.signedIn(email: AccountExample.verified())
        #expect(again.account.mailbox == AccountExample.mailed())
    }
}
