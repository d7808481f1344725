package import PorticoBytes

/// The account in a few lines, with links to everything else.
///
/// The form, if there is one, posts `csrf` and `action`, which is `sign-out`.
package struct AccountOverviewPage: Page {
    package let account: PageAccount
    package let methods: [MethodLabel]
    /// Whether they sign in with a password, too.
    package let hasPassword: Bool
    package let devices: Int
    /// Seconds since 1970.
    package let lastActivity: Int64?
    package let now: Int64
    package let delete: PageLink?
    package let form: PageForm?
    /// Where people sign out, in place of the form.
    package let signOut: PageLink?
    private let pages: PageNavigation

    package init(
        account: PageAccount,
        methods: [MethodLabel],
        hasPassword: Bool = false,
        devices: Int,
        lastActivity: Int64? = nil,
        now: Int64,
        delete: PageLink? = PageLink(path: "/account/delete"),
        form: PageForm? = nil,
        signOut: PageLink? = nil,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.account = account
        self.methods = methods
        self.hasPassword = hasPassword
        self.devices = devices
        self.lastActivity = lastActivity
        self.now = now
        self.delete = delete
        self.form = form
        self.signOut = signOut
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.overview) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.area.overview(account.name ?? account.userName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let area = words.area
        let all =
            methods.map { words.method.name($0) } + (hasPassword ? [area.place(.password)] : [])
        var names: Phrase = ""
        for (index, method) in all.enumerated() {
            let separator = index > 0 ? "\(area.separator) " : "" as Phrase
            names = "\(names)\(separator)\(method)"
        }
        return HTML([
            .account(account),
            .facts([
                .init(area.methods, all.isEmpty ? area.none : names),
                .init(area.devices, words.time.devices(devices)),
                lastActivity.map {
                    .init(area.lastActivity, words.time.ago($0, at: now))
                },
            ]),
            form.map { .form($0, [.buttons([ActionButton("sign-out", area.signOut)])]) },
            .links([PageStep(signOut, area.signOut), PageStep(delete, area.delete)]),
        ])
    }
}

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
