import PorticoProtocol

/// How an authorization request is refused. Which exit is safe depends on what is proven: nothing
/// is ever sent to a redirect URI that a known client has not registered (RFC 6749 §4.1.2.1,
/// RFC 9700 §4.11.2).
enum AuthorizationRefusal: Error, Sendable {
    /// Client or redirect URI are not known: a page on our own origin, no redirect.
    case page(OAuthError, client: String?, RedirectProblem?)
    /// Both are proven: the error goes to the redirect URI.
    case redirect(OAuthError, AuthorizationTarget)

    /// Which of the two is not known, for the words of the page.
    enum RedirectProblem: Sendable {
        case unknownClient
        case unknownRedirect
    }
}
