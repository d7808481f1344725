import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoStores

@Suite("OutboxStore", .everyDatabase) struct OutboxContract {
    private let stores: TestDatabase

    init() throws { stores = try StoreUnderTest.empty() }

    static let messages: [MailDraft.Message] = [
        .confirmationCode(sealedCode: "sealed", use: .confirmAddress, minutes: 10),
        .confirmationCode(
            sealedCode: "sealed",
            use: .claimAccount(provider: "google"),
            minutes: 10
        ),
        .newDevice(device: "Firefox", at: AccountExample.now, provider: "google"),
        .wayAdded(provider: "google"), .wayRemoved(provider: "apple"),
        .passwordReset(sealedAddress: "sealed", minutes: 30), .passwordChanged, .emailChanged,
        .accountDeleted, .secondFactorAdded, .secondFactorRemoved, .recoveryCodesMade,
        .alreadyRegistered,
    ]

    static func draft(
        _ message: MailDraft.Message = .accountDeleted,
        at time: Int64 = AccountExample.now
    ) -> MailDraft {
        MailDraft(
            id: AccountExample.fresh(),
            to: "ann@example.com",
            message: message,
            language: "de",
            createdAt: time
        )
    }

    @Test("a mail is kept as it was given, and due at once", arguments: messages)
    func add(_ message: MailDraft.Message) async throws {
        let draft = Self.draft(message)
        try await stores.outbox.add(draft)
        let mail = OutboxMail(draft: draft, tries: 0, dueAt: AccountExample.now, sentAt: nil)
        #expect(try await stores.outbox.latest(limit: 10) == [mail])
    }

    @Test("a mail without a recipient is not stored")
    func nobody() async throws {
        var draft = Self.draft()
        draft.to = nil
        try await stores.outbox.add(draft)
        #expect(try await stores.outbox.latest(limit: 10).isEmpty)
    }

    @Test("mails that are due are taken, the oldest first, and are due again only later")
    func take() async throws {
        let (outbox, now) = (stores.outbox, AccountExample.now)
        let drafts = [30, 10, 20, -1].map { Self.draft(at: now - $0) }
        for draft in drafts { try await outbox.add(draft) }
        #expect(try await outbox.take(limit: 5, at: now - 31, retryAt: now).isEmpty)
        let two = try await outbox.take(limit: 2, at: now, retryAt: now + 60)
        #expect(two.map(\.draft) == [drafts[0], drafts[2]])
        #expect(two.allSatisfy { $0.tries == 1 && $0.dueAt == now + 60 })
        let rest = try await outbox.take(limit: 5, at: now, retryAt: now + 60)
        #expect(rest.map(\.draft) == [drafts[1]])
        #expect(try await outbox.take(limit: 5, at: now, retryAt: now + 60).isEmpty)
        let again = try await outbox.take(limit: 5, at: now + 60, retryAt: now + 120)
        #expect(again.map(\.tries) == [2, 2, 2, 1])
    }

    @Test("of any number of concurrent takers exactly one gets a mail")
    func race() async throws {
        for _ in 1...20 {
            for _ in 1...3 { try await stores.outbox.add(Self.draft()) }
            let taken = try await concurrently(10) { _ in
                try await stores.outbox.take(
                    limit: 2,
                    at: AccountExample.now,
                    retryAt: AccountExample.now + 60
                )
            }
            let ids = taken.flatMap { $0.map(\.draft.id) }
            #expect(ids.count == 3)
            #expect(Set(ids).count == 3)
        }
    }

    @Test("a mail that was sent is not taken again; one that failed is, unless it was given up")
    func marks() async throws {
        let (outbox, now) = (stores.outbox, AccountExample.now)
        let (sent, failed, lost) = (Self.draft(), Self.draft(), Self.draft())
        for draft in [sent, failed, lost] { try await outbox.add(draft) }
        #expect(try await outbox.take(limit: 3, at: now, retryAt: now + 60).count == 3)
        try await outbox.markSent(sent.id, at: now + 1)
        try await outbox.markFailed(failed.id, dueAt: now + 300)
        try await outbox.markFailed(lost.id, dueAt: nil)
        // A late answer of another process does not send it twice.
        try await outbox.markFailed(sent.id, dueAt: now + 300)
        #expect(try await outbox.take(limit: 3, at: now + 299, retryAt: now + 400).isEmpty)
        let taken = try await outbox.take(limit: 3, at: now + 300, retryAt: now + 400)
        #expect(taken.map(\.draft) == [failed])
        let kept = try await outbox.latest(limit: 10)
        #expect(kept.first { $0.draft.id == sent.id }?.sentAt == now + 1)
        let given = kept.first { $0.draft.id == lost.id }
        #expect(given?.dueAt == nil)
        #expect(given?.sentAt == nil)
    }

    @Test("the latest mails come first")
    func latest() async throws {
        let drafts = [1, 3, 2].map { Self.draft(at: AccountExample.now + $0) }
        for draft in drafts { try await stores.outbox.add(draft) }
        #expect(try await stores.outbox.latest(limit: 2).map(\.draft) == [drafts[1], drafts[2]])
    }

    @Test(
        "a purge removes what was sent, given up or due before, and nothing that is still to be sent"
    )
    func purge() async throws {
        let (outbox, now) = (stores.outbox, AccountExample.now)
        let (sent, lost, waiting) = (Self.draft(), Self.draft(), Self.draft())
        for draft in [sent, lost, waiting] { try await outbox.add(draft) }
        _ = try await outbox.take(limit: 3, at: now + 100, retryAt: now + 200)
        try await outbox.markSent(sent.id, at: now + 100)
        try await outbox.markFailed(lost.id, dueAt: nil)
        try await outbox.purge(before: now + 100)
        #expect(try await outbox.latest(limit: 10).count == 3)
        try await outbox.purge(before: now + 101)
        #expect(try await outbox.latest(limit: 10).map(\.draft) == [waiting])
        // If no mail is set up, nothing fetches it.
        try await outbox.purge(before: now + 200)
        #expect(try await outbox.latest(limit: 10).map(\.draft) == [waiting])
        try await outbox.purge(before: now + 201)
        #expect(try await outbox.latest(limit: 10).isEmpty)
    }

    @Test("what an event's transaction undoes sends no mail either")
    func undone() async throws {
        let ann = try await stores.signedIn(email: AccountExample.verified())
        var event = AccountExample.signIn(session: AccountExample.browser(ann.cookie))
        event.notice = AccountExample.notice()
        await #expect(throws: StoreConflict.self) { try await stores.signIn(event) }
        #expect(try await stores.recipients().isEmpty)
    }
}
