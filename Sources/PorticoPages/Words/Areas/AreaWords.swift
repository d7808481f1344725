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

        func callAsFunction(_ place: PageNavigation.Place) -> Phrase {
            switch place {
            case .overview: overview
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
