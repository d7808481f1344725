package import PorticoBytes

/// The account in a few lines, with the way to everything else.
///
/// The form posts `csrf` and `action`, which is `sign-out`.
package struct AccountOverviewPage: Page {
    package let account: PageAccount
    package let ways: [MethodLabel]
    package let devices: Int
    /// Seconds since 1970.
    package let lastActivity: Int64?
    package let now: Int64
    package let delete: PageLink?
    package let form: PageForm
    private let pages: PageNavigation

    package init(
        account: PageAccount,
        ways: [MethodLabel],
        devices: Int,
        lastActivity: Int64? = nil,
        now: Int64,
        delete: PageLink? = PageLink(path: "/account/delete"),
        form: PageForm,
        navigation: PageNavigation = PageNavigation()
    ) {
        self.account = account
        self.ways = ways
        self.devices = devices
        self.lastActivity = lastActivity
        self.now = now
        self.delete = delete
        self.form = form
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.overview) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.area.overview(account.name ?? account.userName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let area = words.area
        var names: Phrase = ""
        for (index, way) in ways.enumerated() {
            names = "\(names)\(ours: index > 0 ? area.separator : "")\(name: way.displayName)"
        }
        return HTML([
            .account(account),
            .facts([
                .init(area.ways, ways.isEmpty ? area.none : names),
                .init(area.devices, words.time.devices(devices)),
                lastActivity.map {
                    .init(area.lastActivity, words.time.ago($0, at: now))
                },
            ]),
            .form(form, [.buttons([ActionButton("sign-out", area.signOut)])]),
            .links([PageStep(delete, area.delete)]),
        ])
    }

    package static let gallery = [
        GalleryState(
            "several ways",
            AccountOverviewPage(
                account: .sample,
                ways: [.google, .apple],
                devices: 2,
                lastActivity: 1_795_298_400 - 7_300,
                now: 1_795_298_400,
                form: .sample
            )
        ),
        GalleryState(
            "new",
            AccountOverviewPage(
                account: PageAccount(name: nil, userName: "ann@example.com"),
                ways: [.facebook],
                devices: 1,
                lastActivity: 1_795_298_400,
                now: 1_795_298_400,
                form: .sample
            )
        ),
        GalleryState(
            "no way that there still is",
            AccountOverviewPage(
                account: .sample,
                ways: [],
                devices: 1,
                lastActivity: 1_795_298_400,
                now: 1_795_298_400,
                form: .sample
            )
        ),
    ]
}
