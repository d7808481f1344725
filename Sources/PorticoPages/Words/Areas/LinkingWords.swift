/// Words of the pages that connect a sign-in method, and of the one that asks for proof.
struct LinkingWords: WordGroup {
    struct Reasons: WordGroup {
        private let adding: Phrase
        private let removing: Phrase
        private let changingEmail: Phrase
        private let deleting: Phrase
        private let other: Phrase

        func callAsFunction(_ reason: ConfirmItsYouPage.Reason) -> Phrase {
            switch reason {
            case .adding: adding
            case .removing: removing
            case .changingEmail: changingEmail
            case .deleting: deleting
            case .other: other
            }
        }
    }

    let found: Phrase
    private let foundWhy: FilledText
    let foundMethods: Phrase
    let proveIt: Phrase
    let byMailbox: ExactText
    /// What a code takes away, where the account's address was never proven.
    let expels: Phrase
    let separate: Phrase
    let cancelled: NamedText
    let notReauthenticated: NamedText
    let add: NamedText
    private let addWhose: FilledText
    let addWhat: NamedText
    let addYes: NamedText
    let addNo: Phrase
    let taken: JoinedText
    let takenWhy: Phrase
    let takenAdvice: Phrase
    let takenSwitch: Phrase
    let secondOfProvider: JoinedText
    let secondAdvice: Phrase
    let confirm: Phrase
    let confirmReason: Reasons
    let confirmMethods: Phrase
    let confirmNone: Phrase

    /// Whose identity is to be added.
    func addWhose(_ new: MethodLabel, _ person: String) -> Phrase {
        addWhose(["provider": .name(new.displayName), "person": .name(person)])
    }

    func foundWhy(_ known: MethodLabel, _ new: MethodLabel) -> Phrase {
        foundWhy(["known": .name(known.displayName), "new": .name(new.displayName)])
    }
}
