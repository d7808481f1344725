package import PorticoBytes

/// An authenticator app was added: recovery codes are the next step.
///
/// The form posts `csrf`, `request` where a sign-in waits, and `action`, which is `codes`.
package struct AppAddedPage: Page {
    package let form: PageForm
    /// To go on without codes.
    package let later: PageLink?

    package init(form: PageForm, later: PageLink?) {
        self.form = form
        self.later = later
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.factors.codesNext }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .status(words.factors.added),
            .line(words.factors.codesWhy),
            .form(form, [.buttons([ActionButton("codes", words.factors.makeCodes, .first)])]),
            .links([PageStep(later, words.factors.codesLater)]),
        ])
    }
}
