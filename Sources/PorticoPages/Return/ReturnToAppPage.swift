package import PorticoBytes

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
