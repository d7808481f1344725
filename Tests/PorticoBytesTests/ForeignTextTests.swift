import Testing

@testable import PorticoBytes

@Suite("Text of strangers")
struct ForeignTextTests {
    private enum Word: String, CaseIterable {
        case cafe = "caf\u{E9}"
        case plain
    }

    @Test("WEB-INPUT-1: ASCII of any length, and anything else up to 1,024 bytes")
    func bounds() {
        #expect(ForeignText.decoded(Array(repeating: 0x61, count: 100_000)) != nil)
        let marks = Array(String(repeating: "\u{301}", count: 512).utf8)
        #expect(ForeignText.decoded(marks)?.utf8.count == 1_024)
        #expect(ForeignText.decoded(marks + [0x61]) == nil)
        #expect(ForeignText.decoded([0xFF]) == nil)
        #expect(ForeignText.decoded([]) == "")
    }

    @Test("OpenID Connect Core §14: as a key, another normalization form is another text")
    func keys() {
        let composed = ExactText("caf\u{E9}")
        let decomposed = ExactText("cafe\u{301}")
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect([composed: 1][decomposed] == nil)
        #expect([composed: 1][ExactText("caf\u{E9}")] == 1)
    }

    @Test("A word of the wire is found by its bytes")
    func words() {
        #expect(Word(wire: "caf\u{E9}") == .cafe)
        #expect(Word(wire: "cafe\u{301}") == nil)
        #expect(Word(wire: "Plain") == nil)
        #expect(Word(wire: "") == nil)
    }
}
