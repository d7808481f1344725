/// A link from a mail was opened in another browser than the one that it belongs to: instead of an error
/// there is a code, to be entered there.
package struct CodeForOtherBrowserPage: Page {
    /// Six digits.
    package let code: String
    package let minutes: Int

    package init(code: String, minutes: Int = 10) {
        self.code = code
        self.minutes = minutes
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.code.elsewhere }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        Sheet([
            .line(words.code.elsewhereWhy),
            .code(code),
            .line(words.code.elsewhereAdvice),
            .note(words.code.lasts(minutes)),
        ])
    }

    package static let gallery = [
        GalleryState("code", CodeForOtherBrowserPage(code: "481 052"))
    ]
}
