import PorticoProtocol
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    static let readable: [(String, JSONValue)] = [
        ("null", .null),
        ("true", true),
        (" \t\r\n false \n", false),
        ("0", 0),
        ("-0", 0),
        ("-12", -12),
        ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", 9_223_372_036_854_775_808.0),
        ("-9223372036854775809", -9_223_372_036_854_775_808.0),
        ("123456789012345678901234567890", 123_456_789_012_345_678_901_234_567_890.0),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1E+2", 100.0),
        ("-2.5e-1", -0.25),
        ("1e-400", 0.0),
        ("\"\"", ""),
        ("\"a\"", "a"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC""#, "Aé€"),
        (#""\uD834\uDD1E""#, "𝄞"),
        (#""\u007f\uFFFF\uFFFD""#, "\u{7F}\u{FFFF}\u{FFFD}"),
        ("\"é€𝄞\u{FFFD}\u{7F}\"", "é€𝄞\u{FFFD}\u{7F}"),
        ("[]", []),
        ("[ ]", []),
        ("[1, [2], {}]", [1, [2], [:]]),
        ("{}", [:]),
        ("{ \"a\" : 1 , \"\" : [ ] }", ["a": 1, "": []]),
        (#"{"a":{"a":{"a":null}}}"#, ["a": ["a": ["a": .null]]]),
    ]

    @Test("RFC 8259 §2: each kind of value is read", arguments: readable)
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text.utf8) == value)
    }

    static let malformed: [(String, JSONError)] = [
        ("", .unexpectedEnd),
        ("  ", .unexpectedEnd),
        ("nul", .unexpectedEnd),
        ("nulL", .unexpectedByte),
        ("True", .unexpectedByte),
        ("NaN", .unexpectedByte),
        ("Infinity", .unexpectedByte),
        ("-Infinity", .unexpectedByte),
        ("-", .unexpectedEnd),
        ("+1", .unexpectedByte),
        ("01", .trailingBytes),
        ("-01", .trailingBytes),
        ("1.", .unexpectedEnd),
        (".5", .unexpectedByte),
        ("1.e1", .unexpectedByte),
        ("1e", .unexpectedEnd),
        ("1e+", .unexpectedEnd),
        ("1e+-1", .unexpectedByte),
        ("0x10", .trailingBytes),
        ("1_000", .trailingBytes),
        ("１", .unexpectedByte),
        ("1 2", .trailingBytes),
        ("{}{}", .trailingBytes),
        ("{}\u{0}", .trailingBytes),
        ("[", .unexpectedEnd),
        ("[1", .unexpectedEnd),
        ("[1,", .unexpectedEnd),
        ("[1,]", .unexpectedByte),
        ("[,1]", .unexpectedByte),
        ("[1 2]", .unexpectedByte),
        ("[1}", .unexpectedByte),
        ("]", .unexpectedByte),
        ("{", .unexpectedEnd),
        ("{\"a\"", .unexpectedEnd),
        ("{\"a\":", .unexpectedEnd),
        ("{\"a\":1", .unexpectedEnd),
        ("{\"a\":1,}", .unexpectedByte),
        ("{\"a\" 1}", .unexpectedByte),
        ("{a:1}", .unexpectedByte),
        ("{'a':1}", .unexpectedByte),
        ("{1:1}", .unexpectedByte),
        ("{\"a\":1]", .unexpectedByte),
        ("// a\n1", .unexpectedByte),
        ("1 /* a */", .trailingBytes),
        ("\u{FEFF}{}", .unexpectedByte),
        ("\u{A0}1", .unexpectedByte),
        ("\u{C}1", .unexpectedByte),
        ("\"", .unexpectedEnd),
        ("\"a", .unexpectedEnd),
        ("\"\\", .unexpectedEnd),
        ("\"\\\"", .unexpectedEnd),
        (#""\x41""#, .invalidEscape),
        (#""\'""#, .invalidEscape),
        (#""\U0041""#, .invalidEscape),
        (#""\u004""#, .invalidEscape),
        (#""\u00g0""#, .invalidEscape),
        (#""\u+041""#, .invalidEscape),
        (#""\u00"#, .unexpectedEnd),
        ("\"a\nb\"", .controlCharacter),
        ("\"a\tb\"", .controlCharacter),
        ("\"a\u{0}b\"", .controlCharacter),
        ("\"\\n\u{1F}\"", .controlCharacter),
        (#""\u0000""#, .controlCharacter),
        (#""\uD834""#, .loneSurrogate),
        (#""\uD834x""#, .loneSurrogate),
        (#""\uD834\n""#, .loneSurrogate),
        (#""\uD834\uD834""#, .loneSurrogate),
        (#""\uD834\u0041""#, .loneSurrogate),
        (#""\uD834\uDBFF""#, .loneSurrogate),
        (#""\uD834\uE000""#, .loneSurrogate),
        (#""\uD834\uFFFF""#, .loneSurrogate),
        (#""\uDD1E""#, .loneSurrogate),
        (#""\uDD1E\uD834""#, .loneSurrogate),
        (#""\uDD1E\uDD1E""#, .loneSurrogate),
    ]

    @Test("RFC 8259 §2: what the grammar does not have is refused", arguments: malformed)
    func refuses(text: String, error: JSONError) {
        #expect(throws: error) { try JSONValue(parsing: text.utf8) }
    }

    @Test(
        "WEB-INPUT-3: bytes that are not UTF-8 are refused",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xF0, 0x9D, 0x84],
            [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80],
        ] as [[UInt8]]
    )
    func refusesInvalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONError.invalidUTF8) {
            try JSONValue(parsing: [quote] + bytes + [quote])
        }
        #expect(throws: JSONError.invalidUTF8) {
            try JSONValue(parsing: [quote] + bytes + Array(#"\n""#.utf8))
        }
        #expect(throws: JSONError.unexpectedByte) { try JSONValue(parsing: bytes) }
    }

    @Test(
        "WEB-INPUT-4: an object that names a member twice is refused",
        arguments: [
            #"{"a":1,"a":1}"#,
            #"{"a":1,"b":2,"a":3}"#,
            #"{"a":1,"\u0061":2}"#,
            #"{"":1,"":2}"#,
            #"[{"x":{"a":1,"a":2}}]"#,
        ]
    )
    func refusesDuplicates(text: String) {
        #expect(throws: JSONError.duplicateName) { try JSONValue(parsing: text.utf8) }
    }

    @Test("WEB-INPUT-1: of strangers, text that is not ASCII is read up to 1,024 bytes")
    func longForeignText() throws {
        func texts(_ length: Int) -> [[UInt8]] {
            let marks = Array(String(repeating: "\u{301}", count: length / 2).utf8)
            let fill = marks + [UInt8](repeating: UInt8(ascii: "x"), count: length % 2)
            func within(_ beginning: String, _ bytes: [UInt8], _ end: String) -> [UInt8] {
                [UInt8](beginning.utf8) + bytes + [UInt8](end.utf8)
            }
            return [
                within("{\"a\":\"", fill, "\"}"),
                within("{\"", fill, "\":1}"),
                // With an escape, which stands for one byte.
                within("[\"\\n", Array(fill.dropFirst(2)), "x\"]"),
            ]
        }
        for text in texts(1_024) {
            #expect(throws: Never.self) { try JSONValue(parsing: text) }
        }
        for text in texts(1_025) {
            #expect(throws: JSONError.textTooLong) { try JSONValue(parsing: text) }
            // What we wrote ourselves may be longer.
            let limits = JSONLimits(size: 10_000)
            #expect(throws: Never.self) { try JSONValue(parsing: text, limits: limits) }
        }
        let ascii = "\"" + String(repeating: "a", count: 60_000) + "\""
        #expect(throws: Never.self) { try JSONValue(parsing: ascii.utf8) }
    }

    @Test("WEB-INPUT-1: of strangers, an object of a thousand members is read, and no larger one")
    func manyMembers() throws {
        func object(_ count: Int) -> [UInt8] {
            Array(("{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
        }
        #expect(try JSONObject(parsing: object(1_000)).count == 1_000)
        #expect(throws: JSONError.tooManyMembers) { try JSONObject(parsing: object(1_001)) }
        let limits = JSONLimits(size: 64 * 1024)
        #expect(try JSONObject(parsing: object(1_001), limits: limits).count == 1_001)
    }

    @Test("WEB-INPUT-4: a name twice among thousands is found, and quickly")
    func findsDuplicateAmongMany() throws {
        let members = (0..<5000).map { "\"n\($0)\":0" }
        let limits = JSONLimits(size: 1 << 20)
        let text = members.joined(separator: ",")
        #expect(try JSONObject(parsing: "{\(text)}".utf8, limits: limits).count == 5000)
        #expect(throws: JSONError.duplicateName) {
            try JSONObject(parsing: "{\(text),\"n7\":1}".utf8, limits: limits)
        }
    }

    @Test("RFC 8259 §8.3: names that only look the same are two names")
    func comparesBytes() throws {
        let object = try JSONObject(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)
        #expect(object.count == 2)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        // The same bytes in another order: canonically equivalent and equally long.
        let marks = try JSONObject(parsing: "{\"a\u{301}\u{323}\":1,\"a\u{323}\u{301}\":2}".utf8)
        #expect(marks["a\u{323}\u{301}"] == 2)
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    }

    @Test("WEB-INPUT-1: 32 levels are read, 33 and 10,000 are refused without a crash")
    func limitsDepth() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(32, "[", "]").utf8) }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(32, "{\"a\":", "}").utf8) }
        #expect(throws: JSONError.tooDeep) { try JSONValue(parsing: nested(33, "[", "]").utf8) }
        #expect(throws: JSONError.tooDeep) {
            try JSONValue(parsing: nested(10_000, "{\"a\":", "}").utf8)
        }
        let broad = "[" + String(repeating: "[[]],", count: 100) + "[]]"
        #expect(throws: Never.self) {
            try JSONValue(parsing: broad.utf8, limits: JSONLimits(size: 1000, depth: 3))
        }
        #expect(throws: JSONError.tooDeep) {
            try JSONValue(
                parsing: nested(10_000, "[", "]").utf8,
                limits: JSONLimits(size: .max, depth: .max)
            )
        }
    }

    @Test("WEB-INPUT-1: more than the size limit is refused unread")
    func limitsSize() {
        #expect(throws: Never.self) {
            try JSONValue(parsing: "[1]".utf8, limits: JSONLimits(size: 3))
        }
        #expect(throws: JSONError.tooLarge) {
            try JSONValue(parsing: "[1] ".utf8, limits: JSONLimits(size: 3))
        }
        #expect(throws: JSONError.tooLarge) {
            try JSONValue(parsing: [UInt8](repeating: 0x20, count: 64 * 1024 + 1))
        }
    }

    @Test(
        "attack D10, H12: a number beyond a Double is refused",
        arguments: ["1e400", "-1e400", "1e309", "1e99999999999999999999"]
    )
    func refusesHugeNumbers(text: String) {
        #expect(throws: JSONError.numberOutOfRange) { try JSONValue(parsing: text.utf8) }
    }

    @Test("RFC 8259 §6: a number of sixty thousand digits is refused")
    func refusesLongNumbers() {
        let digits = String(repeating: "9", count: 60_000)
        #expect(throws: JSONError.numberOutOfRange) { try JSONValue(parsing: digits.utf8) }
    }

    @Test("A reader who may take numbers for texts gets those that a Double would change as texts")
    func keepsDigits() throws {
        let cases: [(String, JSONValue)] = [
            ("42", 42), ("1.5", 1.5), ("3600.0", 3600.0), ("1.10", "1.10"), ("-1.10", "-1.10"),
            ("12345678901234567890", "12345678901234567890"), ("1e3", "1e3"), ("1e400", "1e400"),
        ]
        let limits = JSONLimits(size: 1 << 20).keepingDigits
        for (text, value) in cases {
            #expect(try JSONValue(parsing: text.utf8, limits: limits) == value, "\(text)")
            let held = try JSONValue(parsing: "[\(text)]".utf8, limits: limits)
            #expect(held == [value], "\(text)")
        }
        #expect(try JSONValue(parsing: "1.10".utf8) == 1.1)
        #expect(throws: JSONError.self) { try JSONValue(parsing: "1.".utf8, limits: limits) }
    }

    @Test("An object is expected: another value is refused")
    func objectOnly() {
        for text in ["[]", "null", "\"{}\"", "1"] {
            #expect(throws: JSONError.notAnObject) { try JSONObject(parsing: text.utf8) }
        }
    }

    @Test("Bytes that lie in pieces are read as well")
    func readsOtherCollections() throws {
        let pieces = [Array("{\"a\"".utf8), Array(":[1,".utf8), Array("2]}".utf8)]
        #expect(try JSONValue(parsing: pieces.joined().map(\.self)) == ["a": [1, 2]])
        #expect(
            try JSONValue(parsing: "{\"a\":[1,2]}".utf8.reversed().reversed()) == ["a": [1, 2]]
        )
    }

    @Test("A description says which rule was broken and nothing of the text")
    func describes() {
        #expect(JSONError.duplicateName.description == "A JSON object names a member twice.")
    }
}
