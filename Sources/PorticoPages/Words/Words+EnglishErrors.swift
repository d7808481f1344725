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
                sentence: "It isn’t set up for sign-in. This is a mistake in the app, not yours.",
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
                heading: "You can’t open this page like this",
                sentence: "It was opened from another site, or it isn’t for the account "
                    + "you’re using.",
                next: "Go back to the app and start again."
            )
        case .providerMisconfigured(let provider):
            ErrorWords(
                heading: "\(name: provider) didn’t accept our request",
                sentence: "The people who run this service need to fix a setting.",
                next: "Use another sign-in method."
            )
        case .busy:
            ErrorWords(
                heading: "We’re very busy right now",
                sentence: "Your request wasn’t processed.",
                next: "Try again in a moment."
            )
        case .serverError:
            ErrorWords(
                heading: "Something went wrong on our side",
                sentence: "This isn’t your fault, and nothing has changed.",
                next: "Try again in a moment. If it happens again, contact support and give the "
                    + "reference below."
            )
        case .tooLarge:
            ErrorWords(
                heading: "That request is too large",
                sentence: "The page or the app sent more than we accept.",
                next: "Go back and try again with less text."
            )
        case .tooManyTries(let seconds):
            ErrorWords(
                heading: "Too many tries",
                sentence: "To keep accounts safe, we limit how often you can try.",
                next: "Wait \(ours: englishSpan(seconds: seconds)), then try again."
            )
        case .notFound:
            ErrorWords(
                heading: "Page not found",
                sentence: "The address may be mistyped, or the page may have moved.",
                next: "Go back to the app and start again."
            )
        case .methodNotAllowed:
            ErrorWords(
                heading: "You can’t open this page directly",
                sentence: "It’s part of a form or an app.",
                next: "Go back to the app and start again."
            )
        }
    }
}
