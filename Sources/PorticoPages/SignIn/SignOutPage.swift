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
