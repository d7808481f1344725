import PorticoBytes

/// Why a sign-in by internet handle did not begin or end: each has its own words and what to do.
package enum HandleProblem: Sendable, Equatable {
    /// What was typed is no handle, DID or address of a host.
    case unreadable
    /// Nothing says whose it is; of a DID: no directory knows it.
    case notFound(handle: String)
    /// Neither it nor, where it is the host of a handle, the DNS gave an answer.
    case hostUnreachable(host: String)
    /// It answers, and has no authorization server that we can use.
    case hostWithoutSignIn(host: String)
    /// The handle names an account that has another handle.
    case oneWay
    /// Another person signed in than the one whose handle was typed.
    case otherAccount(handle: String)
    /// The host ended it, and does not say that the person wanted that: its page was reloaded, for
    /// instance.
    case notFinished
    /// The person refused at the host.
    case denied
    /// More than 10 minutes passed.
    case expired
    /// What was typed stays: the person tries again later.
    case tooManyTries(seconds: Int)
    case busy

    /// - Parameter example: Of a handle.
    func told(_ words: Words, example: String) -> ErrorSummary {
        switch self {
        case .denied: return ChooseMethodPage.Problem.cancelled(nil).told(words)
        case .expired: return ChooseMethodPage.Problem.tookTooLong.told(words)
        case .tooManyTries(let seconds):
            return summary(.tooManyTries(seconds: seconds), words)
        case .busy: return summary(.busy, words)
        case .unreadable, .notFound, .hostUnreachable, .hostWithoutSignIn, .oneWay, .otherAccount,
            .notFinished:
            let told = words.handle.problem(self)
            let values: [String: Template.Value] =
                switch self {
                case .notFound(let handle), .otherAccount(let handle): ["handle": .exact(handle)]
                case .hostUnreachable(let host), .hostWithoutSignIn(let host):
                    ["host": .exact(host)]
                default: ["example": .exact(example)]
                }
            return summary(told.title(values), told.sentence(values))
        }
    }

    private func summary(_ issue: ErrorPage.Issue, _ words: Words) -> ErrorSummary {
        let told = issue.told(words)
        return summary(told.heading, "\(told.sentence) \(told.next)")
    }

    private func summary(_ title: Phrase, _ sentence: Phrase) -> ErrorSummary {
        ErrorSummary(
            summaryTitle: title,
            items: [.init(text: sentence, field: isAboutField ? HandlePage.field : nil)]
        )
    }

    /// Whether something else has to be typed.
    private var isAboutField: Bool {
        switch self {
        case .unreadable, .notFound, .oneWay: true
        case .hostUnreachable, .hostWithoutSignIn, .otherAccount, .notFinished, .denied, .expired,
            .tooManyTries, .busy:
            false
        }
    }
}
