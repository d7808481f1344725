/// When a mail that could not be passed on is tried again (RFC 5321 §4.5.4.1).
package struct Delivery: Hashable, Sendable {
    /// Seconds after the first, second, … failure; the last one repeats.
    package let pauses: [Int64]
    /// How many seconds after it was written a mail is tried.
    package let patience: Int64

    /// 1, 5 and 30 minutes, 2 hours, then every 4 hours; given up after a day.
    package static let standard = Delivery(
        pauses: [60, 300, 1800, 7200, 14_400],
        patience: 86_400
    )

    package init(pauses: [Int64], patience: Int64) {
        self.pauses = pauses
        self.patience = patience
    }

    /// - Parameters:
    ///   - tries: How often it was tried, including this time.
    ///   - goodUntil: When its content is no longer useful, such as an expired code.
    /// - Returns: `nil` if it is given up.
    package func nextTry(
        afterTries tries: Int,
        writtenAt: Int64,
        goodUntil: Int64? = nil,
        at now: Int64
    ) -> Int64? {
        guard let last = pauses.last else { return nil }
        let pause = tries >= 1 && tries <= pauses.count ? pauses[tries - 1] : last
        let (next, overflow) = now.addingReportingOverflow(pause)
        let (end, isEndless) = writtenAt.addingReportingOverflow(patience)
        guard !overflow, !isEndless, next <= end, next < goodUntil ?? .max else { return nil }
        return next
    }
}
