/// A time as the `Date` header has it (RFC 5322 §3.3).
enum MailDate {
    /// - Parameter seconds: Since 1970, before the year 10000.
    static func text(_ seconds: Int64) -> String {
        let days = seconds / 86_400
        let time = seconds % 86_400
        let (year, month, day) = civil(days)
        let clock = [time / 3600, time / 60 % 60, time % 60].map(twoDigits)
        // The first of January 1970 was a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        return "\(weekday), \(day) \(months[Int(month - 1)]) \(year) "
            + clock.joined(separator: ":") + " +0000"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : String(number)
    }

    /// The Gregorian date, by counting in years that begin in March: leap days then come last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
