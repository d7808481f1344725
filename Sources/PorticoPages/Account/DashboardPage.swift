package import PorticoBytes

/// The start page for people who are signed in, of a service that has none of its own.
///
/// The form posts `csrf` and `action`, which is `sign-out`.
package struct DashboardPage: Page {
    package let account: PageAccount
    package let signedInWith: MethodLabel?
    package let accountPages: PageLink?
    package let form: PageForm

    package init(
        account: PageAccount,
        signedInWith: MethodLabel? = nil,
        accountPages: PageLink? = PageLink(path: "/account"),
        form: PageForm
    ) {
        self.account = account
        self.signedInWith = signedInWith
        self.accountPages = accountPages
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.dashboard }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(words.area.dashboardIntro),
            signedInWith.map {
                .line(
                    $0.kind == .handle
                        ? words.area.signedInWithHandle : words.area.signedInWith($0.displayName)
                )
            },
            .steps([PageStep(accountPages, words.area.toAccount)]),
            .form(form, [.buttons([ActionButton("sign-out", words.area.signOut)])]),
        ])
    }
}
