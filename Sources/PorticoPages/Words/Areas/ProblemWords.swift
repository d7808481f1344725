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
