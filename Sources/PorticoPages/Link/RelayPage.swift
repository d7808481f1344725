package import PorticoBytes

/// The provider hides the e-mail address, so nobody can tell whether there is an account already: asked
/// before one is made.
///
/// The form posts `request`, `csrf` and `action`, which is `link`, `create` or `cancel`.
package struct RelayPage: Page {
    package let provider: MethodLabel
    package let form: PageForm

    package init(provider: MethodLabel, form: PageForm) {
        self.provider = provider
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.welcome.relayHeading(frame.owner)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.welcome.relayIntro(provider.displayName)),
            .line(words.welcome.relayAdvice),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("link", words.welcome.link, .choice),
                        ActionButton("create", words.welcome.create(frame.owner), .choice),
                        ActionButton("cancel", Phrase(words.common.cancel), .plain),
                    ])
                ]
            ),
        ])
    }

    package static let gallery = [
        GalleryState("asked", RelayPage(provider: .apple, form: .sample))
    ]
}
