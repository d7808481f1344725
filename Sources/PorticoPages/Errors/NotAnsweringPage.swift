package import PorticoBytes

/// An identity provider does not answer: since when, and what else there is.
package struct NotAnsweringPage: Page {
    package let provider: MethodLabel
    /// Seconds since 1970.
    package let since: Int64?
    package let now: Int64
    package let tryAgain: PageLink?
    package let otherWays: PageLink?

    package init(
        provider: MethodLabel,
        since: Int64? = nil,
        now: Int64,
        tryAgain: PageLink?,
        otherWays: PageLink?
    ) {
        self.provider = provider
        self.since = since
        self.now = now
        self.tryAgain = tryAgain
        self.otherWays = otherWays
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
                PageStep(otherWays, words.trouble.otherWays),
            ]),
        ])
    }

    package static let gallery = [
        GalleryState(
            "since a while",
            NotAnsweringPage(
                provider: .google,
                since: 1_795_298_400 - 720,
                now: 1_795_298_400,
                tryAgain: PageLink(path: "/v1/auth/google"),
                otherWays: PageLink(path: "/login")
            )
        ),
        GalleryState(
            "just now",
            NotAnsweringPage(
                provider: .generic,
                since: 1_795_298_400,
                now: 1_795_298_400,
                tryAgain: PageLink(path: "/v1/auth/example"),
                otherWays: PageLink(path: "/login")
            )
        ),
    ]
}
