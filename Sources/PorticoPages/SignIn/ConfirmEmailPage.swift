package import PorticoBytes

/// A realm's people confirm their address before an app gets anything: a code is mailed when they
/// say so, and typed in on `EmailCodePage`.
///
/// The form posts `request`, `csrf` and `action`, which is `send`, `switch` or `cancel`.
package struct ConfirmEmailPage: Page {
    /// Where it will be sent, with most of it hidden: `a…@example.com`.
    package let address: String
    package let form: PageForm

    package init(address: String, form: PageForm) {
        self.address = address
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.code.confirmFirst }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.code.confirmWhy(address)),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("send", words.code.send, .first),
                        ActionButton("switch", words.common.useAnotherAccount),
                        ActionButton("cancel", words.common.cancel),
                    ])
                ]
            ),
        ])
    }
}
