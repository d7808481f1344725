package import PorticoBytes

/// Limits how often emails with a code or a link can be requested (WEB-BRUTE-2), whether or not the
/// mailbox belongs to an account, and how often a code may be wrong.
///
/// The requester's limits are checked first: an account or a network address reaches its own limit
/// long before that of a mailbox, so that no single requester can keep a mailbox's owner from
/// getting a code. Wrong codes are counted for a mailbox across all codes sent to it: after too
/// many, no further code is sent to it. Counted per process and in memory.
package struct MailLimits: Sendable {
    /// The requester; a network address, which many people may share; a mailbox.
    private let mails = RateLimiter(.perHour(5), .perHour(20), .perHour(10))
    /// Wrong codes: of one requester, and of all, for a mailbox. Trying a million codes would take
    /// decades.
    private let failures = RateLimiter(.perDay(15), .perDay(60))

    package init() {}

    /// Counts one email, if it may be sent.
    ///
    /// - Parameters:
    ///   - mailbox: The address in its canonical form.
    ///   - owner: The requester: an account, or an identity that is to become one. Without one, the
    ///     mailbox and address together identify the requester.
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

    /// Counts a wrong entry of a code that was sent to the mailbox.
    package func countWrongCode(for mailbox: String, by owner: String, at moment: Moment) {
        failures.countFailure(
            LimitKey("codes for one", owner, mailbox),
            LimitKey("codes", mailbox),
            at: moment.now
        )
    }
}
