package import PorticoBytes

/// A new way to sign in seems to belong to an account that is there already: the person proves a way
/// that it has, or its mailbox, before anything is added.
///
/// The form posts `request`, `csrf`, and either `way` (its name) or `action`, which is `mailbox`,
/// `separate` or `cancel`.
package struct FoundAccountPage: Page {
    /// What became of a sign-in that was to prove the account.
    package enum Notice: Sendable, Equatable {
        case stopped(MethodLabel)
        /// The provider did not ask who the person is.
        case notReauthenticated(MethodLabel)
    }

    package let newWay: MethodLabel
    /// Those that the account has; the first is named as the usual one.
    package let knownWays: [SignInMethod]
    /// The account's address, mostly hidden, where a code can be sent to it.
    package let mailbox: String?
    /// Whether that code takes the account's other ways away: nobody has proven its address yet.
    package let expelsOthers: Bool
    package let canSeparate: Bool
    package let form: PageForm
    package let notice: Notice?

    package init(
        newWay: MethodLabel,
        knownWays: [SignInMethod],
        mailbox: String? = nil,
        expelsOthers: Bool = false,
        canSeparate: Bool = false,
        form: PageForm,
        notice: Notice? = nil
    ) {
        self.newWay = newWay
        self.knownWays = knownWays
        self.mailbox = mailbox
        self.expelsOthers = expelsOthers
        self.canSeparate = canSeparate
        self.form = form
        self.notice = notice
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.linking.found }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let linking = words.linking
        let ways =
            knownWays.isEmpty
            ? nil
            : HTML.ways(
                knownWays,
                title: linking.foundWays,
                posts: true,
                words.way,
                frame.theme
            )
        let others = [
            mailbox.map { ActionButton("mailbox", linking.byMailbox($0)) },
            canSeparate ? ActionButton("separate", linking.separate) : nil,
        ]
        let hasOthers = mailbox != nil || canSeparate
        let told: Phrase? =
            switch notice {
            case .stopped(let way): linking.cancelled(way.displayName)
            case .notReauthenticated(let way): linking.notReauthenticated(way.displayName)
            case nil: nil
            }
        return HTML([
            .status(told),
            knownWays.first.map { .line(linking.foundWhy($0.label, newWay)) },
            .form(
                form,
                [
                    ways,
                    mailbox != nil && ways != nil ? .note(linking.proveIt) : nil,
                    hasOthers ? .buttons(others) : nil,
                    mailbox != nil && expelsOthers ? .note(linking.expels) : nil,
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
                notice: .stopped(.google)
            )
        ),
        GalleryState(
            "not asked again",
            FoundAccountPage(
                newWay: .facebook,
                knownWays: [.example],
                mailbox: "a…@example.com",
                expelsOthers: true,
                canSeparate: true,
                form: .sample,
                notice: .notReauthenticated(.generic)
            )
        ),
        GalleryState(
            "address not proven",
            FoundAccountPage(
                newWay: .google,
                knownWays: [.facebook],
                mailbox: "a…@example.com",
                expelsOthers: true,
                canSeparate: true,
                form: .sample
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
