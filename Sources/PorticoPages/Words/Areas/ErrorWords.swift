/// Words of error pages.
struct ErrorWords: WordGroup {
    /// What an issue is called, what it means and what to do.
    struct Told: WordGroup {
        let heading: FilledText
        let sentence: Phrase
        let next: FilledText
    }

    private let requestNotUnderstood: Told
    private let unknownClient: Told
    private let unknownRedirect: Told
    private let accountBlocked: Told
    private let notAllowed: Told
    private let providerMisconfigured: Told
    private let busy: Told
    private let cannotSave: Told
    private let serverError: Told
    private let tooLarge: Told
    private let tooManyTries: Told
    private let registrationClosed: Told
    private let notFound: Told
    private let methodNotAllowed: Told

    func callAsFunction(_ issue: ErrorPage.Issue) -> Told {
        switch issue {
        case .requestNotUnderstood: requestNotUnderstood
        case .unknownClient: unknownClient
        case .unknownRedirect: unknownRedirect
        case .accountBlocked: accountBlocked
        case .notAllowed: notAllowed
        case .providerMisconfigured: providerMisconfigured
        case .busy: busy
        case .cannotSave: cannotSave
        case .serverError: serverError
        case .tooLarge: tooLarge
        case .tooManyTries: tooManyTries
        case .registrationClosed: registrationClosed
        case .notFound: notFound
        case .methodNotAllowed: methodNotAllowed
        }
    }
}

/// Why a sign-in with a provider did not work.
struct ProblemWords: WordGroup {
    /// Where `{provider}` is `method.name`.
    struct Told: WordGroup {
        let title: FilledText
        let sentence: FilledText
    }

    private let cancelled: Told
    private let tookTooLong: Told
    private let unmatched: Told
    private let notAnswering: Told
    private let misconfigured: Told
    private let organisationDenies: Told
    private let signUpClosed: Told
    private let accountBlocked: Told
    private let emailUnverified: Told
    private let linkRequired: Told
    private let linkRequiredUnknown: Told
    private let signInAgain: Told
    private let notReauthenticated: Told
    private let failed: Told
    private let failedUnknown: Told

    func callAsFunction(_ problem: ChooseMethodPage.Problem) -> Told {
        switch problem {
        case .cancelled: cancelled
        case .tookTooLong: tookTooLong
        case .unmatched: unmatched
        case .notAnswering: notAnswering
        case .misconfigured: misconfigured
        case .organisationDenies: organisationDenies
        case .signUpClosed: signUpClosed
        case .accountBlocked: accountBlocked
        case .emailUnverified: emailUnverified
        case .linkRequired(let provider): provider == nil ? linkRequiredUnknown : linkRequired
        case .signInAgain: signInAgain
        case .notReauthenticated: notReauthenticated
        case .failed(let provider): provider == nil ? failedUnknown : failed
        }
    }
}

/// Words for when a provider does not answer or refuses, and for help.
struct TroubleWords: WordGroup {
    struct Hints: WordGroup {
        private let ios: NamedText
        private let android: NamedText
        private let other: Phrase

        func callAsFunction(_ platform: OpenInBrowserPage.Platform) -> Phrase {
            switch platform {
            case .ios: ios("Safari")
            case .android: android("Chrome")
            case .other: other
            }
        }
    }

    let notAnswering: NamedText
    let notAnsweringWhy: Phrase
    let since: JoinedText
    let otherMethods: Phrase
    let openInBrowser: Phrase
    let embedded: NamedText
    let address: Phrase
    let copy: Phrase
    let hint: Hints
    let help: Phrase
    let helpIntro: NamedText
    let operatedBy: Phrase
    let contact: Phrase
    let keptTitle: Phrase
    let kept: TextList
    let keptNot: Phrase
    let privacy: Phrase
    let signingInTitle: Phrase
    let signingIn: TextList
}
