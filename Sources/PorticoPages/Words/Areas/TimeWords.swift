import PorticoBytes

/// Times and counts as a person says them. Nobody's time zone is known, so a time that is near is told
/// by how long ago it was, and one that is far by its day.
struct TimeWords: Sendable {
    let now: Phrase
    let minutesAgo: CountedPhrase
    let hoursAgo: CountedPhrase
    let daysAgo: CountedPhrase
    let day: @Sendable (CivilDate) -> Phrase
    /// A day and the time, in Coordinated Universal Time.
    let moment: @Sendable (_ day: Phrase, _ clock: String) -> Phrase
    let minutes: @Sendable (Int) -> String
    let devices: CountedPhrase

    /// - Parameters: Seconds since 1970.
    func ago(_ time: Int64, at now: Int64) -> Phrase {
        let (difference, isOverflow) = now.subtractingReportingOverflow(time)
        guard !isOverflow, difference >= 60 else { return isOverflow ? day(of: time) : self.now }
        switch difference {
        case ..<3_600: return minutesAgo(Int(difference / 60))
        case ..<86_400: return hoursAgo(Int(difference / 3_600))
        case ..<2_592_000: return daysAgo(Int(difference / 86_400))
        default: return day(of: time)
        }
    }

    func day(of time: Int64) -> Phrase { day(CivilDate(time)) }

    func moment(of time: Int64) -> Phrase {
        moment(day(of: time), CivilDate(time).clock)
    }

    static let english = TimeWords(
        now: "just now",
        minutesAgo: { "\(ours: Words.englishSpan(minutes: $0)) ago" },
        hoursAgo: { $0 == 1 ? "1 hour ago" : "\(ours: "\($0)") hours ago" },
        daysAgo: { $0 == 1 ? "1 day ago" : "\(ours: "\($0)") days ago" },
        day: { day in
            let months = [
                "January", "February", "March", "April", "May", "June", "July", "August",
                "September", "October", "November", "December",
            ]
            return "\(ours: "\(day.day) \(months[day.month - 1]) \(day.year)")"
        },
        moment: { "\($0), \(ours: $1) UTC" },
        minutes: { Words.englishSpan(minutes: $0) },
        devices: { $0 == 1 ? "1 device" : "\(ours: "\($0)") devices" }
    )

    static let german = TimeWords(
        now: "gerade eben",
        minutesAgo: { $0 == 1 ? "vor 1 Minute" : "vor \(ours: "\($0)") Minuten" },
        hoursAgo: { $0 == 1 ? "vor 1 Stunde" : "vor \(ours: "\($0)") Stunden" },
        daysAgo: { $0 == 1 ? "vor 1 Tag" : "vor \(ours: "\($0)") Tagen" },
        day: { day in
            let months = [
                "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August",
                "September", "Oktober", "November", "Dezember",
            ]
            return "\(ours: "\(day.day). \(months[day.month - 1]) \(day.year)")"
        },
        moment: { "\($0), \(ours: $1) Uhr UTC" },
        minutes: { $0 == 1 ? "1 Minute" : "\($0) Minuten" },
        devices: { $0 == 1 ? "1 Gerät" : "\(ours: "\($0)") Geräte" }
    )

    static let arabic = TimeWords(
        now: "الآن",
        minutesAgo: { "قبل \(ours: arabicMinutes($0))" },
        hoursAgo: { "قبل \(ours: arabicHours($0))" },
        daysAgo: { "قبل \(ours: arabicDays($0))" },
        day: { day in
            let months = [
                "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر",
                "أكتوبر", "نوفمبر", "ديسمبر",
            ]
            return "\(ours: "\(day.day) \(months[day.month - 1]) \(day.year)")"
        },
        moment: { "\($0)، الساعة \(ours: $1) بالتوقيت العالمي" },
        minutes: { arabicMinutes($0) },
        devices: { "\(ours: arabicDevices($0))" }
    )

    static let arabicSeconds = ArabicNoun(
        zero: "أقل من ثانية",
        one: "ثانية واحدة",
        two: "ثانيتين",
        few: "ثوانٍ",
        many: "ثانية",
        other: "ثانية"
    )
    static let arabicMinutes = ArabicNoun(
        zero: "أقل من دقيقة",
        one: "دقيقة واحدة",
        two: "دقيقتين",
        few: "دقائق",
        many: "دقيقة",
        other: "دقيقة"
    )
    private static let arabicHours = ArabicNoun(
        zero: "أقل من ساعة",
        one: "ساعة واحدة",
        two: "ساعتين",
        few: "ساعات",
        many: "ساعة",
        other: "ساعة"
    )
    private static let arabicDays = ArabicNoun(
        zero: "أقل من يوم",
        one: "يوم واحد",
        two: "يومين",
        few: "أيام",
        many: "يومًا",
        other: "يوم"
    )
    private static let arabicDevices = ArabicNoun(
        zero: "لا أجهزة",
        one: "جهاز واحد",
        two: "جهازان",
        few: "أجهزة",
        many: "جهازًا",
        other: "جهاز"
    )
}
