/// A step for which somebody who is signed in shows once more who they are.
///
/// The form posts `request`, `csrf`, and either `way` (its name) or `action`, which is
/// `cancel`.
package struct ConfirmItsYouPage: Page {
    package enum Reason: Sendable, CaseIterable {
        case adding, removing, changingEmail, deleting, other
    }

    package let reason: Reason
    package let account: PageAccount
    package let ways: [Way]
    package let form: PageForm

    package init(
        reason: Reason,
        account: PageAccount,
        ways: [Way],
        form: PageForm
    ) {
        self.reason = reason
        self.account = account
        self.ways = ways
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
            ways.isEmpty ? .strong(linking.confirmNone) : nil,
            .form(
                form,
                [
                    ways.isEmpty ? nil : .ways(block),
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
