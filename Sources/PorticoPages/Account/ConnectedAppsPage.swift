/// The apps that somebody has allowed to use their account, and what each may do; to be taken back
/// (WCAG 3.3.4).
///
/// A form posts `csrf`, `id` and `action=remove`.
package struct ConnectedAppsPage: Page {
    package struct App: Sendable {
        /// What the form gives back.
        package let id: String
        package let name: String
        /// The scope names that were allowed.
        package let scopes: [String]
        /// Seconds since 1970.
        package let allowedAt: Int64?

        package init(id: String, name: String, scopes: [String], allowedAt: Int64? = nil) {
            self.id = id
            self.name = name
            self.scopes = scopes
            self.allowedAt = allowedAt
        }
    }

    package let apps: [App]
    package let form: PageForm
    /// The name of the app that was removed just now.
    package let removed: String?
    private let pages: PageNavigation?

    /// - Parameter navigation: `nil` where this is the only account page.
    package init(
        apps: [App],
        form: PageForm,
        removed: String? = nil,
        navigation: PageNavigation? = PageNavigation()
    ) {
        self.apps = apps
        self.form = form
        self.removed = removed
        pages = navigation
    }

    package var navigation: PageNavigation? { pages?.at(.apps) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.apps }

    package func view(_ words: Words, _ frame: PageFrame) -> Sheet {
        let lists = words.lists
        let rows = apps.enumerated().map { index, app in
            RowBlock(
                id: "app-\(index + 1)",
                title: "\(name: app.name)",
                remarks: (app.scopes.isEmpty ? [] : [lists.may])
                    + app.scopes.map { words.consent.grant($0) }
                    + [app.allowedAt.map { lists.allowed(words.time.day(of: $0)) }]
                    .compactMap(\.self),
                form: (form.with("id", app.id), ActionButton("remove", lists.removeApp(app.name)))
            )
        }
        return Sheet([
            .status(removed.map { "\(lists.appRemoved($0)) \(lists.appRemovedNext)" }),
            .line(apps.isEmpty ? lists.noApps : lists.appsIntro),
            apps.isEmpty ? nil : .rows(rows),
        ])
    }

    package static let gallery = [
        GalleryState("two apps", ConnectedAppsPage(apps: samples, form: .sample)),
        GalleryState("none", ConnectedAppsPage(apps: [], form: .sample)),
        GalleryState(
            "removed",
            ConnectedAppsPage(
                apps: Array(samples.prefix(1)),
                form: .sample,
                removed: "Some Reader",
                navigation: nil
            )
        ),
    ]

    private static let samples = [
        App(
            id: "notes",
            name: "Notes",
            scopes: ["openid", "profile", "email", "offline_access"],
            allowedAt: 1_790_000_000
        ),
        App(id: "reader", name: "Some Reader", scopes: ["openid", "articles.read"]),
    ]
}
