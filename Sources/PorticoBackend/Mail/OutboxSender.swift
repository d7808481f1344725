package import Logging
package import PorticoBytes
package import PorticoMail
package import PorticoPages
package import PorticoStores

/// Sends what waits in the outbox.
///
/// A mail is taken before it is sent, so that no other process sends it meanwhile, and comes back by
/// itself where this one ends before it has said what became of it: no mail is lost, and in that one
/// case a mail may come twice, with the same `Message-ID`.
package struct OutboxSender: Sendable {
    /// What a mail says. It fails where it can never be written, for instance because the key is gone
    /// under which its code was sealed.
    package typealias Words = @Sendable (MailDraft, Language) throws -> MailText.Written

    private let outbox: OutboxStore
    private let transport: any MailTransport
    private let from: MailSender
    private let words: Words
    private let delivery: Delivery
    private let clock: Clock
    private let logger: Logger
    private let atOnce: Int

    /// For how many seconds a mail is ours: longer than any transport tries.
    private static let lease: Int64 = 300

    /// - Parameter atOnce: How many are sent at the same time.
    package init(
        outbox: OutboxStore,
        transport: any MailTransport,
        from: MailSender,
        delivery: Delivery = .standard,
        clock: Clock,
        logger: Logger,
        atOnce: Int = 4,
        words: @escaping Words
    ) {
        self.outbox = outbox
        self.transport = transport
        self.from = from
        self.words = words
        self.delivery = delivery
        self.clock = clock
        self.logger = logger
        self.atOnce = max(1, atOnce)
    }

    /// Sends everything that is due, and returns when nothing is, or the task is cancelled.
    ///
    /// May be called by several processes at once.
    package func sendDue() async throws {
        while !Task.isCancelled {
            let now = clock.moment().seconds
            let mails = try await outbox.take(
                limit: atOnce,
                at: now,
                retryAt: now + Self.lease
            )
            guard !mails.isEmpty else { return }
            try await withThrowingTaskGroup { group in
                for mail in mails {
                    group.addTask { try await send(mail) }
                }
                // One mail's failure to be marked is not the others'.
                var failure: (any Error)?
                while let result = await group.nextResult() {
                    if case .failure(let error) = result { failure = error }
                }
                if let failure { throw failure }
            }
        }
    }

    private func send(_ queued: OutboxMail) async throws {
        let now = clock.moment().seconds
        if let goodUntil = queued.draft.goodUntil, goodUntil <= now {
            return try await giveUp(queued, "what it says is out of date")
        }
        let mail: Mail
        do {
            mail = try write(queued.draft)
        } catch let refusal as Mail.Refusal {
            return try await giveUp(queued, refusal.description)
        } catch {
            return try await giveUp(queued, "it cannot be written")
        }
        do throws(DeliveryFailure) {
            try await transport.send(mail)
        } catch {
            return try await failed(queued, error)
        }
        try await outbox.markSent(queued.draft.id, at: clock.moment().seconds)
        logger.info("mail sent", metadata: queued.metadata)
    }

    private func write(_ draft: MailDraft) throws -> Mail {
        let language = Language.best(for: [draft.language])
        let written = try words(draft.withoutLinks, language)
        return try Mail(
            from: from,
            // An outbox holds no mail to nobody.
            to: draft.to ?? "",
            subject: written.subject,
            // Paragraphs, with an empty line between them.
            lines: Array(written.lines.map { [$0] }.joined(separator: [""])),
            language: language.tag,
            id: draft.id,
            date: draft.createdAt
        )
    }

    private func failed(_ queued: OutboxMail, _ failure: DeliveryFailure) async throws {
        // Nobody knows how far it came. It comes back when the lease is over.
        if failure.reason == .cancelled { return }
        let next =
            failure.isPermanent
            ? nil
            : delivery.nextTry(
                afterTries: queued.tries,
                writtenAt: queued.draft.createdAt,
                goodUntil: queued.draft.goodUntil,
                at: clock.moment().seconds
            )
        guard let next else { return try await giveUp(queued, failure.logText) }
        try await outbox.markFailed(queued.draft.id, dueAt: next)
        var metadata = queued.metadata
        metadata["why"] = .string(failure.logText)
        metadata["next"] = .stringConvertible(next)
        logger.warning("mail waits", metadata: metadata)
    }

    private func giveUp(_ queued: OutboxMail, _ why: String) async throws {
        try await outbox.markFailed(queued.draft.id, dueAt: nil)
        var metadata = queued.metadata
        metadata["why"] = .string(why)
        logger.error("mail given up", metadata: metadata)
    }
}

extension OutboxMail {
    /// Neither who gets it nor what it says.
    fileprivate var metadata: Logger.Metadata {
        [
            "mail": .string(draft.id.text), "kind": .string(draft.message.kind),
            "try": .stringConvertible(tries),
        ]
    }
}

extension MailDraft {
    /// A device says itself what it is called, and could name a place that looks like ours.
    fileprivate var withoutLinks: MailDraft {
        guard case .newDevice(let device, let time, let provider) = message else { return self }
        var draft = self
        draft.message = .newDevice(
            device: PlainLine.foreign(device),
            at: time,
            provider: provider
        )
        return draft
    }

    /// When what it says is of no more use, in seconds since 1970; `nil`: never.
    fileprivate var goodUntil: Int64? {
        switch message {
        case .confirmationCode(_, _, let minutes), .passwordReset(_, let minutes):
            createdAt + Int64(min(max(minutes, 0), 525_600)) * 60
        case .newDevice, .wayAdded, .wayRemoved, .passwordChanged, .emailChanged, .accountDeleted:
            nil
        }
    }
}

extension MailDraft.Message {
    fileprivate var kind: String {
        switch self {
        case .confirmationCode: "confirmation-code"
        case .emailChanged: "email-changed"
        case .newDevice: "new-device"
        case .wayAdded: "way-added"
        case .wayRemoved: "way-removed"
        case .passwordReset: "password-reset"
        case .passwordChanged: "password-changed"
        case .accountDeleted: "account-deleted"
        }
    }
}
