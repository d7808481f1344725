package import PorticoBytes

/// A step for which a person who is signed in has to confirm that it is them.
///
/// The form posts `csrf`, and either `way` (its name) or `action`, which is `code` or `cancel`.
package struct ConfirmItsYouPage: Page {
    package enum Reason: Sendable, CaseIterable {
        case adding, removing, changingEmail, deleting, other
    }

    package let reason: Reason
    package let account: PageAccount
    /// Those at which a new sign-in is a proof.
    package let methods: [SignInMethod]
    /// The account's address, mostly hidden, where a code can be sent to it.
    package let mailbox: String?
    package let form: PageForm
    /// Why a sign-in that was to be the proof is none.
    package let problem: ChooseMethodPage.Problem?

    package init(
        reason: Reason,
        account: PageAccount,
        methods: [SignInMethod],
        mailbox: String? = nil,
        form: PageForm,
        problem: ChooseMethodPage.Problem? = nil
    ) {
        self.reason = reason
        self.account = account
        self.methods = methods
        self.mailbox = mailbox
        self.form = form
        self.problem = problem
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.confirm }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem?.told(words)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let linking = words.linking
        let buttons = HTML.methods(
            methods,
            title: linking.confirmMethods,
            posts: true,
            words.method,
            frame.theme
        )
        return HTML([
            .account(account),
            .line(linking.confirmReason(reason)),
            methods.isEmpty && mailbox == nil ? .strong(linking.confirmNone) : nil,
            .form(
                form,
                [
                    methods.isEmpty ? nil : buttons,
                    mailbox.map { .buttons([ActionButton("code", linking.byMailbox($0))]) },
                    .buttons([ActionButton("cancel", words.common.cancel, .plain)]),
                ]
            ),
        ])
    }
}
