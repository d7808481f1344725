import Portico

enum Reaction: Equatable {
    case none
    case askToSignIn
    case tryAgain(after: Duration?)
    case tell(String)

    init(_ error: SignInError) {
        switch error.kind {
        case .cancelled: self = .none
        case .denied: self = .tell(error.description)
        case .interactionRequired: self = .askToSignIn
        case .transient(_, let pause): self = .tryAgain(after: pause)
        case .misconfigured(let hint): self = .tell(hint.description)
        case .rejected(let check): self = .tell(check.description)
        case .storage(let problem): self = .tell(problem.description)
        }
    }
}
