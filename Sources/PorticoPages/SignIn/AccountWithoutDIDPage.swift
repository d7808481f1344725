package import PorticoBytes

/// An app of the AT Protocol asks for an account by its DID, and the account has none yet.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `cancel`.
package struct AccountWithoutDIDPage: Page {
    package let client: String
    package let account: PageAccount
    package let form: PageForm

    package init(client: String, account: PageAccount, form: PageForm) {
        self.client = client
        self.account = account
        self.form = form
    }

    /// What it is called in every language.
    private static let term = "DID"

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.handle.noDID(Self.term)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(
                words.handle.noDIDWhy([
                    "client": .exact(client), "term": .exact(Self.term),
                    "service": .name(frame.owner),
                ])
            ),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("switch", words.common.useAnotherAccount),
                        ActionButton("cancel", words.common.backTo(client), .plain),
                    ])
                ]
            ),
        ])
    }
}
