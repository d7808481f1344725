package import PorticoBytes

/// A step for which somebody who is signed in shows once more who they are.
///
/// The form posts `csrf`, and either `way` (its name) or `action`, which is `code` or `cancel`.
package struct ConfirmItsYouPage: Page {
    package enum Reason: Sendable, CaseIterable {
        case adding, removing, changingEmail, deleting, other
    }

    package let reason: Reason
    package let account: PageAccount
    /// Those at which a new sign-in is a proof.
    package let ways: [SignInMethod]
    /// The account's address, mostly hidden, where a code can be sent to it.
    package let mailbox: String?
    package let form: PageForm
    /// Why a sign-in that was to be the proof is none.
    package let problem: ChooseMethodPage.Problem?

    package init(
        reason: Reason,
        account: PageAccount,
        ways: [SignInMethod],
        mailbox: String? = nil,
        form: PageForm,
        problem: ChooseMethodPage.Problem? = nil
    ) {
        self.reason = reason
        self.account = account
        self.ways = ways
        self.mailbox = mailbox
        self.form = form
        self.problem = problem
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.confirm }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem.map { problem in
            let told = words.problem(problem)
            return ErrorSummary(
                summaryTitle: told.title,
                items: [.init(text: told.sentence, field: nil)]
            )
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let linking = words.linking
        let buttons = HTML.ways(
            ways,
            title: linking.confirmWays,
            posts: true,
            words.way,
            frame.theme
        )
        return HTML([
            .account(account),
            .line(linking.confirmReason(reason)),
            ways.isEmpty && mailbox == nil ? .strong(linking.confirmNone) : nil,
            .form(
                form,
                [
                    ways.isEmpty ? nil : buttons,
                    mailbox.map { .buttons([ActionButton("code", linking.byMailbox($0))]) },
                    .buttons([ActionButton("cancel", Phrase(words.common.cancel), .plain)]),
                ]
            ),
        ])
    }
}

extension ConfirmItsYouPage {
    package static let gallery: [GalleryState] =
        Reason.allCases.map { reason in
            GalleryState(
                "\(reason)",
                ConfirmItsYouPage(
                    reason: reason,
                    account: .sample,
                    ways: [.example],
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: reason == .other ? .sample : .sample.with("for", "\(reason)")
                )
            )
        } + [
            GalleryState(
                "mailbox only",
                ConfirmItsYouPage(
                    reason: .other,
                    account: .sample,
                    ways: [],
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: .sample
                )
            ),
            GalleryState(
                "not asked again",
                ConfirmItsYouPage(
                    reason: .adding,
                    account: .sample,
                    ways: [.example],
                    mailbox: EmailCodePage.masked("ann@example.com"),
                    form: .sample.with("for", "adding"),
                    problem: .notReauthenticated(.generic)
                )
            ),
            GalleryState(
                "no way",
                ConfirmItsYouPage(reason: .other, account: .sample, ways: [], form: .sample)
            ),
        ]
}
