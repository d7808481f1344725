#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// How log lines are written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `time=… level=info message="…" key=value`
    case logfmt
    /// One JSON object a line.
    case json
}

/// One line of the log, built byte by byte.
///
/// A value can hold anything: control characters, escape sequences and whatever could change the
/// direction of the text are escaped, so that no value begins a line or colours a terminal
/// (WEB-LOG-2, attack H14). Values longer than 512 bytes are cut.
package struct LogLine: Sendable {
    private let format: LogFormat
    private(set) var bytes: [UInt8] = []

    /// - Parameter level: `info`, `warning` …
    package init(_ format: LogFormat, at now: Date, level: StaticString, message: String) {
        self.format = format
        bytes.reserveCapacity(256)
        if format == .json { bytes.append(UInt8(ascii: "{")) }
        begin("time")
        let quote = format == .json ? [UInt8(ascii: "\"")] : []
        bytes += quote
        Timestamp.append(now, to: &bytes)
        bytes += quote
        add("level", "\(level)")
        add("message", message)
    }

    package mutating func add(_ key: String, _ value: String) {
        begin(key)
        if format == .json || !LogEscape.isPlain(value) {
            bytes.append(UInt8(ascii: "\""))
            LogEscape.append(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        } else {
            bytes += value.utf8
        }
    }

    package mutating func add(_ key: String, _ value: Int) {
        begin(key)
        bytes += String(value).utf8
    }

    /// The line with its end.
    package consuming func finished() -> [UInt8] {
        if format == .json { bytes.append(UInt8(ascii: "}")) }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// - Parameter key: Ours, but it is escaped all the same.
    private mutating func begin(_ key: String) {
        switch format {
        case .logfmt:
            if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
            for byte in key.utf8 {
                bytes.append(LogEscape.isPlain(byte) ? byte : UInt8(ascii: "_"))
            }
            bytes.append(UInt8(ascii: "="))
        case .json:
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            LogEscape.append(key, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
            bytes.append(UInt8(ascii: ":"))
        }
    }
}

/// Values that cannot change what a log line says.
enum LogEscape {
    static let longest = 512

    /// Whether the value can stand without quotes.
    static func isPlain(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= longest && value.utf8.allSatisfy(isPlain)
    }

    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"),
            UInt8(ascii: "+"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Appends `value` as the inside of a JSON string (RFC 8259 §7).
    static func append(_ value: String, to bytes: inout [UInt8]) {
        let isLong = value.utf8.count > longest
        let end = bytes.count + longest
        for scalar in value.unicodeScalars {
            if isLong, bytes.count >= end {
                bytes += "…".utf8
                return
            }
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            default:
                if isHarmful(scalar) {
                    for unit in UTF16.encode(scalar) ?? .init([]) { appendEscape(unit, to: &bytes) }
                } else {
                    bytes += UTF8.encode(scalar) ?? .init([])
                }
            }
        }
    }

    /// Controls, and what reorders or hides text.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E: false
        case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    private static func appendEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u".utf8
        for shift in [12, 8, 4, 0] as [UInt16] {
            bytes.append(digits[Int(unit >> shift & 0xF)])
        }
    }
}

/// `2026-01-31T12:00:00.000Z` (RFC 3339 §5.6).
enum Timestamp {
    static func append(_ date: Date, to bytes: inout [UInt8]) {
        // Outside 1970 to 9999 nothing can be written; such a clock is wrong anyway.
        let most = 253_402_300_799.999
        let time = date.timeIntervalSince1970
        let milliseconds = Int((time.isNaN ? 0 : min(most, max(0, time))) * 1000)
        let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        let (year, month, day) = civil(days)
        appendDigits(year, 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendDigits(month, 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        appendDigits(day, 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        appendDigits(rest / 3_600_000, 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        appendDigits(rest / 60_000 % 60, 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        appendDigits(rest / 1000 % 60, 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        appendDigits(rest % 1000, 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// The Gregorian date of a day since 1970: years begin in March, so that a leap day is last.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func appendDigits(_ number: Int, _ count: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
