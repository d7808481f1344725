extension Words {
    /// What an issue is called, what it means and what to do: a table.
    static func englishError(_ issue: ErrorPage.Issue) -> ErrorWords {
        switch issue {
        case .requestNotUnderstood:
            ErrorWords(
                heading: "The app asked for something we don’t understand",
                sentence: "This is a mistake in the app, not yours.",
                next: "Go back to the app. If it happens again, tell the people who make it."
            )
        case .unknownClient:
            ErrorWords(
                heading: "We don’t know this app",
                sentence: "It isn’t set up for signing in here. This is a mistake in the app, "
                    + "not yours.",
                next: "Tell the people who make the app."
            )
        case .unknownRedirect:
            ErrorWords(
                heading: "We can’t send you back to this app",
                sentence: "It gave us an address that isn’t set up for it, so we stopped here "
                    + "to keep you safe.",
                next: "Go back to the app. If it happens again, tell the people who make it."
            )
        case .accountBlocked:
            ErrorWords(
                heading: "This account is blocked",
                sentence: "It can’t be used to sign in at the moment.",
                next: "Contact support and give the reference below."
            )
        case .notAllowed:
            ErrorWords(
                heading: "This page can’t be opened like this",
                sentence: "It was opened from another site, or it isn’t for the account that "
                    + "you’re using.",
                next: "Go back to the app and start from there."
            )
        case .providerMisconfigured(let provider):
            ErrorWords(
                heading: "\(name: provider) didn’t accept our request",
                sentence: "The people who run this service need to fix a setting.",
                next: "Use another way to sign in."
            )
        case .busy:
            ErrorWords(
                heading: "Too much is going on right now",
                sentence: "We couldn’t get to your request in time. Nothing was changed.",
                next: "Try again in a moment."
            )
        case .serverError:
            ErrorWords(
                heading: "Something went wrong on our side",
                sentence: "This is not your mistake, and nothing was changed.",
                next: "Try again in a moment. If it happens again, contact support and give the "
                    + "reference below."
            )
        case .tooLarge:
            ErrorWords(
                heading: "That was too much at once",
                sentence: "The page or the app sent more than we accept.",
                next: "Go back and try again with less text."
            )
        case .tooManyTries(let seconds):
            ErrorWords(
                heading: "Too many tries",
                sentence: "To keep accounts safe there is a limit.",
                next: "Wait \(ours: englishSpan(seconds: seconds)), then try again."
            )
        case .notFound:
            ErrorWords(
                heading: "There is no page here",
                sentence: "The address may be mistyped, or the page was moved.",
                next: "Go back to the app and start from there."
            )
        case .methodNotAllowed:
            ErrorWords(
                heading: "This address is not for opening directly",
                sentence: "It belongs to a form or to an app.",
                next: "Go back to the app and start from there."
            )
        }
    }
}
