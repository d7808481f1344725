package import PorticoBytes

/// The page was opened inside another app, where the provider does not allow signing in.
package struct OpenInBrowserPage: Page {
    package enum Platform: Sendable, CaseIterable {
        case ios, android, other
    }

    package let provider: MethodLabel
    /// To be copied into a browser: starts the same request.
    package let address: String
    package let platform: Platform
    package let otherMethods: PageLink?

    package init(
        provider: MethodLabel,
        address: String,
        platform: Platform,
        otherMethods: PageLink? = nil
    ) {
        self.provider = provider
        self.address = address
        self.platform = platform
        self.otherMethods = otherMethods
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.trouble.openInBrowser
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.trouble.embedded(provider.displayName)),
            .line(words.trouble.copy),
            .field(
                FieldBlock("address", .shown, label: words.trouble.address, value: address)
            ),
            .note(words.trouble.hint(platform)),
            .steps([PageStep(otherMethods, words.trouble.otherMethods)]),
        ])
    }
}
