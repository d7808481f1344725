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
