package import PorticoBytes

/// "Add Apple to this account?", after both are proven.
///
/// The form posts `request`, `csrf` and `action`, which is `add` or `cancel`.
package struct AddMethodPage: Page {
    package let newMethod: MethodLabel
    package let account: PageAccount
    package let form: PageForm

    package init(newMethod: MethodLabel, account: PageAccount, form: PageForm) {
        self.newMethod = newMethod
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.linking.add(newMethod.displayName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
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
