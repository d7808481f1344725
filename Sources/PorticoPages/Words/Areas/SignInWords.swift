/// Words of the Provider's own pages.
struct StartWords: WordGroup {
    let heading: Phrase
    let comeFromApp: Phrase
    let nothingToDo: Phrase
}

struct SignInWords: WordGroup {
    let heading: NamedText
    let intro: NamedText
    let again: Phrase
    let whyAgain: Phrase
    let endsAnother: Phrase
    let userName: Phrase
    let password: Phrase
    let signIn: Phrase
    let forgot: Phrase
    /// Where no password is taken.
    let methods: Phrase
    let noMethod: Phrase
    let otherMethods: Phrase
    let problem: Phrase
    let wrongPair: Phrase
    let wrongPassword: Phrase
    let enterUserName: Phrase
    let enterPassword: Phrase
    let tooManyTries: Phrase
    let wait: JoinedText
    let busy: Phrase
    let busyAdvice: Phrase
    let tookTooLong: Phrase
    let passwordAgain: Phrase
}

/// Words of the page that asks for a second factor.
struct SecondStepWords: WordGroup {
    let heading: Phrase
    let intro: Phrase
    let label: Phrase
    let wrong: Phrase
    let used: Phrase
    let missing: Phrase
    let toRecovery: Phrase
    let recoveryHeading: Phrase
    let recoveryIntro: Phrase
    let recoveryLabel: Phrase
    let recoveryWrong: Phrase
    let recoveryUsed: Phrase
    let recoveryMissing: Phrase
    let toApp: Phrase
    let lost: Phrase
}

struct ConsentWords: WordGroup {
    /// What an app may do, by scope.
    struct Grants: WordGroup {
        private let openid: Phrase
        private let profile: Phrase
        private let email: Phrase
        private let address: Phrase
        private let phone: Phrase
        private let roles: Phrase
        private let groups: Phrase
        private let offlineAccess: Phrase
        private let deviceSSO: Phrase
        private let other: NamedText
        /// Of an app that people administer by.
        let administer: Phrase

        func callAsFunction(_ scope: String) -> Phrase {
            switch scope {
            case "openid": openid
            case "profile": profile
            case "email": email
            case "address": address
            case "phone": phone
            case "roles": roles
            case "groups": groups
            case "offline_access": offlineAccess
            case "device_sso": deviceSSO
            default: other(scope)
            }
        }
    }

    let heading: FilledText
    let appOnThisDevice: Phrase
    let appAdvice: Phrase
    let site: ExactText
    let document: ExactText
    let siteAdvice: Phrase
    let grants: FilledText
    /// Of an app without a name.
    let grantsOfUnnamed: Phrase
    let grant: Grants
    let account: Phrase
    let allow: Phrase
    let deny: Phrase
}

struct AccountWords: WordGroup {
    let heading: Phrase
    let choose: NamedText
    let otherExpected: NamedText
    let continueAs: NamedText
    let goOnAs: NamedText
    let handedOn: FilledText
}

struct SignOutWords: WordGroup {
    let heading: NamedText
    let asked: NamedText
    let askedElsewhere: NamedText
    let intro: Phrase
    let still: Phrase
    let signOut: Phrase
    let stay: Phrase
}

struct SignedOutWords: WordGroup {
    let heading: Phrase
    let done: NamedText
    let stillOpen: Phrase
    let wasNotSignedIn: Phrase
    let stayed: Phrase
    let nothingChanged: Phrase
}

struct ExpiredWords: WordGroup {
    let tookTooLong: Phrase
    let closed: JoinedText
    let unmatched: Phrase
    let otherBrowser: Phrase
    let answered: Phrase
    let worksOnce: Phrase
    let outdated: Phrase
    let changedMeanwhile: Phrase
    let returnToApp: Phrase
}

struct CookiesWords: WordGroup {
    let heading: Phrase
    let why: Phrase
    let advice: Phrase
}

struct FormPostWords: WordGroup {
    let heading: NamedText
    let advice: Phrase
}

struct DetailsWords: WordGroup {
    let title: Phrase
    let code: Phrase
    let reason: Phrase
    let client: Phrase
    let time: Phrase
    let reference: Phrase
}

/// Words of the page on which people create an account of the Provider's.
struct RegistrationWords: WordGroup {
    let heading: Phrase
    let intro: NamedText
    let givenName: Phrase
    let familyName: Phrase
    let email: Phrase
    let userName: Phrase
    let userNameHint: Phrase
    let rule: JoinedText
    let create: Phrase
    let haveAccount: Phrase
    let givenNameMissing: Phrase
    let givenNameWrong: Phrase
    let familyNameWrong: Phrase
    let userNameMissing: Phrase
    let userNameWrong: Phrase
    let userNameTaken: Phrase
    /// On the page for signing in.
    let offer: Phrase
}

/// Words of the pages for a new account.
struct WelcomeWords: WordGroup {
    let heading: NamedText
    let given: NamedText
    let name: Phrase
    let whyName: Phrase
    let email: Phrase
    let whyEmail: Phrase
    let willConfirm: Phrase
    let noEmail: Phrase
    let relay: Phrase
    let relayWhat: Phrase
    let verified: Phrase
    let save: Phrase
    let later: Phrase
    let terms: Phrase
    let problem: Phrase
    let nameMissing: Phrase
    let emailMissing: Phrase
    let emailWrong: ExactText
    let emailTaken: Phrase
    let relayHeading: NamedText
    let relayIntro: NamedText
    let relayAdvice: NamedText
    let link: Phrase
    let create: NamedText
}

/// Words of the pages for signing in by internet handle.
struct HandleWords: WordGroup {
    /// Where `{handle}`, `{host}` and `{example}` are exact.
    struct Problems: WordGroup {
        private let unreadable: ProblemWords.Told
        private let notFound: ProblemWords.Told
        private let hostUnreachable: ProblemWords.Told
        private let hostWithoutSignIn: ProblemWords.Told
        private let oneWay: ProblemWords.Told
        private let otherAccount: ProblemWords.Told
        private let notFinished: ProblemWords.Told

        /// The others have the words of other pages.
        func callAsFunction(_ problem: HandleProblem) -> ProblemWords.Told {
            switch problem {
            case .unreadable: unreadable
            case .notFound: notFound
            case .hostUnreachable: hostUnreachable
            case .hostWithoutSignIn: hostWithoutSignIn
            case .oneWay: oneWay
            case .otherAccount: otherAccount
            case .notFinished, .denied, .expired, .tooManyTries, .busy: notFinished
            }
        }
    }

    let heading: Phrase
    let intro: NamedText
    let label: Phrase
    let hint: ExactText
    let orHost: ExactText
    let didYouMean: ExactText
    let use: ExactText
    let continueAt: ExactText
    let hostPage: ExactText
    let useAnother: Phrase
    let again: ExactText
    let againWhy: FilledText
    let closeWindow: Phrase
    let noDID: ExactText
    let noDIDWhy: FilledText
    let problem: Problems
}

/// Words of the page where a sign-in method is chosen.
struct ChooseWords: WordGroup {
    let signIn: NamedText
    let signUp: NamedText
    let signInIntro: Phrase
    let signUpIntro: Phrase
    let noMethods: Phrase
    let signInMethods: Phrase
    let signUpMethods: Phrase
    let remember: Phrase
    let isNew: Phrase
    let toSignUp: Phrase
    let isKnown: Phrase
    let toSignIn: Phrase
}
