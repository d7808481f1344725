/// A step for which somebody who is signed in shows once more who they are.
///
/// The form posts `request`, `csrf`, and either `way` (its name) or `action`, which is `mailbox` or
/// `cancel`.
package struct ConfirmItsYouPage: Page {
    package enum Reason: Sendable, CaseIterable {
        case adding, removing, changingEmail, deleting, other
    }

    package let reason: Reason
    package let account: PageAccount
    package let ways: [Way]
    /// The account's address, mostly hidden, where a code can be sent to it.
    package let mailbox: String?
    package let form: PageForm

    package init(
        reason: Reason,
        account: PageAccount,
        ways: [Way],
        mailbox: String? = nil,
        form: PageForm
    ) {
        self.reason = reason
        self.account = account
        self.ways = ways
        self.mailbox = mailbox
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.confirm }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        let linking = words.linking
        let block = WaysBlock(
            ways,
            title: linking.confirmWays,
            posts: true,
            words.way,
            frame.theme
        )
        return Sheet([
            .account(account),
            .line(linking.confirmReason(reason)),
            ways.isEmpty && mailbox == nil ? .strong(linking.confirmNone) : nil,
            .form(
                form,
                [
                    ways.isEmpty ? nil : .ways(block),
                    mailbox.map {
                        .buttons([ActionButton("mailbox", linking.byMailbox($0))])
                    },
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
                    ways: Array(Way.samples.prefix(2)),
                    mailbox: reason == .deleting ? "a…@example.com" : nil,
                    form: .sample
                )
            )
        } + [
            GalleryState(
                "no way",
                ConfirmItsYouPage(reason: .other, account: .sample, ways: [], form: .sample)
            )
        ]
}
