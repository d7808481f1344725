package import PorticoBytes
package import PorticoWeb

/// Rate limits of signing in. Counted per process.
package struct SignInLimits: Sendable {
    package let starts: RateLimiter
    package let callbacks: RateLimiter
    /// The redeemed attempts.
    package let redemptions: SeenLately<LimitKey>
    package let guesses: RateLimiter
    /// Refused tokens of native sign-ins.
    package let refusedTokens: RateLimiter
    let providerCalls: RateLimiter
    package let links: RateLimiter
    let mails: MailLimits

    /// - Parameters:
    ///   - startsPerMinute: Of sign-ins in one browser.
    ///   - startsPerAddress: The same, at one address, in a minute; no fewer than of a browser.
    package init(
        startsPerMinute: Int = 5,
        startsPerAddress: Int = 60,
        callbacksPerMinute: Int = 10
    ) {
        starts = RateLimiter(
            Self.ofEverybody(startsPerMinute),
            Self.ofEverybody(max(startsPerMinute, startsPerAddress))
        )
        callbacks = RateLimiter(Self.ofEverybody(callbacksPerMinute))
        redemptions = SeenLately<LimitKey>()
        guesses = RateLimiter(burst: 20, perMinute: 10)
        refusedTokens = RateLimiter(burst: 10, perMinute: 10)
        providerCalls = RateLimiter(burst: 60, perMinute: 60)
        links = RateLimiter(.perHour(5))
        mails = MailLimits()
    }

    /// A limit that every sign-in counts towards. If many people arrive at once, each from their
    /// own address, they must not fill the table for each other: 1 MiB is enough for 2,700 a
    /// second.
    private static func ofEverybody(_ count: Int) -> RateLimit {
        RateLimit(burst: count, perMinute: Double(count), keys: 32_768)
    }
}
