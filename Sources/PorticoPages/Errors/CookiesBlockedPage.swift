/// The browser did not bring back the cookie that a sign-in needs.
package struct CookiesBlockedPage: Page {
    /// Starts the same request again.
    package let restart: PageLink?

    package init(restart: PageLink?) {
        self.restart = restart
    }

    package static let template = PageTemplate.message

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.cookies.heading
    }

    package func view(_ words: Words, _ frame: PageFrame) -> MessageView {
        MessageView(
            lines: [words.cookies.why, words.cookies.advice],
            step: restart.map { .init(link: $0, linkText: words.common.tryAgain) }
        )
    }
}

extension CookiesBlockedPage {
    package static let gallery: [GalleryState] = [
        GalleryState(
            "way on",
            CookiesBlockedPage(
                restart: PageLink(path: "/realms/demo/login-actions/restart?request=AbC")
            )
        )
    ]
}
