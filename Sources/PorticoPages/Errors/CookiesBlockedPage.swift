package import PorticoBytes

/// The browser did not send the cookie that a sign-in needs.
package struct CookiesBlockedPage: Page {
    /// Starts the same request again.
    package let restart: PageLink?

    package init(restart: PageLink?) {
        self.restart = restart
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.cookies.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.cookies.why), .line(words.cookies.advice),
            .step(PageStep(restart, words.common.tryAgain)),
        ])
    }
}
