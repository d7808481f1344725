package import PorticoBytes

/// Deleting an account: what follows from it, and a box to tick.
///
/// The form posts `csrf`, `sure=1` where the box is ticked, and `action`, which is `delete` or
/// `cancel`.
package struct DeleteAccountPage: Page {
    package let account: PageAccount
    /// Apple is one of the sign-in methods, and must be told.
    package let usesApple: Bool
    package let form: PageForm
    /// The box was not ticked.
    package let wasNotSure: Bool
    private let pages: PageNavigation

    package init(
        account: PageAccount,
        usesApple: Bool = false,
        form: PageForm,
        wasNotSure: Bool = false,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.account = account
        self.usesApple = usesApple
        self.form = form
        self.wasNotSure = wasNotSure
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(nil) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.removal.heading }

    package func problems(_ words: Words) -> ErrorSummary? {
        guard wasNotSure else { return nil }
        return ErrorSummary(
            summaryTitle: words.removal.problem,
            items: [.init(text: words.removal.notSure, field: "sure")]
        )
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let removal = words.removal
        return HTML([
            .account(account),
            .strong(removal.intro),
            .section(
                "consequences",
                removal.consequencesTitle,
                [.points(removal.consequences()), usesApple ? .note(removal.apple) : nil]
            ),
            .form(
                form,
                [
                    .check(
                        "sure",
                        removal.sure,
                        isRequired: true,
                        problem: wasNotSure ? removal.notSure : nil
                    ),
                    .buttons([
                        ActionButton("delete", removal.delete, .danger),
                        ActionButton("cancel", removal.keep, isWayOut: true),
                    ]),
                ]
            ),
        ])
    }
}

/// The account is gone.
package struct AccountDeletedPage: Page {
    /// Apple could not be told, so the person has to finish there.
    package let appleLeft: Bool

    package init(appleLeft: Bool = false) {
        self.appleLeft = appleLeft
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.removal.done }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([.line(words.removal.doneWhat), appleLeft ? .strong(words.removal.appleLeft) : nil])
    }
}
