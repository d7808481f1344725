import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

/// One person of a realm holds an address, and is found by it (docs/decisions/0165).
@Suite("PersonStore: who holds an address", .everyDatabase) struct HeldAddressContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    private static let apple = AccountExample.key("ann", at: AccountExample.apple)
    private static let now = AccountExample.now
    private static let hash = PasswordHash(encoded: "$argon2id$kept")

    /// Ann with a password, whose address no one has proven.
    private func made() async throws -> Person {
        try await stores.makeHome()
        var person = Person(id: "ann", realmID: "home", username: "ann", createdAt: Self.now)
        person.email = "ann@example.com"
        let new = NewPerson(person: person, password: Self.hash)
        #expect(try await stores.people.create(new) == .created)
        return person
    }

    /// Someone to whom a provider gives that address, unverified.
    private func stranger() async throws -> Person {
        try await stores.signedIn(AccountExample.key("bob"), email: AccountExample.unverified())
            .account
    }

    private func found() async throws -> String? {
        let found = try await stores.people.credentials(
            realmID: "home",
            login: "ann@example.com",
            byEmail: true
        )
        return found?.person.id
    }

    private func address(of id: String) async throws -> Mailbox? {
        try await stores.accounts.person(id)?.mailbox
    }

    @Test(
        "an address that several people have finds only who holds it, whoever came first",
        arguments: [true, false]
    )
    func held(_ isFirst: Bool) async throws {
        var bob: Person?
        if !isFirst { bob = try await stranger() }
        let person = try await made()
        let other = if let bob { bob } else { try await stranger() }
        #expect(other.email == "ann@example.com" && !other.holdsEmail)
        #expect(try await found() == person.id)
        let owners = try await stores.people.owners(
            usernames: [],
            emails: ["ann@example.com"],
            realmID: "home"
        )
        #expect(owners.emails == ["ann@example.com": person.id])
        // Someone who proves it takes it from both.
        let ann = try await stores.signedIn(
            Self.apple,
            email: AccountExample.verified(),
            rule: .separate
        )
        for id in [person.id, other.id] { #expect(try await address(of: id) == nil) }
        #expect(ann.account.mailbox == AccountExample.verified())
        #expect(try await found() == ann.account.id)
    }

    @Test(
        "decision 0020: whom a provider only vouches for takes no one's address that they sign in by"
    )
    func vouched() async throws {
        let person = try await made()
        let mallory = try await stores.signedIn(
            Self.apple,
            email: AccountExample.vouched(),
            rule: .separate
        )
        #expect(try await address(of: person.id)?.address == "ann@example.com")
        #expect(try await found() == person.id)
        #expect(!mallory.account.holdsEmail)
    }

    @Test("an address is another realm's affair")
    func realms() async throws {
        try await stores.makeHome("shop")
        var event = AccountExample.signIn(email: AccountExample.vouched())
        event.realmID = "shop"
        let there = try #require(try await stores.signIn(event).account)
        let here = try await stores.signedIn(email: AccountExample.verified())
        #expect(here.account.mailbox == AccountExample.verified())
        #expect(try await address(of: there.id) == AccountExample.vouched())
    }

    @Test("who proves an address by their mailbox holds it, and it is lost to the others")
    func proven() async throws {
        let bob = try await stranger()
        let person = try await made()
        let owner = Hash256(of: "owner")
        let confirmation = EmailConfirmation(
            owner: owner,
            address: "ann@example.com",
            codeHash: Hash256(of: "code"),
            expiresAt: Self.now + 60
        )
        try await stores.mailboxes.startConfirmation(
            confirmation,
            mail: AccountExample.notice(to: "ann@example.com")
        )
        let outcome = try await stores.mailboxes.confirm(
            Hash256(of: "code"),
            by: owner,
            of: bob.id,
            realmID: "home",
            at: Self.now
        )
        #expect(outcome == .confirmed)
        #expect(try await address(of: bob.id) == AccountExample.mailed())
        #expect(try await address(of: person.id) == nil)
        #expect(try await found() == bob.id)
        // What is changed of them afterwards meets no one.
        #expect(try await stores.block(bob.id, true, at: Self.now) == .changed)
    }

    @Test("two who have both proven an address keep it; one holds it, and the other can be changed")
    func two() async throws {
        let person = try await made()
        let bob = try await stranger()
        var proven = person
        proven.isEmailVerified = true
        #expect(try await stores.people.update(proven) == .changed)
        try await stores.startConfirmation(of: "ann@example.com", owner: "bob")
        let outcome = try await stores.mailboxes.confirm(
            Hash256(of: "123456"),
            by: Hash256(of: "bob"),
            of: bob.id,
            realmID: "home",
            at: Self.now
        )
        #expect(outcome == .confirmed)
        #expect(try await found() == person.id)
        #expect(try await address(of: bob.id) == AccountExample.mailed())
        #expect(try await stores.block(bob.id, true, at: Self.now) == .changed)
        #expect(try await stores.people.update(proven) == .changed)
    }

    @Test("people who sign in at providers only are mailed no link for a password")
    func asking() async throws {
        _ = try await stores.signedIn(email: AccountExample.verified())
        func ask(_ id: String) async throws -> Int {
            let reset = PasswordReset(
                id: AccountExample.fresh(),
                realmID: "home",
                email: "ann@example.com",
                linkHash: Hash256(of: "link " + id),
                browser: Hash256(of: "browser"),
                back: nil,
                expiresAt: Self.now + 60
            )
            let mail = AccountExample.notice(to: "ann@example.com")
            try await stores.mailboxes.ask(reset, mail: mail)
            return try await stores.recipients().count
        }
        #expect(try await ask("1") == 0)
        let id = try #require(try await found())
        _ = try await stores.people.setPassword(Self.hash, of: id, at: Self.now)
        #expect(try await ask("2") == 1)
    }

    @Test("decision 0082: a claim ends a demanded password that its former owner has not set yet")
    func demanded() async throws {
        let person = try await made()
        let credentials = try #require(
            try await stores.people.credentials(id: person.id, realmID: "home")
        )
        let reset = PasswordReset(
            id: AccountExample.fresh(),
            realmID: "home",
            email: "",
            linkHash: Hash256(of: "link"),
            browser: Hash256(of: "browser"),
            back: nil,
            expiresAt: Self.now + 60
        )
        #expect(try await stores.mailboxes.demand(reset, of: credentials) == .changed)
        try await stores.startConfirmation(of: "ann@example.com")
        let claimed = try await stores.claim(person.id, AccountExample.signIn(Self.apple)).account
        #expect(claimed?.id == person.id)
        let outcome = try await stores.mailboxes.finish(
            reset.id,
            realmID: "home",
            password: PasswordHash(encoded: "$argon2id$mallory"),
            notice: AccountExample.notice(),
            at: Self.now
        )
        #expect(outcome == .expired)
        let after = try await stores.people.credentials(id: person.id, realmID: "home")
        #expect(after?.password == nil)
    }

    @Test(
        "decision 0082: the first proof of an address takes what a stranger has added, vouched or not"
    )
    func reclaimed() async throws {
        let mallory = try await stores.signedIn(email: AccountExample.vouched())
        let link = PersonLink(
            id: AccountExample.fresh(),
            realmID: "home",
            personID: mallory.account.id,
            email: "ann@example.com",
            epoch: 0,
            actions: [RequiredAction.updatePassword],
            expiresAt: Self.now + 60
        )
        let change = try await stores.mailboxes.follow(
            link,
            with: .password(Self.hash),
            notice: AccountExample.notice(to: "ann@example.com"),
            at: Self.now
        )
        #expect(change == .changed)
        #expect(try await stores.people.identities(of: mallory.account.id).isEmpty)
        #expect(try await stores.live(mallory.cookie) == nil)
        #expect(try await address(of: mallory.account.id) == AccountExample.mailed())
    }
}
