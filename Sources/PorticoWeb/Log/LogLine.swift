import PorticoBytes
package import PorticoSystem

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// `time=… level=info message="…" key=value`
    case logfmt
    /// One JSON object per line.
    case json
}

/// One line of the log, built byte by byte.
///
/// Values are untrusted: control characters, escape sequences and characters that change the
/// direction of the text are escaped, so that no value can start a line or colour a terminal
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

    /// The complete line with its line end.
    package consuming func finished() -> [UInt8] {
        if format == .json { bytes.append(UInt8(ascii: "}")) }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// - Parameter key: A literal, but escaped anyway.
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

/// Escapes values so that they cannot change the meaning of a log line.
enum LogEscape {
    static let longest = 512

    /// Whether the value needs no quotes.
    static func isPlain(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= longest && value.utf8.allSatisfy(isPlain)
    }

    static func isPlain(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "/:@+".utf8.contains(byte)
    }

    /// Appends `value` as the content of a JSON string (RFC 8259 §7).
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

    /// Whether the character is a control, or reorders or hides text.
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
        bytes += "\\u".utf8
        Hexadecimal.append(UInt8(unit >> 8), to: &bytes)
        Hexadecimal.append(UInt8(unit & 0xFF), to: &bytes)
    }
}

/// `2026-01-31T12:00:00.000Z` (RFC 3339 §5.6).
enum Timestamp {
    static func append(_ date: Date, to bytes: inout [UInt8]) {
        // Times outside 1970 to 9999 cannot be written; such a clock is wrong anyway.
        let most = 253_402_300_799.999
        let time = date.timeIntervalSince1970
        let milliseconds = Int((time.isNaN ? 0 : min(most, max(0, time))) * 1000)
        let date = CivilDate(Int64(milliseconds / 1000))
        for (number, count, end) in [
            (date.year, 4, "-"), (date.month, 2, "-"), (date.day, 2, "T"), (date.hour, 2, ":"),
            (date.minute, 2, ":"), (date.second, 2, "."), (milliseconds % 1000, 3, "Z"),
        ] as [(Int, Int, Unicode.Scalar)] {
            appendDigits(number, count, to: &bytes)
            bytes.append(UInt8(ascii: end))
        }
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
