/// A day of the Gregorian calendar and a time of that day, in Coordinated Universal Time.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// 0 is Sunday.
    package let weekday: Int

    /// - Parameter time: Seconds since 1970; times outside the years 1 to 9999 become the first or
    ///   last moment of that range.
    package init(_ time: Int64) {
        let bounded = min(max(time, -62_135_596_800), 253_402_300_799)
        let rest = Int((bounded % 86_400 + 86_400) % 86_400)
        let days = Int((bounded - Int64(rest)) / 86_400)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        // 1 January 1970 was a Thursday.
        weekday = ((days + 4) % 7 + 7) % 7
        // Days since 1 March of the year 0, in eras of 400 years: with years that begin in March,
        // the leap day comes last (Hinnant, "chrono-compatible low-level date algorithms").
        let shifted = days + Self.daysBefore1970
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Seconds from 1970 to the first moment of a day.
    ///
    /// - Parameter year: 1 to 9999.
    package static func seconds(year: Int, month: Int, day: Int) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        return Int64(365 * shifted + leapDays + dayOfYear - daysBefore1970) * 86_400
    }

    /// `14:05`.
    package var clock: String { Self.padded(hour) + ":" + Self.padded(minute) }

    /// `14:05:09`.
    package var clockWithSeconds: String { clock + ":" + Self.padded(second) }

    /// The month names in HTTP and mail dates (RFC 5322 §3.3, RFC 9110 §5.6.7).
    package static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    package static let weekdayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// From 1 March of the year 0.
    private static let daysBefore1970 = 719_468

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
