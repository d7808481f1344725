/// Everything that the pages say, in one language.
///
/// A language is complete or does not compile. Rules: "sign in", "sign out", "sign-in method"; sentence
/// case; no exclamation marks; nobody is blamed; no codes.
package struct Words: Sendable {
    let common: CommonWords
    let start: StartWords
    let signIn: SignInWords
    let consent: ConsentWords
    let account: AccountWords
    let signOut: SignOutWords
    let signedOut: SignedOutWords
    let expired: ExpiredWords
    let cookies: CookiesWords
    let formPost: FormPostWords
    let details: DetailsWords
    let problem: @Sendable (ChooseMethodPage.Problem) -> ProblemWords
    let choose: ChooseWords
    let way: WayWords
    let time: TimeWords
    let code: CodeWords
    let welcome: WelcomeWords
    let linking: LinkingWords
    let leaving: LeavingWords
    let trouble: TroubleWords
    let reset: ResetWords
    let area: AreaWords
    let lists: ListWords
    let removal: RemovalWords
    let demo: DemoWords
    let error: @Sendable (ErrorPage.Issue) -> ErrorWords
}

/// Words with one text from outside, which the page isolates.
typealias NamedPhrase = @Sendable (_ name: String) -> Phrase
typealias CountedPhrase = @Sendable (_ count: Int) -> Phrase

struct CommonWords: Sendable {
    let errorPrefix: String
    let withoutHTTPS: String
    let aboutThisPage: String
    let reference: String
    let help: String
    let proceed: String
    let cancel: String
    let tryAgain: Phrase
    let startAgain: Phrase
    let useAnotherAccount: String
    let backTo: NamedPhrase
    let backToApp: Phrase

    func step(to link: PageLink?, of client: String?) -> PageStep? {
        PageStep(link, client.map { backTo($0) } ?? backToApp)
    }
}

struct StartWords: Sendable {
    let heading: Phrase
    let comeFromApp: Phrase
    let nothingToDo: Phrase
}

struct SignInWords: Sendable {
    /// By client.
    let heading: NamedPhrase
    /// By realm.
    let intro: NamedPhrase
    let again: Phrase
    let whyAgain: Phrase
    let endsAnother: Phrase
    let userName: String
    let password: String
    let signIn: String
    let forgot: Phrase
    let problem: Phrase
    let wrongPair: Phrase
    let wrongPassword: Phrase
    let enterUserName: Phrase
    let enterPassword: Phrase
    let tooManyTries: Phrase
    /// By seconds.
    let wait: CountedPhrase
    let busy: Phrase
    let busyAdvice: Phrase
}

struct ConsentWords: Sendable {
    /// By client.
    let heading: NamedPhrase
    let appOnThisDevice: Phrase
    let appAdvice: Phrase
    /// By host.
    let site: NamedPhrase
    let siteAdvice: Phrase
    /// By client.
    let grants: NamedPhrase
    /// By scope name.
    let grant: NamedPhrase
    let account: String
    let allow: String
    let deny: String
}

struct AccountWords: Sendable {
    let heading: Phrase
    /// By client.
    let choose: NamedPhrase
    let otherExpected: NamedPhrase
    /// By person.
    let continueAs: NamedPhrase
}

struct SignOutWords: Sendable {
    /// By realm.
    let heading: NamedPhrase
    /// By client.
    let asked: NamedPhrase
    /// By client.
    let askedElsewhere: NamedPhrase
    let intro: Phrase
    let still: Phrase
    let signOut: String
    let stay: String
}

struct SignedOutWords: Sendable {
    let heading: Phrase
    /// By realm.
    let done: NamedPhrase
    let stillOpen: Phrase
    let nobodyWas: Phrase
    let stayed: Phrase
    let nothingChanged: Phrase
}

struct ExpiredWords: Sendable {
    let tookTooLong: Phrase
    /// By minutes.
    let closed: CountedPhrase
    let unmatched: Phrase
    let otherBrowser: Phrase
    let answered: Phrase
    let worksOnce: Phrase
    let returnToApp: Phrase
}

struct CookiesWords: Sendable {
    let heading: Phrase
    let why: Phrase
    let advice: Phrase
}

struct FormPostWords: Sendable {
    /// By client.
    let heading: NamedPhrase
    let advice: Phrase
}

struct DetailsWords: Sendable {
    let title: String
    let code: String
    let reason: String
    let client: String
    let time: String
    let reference: String
}

struct ErrorWords: Sendable {
    let heading: Phrase
    let sentence: Phrase
    let next: Phrase
}
