package import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
package import PorticoUpstream
package import PorticoWeb

/// Begins a sign-in at an identity provider: makes the address to open, and the attempt's cookies.
package struct SignInStart: Sendable {
    let cookies: AttemptCookies
    let directory: ProviderDirectory
    /// The public origin, without a trailing slash.
    let origin: String

    package struct Started: Sendable {
        package let address: String
        package let state: String
        let clientID: String
        let scopes: [String]
        package let cookies: [HTTPField]
    }

    /// - Throws: `SignInError` if the provider cannot be reached, or its settings are wrong.
    package func callAsFunction(
        at provider: ProviderDirectory.LiveProvider,
        backTo signInReturn: SignInReturn,
        _ request: UpstreamRequest,
        _ context: SignInContext
    ) async throws -> Started {
        let redirectURI =
            origin + directory.callback(of: provider, isLink: signInReturn.isLink)
        let begun = try await provider.client.begin(
            redirectURI: redirectURI,
            request,
            at: context.moment
        )
        return Started(
            address: begun.address,
            state: begun.attempt.state.reveal(),
            clientID: begun.clientID,
            scopes: begun.scopes,
            cookies: try cookies.begin(
                begun.attempt,
                signInReturn,
                context.headers,
                at: context.moment
            )
        )
    }
}

/// How often sign-ins may begin (WEB-BRUTE-2). Beginning is no guess: what counts is the browser, and
/// its address only so far that no one sends providers floods from it. A whole office has one.
package struct StartLimit: Sendable {
    /// Of a browser, and of an address.
    let limit: RateLimiter
    let browsers: FormCookie

    package enum Verdict: Sendable {
        /// The browser, with the cookie that it is known by from now on, if it had none.
        case allowed(FormBrowser)
        case wait(Double)
    }

    /// - Parameter step: What begins: the name of a provider, or a step of ours.
    package func take(_ step: String, _ context: SignInContext) throws -> Verdict {
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
