package import PorticoBytes

/// The authenticator apps and recovery codes of an account.
///
/// A form posts `csrf`, `request` where a sign-in waits, and `action`, which is `add`, `codes`
/// (make new ones), or `remove` with `id`.
package struct SecondFactorsPage: Page {
    package struct App: Sendable {
        /// What the form gives back.
        package let id: String
        /// Seconds since 1970.
        package let addedAt: Int64

        package init(id: String, addedAt: Int64) {
            self.id = id
            self.addedAt = addedAt
        }
    }

    package struct Codes: Sendable {
        package let id: String
        package let left: Int

        package init(id: String, left: Int) {
            self.id = id
            self.left = left
        }
    }

    package enum Status: Sendable, Equatable {
        case added, removed
        /// No further app is taken.
        case full
    }

    package let account: PageAccount
    package let apps: [App]
    package let codes: Codes?
    package let form: PageForm
    package let status: Status?
    /// The sign-in that waits for this.
    package let goOn: PageLink?
    /// It waits until there is an app.
    package let isDemanded: Bool
    package let signOut: PageLink?
    private let pages: PageNavigation?

    package init(
        account: PageAccount,
        apps: [App],
        codes: Codes? = nil,
        form: PageForm,
        status: Status? = nil,
        goOn: PageLink? = nil,
        isDemanded: Bool = false,
        signOut: PageLink? = nil,
        navigation: PageNavigation? = nil
    ) {
        self.account = account
        self.apps = apps
        self.codes = codes
        self.form = form
        self.status = status
        self.goOn = goOn
        self.isDemanded = isDemanded
        self.signOut = signOut
        pages = navigation
    }

    package var navigation: PageNavigation? { pages?.at(.secondFactors) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.area.place(.secondFactors)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let factors = words.factors
        let rows = appRows(words) + codeRows(words)
        let done: Phrase? =
            switch status {
            case .added: factors.added
            case .removed: factors.removed
            case .full: factors.full
            case nil: nil
            }
        return HTML([
            .status(done),
            isDemanded ? .strong(factors.demanded) : nil,
            .account(account),
            .line(rows.isEmpty ? factors.none : factors.intro),
            rows.isEmpty ? nil : .rows(rows),
            .form(
                form,
                [
                    .buttons([
                        ActionButton(
                            "add",
                            apps.isEmpty ? factors.add : factors.addAnother,
                            apps.isEmpty ? .first : .second
                        ),
                        apps.isEmpty || codes != nil
                            ? nil : ActionButton("codes", factors.makeCodes),
                    ])
                ]
            ),
            .links([
                isDemanded ? nil : PageStep(goOn, factors.goOn),
                PageStep(signOut, words.area.signOut),
            ]),
        ])
    }

    private func appRows(_ words: Words) -> [RowBlock] {
        apps.enumerated().map { index, app in
            RowBlock(
                id: "app-\(index + 1)",
                title: words.factors.app,
                remarks: [words.lists.added(words.time.day(of: app.addedAt))],
                form: (form.with("id", app.id), ActionButton("remove", words.factors.remove))
            )
        }
    }

    /// While there is an app they are replaced, and go with the last one.
    private func codeRows(_ words: Words) -> [RowBlock] {
        guard let codes else { return [] }
        let button =
            apps.isEmpty
            ? ActionButton("remove", words.factors.remove)
            : ActionButton("codes", words.factors.replaceCodes)
        return [
            RowBlock(
                id: "codes",
                title: words.factors.codes,
                remarks: [words.factors.left(codes.left)],
                form: (form.with("id", codes.id), button)
            )
        ]
    }
}
