package import PorticoBytes

/// A person who is signed in opens the sign-in page.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `sign-out`.
package struct AlreadySignedInPage: Page {
    package let account: PageAccount
    /// Where they were going.
    package let proceed: PageLink
    package let form: PageForm

    package init(account: PageAccount, proceed: PageLink, form: PageForm) {
        self.account = account
        self.proceed = proceed
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.leaving.already }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(words.leaving.otherTab),
            .steps([
                PageStep(proceed, words.leaving.continueAs(account.name ?? account.userName))
            ]),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("switch", words.common.useAnotherAccount),
                        ActionButton("sign-out", words.signOut.signOut),
                    ])
                ]
            ),
        ])
    }
}
