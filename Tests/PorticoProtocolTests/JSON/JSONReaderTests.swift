import Foundation
import PorticoBytes
import Testing

@testable import PorticoProtocol

/// Gives at most some bytes at once, and remembers how many were asked for.
private struct Pieces: ByteSource {
    final class Asked {
        var most = 0
    }

    private var rest: ArraySlice<UInt8>
    private let size: Int
    let asked = Asked()

    init(_ text: some Sequence<UInt8>, size: Int = .max) {
        rest = Array(text)[...]
        self.size = size
    }

    mutating func next(upTo limit: Int) throws(FileBytes.Refusal) -> [UInt8] {
        asked.most = max(asked.most, limit)
        defer { rest = rest.dropFirst(min(size, limit)) }
        return Array(rest.prefix(min(size, limit)))
    }
}

@Suite("JSON reader")
struct JSONReaderTests {
    private static let limits = JSONLimits.foreign(size: 64 * 1024)

    /// The value that the steps of a text describe.
    private func byEvents(_ text: [UInt8], chunk: Int, _ limits: JSONLimits = limits)
        throws -> JSONValue?
    {
        var reader = JSONReader(Pieces(text, size: chunk), limits: limits, chunk: chunk)
        var open: [(name: String?, value: JSONValue)] = []
        var name: String?
        var root: JSONValue?
        func add(_ value: JSONValue, _ name: String?) {
            switch open.last?.value {
            case .object(var object)?:
                object[name ?? ""] = value
                open[open.count - 1].value = .object(object)
            case .array(let values)?: open[open.count - 1].value = .array(values + [value])
            default: root = value
            }
        }
        while let event = try reader.next() {
            switch event {
            case .beginObject: open.append((name, [:]))
            case .beginArray: open.append((name, []))
            case .name(let next): name = next
            case .value(let value): add(value, name)
            case .endObject, .endArray:
                let last = open.removeLast()
                add(last.value, last.name)
            }
        }
        #expect(reader.offset == text.count)
        return root
    }

    private func whole(_ text: [UInt8], chunk: Int, _ limits: JSONLimits = limits)
        throws -> JSONValue
    {
        var reader = JSONReader(Pieces(text, size: chunk), limits: limits, chunk: chunk)
        let value = try reader.value()
        #expect(try reader.next() == nil)
        return value
    }

    @Test("RFC 8259 §2: what the parser reads is read the same, wherever the text is cut")
    func reads() throws {
        for (text, value) in JSONParserTests.readable {
            let bytes = Array(text.utf8)
            for chunk in 1...(bytes.count + 1) {
                #expect(try byEvents(bytes, chunk: chunk) == value, "\(text)")
                #expect(try whole(bytes, chunk: chunk) == value, "\(text)")
            }
        }
    }

    @Test("A number that stays a text is read to its end, wherever it is cut")
    func digits() throws {
        let limits = Self.limits.keepingDigits
        let text = Array("1.1050".utf8)
        for chunk in 1...(text.count + 1) {
            #expect(try byEvents(text, chunk: chunk, limits) == "1.1050")
            #expect(try whole(text, chunk: chunk, limits) == "1.1050")
        }
    }

