import PorticoBytes
import PorticoWeb

/// How often sign-ins may begin (WEB-BRUTE-2). Beginning is no guess: what counts is the browser, and
/// its address only so far that no one sends providers floods from it. A whole office has one.
struct StartLimit: Sendable {
    /// Of a browser, and of an address.
    let limit: RateLimiter
    let browsers: FormCookie

    enum Verdict: Sendable {
        /// The browser, with the cookie that it is known by from now on, if it had none.
        case allowed(FormBrowser)
        case wait(Double)
    }

    /// - Parameter step: What begins: the name of a provider, or a step of ours.
    func take(_ step: String, _ context: BackendContext) throws -> Verdict {
        let browser = try browsers.browser(context)
        let kind = context.request.isLedHere ? "led here" : ""
        let verdict = limit.take(
            LimitKey("starts of a browser", browser.value, kind, step),
            LimitKey("starts", context.sender, step),
            at: context.moment.now
        )
        switch verdict {
        case .allowed: return .allowed(browser)
        case .wait(let seconds): return .wait(seconds)
        }
    }
}
