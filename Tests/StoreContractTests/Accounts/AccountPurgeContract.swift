import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: clearing away", .everyDatabase) struct AccountPurgeContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let day: Int64 = 86_400

    @Test(
        "a purge removes sessions that have been dead, whatever they died of, and not before",
        arguments: AccountSessionDeath.allCases.filter { $0 != .deleted }
    )
    func dead(_ death: AccountSessionDeath) async throws {
        let ann = try await stores.signedIn()
        try await death.happen(to: ann, in: stores)
        try await stores.purge(before: death.now)
        #expect(try await stores.hasRow(ofSession: ann.sessionID))
        try await stores.purge(before: death.now + 1)
        #expect(try await stores.hasRow(ofSession: ann.sessionID) == false)
    }

    @Test("a purge leaves what is alive")
    func alive() async throws {
        let ann = try await stores.signedIn()
        let here = try await stores.signedIn()
        _ = try await stores.sessions.signOutEverywhere(
            of: ann.account.id,
            except: here.sessionID,
            at: AccountExample.now
        )
        try await stores.purge(before: AccountExample.now + 1000)
        #expect(try await stores.live(here.cookie) != nil)
        #expect(try await stores.accounts.person(ann.account.id) != nil)
    }

    @Test("an unredeemed hand-off code is remembered until it expires", arguments: [true, false])
    func codes(isSpent: Bool) async throws {
        let code = try await stores.waiting().code
        if isSpent {
            let wrong = WrongHandOff.verifier.presentation(of: code)
            _ = try await stores.sessions.redeem(wrong, at: AccountExample.now)
        }
        try await stores.purge(before: code.expiresAt)
        let outcome = try await stores.redeem(code)
        #expect(isSpent ? outcome == .refused(.alreadyUsed) : outcome.isNew == true)
        let other = try await stores.waiting().code
        try await stores.purge(before: other.expiresAt + 1)
        #expect(try await stores.redeem(other) == .unknown)
    }

    @Test("a spent attempt is remembered until it would not be accepted any more")
    func attempts() async throws {
        let attempt = AccountExample.attempt()
        func isSpent() async throws -> Bool {
            try await stores.signIn(AccountExample.signIn(spending: [attempt])) == .spent
        }
        #expect(try await isSpent() == false)
        try await stores.grants.purge(before: attempt.expiresAt)
        #expect(try await isSpent())
        try await stores.grants.purge(before: attempt.expiresAt + 1)
        #expect(try await isSpent() == false)
    }

    @Test("a code by mail is removed once it has expired")
    func emailCodes() async throws {
        let ann = try await stores.signedIn()
        try await stores.startConfirmation(of: "ann@example.com")
        try await stores.purge(before: AccountExample.now + 600)
        #expect(try await stores.confirm(ann, at: AccountExample.now + 600) == .expired)
        try await stores.purge(before: AccountExample.now + 601)
        #expect(try await stores.confirm(ann, at: AccountExample.now + 600) == .unknown)
    }

    @Test("a purge clears more than one handful")
    func many() async throws {
        let events = (0..<450).map { _ in AccountExample.signIn() }
        _ = try await concurrently(events.count) { try await stores.signIn(events[$0]) }
        let end = AccountExample.now + AccountExample.sessionLife + 1
        try await stores.purge(before: end)
        try await stores.grants.purge(before: end)
        for event in events {
            #expect(try await stores.hasRow(ofSession: event.session.id) == false)
        }
        // A past attempt can be used here without a refusal: no later check accepts it.
        #expect(try await stores.signIn(events[0]) != .spent)
    }
}

extension TestDatabase {
    func hasRow(ofSession id: String) async throws -> Bool {
        try database.read { reader in
            try reader.hasRow("SELECT 1 FROM sessions WHERE id = $1", [.text(id)])
        }
    }
}
