import PorticoBytes

extension JSONValue {
    /// Appends the value as JSON without white space (RFC 8259).
    package func append(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .bool(let bool): text.append(contentsOf: bool ? "true".utf8 : "false".utf8)
        case .integer(let integer): JSONWriter.append(integer, to: &text)
        case .number(let number): JSONWriter.append(number, to: &text)
        case .string(let string): JSONWriter.append(string, to: &text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let object): object.append(to: &text)
        }
    }

    package func serialized() -> [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }
}

extension JSONObject {
    /// Appends the object as JSON without white space, with its members in order.
    package func append(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in self {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONWriter.append(member.name, to: &text)
            text.append(UInt8(ascii: ":"))
            member.value.append(to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    package func serialized() -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(64 * count)
        append(to: &text)
        return text
    }
}

/// The only writer of JSON scalars, directly into bytes.
package enum JSONWriter {
    /// A string with its quotation marks (RFC 8259 §7).
    package static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        let written: Void? = string.utf8.withContiguousStorageIfAvailable {
            appendEscaped($0, to: &text)
        }
        if written == nil {
            Array(string.utf8).withUnsafeBufferPointer { appendEscaped($0, to: &text) }
        }
        text.append(UInt8(ascii: "\""))
    }

    package static func append(_ integer: Int64, to text: inout [UInt8]) {
        if integer < 0 { text.append(UInt8(ascii: "-")) }
        let start = text.count
        var rest = integer.magnitude
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }

    /// JSON cannot express infinity or not-a-number: they become `null` (RFC 8259 §6).
    package static func append(_ number: Double, to text: inout [UInt8]) {
        text.append(contentsOf: number.isFinite ? number.description.utf8 : "null".utf8)
    }

    /// Copies runs without anything to escape whole.
    private static func appendEscaped(
        _ bytes: UnsafeBufferPointer<UInt8>,
        to text: inout [UInt8]
    ) {
        var start = 0
        for (position, byte) in bytes.enumerated() {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            text.append(contentsOf: bytes[start..<position])
            start = position + 1
            appendEscape(byte, to: &text)
        }
        text.append(contentsOf: bytes[start...])
    }

    private static func appendEscape(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: text.append(UInt8(ascii: "n"))
        case 0x0D: text.append(UInt8(ascii: "r"))
        case 0x09: text.append(UInt8(ascii: "t"))
        case ..<0x20:
            text.append(contentsOf: "u00".utf8)
            Hexadecimal.append(byte, to: &text)
        default: text.append(byte)
        }
    }
}
