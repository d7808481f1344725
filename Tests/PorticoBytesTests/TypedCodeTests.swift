import PorticoBytes
import Testing

@Suite("A code as a person types it") struct TypedCodeTests {
    @Test(
        "Digits of every script are digits; white space, dashes and marks of direction are nothing",
        arguments: [
            "123456", "123 456", " 123-456\t", "123\u{A0}456", "123\u{2007}456\u{202F}",
            "123\r\n456",
            "\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}",
            "\u{6F1}\u{6F2}\u{6F3}\u{6F4}\u{6F5}\u{6F6}",
            "\u{FF11}\u{FF12}\u{FF13}\u{FF14}\u{FF15}\u{FF16}",
            "\u{967}\u{968}\u{969}\u{96A}\u{96B}\u{96C}",
            "\u{200F}123456\u{200E}", "\u{2066}123\u{2013}456\u{2069}", "123\u{2212}456",
            "12\u{663}456",
            "\u{FEFF}123456", "123\u{3000}456", "123\u{AD}456",
        ]
    )
    func digits(_ typed: String) {
        #expect(TypedCode.compact(typed) == "123456")
    }

    @Test("Letters of recovery codes are capital ones, of full width too")
    func letters() {
        #expect(TypedCode.compact("k6yy-5kvq-2345") == "K6YY5KVQ2345")
        #expect(TypedCode.compact("\u{FF4B}\u{FF16}\u{FF39}\u{FF39}") == "K6YY")
    }

    @Test(
        "What is no code stays wrong, and long text is nothing",
        arguments: ["½", "é", "१²", "𝟏x"]
    )
    func others(_ typed: String) {
        #expect(TypedCode.compact(typed) != "1")
        #expect(TypedCode.compact(String(repeating: "1", count: 129)).isEmpty)
        #expect(TypedCode.compact(String(repeating: "\u{301}", count: 100_000)).isEmpty)
        #expect(TypedCode.compact(" \t-\u{200E}").isEmpty)
    }
}
