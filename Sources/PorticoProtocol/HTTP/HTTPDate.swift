import PorticoBytes
package import PorticoSystem

/// Dates in HTTP's preferred format: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// - Returns: `nil` if the text has another format.
    package static func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[5] == "GMT",
            let day = number(parts[1], in: 1...31),
            let month = CivilDate.monthNames.firstIndex(of: String(parts[2])),
            let year = number(parts[3], in: 1970...9999)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], in: 0...23),
            let minute = number(time[1], in: 0...59), let second = number(time[2], in: 0...60)
        else { return nil }
        let midnight = CivilDate.seconds(year: year, month: month + 1, day: day)
        let seconds = midnight + Int64(hour * 3600 + minute * 60 + second)
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// - Parameter seconds: Since 1970, in the years 1970 to 9999.
    package static func text(_ seconds: Int64) -> String {
        let date = CivilDate(seconds)
        return "\(CivilDate.weekdayNames[date.weekday]), \(date.day < 10 ? "0" : "")\(date.day) "
            + "\(CivilDate.monthNames[date.month - 1]) \(date.year) \(date.clockWithSeconds) GMT"
    }

    private static func number(_ text: Substring, in range: ClosedRange<Int>) -> Int? {
        Int(digits: text.utf8).flatMap { range.contains($0) ? $0 : nil }
    }
}
