package import PorticoBytes

/// The apps that may use the account, and what each may do; each can be removed (WCAG 3.3.4).
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
        package let lastUsedAt: Int64?

        package init(
            id: String,
            name: String,
            scopes: [String],
            allowedAt: Int64? = nil,
            lastUsedAt: Int64? = nil
        ) {
            self.id = id
            self.name = name
            self.scopes = scopes
            self.allowedAt = allowedAt
            self.lastUsedAt = lastUsedAt
        }
    }

    /// Whose they are.
    package let account: PageAccount
    package let apps: [App]
    package let now: Int64
    package let form: PageForm
    /// The name of the app that was removed just now.
    package let removed: String?
    package let signOut: PageLink?
    private let pages: PageNavigation?

    package init(
        account: PageAccount,
        apps: [App],
        now: Int64,
        form: PageForm,
        removed: String? = nil,
        signOut: PageLink? = nil,
        navigation: PageNavigation? = nil
    ) {
        self.account = account
        self.apps = apps
        self.now = now
        self.form = form
        self.removed = removed
        self.signOut = signOut
        pages = navigation
    }

    package var navigation: PageNavigation? { pages?.at(.apps) }
    package var isWide: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.area.apps }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lists = words.lists
        let rows = apps.enumerated().map { index, app in
            RowBlock(
                id: "app-\(index + 1)",
                title: "\(name: app.name)",
                remarks: (app.scopes.isEmpty ? [] : [lists.may])
                    + words.grants(app.scopes)
                    + [
                        app.allowedAt.map { lists.allowed(words.time.day(of: $0)) },
                        app.lastUsedAt.map { lists.used(words.time.ago($0, at: now)) },
                    ].compactMap(\.self),
                form: (form.with("id", app.id), ActionButton("remove", lists.removeApp(app.name)))
            )
        }
        let done = removed.map { app -> Phrase in
            "\(lists.appRemoved(app)) \(lists.appRemovedNext)"
        }
        return HTML([
            .status(done),
            .account(account),
            .line(apps.isEmpty ? lists.noApps : lists.appsIntro),
            apps.isEmpty ? nil : .rows(rows),
            .links([PageStep(signOut, words.area.signOut)]),
        ])
    }
}

/// An authenticator app was added: recovery codes are the next step.
///
/// The form posts `csrf`, `request` where a sign-in waits, and `action`, which is `codes`.
package struct AppAddedPage: Page {
    package let form: PageForm
    /// To go on without codes.
    package let later: PageLink?

    package init(form: PageForm, later: PageLink?) {
        self.form = form
        self.later = later
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.factors.codesNext }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .status(words.factors.added),
            .line(words.factors.codesWhy),
            .form(form, [.buttons([ActionButton("codes", words.factors.makeCodes, .first)])]),
            .links([PageStep(later, words.factors.codesLater)]),
        ])
    }
}
