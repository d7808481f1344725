package import PorticoBytes

/// "Sign out of …?": here, or everywhere.
///
/// The form posts `request`, `csrf` and `action`, which is `here`, `everywhere` or `stay`.
package struct BackendSignOutPage: Page {
    package let account: PageAccount
    package let form: PageForm

    package init(account: PageAccount, form: PageForm) {
        self.account = account
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.leaving.signOut(frame.owner)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(words.leaving.signOutWhat),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("here", words.leaving.here, .choice),
                        ActionButton("everywhere", words.leaving.everywhere, .choice),
                        ActionButton("stay", words.signOut.stay, .plain),
                    ])
                ]
            ),
        ])
    }
}

/// The result of signing out, and where the person is still signed in.
package struct BackendSignedOutPage: Page {
    package enum Outcome: Sendable, Equatable {
        case here, everywhere, wasNotSignedIn
    }

    package let outcome: Outcome
    /// The identity providers, which keep sessions of their own.
    package let stillAt: [MethodLabel]
    package let signInAgain: PageLink?

    package init(outcome: Outcome, stillAt: [MethodLabel] = [], signInAgain: PageLink? = nil) {
        self.outcome = outcome
        self.stillAt = stillAt
        self.signInAgain = signInAgain
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        outcome == .wasNotSignedIn ? words.signedOut.wasNotSignedIn : words.signedOut.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let done: Phrase =
            switch outcome {
            case .here: words.leaving.hereDone
            case .everywhere: words.leaving.everywhereDone
            case .wasNotSignedIn: words.signedOut.nothingChanged
            }
        return HTML(
            HTML.lines([done] + stillAt.map { still(at: $0, words.leaving) }) + [
                .steps([PageStep(signInAgain, words.leaving.signInAgain)])
            ]
        )
    }
    private func still(at method: MethodLabel, _ words: LeavingWords) -> Phrase {
        method.kind == .handle ? words.stillAtHost : words.stillAt(method.displayName)
    }
}

/// A person who is signed in opens the sign-in page.
///
/// The form posts `request`, `csrf` and `action`, which is `switch` or `sign-out`.
package struct AlreadySignedInPage: Page {
    package let account: PageAccount
    /// Where they were going.
    package let proceed: PageLink
    package let form: PageForm

    package init(account: PageAccount, proceed: PageLink, form: PageForm) {
        self.account = account
        self.proceed = proceed
        self.form = form
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.leaving.already }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .account(account),
            .line(words.leaving.otherTab),
            .steps([PageStep(proceed, words.leaving.continueAs(account.name ?? account.userName))]),
            .form(
                form,
                [
                    .buttons([
                        ActionButton("switch", words.common.useAnotherAccount),
                        ActionButton("sign-out", words.signOut.signOut),
                    ])
                ]
            ),
        ])
    }
}

/// Back to the app where the browser stayed open: a link, because a browser opens an app only at
/// the person's wish (Android's Custom Tabs).
package struct ReturnToAppPage: Page {
    package enum State: Sendable, Equatable {
        /// Signed in: the link carries the hand-off.
        case ready
        /// A claimed https address was opened by the browser instead of the app.
        case appNotOpened
    }

    /// Where the app can be got.
    package struct Store: Sendable {
        package let name: String
        package let link: PageLink

        package init(name: String, link: PageLink) {
            self.name = name
            self.link = link
        }
    }

    package let state: State
    package let app: String
    /// What the person is called, where known.
    package let person: String?
    package let link: PageLink?
    package let stores: [Store]

    package init(
        state: State,
        app: String,
        person: String? = nil,
        link: PageLink? = nil,
        stores: [Store] = []
    ) {
        self.state = state
        self.app = app
        self.person = person
        self.link = link
        self.stores = stores
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch state {
        case .ready: words.leaving.ready(app)
        case .appNotOpened: words.leaving.notOpened(app)
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let leaving = words.leaving
        let lines: [Phrase] =
            switch state {
            case .ready:
                [person.map { leaving.signedInAs($0) }, leaving.readyAdvice].compactMap(\.self)
            case .appNotOpened: [leaving.notOpenedAdvice]
            }
        return HTML(
            HTML.lines(lines) + [
                .steps([PageStep(link, leaving.returnTo(app))]),
                .links(stores.map { PageStep($0.link, leaving.get($0.name)) }),
            ]
        )
    }
}
