package import PorticoBytes

/// A link from an email was opened in another browser than the one that asked for it: instead of an
/// error, the page shows a code to enter in that browser. It is shown on request, because mail
/// scanners open links too.
///
/// The form posts `request`, `csrf` and `action`, which is `show-code`.
package struct CodeForOtherBrowserPage: Page {
    package enum State: Sendable {
        case asking(PageForm)
        /// Six digits, and for how many minutes they are good.
        case code(String, minutes: Int)
    }

    package let state: State

    package init(state: State) {
        self.state = state
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        if case .code = state { words.code.elsewhere } else { words.code.elsewhereAsked }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        switch state {
        case .asking(let form):
            HTML([
                .line(words.code.elsewhereWhy),
                .line(words.code.elsewhereDoubt),
                .form(form, [.buttons([ActionButton("show-code", words.code.show, .first)])]),
            ])
        case .code(let code, let minutes):
            HTML([
                .code(code),
                .line(words.code.elsewhereAdvice),
                .note(words.code.lasts(words.time.minutes(minutes))),
            ])
        }
    }
}
