import Testing

@testable import PorticoProgram

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "the nearest name is suggested",
        arguments: [
            ("lisen", "listen"), ("PUBLIC-URL", "public-url"), ("log.leve", "log.level"),
            ("import-reaml", "import-realm"), ("usr", "user"),
        ]
    )
    func near(word: String, expected: String) {
        let names = Setting.all.map(\.key) + ["user", "role"]
        #expect(Suggestion.nearest(to: word, among: names) == expected)
    }

    @Test("nothing is suggested for what is far from everything", arguments: ["", "x", "database"])
    func far(word: String) {
        #expect(Suggestion.nearest(to: word, among: Setting.all.map(\.key)) == nil)
    }
}
