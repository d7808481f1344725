import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonStore: a new password in a session", .everyDatabase) struct ChangedPasswordContract {
    private static let new = PasswordHash(encoded: "new")

    private func change(
        _ stores: TestDatabase,
        in session: PersonSession = Example.session,
        at now: Int64 = Example.now
    ) async throws -> PersonSession? {
        var next = Example.session("session-9", cookie: Hash256(of: "c-9"))
        next.personID = session.personID
        return try await stores.people.changePassword(
            Self.new,
            in: session,
            continuing: next,
            notice: MailDraft(
                id: Example.fresh(),
                to: "ann@example.com",
                message: .passwordChanged,
                language: "de",
                createdAt: now
            ),
            at: now
        )
    }

    private func live(_ stores: TestDatabase, _ cookie: Hash256) async throws -> String? {
        try await stores.liveByCookie(cookie)?.session.id
    }

    private static func signedIn() async throws -> TestDatabase {
        let stores = try await StoreUnderTest.furnished()
        let second = Example.session("session-2", cookie: Hash256(of: "c-2"))
        try await stores.start(second)
        return stores
    }

    @Test(
        "every session ends, and this browser gets a new one that was authenticated when its own was"
    )
    func changed() async throws {
        let stores = try await Self.signedIn()
        let kept = try #require(try await change(stores))
        #expect(kept.id == "session-9" && kept.epoch == 1)
        #expect(kept.authenticatedAt == Example.session.authenticatedAt)
        #expect(try await live(stores, Hash256(of: "c-9")) == "session-9")
        #expect(try await live(stores, Example.cookie) == nil)
        #expect(try await live(stores, Hash256(of: "c-2")) == nil)
        let ann = try #require(try await stores.credentials("ann"))
        #expect(ann.password == Self.new && ann.epoch == 1)
        #expect(try await stores.outbox.latest(limit: 5).count == 1)
        // What was demanded or begun before is over, this too.
        #expect(try await change(stores) == nil)
    }

    @Test("where the session is over, or is another's, nothing changes")
    func over() async throws {
        let stores = try await Self.signedIn()
        var other = Example.session
        other.personID = "person-bob"
        #expect(try await change(stores, in: other) == nil)
        let late = Example.session.expiresAt
        #expect(try await change(stores, at: late) == nil)
        _ = try await stores.endSession()
        #expect(try await change(stores) == nil)
        #expect(try await live(stores, Hash256(of: "c-2")) == "session-2")
        let ann = try #require(try await stores.credentials("ann"))
        #expect(ann.password == Example.password && ann.epoch == 0)
        #expect(try await stores.outbox.latest(limit: 5).isEmpty)
    }

    @Test("of many at once in one session, one changes it")
    func atOnce() async throws {
        for _ in 0..<5 {
            let stores = try await Self.signedIn()
            let answers = try await concurrently(8) { _ in try await change(stores) != nil }
            #expect(answers.count(of: true) == 1)
        }
    }
}