    private func fault(_ read: () throws -> Void) -> JSONReadError? {
        do {
            try read()
        } catch let error as JSONReadError {
            return error
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test("RFC 8259 §2: what the parser refuses is refused for the same reason, wherever it is cut")
    func refuses() {
        for (text, error) in JSONParserTests.malformed {
            let bytes = Array(text.utf8)
            for chunk in 1...(bytes.count + 1) {
                let faults = [
                    fault { _ = try byEvents(bytes, chunk: chunk) },
                    fault { _ = try whole(bytes, chunk: chunk) },
                ]
                for fault in faults {
                    #expect(fault?.reason == .json(error), "\(text)")
                    #expect((0...bytes.count).contains(fault?.offset ?? -1), "\(text)")
                }
            }
        }
    }

    @Test("WEB-INPUT-3, WEB-INPUT-4: bytes that are no UTF-8, and names twice, are refused alike")
    func refusesBytes() {
        let texts: [([UInt8], JSONError)] = [
            (Array("[\"".utf8) + [0xC3, 0x28] + Array("\"]".utf8), .invalidUTF8),
            (Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8), .invalidUTF8),
            ([0xFF], .unexpectedByte),
            (Array(#"{"a":1,"b":2,"a":3}"#.utf8), .duplicateName),
            (Array(#"{"a":1,"\u0061":2}"#.utf8), .duplicateName),
            (Array(#"[{"x":{"a":1,"a":2}}]"#.utf8), .duplicateName),
        ]
        for (text, error) in texts {
            for chunk in 1...(text.count + 1) {
                let faults = [
                    fault { _ = try byEvents(text, chunk: chunk) },
                    fault { _ = try whole(text, chunk: chunk) },
                ]
                for fault in faults { #expect(fault?.reason == .json(error)) }
            }
        }
    }

    @Test("A text of every kind, cut at each byte, is read to the end or is said to end too early")
    func truncated() throws {
        let text = Array(
            #" {"a" : [1, -2.5e3, "é\uD834\uDD1E\"", true], "b": {"c":null, "d": [ ] }, "e": "f"} "#
                .utf8
        )
        let expected = try JSONValue(parsing: text)
        for chunk in 1...text.count {
            #expect(try byEvents(text, chunk: chunk) == expected)
        }
        for length in 0..<(text.count - 1) {
            let part = Array(text[..<length])
            for chunk in [1, 3, 100] {
                let faults = [
                    fault { _ = try byEvents(part, chunk: chunk) },
                    fault { _ = try whole(part, chunk: chunk) },
                ]
                for fault in faults {
                    #expect(fault?.offset == length)
                    let isCutInEscape = fault?.reason == .json(.loneSurrogate)
                    #expect(fault?.reason == .json(.unexpectedEnd) || isCutInEscape)
                }
            }
        }
    }

    private static let broken: [(String, String, Int)] = [
        (#"{"clients":[{"a":1},{"secret":tru"#, "clients[1].secret", 33),
        (#"{"clients":[{"a":1},{"secret": x}]}"#, "clients[1].secret", 31),
        (#"{"a":{"b":[0,[1,2,"#, "a.b[1][2]", 18),
        (#"{"a":{"b":[0,[1,2],{"c":1,"c":2}]}}"#, "a.b[2].c", 29),
        (#"{"a b":{"":{"q\"\\":[01]}}}"#, #"["a b"][""]["q\"\\"][0]"#, 22),
        (#"{"a":1} x"#, "", 8),
        (#"{"a":1,}"#, "", 7),
        (#"[[],[[]"#, "[1][0]", 7),
        (#"["x","y"#, "[1]", 7),
        ("", "", 0),
    ]

    @Test("A text that is broken or cut off says where, by path and byte", arguments: broken)
    func path(text: String, path: String, offset: Int) {
        let bytes = Array(text.utf8)
        for chunk in [1, 2, 5, 1_000] {
            let stepwise = fault {
                _ = try byEvents(bytes, chunk: chunk)
            }
            let atOnce = fault { _ = try whole(bytes, chunk: chunk) }
            #expect(stepwise?.path.description == path)
            // Of a name twice the parser knows at the object's end.
            if stepwise?.reason != .json(.duplicateName) {
                #expect(atOnce?.path.description == path)
                #expect(atOnce?.offset == stepwise?.offset)
            } else {
                #expect(atOnce?.path.description == "a.b[2]")
            }
            #expect(stepwise?.offset == offset)
        }
    }

    @Test("An error's text is one line of bounded length, and holds nothing but the path")
    func description() throws {
        let name = "\u{202E}a\n" + String(repeating: "é", count: 400)
        let text = Array(#"{"clients":{"\#(name.replacing("\n", with: "\\n"))":tru}}"#.utf8)
        let fault = try #require(
            fault { _ = try whole(text, chunk: 100) }
        )
        let shown = fault.description
        #expect(shown.hasPrefix("clients[\"\u{FFFD}a\u{FFFD}é"))
        #expect(shown.hasSuffix("…\"], byte \(fault.offset): \(JSONError.unexpectedByte)"))
        #expect(shown.utf8.count < 250)
        #expect(!shown.contains("\n") && !shown.contains("\u{202E}"))
        let outer = JSONReadError(reason: .source(.system(errno: 5)), path: JSONPath(), offset: 7)
        #expect("\(outer)" == "byte 7: The file cannot be read.")
    }

    @Test("A large text is read in steps: names, elements one by one, the rest passed over")
    func steps() throws {
        let text = #"""
            {"realm": "r", "skipped": {"a": [1, {"b": 2}]}, "users": [{"n": 0}, {"n": 1}, 2],
             "none": [], "after": true}
            """#
        for chunk in [1, 7, 1_000] {
            var reader = JSONReader(
                Pieces(text.utf8, size: chunk),
                limits: Self.limits,
                chunk: chunk
            )
            #expect(try reader.next() == .beginObject)
            var seen: [String] = []
            while let name = try reader.nextName() {
                seen.append(name)
                switch name {
                case "realm", "after": seen.append("\(try reader.value())")
                case "users", "none":
                    #expect(try reader.next() == .beginArray)
                    while let value = try reader.nextElement() {
                        seen.append("\(reader.path) \(value)")
                    }
                    #expect(reader.path.description == name)
                default: try reader.skip()
                }
            }
            #expect(try reader.next() == nil)
            #expect(try reader.next() == nil)
            let users = [
                "users[0] \(JSONValue.object(["n": 0]))", "users[1] \(JSONValue.object(["n": 1]))",
                "users[2] \(JSONValue.integer(2))",
            ]
            #expect(
                seen
                    == ["realm", "\(JSONValue.string("r"))", "skipped", "users"] + users
                    + ["none", "after", "\(JSONValue.bool(true))"]
            )
        }
    }

    @Test("WEB-INPUT-1: a value, its depth and the names of an object are bounded, the text is not")
    func bounds() throws {
        let limits = JSONLimits(size: 100, depth: 4)
        func reason(
            _ text: String,
            _ read: (inout JSONReader) throws -> Void
        )
            -> JSONReadError.Reason?
        {
            var reader = JSONReader(Pieces(text.utf8, size: 16), limits: limits, chunk: 16)
            return fault { try read(&reader) }?.reason
        }
        let fits = "\"" + String(repeating: "x", count: 98) + "\""
        let tooLong = "\"" + String(repeating: "x", count: 99) + "\""
        #expect(
            reason("[\(fits)]") {
                _ = try $0.next(); _ = try $0.next()
            } == nil
        )
        for read in [
            { reader in
                _ = try reader.next(); _ = try reader.next()
            },
            { reader in
                _ = try reader.next(); try reader.skip()
            },
            { reader in
                _ = try reader.next()
                _ = try reader.nextElement()
            },
        ] as [(inout JSONReader) throws -> Void] {
            #expect(reason("[\(tooLong)]", read) == .json(.tooLarge))
        }
        // Many values are no large value.
        let many = "[" + Array(repeating: "[1,2,3]", count: 1_000).joined(separator: ",") + "]"
        #expect(reason(many) { try $0.skip() } == nil)
        #expect(reason(many) { _ = try $0.value() } == .json(.tooLarge))
        // One that never ends is not kept.
        let endless = "[\"" + String(repeating: "y", count: 100_000)
        #expect(reason(endless) { try $0.skip() } == .json(.tooLarge))

        // Depth counts from the outside, however it is read.
        #expect(reason("[[[[1]]]]") { try $0.skip() } == nil)
        #expect(reason("[[[[[]]]]]") { try $0.skip() } == .json(.tooDeep))
        #expect(
            reason("[[[[]]]]") {
                _ = try $0.next(); _ = try $0.value()
            } == nil
        )
        #expect(
            reason("[[[[[]]]]]") {
                _ = try $0.next(); _ = try $0.value()
            } == .json(.tooDeep)
        )

        let names = (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")
        #expect(reason("{\(names)}") { try $0.skip() } == .json(.tooManyMembers))
        let objects =
            "[" + Array(repeating: "{\"name\":{\"n\":0}}", count: 100).joined(separator: ",")
        #expect(reason(objects + "]") { try $0.skip() } == nil)
        let thousand = "{" + (0..<1_001).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(
            fault {
                _ = try byEvents(Array(thousand.utf8), chunk: 1_000)
            }?.reason == .json(.tooManyMembers)
        )
    }

    @Test("No more is asked of a source than a chunk, or what a value needs beyond it")
    func demand() throws {
        let person = "{\"a\":\"" + String(repeating: "x", count: 3_000) + "\"}"
        let text = "[" + Array(repeating: person, count: 300).joined(separator: ",") + "]"
        let source = Pieces(text.utf8)
        var reader = JSONReader(source, limits: Self.limits, chunk: 1_024)
        #expect(try reader.next() == .beginArray)
        var count = 0
        while try reader.nextElement() != nil { count += 1 }
        #expect(count == 300)
        #expect(source.asked.most <= 4_096)
    }

    @Test("A file is read from where it stands, and says if it cannot be")
    func files() throws {
        let path = FileManager.default.temporaryDirectory.path + "/json-reader-\(getpid()).json"
        let text = "[" + (0..<20_000).map(String.init).joined(separator: ",") + "]"
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        var reader = JSONReader(FileSource(descriptor), limits: Self.limits, chunk: 1_000)
        #expect(try reader.next() == .beginArray)
        var sum = 0
        while let value = try reader.nextElement() { sum += Int(value.int64 ?? 0) }
        #expect(sum == 199_990_000)
        #expect(try reader.next() == nil)
        close(descriptor)

        var closed = JSONReader(FileSource(-1), limits: Self.limits)
        #expect(
            throws: JSONReadError(
                reason: .source(.system(errno: EBADF)),
                path: JSONPath(),
                offset: 0
            )
        ) { try closed.next() }
    }
}
