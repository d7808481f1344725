import PorticoBytes

/// How an app sends the person to the provider and gets the answer back.
public struct SignInMethod: Sendable {
    let browser: any ExternalBrowser
    let timeout: Duration
    let pasted: PastedCallback?

    /// Uses the system browser, and a loopback port that is open during the sign-in (RFC 8252
    /// §7.3). The client's redirect must be a loopback redirect.
    ///
    /// - Parameters:
    ///   - browser: Opens the address of the sign-in. Printing the address too helps a person whose
    ///     browser is on another machine.
    ///   - timeout: How long the person may take.
    ///   - pasted: Lets the person paste the address that the browser was redirected to instead.
    public static func loopback(
        open browser: any ExternalBrowser = .systemBrowser,
        timeout: Duration = .seconds(180),
        pasted: PastedCallback? = nil
    ) -> SignInMethod {
        SignInMethod(browser: browser, timeout: timeout, pasted: pasted)
    }
}

/// A second channel for the answer: text that the person pastes.
public final class PastedCallback: Sendable {
    private let taker = Locked<(@Sendable (String) -> Bool)?>(nil)

    /// Use it for one sign-in at a time: text goes to the sign-in that began last.
    public init() {}

    /// Offers text, ignoring surrounding whitespace.
    ///
    /// - Returns: Whether it was the answer to the waiting sign-in. Any other text changes nothing.
    @discardableResult
    public func offer(_ text: String) -> Bool {
        let taker = taker.withLock { $0 }
        return taker?(String(text.trimming { $0.isWhitespace })) ?? false
    }

    func attach(_ take: (@Sendable (String) -> Bool)?) {
        taker.withLock { $0 = take }
    }
}
