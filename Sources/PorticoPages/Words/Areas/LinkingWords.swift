/// Words of the pages that connect a sign-in method, and of the one that asks for proof.
struct LinkingWords: WordGroup {
    struct Reasons: WordGroup {
        private let adding: Phrase
        private let removing: Phrase
        private let changingEmail: Phrase
        private let deleting: Phrase
        private let downloading: Phrase
        private let other: Phrase

        func callAsFunction(_ reason: ConfirmItsYouPage.Reason) -> Phrase {
            switch reason {
            case .adding: adding
            case .removing: removing
            case .changingEmail: changingEmail
            case .deleting: deleting
            case .downloading: downloading
            case .other: other
            }
        }
    }

    let found: Phrase
    private let foundWhy: FilledText
    let foundMethods: Phrase
    let proveIt: Phrase
    let byPassword: Phrase
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

/// Words about sign-in methods, in the vendors' own terms where they have some.
struct MethodWords: WordGroup {
    struct Terms: WordGroup {
        private let apple: NamedText
        private let google: NamedText
        private let facebook: NamedText
        private let generic: NamedText
        private let handle: Phrase

        func callAsFunction(_ label: MethodLabel) -> Phrase {
            switch label.kind {
            case .apple: apple(label.displayName)
            case .google: google(label.displayName)
            case .facebook: facebook(label.displayName)
            case .generic: generic(label.displayName)
            case .handle: handle
            }
        }
    }

    /// On a button. Apple, Google and Facebook all allow "Continue with".
    let button: Terms
    /// What the vendor calls an account of its own.
    let account: Terms
    /// The name of signing in by handle, which is no vendor's.
    private let handle: Phrase
    /// Where it is not known which provider it was, at the start of a sentence.
    let unknown: Phrase
    let lastUsed: Phrase
    let notResponding: Phrase

    func name(_ label: MethodLabel?) -> Phrase {
        guard let label else { return unknown }
        return label.kind == .handle ? handle : "\(name: label.displayName)"
    }
}

/// Words about deleting an account.
struct RemovalWords: WordGroup {
    let heading: Phrase
    let intro: Phrase
    let consequencesTitle: Phrase
    let consequences: TextList
    let apple: Phrase
    let sure: Phrase
    let notSure: Phrase
    let problem: Phrase
    let delete: Phrase
    let keep: Phrase
    let done: Phrase
    let doneWhat: Phrase
    let appleLeft: Phrase
}

/// Words of the pages that lead back to an app, go on, or sign out.
struct LeavingWords: WordGroup {
    let ready: NamedText
    let signedInAs: NamedText
    let readyAdvice: Phrase
    let returnTo: NamedText
    let notOpened: NamedText
    let notOpenedAdvice: Phrase
    let get: NamedText
    let already: Phrase
    let otherTab: Phrase
    let continueAs: NamedText
    let signOut: NamedText
    let signOutWhat: Phrase
    let here: Phrase
    let everywhere: Phrase
    let hereDone: Phrase
    let everywhereDone: Phrase
    let stillAt: NamedText
    let stillAtHost: Phrase
    let signInAgain: Phrase
}

/// Words of the pages on which a forgotten password is replaced.
struct ResetWords: WordGroup {
    let forgot: Phrase
    let forgotIntro: Phrase
    let email: Phrase
    let emailMissing: ExactText
    let send: Phrase
    let problem: Phrase
    let sent: Phrase
    let sentWhat: ExactText
    let sentAdvice: JoinedText
    let elsewhere: Phrase
    let elsewhereWhat: Phrase
    let codeLabel: Phrase
    let codeMissing: Phrase
    let codeWrong: Phrase
    let codeTooMany: Phrase
    let new: Phrase
    let newPassword: Phrase
    let demanded: Phrase
    let characters: CountedText
    let rule: JoinedText
    let missing: Phrase
    let tooShort: JoinedText
    let tooCommon: Phrase
    let tooLong: Phrase
    let hasName: Phrase
    let same: Phrase
    let userName: Phrase
    let save: Phrase
    let expired: Phrase
    let expiredWhy: JoinedText
    let used: Phrase
    let usedWhy: Phrase
    let again: Phrase
    let done: Phrase
    let doneWhat: Phrase
    let doneElsewhere: Phrase
}
