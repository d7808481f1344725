import PorticoBytes
import PorticoProtocol
import PorticoSystem

/// What a command writes: data to stdout, messages to stderr.
struct Console: Sendable {
    let isQuiet: Bool
    /// Whether a person can answer a question.
    let mayAsk: Bool
    let usesColour: Bool
    let showsDataOnTerminal: Bool

    init(isQuiet: Bool, noColour: Bool, noInput: Bool, environment: [String: String]) {
        self.isQuiet = isQuiet
        let isTerminal = isatty(STDERR_FILENO) == 1
        mayAsk =
            !noInput && environment["CI"] == nil && isTerminal && isatty(STDIN_FILENO) == 1
        usesColour =
            isTerminal && !noColour && environment["TERM"] != "dumb" && environment["CI"] == nil
            && (environment["NO_COLOR"] ?? "").isEmpty
        showsDataOnTerminal = isatty(STDOUT_FILENO) == 1
    }

    /// One line, or several, of what was asked for.
    ///
    /// - Throws: `output` where it cannot be written: a disk may be full.
    func data(_ text: String) throws(Failure) {
        try data(Array(text.utf8))
    }

    func data(_ bytes: [UInt8]) throws(Failure) {
        try piece(bytes + [UInt8(ascii: "\n")])
    }

    /// A piece of data that is too long to be held as a whole.
    ///
    /// - Throws: `output`, as ``data(_:)-(String)``.
    func piece(_ bytes: [UInt8]) throws(Failure) {
        guard !FileBytes.write(bytes, to: STDOUT_FILENO) else { return }
        let reason = systemReason()
        throw Failure(
            .output,
            "stdout cannot be written: \(reason).",
            "It has nothing, or only a part of it."
        )
    }

    func say(_ text: String) {
        guard !isQuiet else { return }
        write(text + "\n", to: STDERR_FILENO)
    }

    /// That something was done: one line, the undo where there is one.
    func done(_ text: String) {
        say("\(coloured("✓", .green)) \(text)")
    }

    func warn(_ text: String) {
        write("\(coloured("!", .yellow)) \(text)\n", to: STDERR_FILENO)
    }

    func report(_ failure: Failure) {
        var lines = ["\(coloured("✗", .red)) \(failure.what) (\(failure.problem.rawValue))"]
        lines += failure.advice.map { "  \($0)" }
        write(lines.joined(separator: "\n") + "\n", to: STDERR_FILENO)
    }

    /// Begins a question; the answer follows on the same line.
    func ask(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    func coloured(_ text: String, _ colour: Colour) -> String {
        usesColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    private func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8), to: descriptor)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        // What cannot be said has nowhere to be reported.
        FileBytes.write(bytes, to: descriptor)
    }
}

/// `text` without what would steer a terminal: what others chose is shown, not obeyed.
func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
            result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
        default: result.append(scalar)
        }
    }
    return String(result)
}

extension Console {
    /// JSON on one line for programs, indented for people.
    func json(_ value: JSONValue) -> String {
        guard showsDataOnTerminal else {
            return String(decoding: value.serialized(), as: UTF8.self)
        }
        return Self.indented(value, by: 0)
    }

    private static func indented(_ value: JSONValue, by depth: Int) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch value {
        case .object(let object) where !object.isEmpty:
            let members = object.map { name, value in
                "\(inner)\(scalar(.string(name))): \(indented(value, by: depth + 1))"
            }
            return "{\n\(members.joined(separator: ",\n"))\n\(outer)}"
        case .array(let values) where !values.isEmpty:
            let elements = values.map { inner + indented($0, by: depth + 1) }
            return "[\n\(elements.joined(separator: ",\n"))\n\(outer)]"
        default: return scalar(value)
        }
    }

    private static func scalar(_ value: JSONValue) -> String {
        printable(String(decoding: value.serialized(), as: UTF8.self))
    }
}

extension Console {
    func show(_ table: Table, _ json: JSONValue, _ options: ReadOptions) throws(Failure) {
        if options.json {
            try data(json.serialized())
        } else if options.plain {
            if !table.rows.isEmpty { try data(table.plain) }
        } else {
            try data(table.text(width: showsDataOnTerminal ? Table.terminalWidth : nil))
        }
    }
}

extension BinaryInteger {
    /// With what it counts: `1 session`, `2 sessions`.
    func counting(_ thing: String) -> String { self == 1 ? "1 \(thing)" : "\(self) \(thing)s" }
}

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
