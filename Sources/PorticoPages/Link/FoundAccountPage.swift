/// A new way to sign in seems to belong to an account that is there already: the person proves a way
/// that it has, or its mailbox, before anything is added.
///
/// The form posts `request`, `csrf`, and either `way` (its name) or `action`, which is `mailbox`,
/// `separate` or `cancel`.
package struct FoundAccountPage: Page {
    package let newWay: WayLabel
    /// Those that the account has; the first is named as the usual one.
    package let knownWays: [Way]
    /// The account's address, mostly hidden, where a code can be sent to it.
    package let mailbox: String?
    package let canSeparate: Bool
    package let form: PageForm
    /// The provider at which the person has just stopped.
    package let cancelled: WayLabel?

    package init(
        newWay: WayLabel,
        knownWays: [Way],
        mailbox: String? = nil,
        canSeparate: Bool = false,
        form: PageForm,
        cancelled: WayLabel? = nil
    ) {
        self.newWay = newWay
        self.knownWays = knownWays
        self.mailbox = mailbox
        self.canSeparate = canSeparate
        self.form = form
        self.cancelled = cancelled
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.found }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        let linking = words.linking
        let ways =
            knownWays.isEmpty
            ? nil
            : Block.ways(
                WaysBlock(
                    knownWays,
                    title: linking.foundWays,
                    posts: true,
                    words.way,
                    frame.theme
                )
            )
        let others = [
            mailbox.map { ActionButton("mailbox", linking.byMailbox($0)) },
            canSeparate ? ActionButton("separate", linking.separate) : nil,
        ]
        let hasOthers = mailbox != nil || canSeparate
        return Sheet([
            .status(cancelled.map { linking.cancelled($0.displayName) }),
            knownWays.first.map { .line(linking.foundWhy($0.label, newWay)) },
            .form(
                form,
                [
                    ways,
                    mailbox != nil && ways != nil ? .note(linking.proveIt) : nil,
                    hasOthers ? .buttons(others) : nil,
                    .buttons([ActionButton("cancel", Phrase(words.common.cancel), .plain)]),
                ]
            ),
        ])
    }
}

extension FoundAccountPage {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "one way",
            FoundAccountPage(
                newWay: .apple,
                knownWays: [.google],
                mailbox: "a…@example.com",
                canSeparate: true,
                form: .sample
            )
        ),
        GalleryState(
            "several ways, no new accounts",
            FoundAccountPage(
                newWay: .apple,
                knownWays: [.google, .facebook, .example],
                mailbox: "a…@example.com",
                form: .sample
            )
        ),
        GalleryState(
            "stopped",
            FoundAccountPage(
                newWay: .facebook,
                knownWays: [.google],
                mailbox: "a…@example.com",
                canSeparate: true,
                form: .sample,
                cancelled: .google
            )
        ),
        GalleryState(
            "mailbox only",
            FoundAccountPage(
                newWay: .facebook,
                knownWays: [],
                mailbox: "a…@example.com",
                canSeparate: true,
                form: .sample
            )
        ),
    ]
}
