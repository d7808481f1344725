package import PorticoBytes

/// "Do you want to sign out?" (OpenID Connect RP-Initiated Logout §2).
///
/// The form posts `request`, `csrf` and `action`, which is `sign-out` or `stay`.
package struct SignOutPage: Page {
    /// The client that asks, where known.
    package let client: String?
    /// Who is signed in, where this browser may know.
    package let account: PageAccount?
    /// The session is another browser's, and only the client says which.
    package let isElsewhere: Bool
    /// Why what the client asked for was refused: then the person is still signed in, and may sign out
    /// here all the same.
    package let trouble: Trouble?
    package let form: PageForm

    package struct Trouble: Sendable {
        let issue: ErrorPage.Issue
        let details: ErrorPage.Details

        package init(_ issue: ErrorPage.Issue, _ details: ErrorPage.Details) {
            self.issue = issue
            self.details = details
        }
    }

    package init(
        client: String?,
        account: PageAccount?,
        isElsewhere: Bool = false,
        trouble: Trouble? = nil,
        form: PageForm
    ) {
        self.client = client
        self.account = account
        self.isElsewhere = isElsewhere
        self.trouble = trouble
        self.form = form
    }

    package var isError: Bool { trouble != nil }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        trouble.map { $0.issue.told(words).heading } ?? words.signOut.heading(frame.owner)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            account.map { .account($0) },
            .line(trouble.map { $0.issue.told(words).sentence } ?? intro(words.signOut)),
            trouble.map { _ in .paragraph(nil, words.signOut.still) },
            .form(
                form,
                [
                    .pair(
                        ActionButton("sign-out", words.signOut.signOut, .choice),
                        ActionButton("stay", words.signOut.stay, .choice)
                    )
                ]
            ),
            trouble?.details.html(words.details, frame),
        ])
    }

    private func intro(_ words: SignOutWords) -> Phrase {
        guard let client else { return words.intro }
        return isElsewhere ? words.askedElsewhere(client) : words.asked(client)
    }
}

/// The result of signing out, and what it does not cover.
package struct SignedOutPage: Page {
    package enum Outcome: Sendable {
        case signedOut
        /// No one was signed in any more.
        case wasNotSignedIn
        /// The person chose to stay.
        case stayed
    }

    package let outcome: Outcome
    /// The client that asked, where known.
    package let client: String?
    /// Where that client wants the person to go on.
    package let back: PageLink?

    package init(outcome: Outcome, client: String? = nil, back: PageLink? = nil) {
        self.outcome = outcome
        self.client = client
        self.back = back
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch outcome {
        case .signedOut: words.signedOut.heading
        case .wasNotSignedIn: words.signedOut.wasNotSignedIn
        case .stayed: words.signedOut.stayed
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lines: [Phrase] =
            switch outcome {
            case .signedOut: [words.signedOut.done(frame.owner), words.signedOut.stillOpen]
            case .wasNotSignedIn: [words.signedOut.stillOpen]
            case .stayed: [words.signedOut.nothingChanged]
            }
        return HTML(HTML.lines(lines) + [.step(words.common.step(to: back, of: client))])
    }
}

/// The authorization response as a form that the browser posts to the client
/// (OAuth 2.0 Form Post Response Mode §2).
///
/// A script sends it at once; without scripts the button does.
package struct FormPostPage: Page {
    package struct Parameter: Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let client: String
    /// The redirect URI, found to be the client's own.
    package let action: PageLink
    package let parameters: [Parameter]

    package init(client: String, action: PageLink, parameters: [Parameter]) {
        self.client = client
        self.action = action
        self.parameters = parameters
    }

    private static let sending = InlineSource(unescaped: "document.forms[0].submit()")

    /// The source that admits the script in this page's policy.
    package static let scriptHash = sending.hash

    /// It has one that the policy of this page admits by itself.
    package var script: InlineSource? { nil }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.formPost.heading(client)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.formPost.advice),
            .element(
                .form,
                to: action,
                [.method: "post"],
                HTML(parameters.map { .hidden($0.name, $0.value) }),
                .element(
                    .div,
                    [.class: "actions"],
                    .element(
                        .button,
                        [.class: "button", .type: "submit"],
                        words.common.proceed.html
                    )
                )
            ),
            .script(Self.sending),
        ])
    }
}

/// The page at the server's own address, or an issuer's: a sign-in begins in an app.
package struct StartPage: Page {
    package init() {}

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.start.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([.line(words.start.comeFromApp), .line(words.start.nothingToDo)])
    }
}
