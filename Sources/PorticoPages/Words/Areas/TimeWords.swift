import PorticoBytes

/// Times and counts as a person says them. The person's time zone is not known, so a recent time is
/// told by how long ago it was, and an earlier one by its day.
struct TimeWords: WordGroup {
    let now: Phrase
    let seconds: CountedText
    let minutes: CountedText
    let minutesAgo: CountedText
    let hoursAgo: CountedText
    let daysAgo: CountedText
    let devices: CountedText
    private let months: TextList
    private let day: FilledText
    private let moment: FilledText

    func wait(seconds: Int) -> Phrase {
        switch Wait(seconds: seconds) {
        case .seconds(let seconds): self.seconds(seconds)
        case .minutes(let minutes): self.minutes(minutes)
        }
    }

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

    func day(of time: Int64) -> Phrase {
        let date = CivilDate(time)
        return day([
            "day": .number(date.day), "month": .words(months[date.month - 1]),
            "year": .number(date.year),
        ])
    }

    /// A day and the time, in Coordinated Universal Time.
    func moment(of time: Int64) -> Phrase {
        moment([
            "date": .words(day(of: time)), "clock": .words(Phrase(CivilDate(time).clock)),
        ])
    }
}
