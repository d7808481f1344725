package import PorticoBytes

/// The identity that should be added belongs to a different account, or the account has another one of
/// that provider: nothing is moved.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `cancel`.
package struct IdentityTakenPage: Page {
    package enum Reason: Sendable, Equatable {
        case otherAccount
        /// This account has an identity of that provider.
        case secondOfProvider
    }

    package let way: MethodLabel
    package let reason: Reason
    package let form: PageForm

    package init(way: MethodLabel, reason: Reason = .otherAccount, form: PageForm) {
        self.way = way
        self.reason = reason
        self.form = form
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .otherAccount: words.linking.taken(way)
        case .secondOfProvider: words.linking.secondOfProvider(way)
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let cancel = ActionButton("cancel", Phrase(words.common.cancel))
        switch reason {
        case .otherAccount:
            return HTML([
                .line(words.linking.takenWhy),
                .line(words.linking.takenAdvice),
                .form(
                    form,
                    [
                        .buttons([
                            ActionButton("switch", words.linking.takenSwitch, .first), cancel,
                        ])
                    ]
                ),
            ])
        case .secondOfProvider:
            return HTML([.line(words.linking.secondAdvice), .form(form, [.buttons([cancel])])])
        }
    }

    package static let gallery = [
        GalleryState("other account", IdentityTakenPage(way: .apple, form: .sample)),
        GalleryState("generic", IdentityTakenPage(way: .generic, form: .sample)),
        GalleryState(
            "second of a provider",
            IdentityTakenPage(way: .google, reason: .secondOfProvider, form: .sample)
        ),
    ]
}
