/// Times and counts as a person says them. Nobody's time zone is known, so a time that is near is told
/// by how long ago it was, and one that is far by its day.
struct TimeWords: Sendable {
    let now: Phrase
    let minutesAgo: CountedPhrase
    let hoursAgo: CountedPhrase
    let daysAgo: CountedPhrase
    let day: @Sendable (CalendarDay) -> Phrase
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

    func day(of time: Int64) -> Phrase { day(CalendarDay(time)) }

    func moment(of time: Int64) -> Phrase {
        moment(day(of: time), CalendarDay.clock(time))
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

/// A day of the Gregorian calendar, in Coordinated Universal Time.
struct CalendarDay: Sendable, Equatable {
    let year: Int
    /// 1 to 12.
    let month: Int
    let day: Int

    /// - Parameter time: Seconds since 1970; what lies outside the years 1 to 9999 is moved to their
    ///   ends.
    init(_ time: Int64) {
        let bounded = min(max(time, -62_135_596_800), 253_402_300_799)
        // Days since 1 March of the year 0, in eras of 400 years (Hinnant, "chrono-compatible
        // low-level date algorithms").
        let days = Int((bounded - Self.secondsOfDay(bounded)) / 86_400) + 719_468
        let era = days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// `14:05`.
    static func clock(_ time: Int64) -> String {
        let minutes = secondsOfDay(time) / 60
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }

    private static func secondsOfDay(_ time: Int64) -> Int64 {
        let rest = time % 86_400
        return rest < 0 ? rest + 86_400 : rest
    }
}
