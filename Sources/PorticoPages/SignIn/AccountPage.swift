/// Somebody is signed in already: go on as they are, or as somebody else?
///
/// For `prompt=select_account`, and for an `id_token_hint` that names another person
/// (OpenID Connect Core §3.1.2.1). The form posts `request`, `csrf` and `action`, which is `continue`,
/// `switch` or `cancel`.
package struct AccountPage: Page {
    package enum Reason: Sendable {
        /// The client wants the person to choose.
        case choose
        /// The client expects somebody else, so that going on as they are would be no answer.
        case otherPersonExpected
    }

    package let client: String
    package let account: PageAccount
    package let reason: Reason
    package let form: PageForm

    package init(client: String, account: PageAccount, reason: Reason, form: PageForm) {
        self.client = client
        self.account = account
        self.reason = reason
        self.form = form
    }

    package static let template = PageTemplate.chooseAccount

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.account.heading
    }

    package func view(_ words: Words, _ frame: PageFrame) -> View {
        let intro: Phrase
        let proceed: Phrase?
        switch reason {
        case .choose:
            intro = words.account.choose(client)
            proceed = words.account.continueAs(account.name ?? account.userName)
        case .otherPersonExpected:
            intro = words.account.otherExpected(client)
            proceed = nil
        }
        return View(
            account: PageAccount.View(account),
            intro: intro,
            form: form,
            proceed: proceed,
            switchAccount: words.common.useAnotherAccount,
            switchIsFirst: proceed == nil,
            cancel: words.common.cancel
        )
    }

    package struct View: Sendable {
        let account: PageAccount.View
        let intro: Phrase
        let form: PageForm
        let proceed: Phrase?
        let switchAccount: String
        let switchIsFirst: Bool
        let cancel: String
    }
}

extension AccountPage {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "choose",
            AccountPage(client: "Notes", account: .sample, reason: .choose, form: .sample)
        ),
        GalleryState(
            "other person expected",
            AccountPage(
                client: "Notes",
                account: .sample,
                reason: .otherPersonExpected,
                form: .sample
            )
        ),
    ]
}
