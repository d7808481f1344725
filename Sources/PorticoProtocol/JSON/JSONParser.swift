import PorticoBytes

/// A parser of the grammar in RFC 8259 §2, with one method for each rule.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var position = 0
    private var depth = 0

    static func result(of bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits)
        -> Result<JSONValue, JSONError>
    {
        var parser = JSONParser(bytes: bytes, limits: limits)
        return Result { () throws(JSONError) in try parser.document() }
    }

    /// One value at the beginning of `bytes`, and where reading it ended.
    static func prefix(of bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits)
        -> (result: Result<JSONValue, JSONError>, end: Int)
    {
        var parser = JSONParser(bytes: bytes, limits: limits)
        let result = Result { () throws(JSONError) in try parser.value() }
        return (result, parser.position)
    }

    private mutating func document() throws(JSONError) -> JSONValue {
        let value = try value()
        skipWhitespace()
        guard position == bytes.count else { throw .trailingBytes }
        return value
    }

    // §3
    private mutating func value() throws(JSONError) -> JSONValue {
        skipWhitespace()
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw unexpected
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError)
        -> JSONValue
    {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw unexpected }
            position += 1
        }
        return value
    }

    // §4
    private mutating func object() throws(JSONError) -> JSONObject {
        try descend()
        var members: [(name: String, value: JSONValue)] = []
        if !skip(UInt8(ascii: "}")) {
            repeat {
                skipWhitespace()
                guard next == UInt8(ascii: "\"") else { throw unexpected }
                let name = try string()
                guard skip(UInt8(ascii: ":")) else { throw unexpected }
                members.append((name, try value()))
                guard members.count <= limits.members else { throw .tooManyMembers }
            } while skip(UInt8(ascii: ","))
            guard skip(UInt8(ascii: "}")) else { throw unexpected }
        }
        depth -= 1
        guard let object = JSONObject(unique: members) else { throw .duplicateName }
        return object
    }

    // §5
    private mutating func array() throws(JSONError) -> [JSONValue] {
        try descend()
        var values: [JSONValue] = []
        if !skip(UInt8(ascii: "]")) {
            repeat {
                values.append(try value())
            } while skip(UInt8(ascii: ","))
            guard skip(UInt8(ascii: "]")) else { throw unexpected }
        }
        depth -= 1
        return values
    }

    // §6
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var integer: Int64? = 0
        let isNegative = skipByte(UInt8(ascii: "-"))
        if !skipByte(UInt8(ascii: "0")) {
            guard next.isDigit else { throw unexpected }
            while next.isDigit {
                integer = integer.flatMap { appending(next, to: $0, isNegative) }
                position += 1
            }
        }
        if skipByte(UInt8(ascii: ".")) {
            try skipDigits()
            integer = nil
        }
        if next | 0x20 == UInt8(ascii: "e") {
            position += 1
            if !skipByte(UInt8(ascii: "+")) { _ = skipByte(UInt8(ascii: "-")) }
            try skipDigits()
            integer = nil
        }
        if let integer { return .integer(integer) }
        let written = text(start..<position)
        if limits.keepsDigits, Double(written)?.description != written { return .string(written) }
        guard let number = Double(written), number.isFinite else { throw .numberOutOfRange }
        return .number(number)
    }

    /// Appends a digit to `integer`; `nil` if the result does not fit.
    private func appending(_ digit: UInt8, to integer: Int64, _ isNegative: Bool) -> Int64? {
        let value = Int64(digit &- UInt8(ascii: "0"))
        let (shifted, tooLarge) = integer.multipliedReportingOverflow(by: 10)
        let (sum, overflow) = shifted.addingReportingOverflow(isNegative ? -value : value)
        return tooLarge || overflow ? nil : sum
    }

    private mutating func skipDigits() throws(JSONError) {
        guard next.isDigit else { throw unexpected }
        while next.isDigit { position += 1 }
    }
}

extension JSONParser {
    // §7
    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        var isASCII = true
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let text =
                    isASCII ? text(start..<position) : try decoded(bytes[start..<position])
                position += 1
                return text
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case ..<0x20: throw .controlCharacter
            case 0x80...: isASCII = false
            default: break
            }
            position += 1
        }
        throw .unexpectedEnd
    }

    /// A string with its first escape at `position`.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var collected = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return try decoded(collected)
            case UInt8(ascii: "\\"):
                collected.append(contentsOf: try escape().utf8)
            case ..<0x20: throw .controlCharacter
            default: collected.append(byte)
            }
        }
        throw .unexpectedEnd
    }

    /// The character of an escape, read from after its backslash.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard position < bytes.count else { throw .unexpectedEnd }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try hexadecimalEscape()
        default: throw .invalidEscape
        }
    }

    private mutating func hexadecimalEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try hexadecimalUnit()
        // RFC 8259 §9 allows limits on strings: C libraries would end the text at NUL.
        guard first != 0 else { throw .controlCharacter }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard skipByte(UInt8(ascii: "\\")), skipByte(UInt8(ascii: "u")) else {
            throw .loneSurrogate
        }
        let second = try hexadecimalUnit()
        guard 0xD800...0xDBFF ~= first, 0xDC00...0xDFFF ~= second,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            throw .loneSurrogate
        }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.hexDigitValue else {
                throw position < bytes.count ? .invalidEscape : .unexpectedEnd
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Text that may not be ASCII: it must be UTF-8, decoded without replacement by U+FFFD, and of
    /// bounded length.
    private func decoded(_ bytes: some Collection<UInt8>) throws(JSONError) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { throw .invalidUTF8 }
        guard bytes.count <= limits.text || bytes.allSatisfy({ $0 < 0x80 }) else {
            throw .textTooLong
        }
        return text
    }
}

extension JSONParser {
    /// The next byte; at the end NUL, which no rule accepts.
    private var next: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    private var unexpected: JSONError {
        position < bytes.count ? .unexpectedByte : .unexpectedEnd
    }

    /// Enters an array or object that starts with the next byte.
    private mutating func descend() throws(JSONError) {
        depth += 1
        guard depth <= limits.depth else { throw .tooDeep }
        position += 1
    }

    private mutating func skipByte(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Skips `byte` and the white space before it.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipWhitespace()
        return skipByte(byte)
    }

    // §2
    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}
