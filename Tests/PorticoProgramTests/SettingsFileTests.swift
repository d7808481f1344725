import Testing

@testable import PorticoProgram

@Suite("A settings file") struct SettingsFileTests {
    private func lines(_ text: String) -> [String] {
        do throws(SettingsFile.Unreadable) {
            _ = try SettingsFile(Array(text.utf8))
            return []
        } catch {
            return error.lines
        }
    }

    @Test("values are texts as they are written, at any level, and lists of them")
    func values() throws {
        let file = try SettingsFile(
            Array(
                """
                # Nothing yet
                listen: 127.0.0.1:8080
                log: {level: "de\\u0062ug"}
                hashing:
                  threads: 0x4
                empty:
                trusted-proxies: [10.0.0.1, yes]
                here: &here [a]
                there: *here
                """.utf8
            )
        )
        #expect(file.values["listen"]?.texts == ["127.0.0.1:8080"])
        #expect(file.values["log.level"]?.texts == ["debug"])
        #expect(file.values["hashing.threads"]?.texts == ["0x4"])
        #expect(file.values["empty"]?.texts == [""])
        #expect(file.values["trusted-proxies"]?.texts == ["10.0.0.1", "yes"])
        #expect(file.values["there"]?.texts == ["a"])
        #expect(file.values.count == 7)
    }

    @Test("a file without values has none", arguments: ["", "# nothing", "---\n", "{}"])
    func empty(_ text: String) throws {
        #expect(try SettingsFile(Array(text.utf8)).values.isEmpty)
    }

    @Test(
        "what is no settings file is refused, with the place",
        arguments: [
            ("a: 1\na: 2", "line 2, column 1: a is set a second time"),
            ("a.b: 1\na: {b: 2}", "line 2, column 5: a.b is set a second time"),
            ("a: [b: 1]", "line 1, column 4: a list holds plain values only"),
            ("? [a]\n: b", "line 1, column 1: a key must be a plain text, and not too deep"),
            ("a: &a {b: *a}", "line 1, column 4: a key must be a plain text, and not too deep"),
            ("a: 1\n---\nb: 2", "The file has more than one document."),
            ("- a", "Top level YAML value is not a mapping."),
            ("a: *b", "line 1, column 4: found undefined alias"),
            ("a: \"b", "line 1, column 6: found unexpected end of stream"),
            ("a: \u{7}", "line 1, column 1: control characters are not allowed"),
        ]
    )
    func refused(_ text: String, _ line: String) {
        #expect(lines(text).first == line)
    }

    @Test("bytes that are not UTF-8 are refused")
    func bytes() {
        #expect(throws: SettingsFile.Unreadable.self) {
            try SettingsFile([0x61, 0x3A, 0x20, 0xFF])
        }
    }
}

extension SettingsFile.Value {
    fileprivate var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let texts): texts
        }
    }
}
