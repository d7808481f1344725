import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// Answers a callback without an attempt in this browser: no request to a provider is made.
struct LateAnswer: Sendable {
    let sessions: SessionCheck
    let responder: BackendResponder
    let forms: PageForms

    /// A signed-in person continues; otherwise the page, or the app, reports it.
    ///
    /// - Parameter signInReturn: `nil` where nothing is known of the attempt.
    func callAsFunction(_ signInReturn: SignInReturn?, _ context: BackendContext) async throws
        -> Response
    {
        switch signInReturn?.destination {
        case .web(let path, _)?:
            if try await sessions.ifAny(context) != nil { return responder.go(to: path, context) }
        case nil:
            if try await sessions.ifAny(context) != nil {
                return responder.go(to: .dashboard, context)
            }
        case .app?, .link?: break
        }
        // None of our cookies arrived: does this browser keep no cookies, or was it another one?
        if signInReturn == nil, !context.wantsJSON, forms.cookies.form.value(context.headers) == nil
        {
            return responder.go(to: .cookies, context, cookies: [try forms.newCookie(context)])
        }
        return responder.failed(
            SignInFailure(.invalidState, signInReturn == nil ? .unknown : .expired),
            signInReturn,
            context
        )
    }

    /// - Parameter attempt: The one that this browser brought. Its answers count for it alone: what
    ///   others at that address send, or have people's browsers send, does not keep it from its end.
    func checkRate(_ limit: RateLimiter, of attempt: UniqueID?, _ context: BackendContext)
        throws(BackendError)
    {
        let key =
            attempt.map { LimitKey("answers of an attempt", $0.text) }
            ?? LimitKey("callback", context.sender)
        if case .wait(let seconds) = limit.take(key, at: context.moment.now) {
            throw BackendError(
                .rateLimited,
                "Too many answers came from this address.",
                retryAfter: seconds
            )
        }
    }
}
