package import PorticoBytes

/// The identity to add belongs to a different account, or the account already has one of that
/// provider: nothing is moved.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `cancel`.
package struct IdentityTakenPage: Page {
    package enum Reason: Sendable, Equatable {
        case otherAccount
        /// This account has an identity of that provider.
        case secondOfProvider
    }

    package let method: MethodLabel
    package let reason: Reason
    package let form: PageForm

    package init(method: MethodLabel, reason: Reason = .otherAccount, form: PageForm) {
        self.method = method
        self.reason = reason
        self.form = form
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .otherAccount: words.linking.taken(words.method.account(method))
        case .secondOfProvider: words.linking.secondOfProvider(words.method.account(method))
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let cancel = ActionButton("cancel", words.common.cancel)
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
}
