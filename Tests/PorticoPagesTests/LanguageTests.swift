import PorticoPages
import Testing

@Suite("Language of the pages") struct LanguageTests {
    @Test(
        "OpenID Connect Core §3.1.2.1: ui_locales is tried in its order, then the browser's wish",
        arguments: [
            ("de", nil, Language.german), ("fr-CA fr de en", nil, .german),
            ("de-AT", "en", .german),
            ("ar", nil, .arabic), ("ar-EG en", nil, .arabic), (nil, "ar-SA,ar;q=0.9", .arabic),
            ("DE-de", nil, .german), ("de-Latn-DE-1996-x-bla", nil, .german),
            ("en de", nil, .english),
            ("fr", "de-CH,de;q=0.9", .german), (nil, "en;q=0.5, de;q=0.8", .german),
            (nil, "de;q=0, en", .english), (nil, "de;q=0", .english), (nil, nil, .english),
            ("", "", .english), ("den", "*", .english), ("-de", "--", .english),
            ("  de ", nil, .german), (nil, "fr, de ; q=0.001", .german),
            (nil, "de;q=2, en;q=0.1", .english), (nil, "de;q=nan,de;q=-1,de;q=1.5", .english),
            (nil, "en, de", .english), (nil, "de, en", .german),
            (nil, "de;q=0.99999999999999999999999", .english), ("\u{1F1E9}", "ä,\u{0}", .english),
        ] as [(String?, String?, Language)]
    )
    func best(uiLocales: String?, acceptLanguage: String?, expected: Language) {
        #expect(Language.best(uiLocales: uiLocales, acceptLanguage: acceptLanguage) == expected)
    }

    @Test("a header of any length is read up to a bound")
    func bounded() {
        let long = String(repeating: "fr,", count: 500_000) + "de"
        #expect(Language.best(uiLocales: nil, acceptLanguage: long) == .english)
        let subtags = String(repeating: "a-", count: 500_000)
        #expect(Language.best(uiLocales: subtags, acceptLanguage: "de") == .german)
    }

    @Test("RFC 9110 §12.4.2: between equals the first one counts")
    func order() {
        #expect(AcceptLanguage("a;q=0.5,b,c,d;q=0.75").tags == ["b", "c", "d", "a"])
    }
}
