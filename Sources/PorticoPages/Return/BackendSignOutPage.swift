package import PorticoBytes

/// "Sign out of …?": here, or everywhere.
///
/// The form posts `request`, `csrf` and `action`, which is `here`, `everywhere` or `stay`.
package struct BackendSignOutPage: Page {
    package let account: PageAccount
    package let form: PageForm

    package init(account: PageAccount, form: PageForm) {
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.leaving.signOut(frame.owner)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(words.leaving.signOutWhat),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("here", words.leaving.here, .choice),
                        ActionButton("everywhere", words.leaving.everywhere, .choice),
                        ActionButton("stay", words.signOut.stay, .plain),
                    ])
                ]
            ),
        ])
    }
}

/// The result of signing out, and where the person is still signed in.
package struct BackendSignedOutPage: Page {
    package enum Outcome: Sendable, Equatable {
        case here, everywhere, wasNotSignedIn
    }

    package let outcome: Outcome
    /// The identity providers, which keep sessions of their own.
    package let stillAt: [MethodLabel]
    package let signInAgain: PageLink?

    package init(outcome: Outcome, stillAt: [MethodLabel] = [], signInAgain: PageLink? = nil) {
        self.outcome = outcome
        self.stillAt = stillAt
        self.signInAgain = signInAgain
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        outcome == .wasNotSignedIn ? words.signedOut.wasNotSignedIn : words.signedOut.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let done: Phrase =
            switch outcome {
            case .here: words.leaving.hereDone
            case .everywhere: words.leaving.everywhereDone
            case .wasNotSignedIn: words.signedOut.nothingChanged
            }
        return HTML(
            HTML.lines([done] + stillAt.map { still(at: $0, words.leaving) }) + [
                .steps([PageStep(signInAgain, words.leaving.signInAgain)])
            ]
        )
    }
    private func still(at method: MethodLabel, _ words: LeavingWords) -> Phrase {
        method.kind == .handle ? words.stillAtHost : words.stillAt(method.displayName)
    }
}
