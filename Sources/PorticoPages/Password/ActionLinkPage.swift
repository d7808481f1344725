package import PorticoBytes

/// What a link shows that an administrator has mailed, where no new password is asked for.
///
/// The form posts `request`, `csrf` and `action`, which is `confirm`.
package struct ActionLinkPage: Page {
    package enum State: Sendable {
        /// An address is confirmed, of the account with that user name.
        case asking(address: String, account: String, PageForm)
        /// An authenticator app is to be set up, for the account with that user name.
        case demanding(account: String, PageForm)
        /// With the way on.
        case confirmed(PageLink?)
        case demanded(PageLink?)
        /// The link's time is over, or it was used.
        case over
    }

    package let state: State

    package init(state: State) {
        self.state = state
    }

    package var isError: Bool {
        if case .over = state { true } else { false }
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch state {
        case .asking: words.code.linkAsked
        case .demanding, .demanded: words.factors.setup
        case .confirmed: words.code.linkDone
        case .over: words.reset.expired
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        switch state {
        case .asking(let address, let account, let form):
            HTML([
                .line(words.code.linkWhy(address)),
                .facts([.init(words.code.linkAccount, "\(name: account)")]),
                .form(form, [.buttons([ActionButton("confirm", words.code.confirm, .first)])]),
            ])
        case .demanding(let account, let form):
            HTML([
                .line(words.code.linkDemands),
                .facts([.init(words.code.linkAccount, "\(name: account)")]),
                .form(form, [.buttons([ActionButton("confirm", words.common.proceed, .first)])]),
            ])
        case .confirmed(let next):
            HTML([.line(words.code.linkDoneWhat), .steps([PageStep(next, words.common.proceed)])])
        case .demanded(let next):
            HTML([
                .line(words.code.linkDemanded), .steps([PageStep(next, words.common.proceed)]),
            ])
        case .over: HTML([.line(words.code.linkOver)])
        }
    }
}
