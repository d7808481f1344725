package import PorticoBytes

/// A link from a mail was opened in another browser than the one that it belongs to: instead of an error
/// there is a code, to be entered there. It is shown when somebody asks for it, because programs
/// that look through mail open links as well.
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
                .note(words.code.lasts(minutes)),
            ])
        }
    }

    package static let gallery = [
        GalleryState("asked", CodeForOtherBrowserPage(state: .asking(.sample))),
        GalleryState("code", CodeForOtherBrowserPage(state: .code("481 052", minutes: 10))),
    ]
}
