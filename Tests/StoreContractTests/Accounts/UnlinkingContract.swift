import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("AccountStore: removing a sign-in method", .everyDatabase) struct UnlinkingContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let apple = AccountExample.key("ann", at: AccountExample.apple)

    @Test("WEB-ACC-4: an identity is unlinked, with the sessions that it began, and no others")
    func unlinking() async throws {
        let google = try await stores.signedIn(email: AccountExample.verified())
        let apple = try await stores.linkedApple(in: google.sessionID)
        let outcome = try await stores.unlink(
            "google",
            from: google.account.id,
            notice: AccountExample.notice()
        )
        #expect(outcome.identity?.key == AccountExample.ann)
        #expect(outcome.identity?.email == AccountExample.verified())
        let identities = try await stores.accounts.identities(of: google.account.id)
        #expect(identities.map(\.key) == [Self.apple])
        #expect(try await stores.live(google.cookie) == nil)
        #expect(try await stores.live(apple.cookie)?.providers == ["apple"])
        let event = try await stores.events.latest(of: google.account.id, limit: 1).first
        #expect(event?.kind == .wayRemoved)
        #expect(event?.provider == "google")
        #expect(try await stores.recipients() == ["ann@example.com"])
        #expect(try await stores.signedIn().account.id != google.account.id)
    }

    @Test("WEB-ACC-4: the last identity stays")
    func lastOne() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let notice = AccountExample.notice()
        #expect(try await stores.unlink("google", from: ann.account.id, notice: notice) == .lastOne)
        #expect(try await stores.live(ann.cookie)?.providers == ["google"])
        #expect(try await stores.kinds() == [.registered])
        #expect(try await stores.recipients().isEmpty)
    }

    @Test("WEB-ACC-4: the last identity that a person can sign in with stays, whatever else exists")
    func lastUsable() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        _ = try await stores.linkedApple(in: ann.sessionID)
        let id = ann.account.id
        for usable in [["google"], ["google", "oidc"], []] {
            #expect(try await stores.unlink("google", from: id, usable: usable) == .lastOne)
        }
        #expect(try await stores.unlink("oidc", from: id, usable: []) == .notFound)
        #expect(try await stores.accounts.identities(of: id).count == 2)
        #expect(try await stores.live(ann.cookie) != nil)
        #expect(try await stores.recipients().isEmpty)
        // The one that cannot be used is removed.
        let outcome = try await stores.unlink("apple", from: id, usable: ["google"])
        #expect(outcome.identity?.key == Self.apple)
        // What its provider gives up goes in any case.
        _ = try await stores.linkedApple(in: ann.sessionID)
        #expect(try await stores.forget(Self.apple))
        #expect(try await stores.forget(AccountExample.ann))
        #expect(try await stores.accounts.person(id) == nil)
    }

    @Test("an identity that is not there is not unlinked")
    func notFound() async throws {
        let ann = try await stores.signedIn()
        let bob = try await stores.signedIn(AccountExample.key("bob"))
        _ = try await stores.linkedApple(in: ann.sessionID)
        #expect(try await stores.unlink("apple", from: bob.account.id) == .notFound)
        #expect(try await stores.unlink("oidc", from: ann.account.id) == .notFound)
        #expect(try await stores.unlink("google", from: AccountExample.fresh().text) == .notFound)
        #expect(try await stores.accounts.identities(of: ann.account.id).count == 2)
    }

    @Test("WEB-ACC-4: of concurrent removals of both identities one is refused")
    func race() async throws {
        for round in 1...20 {
            let ann = try await stores.signedIn(AccountExample.key("\(round)"))
            let key = AccountExample.key("\(round)", at: AccountExample.apple)
            #expect(try await stores.link(key, in: ann.sessionID) == .linked)
            let outcomes = try await concurrently(10) { index in
                try await stores.unlink(
                    index.isMultiple(of: 2) ? "google" : "apple",
                    from: ann.account.id
                )
            }
            #expect(outcomes.filter { $0.identity != nil }.count == 1)
            #expect(try await stores.accounts.identities(of: ann.account.id).count == 1)
        }
    }

    @Test("a link that was taken away and made again stands last")
    func again() async throws {
        let ann = try await stores.signedIn()
        let apple = try await stores.linkedApple(in: ann.sessionID)
        _ = try await stores.unlink("google", from: ann.account.id)
        #expect(try await stores.link(AccountExample.ann, in: apple.sessionID) == .linked)
        #expect(try await stores.live(apple.cookie)?.providers == ["apple", "google"])
        // What the identity began before does not come back with it.
        #expect(try await stores.live(ann.cookie) == nil)
    }

    @Test("an identity that its provider gives up goes, and the account with the last one")
    func forgetting() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        let apple = try await stores.linkedApple(in: ann.sessionID)
        let linkedAt = try #require(
            try await stores.accounts.identities(of: ann.account.id).map(\.linkedAt).max()
        )
        let accounts = stores.accounts
        let nobody = AccountExample.key("nobody")
        #expect(try await !stores.forget(nobody, linkedUntil: .max))
        // Said before the person linked it.
        #expect(try await !stores.forget(Self.apple, linkedUntil: linkedAt - 1))
        #expect(try await accounts.identities(of: ann.account.id).count == 2)
        #expect(try await stores.forget(Self.apple, linkedUntil: linkedAt))
        #expect(
            try await accounts.identities(of: ann.account.id).map(\.key) == [AccountExample.ann]
        )
        #expect(try await stores.live(apple.cookie) == nil)
        #expect(try await stores.live(ann.cookie)?.providers == ["google"])
        #expect(try await stores.notices().map(\.message) == [.wayRemoved(provider: "apple")])
        #expect(try await stores.forget(AccountExample.ann, linkedUntil: linkedAt))
        #expect(try await stores.live(ann.cookie) == nil)
        #expect(try await accounts.identities(of: ann.account.id).isEmpty)
        #expect(try await !stores.forget(AccountExample.ann, linkedUntil: .max))
        let notices = try await stores.notices()
        #expect(Set(notices.map(\.message)) == [.wayRemoved(provider: "apple"), .accountDeleted])
        #expect(notices.allSatisfy { $0.to == "ann@example.com" && $0.language == "de" })
    }

    @Test("an account whose person adds a way while its provider gives it up is whole, or gone")
    func forgettingRace() async throws {
        for round in 1...20 {
            let google = AccountExample.key("\(round)")
            let apple = AccountExample.key("\(round)", at: AccountExample.apple)
            let ann = try await stores.signedIn(google)
            _ = try await concurrently(2) { index in
                if index == 0 {
                    _ = try await stores.forget(google)
                } else {
                    _ = try await stores.link(apple, in: ann.sessionID)
                }
                return index
            }
            let left = try await stores.accounts.identities(of: ann.account.id)
            #expect(left.isEmpty || left.map(\.key) == [apple])
            let account = try await stores.registered()
            #expect(account.contains { $0.id == ann.account.id } == !left.isEmpty)
        }
    }
}

extension TestDatabase {
    func unlink(
        _ provider: String,
        from id: String,
        usable: [String] = ["google", "apple", "oidc"],
        notice: MailDraft? = nil
    ) async throws -> UnlinkOutcome {
        try await accounts.unlink(
            provider: provider,
            from: id,
            usable: usable,
            notice: notice,
            at: AccountExample.now
        )
    }

    /// Links Ann's identity at Apple, and signs in with it.
    func linkedApple(in sessionID: String) async throws -> SignedIn {
        let key = AccountExample.key("ann", at: AccountExample.apple)
        #expect(try await link(key, in: sessionID) == .linked)
        return try await signedIn(key)
    }
}
