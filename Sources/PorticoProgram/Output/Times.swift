import PorticoSystem

/// Times as people and programs read them.
enum Times {
    /// RFC 3339 in UTC; a bare number where it has no year of four digits.
    static func standard(_ seconds: Int64) -> String {
        guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return "\(seconds)" }
        return Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
    }

    /// `3 min ago`, `in 12 min`.
    static func relative(_ seconds: Int64, at now: Int64) -> String {
        let (distance, overflow) = seconds.subtractingReportingOverflow(now)
        guard !overflow else { return standard(seconds) }
        let length = duration(Int64(clamping: distance.magnitude))
        if distance.magnitude < 1 { return "now" }
        return distance > 0 ? "in \(length)" : "\(length) ago"
    }

    /// The largest unit that fits, rounded down: `45 s`, `12 min`, `3 h`, `9 d`.
    static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
