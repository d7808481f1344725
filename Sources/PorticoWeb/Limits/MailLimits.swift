package import PorticoBytes

/// How often mails with a code or a link can be asked for (WEB-BRUTE-2), whether or not the mailbox is
/// anybody's here, and how often a code may be wrong.
///
/// Who asks is asked first: an account or a network address uses up its own limit long before that of
/// a mailbox, so that nobody alone keeps a mailbox's owner from getting a code. Wrong codes are
/// counted for a mailbox across all codes that were sent to it: once too many were wrong, it is sent
/// no other. Counted per process and in memory.
package struct MailLimits: Sendable {
    /// Who asks; a network address, which many people may share; a mailbox.
    private let mails = RateLimiter(.perHour(5), .perHour(20), .perHour(10))
    /// Wrong codes: of one who asks, and of everybody, for a mailbox. A million codes would take
    /// decades.
    private let failures = RateLimiter(.perDay(15), .perDay(60))

    package init() {}

    /// Counts one mail, if it may be sent.
    ///
    /// - Parameters:
    ///   - mailbox: The address in the one spelling that mailboxes are told apart by.
    ///   - owner: Who asks: an account, or an identity that is to be one. Without one it is whoever
    ///     asks for this mailbox from this address.
    ///   - address: ``ClientAddress/limitKey``.
    package func take(
        _ mailbox: String,
        for owner: String?,
        from address: String,
        at moment: Moment
    )
        -> RateLimiter.Verdict
    {
        let owner = owner ?? "\(address) \(mailbox)"
        let verdict = failures.check(
            LimitKey("codes for one", owner, mailbox),
            LimitKey("codes", mailbox),
            at: moment.now
        )
        guard case .allowed = verdict else { return verdict }
        return mails.take(
            LimitKey("owner", owner),
            LimitKey("address", address),
            LimitKey("mailbox", mailbox),
            at: moment.now
        )
    }

    /// A code that was sent to the mailbox was entered wrongly.
    package func countWrongCode(for mailbox: String, by owner: String, at moment: Moment) {
        failures.countFailure(
            LimitKey("codes for one", owner, mailbox),
            LimitKey("codes", mailbox),
            at: moment.now
        )
    }
}
