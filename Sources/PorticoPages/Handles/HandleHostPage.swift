package import PorticoBytes

/// Where a person is about to sign in: the name of the host, before they leave.
///
/// What leads there is a link, because a page's policy would have to name all that a form may lead
/// to: the host, and the app that it may lead back to at once (CSP Level 3, `form-action`).
package struct HandleHostPage: Page {
    /// The authorization server's.
    package let host: String
    /// The handle, or the DID where it has none that is confirmed; `nil` where the host was named.
    package let account: String?
    /// The same request without `ask`.
    package let proceed: PageLink?
    package let otherHandle: PageLink?

    package init(
        host: String,
        account: String?,
        proceed: PageLink?,
        otherHandle: PageLink? = nil
    ) {
        self.host = host
        self.account = account
        self.proceed = proceed
        self.otherHandle = otherHandle
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.handle.continueAt(host)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            account.map { .facts([.init(words.consent.account, "\(exact: $0)")]) },
            .line(words.handle.hostPage(host)),
            .steps([
                PageStep(proceed, words.common.proceed),
                PageStep(otherHandle, words.handle.useAnother),
            ]),
        ])
    }
}
