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
