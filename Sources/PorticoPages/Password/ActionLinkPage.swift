package import PorticoBytes

/// What a link shows that an administrator has mailed, where no new password is asked for: the
/// address is confirmed by going on.
///
/// The form posts `request`, `csrf` and `action`, which is `confirm`.
package struct ActionLinkPage: Page {
    package enum State: Sendable {
        case asking(address: String, PageForm)
        /// With the way on.
        case confirmed(PageLink?)
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
        case .confirmed: words.code.linkDone
        case .over: words.reset.expired
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        switch state {
        case .asking(let address, let form):
            HTML([
                .line(words.code.linkWhy(address)),
                .form(form, [.buttons([ActionButton("confirm", words.code.confirm, .first)])]),
            ])
        case .confirmed(let next):
            HTML([.line(words.code.linkDoneWhat), .steps([PageStep(next, words.common.proceed)])])
        case .over: HTML([.line(words.code.linkOver)])
        }
    }
}
