package import Logging
package import PorticoBytes
package import PorticoMail
package import PorticoPages
package import PorticoStores

/// Sends the email waiting in the outbox.
///
/// An email is leased before it is sent, so that no other process sends it too, and is released
/// automatically if this process ends before reporting the outcome: no email is lost, and in that
/// one case an email may arrive twice, with the same `Message-ID`.
package struct OutboxSender: Sendable {
    /// The content of an email. Throws if it can never be written, for instance because the key
    /// that sealed its code no longer exists.
    package typealias Words = @Sendable (MailDraft, Language) throws -> MailText.Written

    private let outbox: OutboxStore
    private let transport: any MailTransport
    private let from: MailSender
    private let words: Words
    private let delivery: Delivery
    private let clock: Clock
    private let logger: Logger
    private let atOnce: Int

    /// How many seconds an email is leased: longer than any transport tries.
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
            let mails = try await outbox.take(limit: atOnce, at: now, retryAt: now + Self.lease)
            guard !mails.isEmpty else { return }
            try await withThrowingTaskGroup { group in
                for mail in mails {
                    group.addTask { try await send(mail) }
                }
                // If marking one email fails, the others continue.
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
            // Every email in an outbox has a recipient.
            to: draft.to ?? "",
            subject: written.subject,
            // Paragraphs, separated by an empty line.
            lines: Array(written.lines.map { [$0] }.joined(separator: [""])),
            language: language.tag,
            id: draft.id,
            date: draft.createdAt
        )
    }

    private func failed(_ queued: OutboxMail, _ failure: DeliveryFailure) async throws {
        // It is unknown how far it got. It is sent again when the lease ends.
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
    /// Neither the recipient nor the content.
    fileprivate var metadata: Logger.Metadata {
        [
            "mail": .string(draft.id.text), "kind": .string(draft.message.kind),
            "try": .stringConvertible(tries),
        ]
    }
}

extension MailDraft {
    /// A device chooses its own name, which could look like one of our links.
    fileprivate var withoutLinks: MailDraft {
        guard case .newDevice(let device, let time, let provider) = message else { return self }
        var draft = self
        draft.message = .newDevice(device: PlainLine.foreign(device), at: time, provider: provider)
        return draft
    }

    /// When the content is no longer useful, in seconds since 1970; `nil`: never.
    fileprivate var goodUntil: Int64? {
        switch message {
        case .confirmationCode(_, _, let minutes), .passwordReset(_, let minutes):
            createdAt + Int64(min(max(minutes, 0), 525_600)) * 60
        case .accountActions(_, let end): end
        case .newDevice, .wayAdded, .wayRemoved, .passwordChanged, .accountReclaimed, .emailChanged,
            .accountDeleted, .alreadyRegistered, .secondFactorAdded, .secondFactorRemoved,
            .recoveryCodesMade:
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
        case .accountActions: "account-actions"
        case .passwordChanged: "password-changed"
        case .accountReclaimed: "account-reclaimed"
        case .alreadyRegistered: "already-registered"
        case .secondFactorAdded: "second-factor-added"
        case .secondFactorRemoved: "second-factor-removed"
        case .recoveryCodesMade: "recovery-codes-made"
        case .accountDeleted: "account-deleted"
        }
    }
}
