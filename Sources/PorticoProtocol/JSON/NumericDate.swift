package import PorticoSystem

/// Seconds since 1970-01-01T00:00:00Z, as in `exp`, `nbf` and `iat` (RFC 7519 §2).
package enum NumericDate {
    /// The end of the year 9999. No valid time is later.
    private static let limit = 253_402_300_800.0

    /// The time in a claim: a number, with or without a fraction.
    ///
    /// - Returns: `nil` for a text, a time before 1970 or a time after the year 9999.
    package static func date(_ value: JSONValue) -> Date? {
        let seconds: Double
        switch value {
        case .integer(let integer): seconds = Double(integer)
        case .number(let number): seconds = number
        default: return nil
        }
        guard seconds >= 0, seconds < limit else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// The time in whole seconds, limited to the range of ``date(_:)``.
    package static func value(_ date: Date) -> JSONValue {
        .integer(seconds(date))
    }

    package static func seconds(_ date: Date) -> Int64 {
        Int64(min(max(0, date.timeIntervalSince1970), limit - 1))
    }
}
