/// What is told about a sign-in that came back without one: a table.
struct ProblemWords: Sendable {
    let title: Phrase
    let sentence: Phrase

    init(_ title: Phrase, _ sentence: Phrase) {
        self.title = title
        self.sentence = sentence
    }

    static func english(_ problem: ChooseMethodPage.Problem) -> ProblemWords {
        let way = WayWords.english
        return switch problem {
        case .cancelled:
            .init(
                "You stopped signing in",
                "Nothing has changed. You can try again or choose another sign-in method."
            )
        case .tookTooLong:
            .init(
                "This took too long",
                "The sign-in started more than 10 minutes ago, so we closed it to keep you safe. "
                    + "Start again below."
            )
        case .unmatched:
            .init(
                "We couldn’t match this sign-in",
                "It was started in another browser, or your browser didn’t keep our cookie. Start "
                    + "again below, and allow cookies for this site."
            )
        case .notAnswering(let provider):
            .init(
                "\(way.name(provider)) isn’t answering",
                "This is a problem on their side or on the network, not with your account. Try "
                    + "again, or use another sign-in method."
            )
        case .misconfigured(let provider):
            .init(
                "\(way.name(provider)) didn’t accept our request",
                "The people who run this service need to fix a setting. They have been told. Use "
                    + "another sign-in method for now."
            )
        case .organisationDenies:
            .init(
                "Your organisation doesn’t allow this app",
                "Ask your administrator, or use another account."
            )
        case .signUpClosed:
            .init(
                "New accounts are closed",
                "Only people with an invitation can join at the moment. If you already "
                    + "have an account, sign in the same way as last time."
            )
        case .accountBlocked:
            .init(
                "This account is blocked",
                "Contact support and give the reference below."
            )
        case .emailUnverified:
            .init(
                "Confirm your email first",
                "The other service hasn’t confirmed your email address. Confirm it with that "
                    + "service, or use another sign-in method."
            )
        case .linkRequired(let provider):
            .init(
                "You already have an account",
                provider.map {
                    """
                    You usually sign in with \(name: $0.displayName). Sign in with \
                    \(name: $0.displayName) once more, and you can add the other method.
                    """
                } ?? "Sign in the way you usually do, and you can add the other method."
            )
        case .signInAgain:
            .init(
                "Sign in again to continue",
                "For this step, we need to confirm it’s you."
            )
        case .notReauthenticated(let provider):
            .init(
                "\(way.name(provider)) didn’t ask you to sign in again",
                "For this step we need a new sign-in. Sign out of \(way.name(provider)) and try "
                    + "again, or confirm it’s you another way."
            )
        case .failed(let provider):
            .init(
                provider.map { "Signing in with \(name: $0.displayName) didn’t work" }
                    ?? "Signing in didn’t work",
                "This isn’t your fault, and nothing has changed. Try again, or use another "
                    + "sign-in method."
            )
        }
    }
}
