import PorticoBytes

/// How the person is taken to the provider and back.
public struct SignInMethod: Sendable {
    let browser: any ExternalBrowser
    let timeout: Duration
    let pasted: PastedCallback?

    /// The system browser, and a loopback port that is open meanwhile (RFC 8252 §7.3). The client's
    /// redirect must be a loopback one.
    ///
    /// - Parameters:
    ///   - browser: Opened with the address of the sign-in. One that prints it too helps those whose
    ///     browser is on another machine.
    ///   - timeout: How long the person may take.
    ///   - pasted: Where the person may also paste the address that the browser was sent to.
    public static func loopback(
        open browser: any ExternalBrowser = .systemBrowser,
        timeout: Duration = .seconds(180),
        pasted: PastedCallback? = nil
    ) -> SignInMethod {
        SignInMethod(browser: browser, timeout: timeout, pasted: pasted)
    }
}

/// A second way for the answer to come in: text that the person pastes.
public final class PastedCallback: Sendable {
    private let taker = Locked<(@Sendable (String) -> Bool)?>(nil)

    /// Attach it to one sign-in at a time: what is offered goes to the last that began.
    public init() {}

    /// Offers a text; space around it does not matter.
    ///
    /// - Returns: Whether it was the answer to the sign-in that is waiting. A text that is none
    ///   changes nothing.
    @discardableResult
    public func offer(_ text: String) -> Bool {
        let taker = taker.withLock { $0 }
        return taker?(String(text.trimming { $0.isWhitespace })) ?? false
    }

    func attach(_ take: (@Sendable (String) -> Bool)?) {
        taker.withLock { $0 = take }
    }
}
