import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: an account's life", .everyDatabase) struct AccountLifeContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    @Test("PRV-A-5: a name that the person wrote is their own; what is not said stays")
    func update() async throws {
        let ann = try await stores.signedIn()
        let (accounts, id) = (stores.accounts, ann.account.id)
        var expected = ann.account
        func update(_ name: PersonName?, _ language: String?, _ isWelcomed: Bool?) async throws {
            let change = try await accounts.update(
                id,
                name: name,
                language: language,
                isWelcomed: isWelcomed
            )
            #expect(change == .changed)
            #expect(try await accounts.person(id) == expected)
        }
        expected.isWelcomed = true
        try await update(nil, nil, true)
        expected.setName("Ann Own", isOwn: true)
        try await update(.whole("Ann Own"), nil, nil)
        expected.language = "ar"
        try await update(nil, "ar", nil)
        #expect(try await stores.signedIn().account.fullName == "Ann Own")
        expected.setName(.parts(given: "Ann", family: nil))
        try await update(.parts(given: "Ann", family: nil), nil, nil)
        let nobody = AccountExample.fresh().text
        let change = try await accounts.update(
            nobody,
            name: .whole("x"),
            language: nil,
            isWelcomed: nil
        )
        #expect(change == .notFound)
    }

    @Test("WEB-SESS-5: blocking ends every session for good")
    func block() async throws {
        let ann = try await stores.signedIn()
        let (accounts, id, now) = (stores.accounts, ann.account.id, AccountExample.now)
        for _ in 1...2 { #expect(try await stores.block(id, true, at: now) == .changed) }
        #expect(try await accounts.person(id)?.isEnabled == false)
        #expect(try await stores.live(ann.cookie) == nil)
        for _ in 1...2 { #expect(try await stores.block(id, false, at: now) == .changed) }
        #expect(try await accounts.person(id) == ann.account)
        #expect(try await stores.live(ann.cookie) == nil)
        let next = try await stores.signedIn()
        #expect(try await stores.live(next.cookie) != nil)
        #expect(try await stores.kinds() == [.registered, .signedIn])
    }

    @Test("SEED-ADR-5, PRV-A-19: a deletion tells the identities; nothing of the account is left")
    func deletion() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        _ = try await stores.linkedApple(in: ann.sessionID)
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        let (accounts, id) = (stores.accounts, ann.account.id)
        let identities = try await accounts.identities(of: id)
        #expect(try await stores.delete(id) == identities)
        #expect(try await accounts.person(id) == nil)
        #expect(try await accounts.registration(of: id) == nil)
        #expect(try await accounts.identities(of: id).isEmpty)
        #expect(try await stores.sessions(of: id).isEmpty)
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await stores.live(bob.cookie) != nil)
        #expect(try await stores.kinds(of: id).last == .deleted)
        #expect(try await stores.delete(id) == nil)
        let again = try await stores.signedIn(email: AccountExample.verified())
        #expect(again.account.id != id)
        #expect(again.account.mailbox == AccountExample.verified())
    }

    @Test(
        "WEB-BRUTE-3: a deletion tells the account's verified address, once, in its language",
        arguments: [
            AccountExample.verified(), AccountExample.unverified(), AccountExample.relay(), nil,
        ]
    )
    func deletionNotice(_ email: Mailbox?) async throws {
        let ann = try await stores.signedIn(email: email)
        for _ in 1...2 { _ = try await stores.delete(ann.account.id) }
        let notices = try await stores.notices()
        #expect(notices.map(\.to) == (email?.isVerified == true ? [email?.address] : []))
        #expect(notices.allSatisfy { $0.message == .accountDeleted && $0.language == "de" })
    }
}
