import Testing

@testable import PorticoPages

@Suite("Times and counts in words") struct PagesTimeTests {
    @Test(
        "CLDR: Arabic has six forms",
        arguments: [
            (0, "أقل من دقيقة"), (1, "دقيقة واحدة"), (2, "دقيقتين"), (3, "3 دقائق"),
            (10, "10 دقائق"),
            (11, "11 دقيقة"), (99, "99 دقيقة"), (100, "100 دقيقة"), (102, "102 دقيقة"),
            (103, "103 دقائق"), (111, "111 دقيقة"),
        ]
    )
    func arabic(number: Int, expected: String) {
        #expect(Language.arabic.words.time.minutes(number).plain == expected)
    }

    @Test(
        "CLDR: the plural categories of whole numbers",
        arguments: [
            (0, Plural.zero), (1, .one), (2, .two), (3, .few), (10, .few), (11, .many), (99, .many),
            (100, .other), (101, .other), (102, .other), (103, .few), (111, .many), (200, .other),
            (-3, .few), (Int.min, .few), (Int.max, .few),
        ]
    )
    func categories(number: Int, expected: Plural) {
        #expect(Language.arabic.plural(number) == expected)
    }

    @Test(
        "what is near is told by how long ago it was, what is far by its day",
        arguments: [
            (0, "just now", "gerade eben", "الآن"), (59, "just now", "gerade eben", "الآن"),
            (60, "1 minute ago", "vor 1 Minute", "قبل دقيقة واحدة"),
            (150, "2 minutes ago", "vor 2 Minuten", "قبل دقيقتين"),
            (3_600, "1 hour ago", "vor 1 Stunde", "قبل ساعة واحدة"),
            (18_000, "5 hours ago", "vor 5 Stunden", "قبل 5 ساعات"),
            (86_400, "1 day ago", "vor 1 Tag", "قبل يوم واحد"),
            (1_000_000, "11 days ago", "vor 11 Tagen", "قبل 11 يومًا"),
            (2_592_000, "22 October 2026", "22. Oktober 2026", "22 أكتوبر 2026"),
            (-500, "just now", "gerade eben", "الآن"),
        ] as [(Int64, String, String, String)]
    )
    func ago(seconds: Int64, english: String, german: String, arabic: String) {
        let now: Int64 = 1_795_298_400
        #expect(Language.english.words.time.ago(now - seconds, at: now).plain == english)
        #expect(Language.german.words.time.ago(now - seconds, at: now).plain == german)
        #expect(Language.arabic.words.time.ago(now - seconds, at: now).plain == arabic)
    }

    @Test("a time of any size has words", arguments: [Int64.min, Int64.max, 253_402_300_800])
    func extremes(time: Int64) {
        for words in Language.allCases.map(\.words.time) {
            #expect(!words.ago(time, at: 0).plain.isEmpty)
            #expect(!words.ago(0, at: time).plain.isEmpty)
            #expect(!words.moment(of: time).plain.isEmpty)
        }
    }
}
