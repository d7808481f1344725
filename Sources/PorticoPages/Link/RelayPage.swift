package import PorticoBytes

/// The provider hides the email address, so an existing account cannot be found: asked before a new
/// one is made.
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
            .line(words.welcome.relayAdvice(provider.displayName)),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("link", words.welcome.link, .choice),
                        ActionButton("create", words.welcome.create(frame.owner), .choice),
                        ActionButton("cancel", words.common.cancel, .plain),
                    ])
                ]
            ),
        ])
    }
}
