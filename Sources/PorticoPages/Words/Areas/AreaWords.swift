import PorticoBytes

/// Words of the account pages.
struct AreaWords: WordGroup {
    struct Places: WordGroup {
        private let overview: Phrase
        private let details: Phrase
        private let methods: Phrase
        private let devices: Phrase
        private let apps: Phrase
        private let password: Phrase
        private let secondFactors: Phrase

        /// A page that no list names has the title of the first one.
        func callAsFunction(_ place: AccountPlace) -> Phrase {
            switch place {
            case .overview, .deletion, .export, .joining: overview
            case .details: details
            case .methods: methods
            case .devices: devices
            case .apps: apps
            case .password: password
            case .secondFactors: secondFactors
            }
        }
    }

    let navigation: Phrase
    let place: Places
    let overview: NamedText
    let methods: Phrase
    let devices: Phrase
    let apps: Phrase
    let lastActivity: Phrase
    let none: Phrase
    /// Between the members of a list.
    let separator: Phrase
    let signOut: Phrase
    let delete: Phrase
    let details: Phrase
    let detailsIntro: Phrase
    let download: Phrase
    let save: Phrase
    let saved: Phrase
    let confirmEmail: Phrase
    let isConfirmed: Phrase
    let isUnconfirmed: Phrase
    let dashboard: Phrase
    let dashboardIntro: Phrase
    let signedInWith: NamedText
    let signedInWithHandle: Phrase
    let toAccount: Phrase
}

/// Words of every page, and of buttons that many pages have.
struct CommonWords: WordGroup {
    let errorPrefix: Phrase
    let withoutHTTPS: Phrase
    let aboutThisPage: Phrase
    let reference: Phrase
    let help: Phrase
    let proceed: Phrase
    let cancel: Phrase
    let tryAgain: Phrase
    let startAgain: Phrase
    let useAnotherAccount: Phrase
    let backTo: NamedText
    let backToApp: Phrase
    let sending: Phrase

    func step(to link: PageLink?, of client: String?) -> PageStep? {
        PageStep(link, client.map { backTo($0) } ?? backToApp)
    }
}

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
        moment(["date": .words(day(of: time)), "clock": .words(Phrase(CivilDate(time).clock))])
    }
}

/// Words of the account pages that list sign-in methods, devices and apps.
struct ListWords: WordGroup {
    let methodsIntro: Phrase
    let yours: Phrase
    let more: Phrase
    let added: JoinedText
    let removeMethod: NamedText
    let onlyOne: Phrase
    let onlyOneProblem: Phrase
    /// Of a provider that is disabled, or not set up any more.
    let unavailable: Phrase
    let methodAdded: NamedText
    let methodRemoved: NamedText
    let addWhat: Phrase
    let devicesIntro: Phrase
    let thisDevice: Phrase
    /// One that did not send its name.
    let unknownDevice: Phrase
    let inApp: NamedText
    let seen: JoinedText
    let address: ExactText
    let end: Phrase
    let endOthers: Phrase
    let ended: Phrase
    let othersEnded: Phrase
    let noOthers: Phrase
    let appsIntro: Phrase
    let noApps: Phrase
    /// Stands before a list of what an app may do.
    let may: Phrase
    let allowed: JoinedText
    let used: JoinedText
    let removeApp: NamedText
    let appRemoved: NamedText
    let appRemovedNext: Phrase
    /// Of one of several sessions of an app.
}

/// Words of the pages that only a demonstration server has.
struct DemoWords: WordGroup {
    let outbox: Phrase
    let outboxIntro: Phrase
    let empty: Phrase
    let to: ExactText
    let sent: JoinedText
    let givenUp: Phrase
    let openLink: Phrase
}
