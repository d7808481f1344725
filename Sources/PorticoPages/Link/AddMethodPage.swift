package import PorticoBytes

/// "Add Apple to this account?", after both have been proved.
///
/// The form posts `request`, `csrf` and `action`, which is `add` or `cancel`.
package struct AddMethodPage: Page {
    package let newWay: MethodLabel
    package let account: PageAccount
    package let form: PageForm

    package init(newWay: MethodLabel, account: PageAccount, form: PageForm) {
        self.newWay = newWay
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.linking.add(newWay)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(words.linking.addWhat(newWay)),
            .form(
                form,
                [
                    .pair(
                        ActionButton("add", words.linking.addYes(newWay), .choice),
                        ActionButton("cancel", words.linking.addNo, .choice)
                    )
                ]
            ),
        ])
    }

    package static let gallery = [
        GalleryState("asked", AddMethodPage(newWay: .apple, account: .sample, form: .sample))
    ]
}
