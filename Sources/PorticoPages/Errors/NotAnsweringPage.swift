package import PorticoBytes

/// An identity provider does not answer: since when, and what else to do.
package struct NotAnsweringPage: Page {
    package let provider: MethodLabel
    /// Seconds since 1970.
    package let since: Int64?
    package let now: Int64
    package let tryAgain: PageLink?
    package let otherMethods: PageLink?

    package init(
        provider: MethodLabel,
        since: Int64? = nil,
        now: Int64,
        tryAgain: PageLink?,
        otherMethods: PageLink?
    ) {
        self.provider = provider
        self.since = since
        self.now = now
        self.tryAgain = tryAgain
        self.otherMethods = otherMethods
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.trouble.notAnswering(provider.displayName)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.trouble.notAnsweringWhy),
            since.map { .line(words.trouble.since(words.time.ago($0, at: now))) },
            .steps([
                PageStep(tryAgain, words.common.tryAgain),
                PageStep(otherMethods, words.trouble.otherMethods),
            ]),
        ])
    }
}
