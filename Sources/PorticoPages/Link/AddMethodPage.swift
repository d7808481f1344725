package import PorticoBytes

/// "Add Apple to this account?", after both are proven.
///
/// The form posts `request`, `csrf` and `action`, which is `add` or `cancel`.
package struct AddMethodPage: Page {
    package let newMethod: MethodLabel
    /// Who was signed in at the provider, as it names them: not always the person at the page.
    package let identity: String?
    package let account: PageAccount
    package let form: PageForm

    package init(
        newMethod: MethodLabel,
        identity: String? = nil,
        account: PageAccount,
        form: PageForm
    ) {
        self.newMethod = newMethod
        self.identity = identity
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.linking.add(newMethod.displayName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            identity.map { .line(words.linking.addWhose(newMethod, $0)) },
            .line(words.linking.addWhat(newMethod.displayName)),
            .form(
                form,
                [
                    .pair(
                        ActionButton("add", words.linking.addYes(newMethod.displayName), .choice),
                        ActionButton("cancel", words.linking.addNo, .choice)
                    )
                ]
            ),
        ])
    }
}
