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
        func update(_ name: String?, _ language: String?, _ isWelcomed: Bool?) async throws {
            let change = try await accounts.update(
                id,
                name: name,
                language: language,
                isWelcomed: isWelcomed
            )
            #expect(change == .changed)
            #expect(try await accounts.account(id) == expected)
        }
        expected.isWelcomed = true
        try await update(nil, nil, true)
        expected.name = "Ann Own"
        expected.isNameOwn = true
        try await update("Ann Own", nil, nil)
        expected.language = "ar"
        try await update(nil, "ar", nil)
        #expect(try await stores.signedIn().account.name == "Ann Own")
        let nobody = AccountExample.fresh().text
        let change = try await accounts.update(nobody, name: "x", language: nil, isWelcomed: nil)
        #expect(change == .notFound)
    }

    @Test("WEB-SESS-5: blocking ends every session for good, and is noted once")
    func block() async throws {
        let ann = try await stores.signedIn()
        let (accounts, id, now) = (stores.accounts, ann.account.id, AccountExample.now)
        for _ in 1...2 { #expect(try await accounts.block(id, true, at: now) == .changed) }
        #expect(try await accounts.account(id)?.isBlocked == true)
        #expect(try await stores.live(ann.cookie) == nil)
        for _ in 1...2 { #expect(try await accounts.block(id, false, at: now) == .changed) }
        #expect(try await accounts.account(id) == ann.account)
        #expect(try await stores.live(ann.cookie) == nil)
        let next = try await stores.signedIn()
        #expect(try await stores.live(next.cookie) != nil)
        #expect(try await stores.kinds() == [.registered, .blocked, .unblocked, .signedIn])
        #expect(try await accounts.block(AccountExample.fresh().text, true, at: now) == .notFound)
    }

    @Test("SEED-ADR-5, PRV-A-19: a deletion tells the identities; nothing of the account is left")
    func deletion() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        _ = try await stores.linkedApple(in: ann.sessionID)
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        let (accounts, id, now) = (stores.accounts, ann.account.id, AccountExample.now)
        let identities = try await accounts.identities(of: id)
        #expect(try await stores.delete(id) == identities)
        #expect(try await accounts.account(id) == nil)
        #expect(try await accounts.registration(of: id) == nil)
        #expect(try await accounts.identities(of: id).isEmpty)
        #expect(try await accounts.sessions(of: id, at: now, limit: 10).isEmpty)
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await stores.live(bob.cookie) != nil)
        #expect(try await stores.kinds(of: id).last == .deleted)
        #expect(try await stores.delete(id) == nil)
        let again = try await stores.signedIn(email: AccountExample.verified())
        #expect(again.account.id != id)
        #expect(again.account.email == AccountExample.verified())
    }

    @Test(
        "WEB-BRUTE-3: a deletion tells the account's verified address, once, in its language",
        arguments: [
            AccountExample.verified(), AccountExample.unverified(), AccountExample.relay(), nil,
        ]
    )
    func deletionNotice(_ email: AccountEmail?) async throws {
        let ann = try await stores.signedIn(email: email)
        for _ in 1...2 { _ = try await stores.delete(ann.account.id) }
        let notices = try await stores.notices()
        #expect(notices.map(\.to) == (email?.isVerified == true ? [email?.address] : []))
        #expect(notices.allSatisfy { $0.message == .accountDeleted && $0.language == "de" })
    }

    @Test("accounts are listed in the order of creation, a page at a time, also past a deleted one")
    func list() async throws {
        var ids: [String] = []
        for index: Int64 in 0..<6 {
            let new = try await stores.signedIn(
                AccountExample.key("\(index)"),
                at: AccountExample.now + index / 2
            )
            ids.append(new.account.id)
        }
        func list(after cursor: String?, _ limit: Int) async throws -> [String] {
            try await stores.accounts.accounts(after: cursor, email: nil, limit: limit).map(\.id)
        }
        let all = try await list(after: nil, 10)
        // Of one second by their ids.
        for pair in 0..<3 {
            #expect(Set(all[(2 * pair)...(2 * pair + 1)]) == Set(ids[(2 * pair)...(2 * pair + 1)]))
        }
        #expect(try await list(after: nil, 4) == Array(all.prefix(4)))
        #expect(try await list(after: all[3], 4) == Array(all.suffix(2)))
        #expect(try await list(after: all[5], 4).isEmpty)
        #expect(try await list(after: nil, -1).isEmpty)
        #expect(try await list(after: AccountExample.fresh().text, 4).isEmpty)
        _ = try await stores.delete(all[2])
        #expect(try await list(after: all[2], 4) == Array(all.suffix(3)))
    }

    @Test("accounts are found by an address in any spelling, relays' included")
    func search() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let bob = try await stores.signedIn(
            AccountExample.key("bob"),
            email: AccountExample.relay("bob@relay.example")
        )
        _ = try await stores.signedIn(AccountExample.key("nobody"))
        func find(_ email: String, after cursor: String? = nil) async throws -> [String] {
            let found = try await stores.accounts.accounts(after: cursor, email: email, limit: 5)
            return found.map(\.id)
        }
        #expect(try await find("ANN@Example.com ") == [ann.account.id])
        #expect(try await find("bob@relay.example") == [bob.account.id])
        #expect(try await find("carol@example.com").isEmpty)
        #expect(try await find("ann@example.com", after: ann.account.id).isEmpty)
    }
}
