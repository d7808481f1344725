import PorticoBytes

/// Formats the `Date` header (RFC 5322 §3.3).
enum MailDate {
    /// - Parameter seconds: Since 1970.
    static func text(_ seconds: Int64) -> String {
        let date = CivilDate(seconds)
        return "\(CivilDate.weekdayNames[date.weekday]), \(date.day) "
            + "\(CivilDate.monthNames[date.month - 1]) \(date.year) \(date.clockWithSeconds) +0000"
    }
}
