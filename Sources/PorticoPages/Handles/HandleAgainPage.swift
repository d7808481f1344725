package import PorticoBytes

/// A person named a host and signed in, with an account that another host has the say about: they
/// may sign in at that one.
///
/// The form posts `request`, `csrf` and `action`, which is `continue` or `cancel`. It leads to the
/// other host, which the policy of the page's `form-action` has to allow.
package struct HandleAgainPage: Page {
    /// The authorization server of the account.
    package let host: String
    /// The one where the person has signed in.
    package let first: String
    /// The handle, or the DID where it has none that is confirmed.
    package let account: String
    package let form: PageForm

    package init(host: String, first: String, account: String, form: PageForm) {
        self.host = host
        self.first = first
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.handle.again(host)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(
                words.handle.againWhy([
                    "first": .exact(first), "account": .exact(account), "host": .exact(host),
                ])
            ),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("continue", words.handle.continueAt(host), .first),
                        ActionButton("cancel", words.common.cancel, .plain),
                    ])
                ]
            ),
        ])
    }
}
